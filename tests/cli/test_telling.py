"""What is asked of a person, as lines."""

import json

from longrein.cli.telling import approval_lines, headline
from longrein.cli.wrapping import rows, wrapped
from longrein.core.policy import Touches
from longrein.core.records import Approval

DIFF = "--- /project/a.py\n+++ /project/a.py\n@@ -1 +1 @@\n-one\n+two\n+three"
NARROW = 40


def edit(arguments: dict[str, object], preview: str = DIFF) -> Approval:
    touches = Touches(("/project/a.py",))
    text = json.dumps(arguments)
    return Approval(
        "apr_1",
        "c",
        "edit_file",
        "edit",
        text,
        "default:edit",
        "",
        touches=touches,
        preview=preview,
    )


def execute(line: str, preview: str, rule: str = "default:execute") -> Approval:
    arguments = json.dumps({"command": line})
    touches = Touches(commands=(line,))
    return Approval(
        "apr_1", "c", "execute", "execute", arguments, rule, "", touches=touches, preview=preview
    )


def test_a_diff_names_its_file_and_arguments_do_not_repeat_it() -> None:
    asked = edit({"path": "a.py", "edits": [{"old_string": "one", "new_string": "two\nthree"}]})
    assert approval_lines(asked) == [
        "? edit_file (edit) wants to run:",
        *(f"    {line}" for line in DIFF.splitlines()),
    ]


def test_an_argument_that_stands_in_no_diff_is_shown() -> None:
    lines = approval_lines(edit({"path": "b.py", "force": True, "mode": "n"}))
    assert lines[1:4] == ['    path: "b.py"', "    force: true", '    mode: "n"']


def test_a_command_that_was_read_as_it_stands_is_shown_once() -> None:
    asked = execute("make all", "make all\nin /project")
    assert approval_lines(asked) == ["? execute wants to run:", "    make all", "    in /project"]


def test_a_danger_is_told_once() -> None:
    preview = "git push --force\nin /project\ndangerous (forces-push): it overwrites"
    lines = approval_lines(execute("git push --force", preview, "shell: forces-push"))
    assert sum("forces-push" in line for line in lines) == 1
    other = approval_lines(execute("git push --force", preview, "deny-less rule"))
    assert other[-1] == "  asked by the rule deny-less rule"


def test_a_call_in_a_few_words_has_its_file_and_how_much_changes() -> None:
    assert headline(edit({"path": "a.py", "edits": []})) == "edit_file a.py (+2 -1)"
    assert headline(execute("make  all", "")) == "execute make all"


def test_long_lines_break_between_words_and_lose_nothing() -> None:
    text = "    dangerous (pushes): it overwrites what others have at origin main"
    lines = wrapped(text, NARROW).split("\n")
    assert max(map(len, lines)) <= NARROW + 1
    assert all(line.startswith("      ") for line in lines[1:])
    assert "".join(line.lstrip() for line in lines) == text.lstrip()
    assert wrapped("x" * 99, NARROW) == "x" * 99
    assert rows("x" * 99, NARROW) == 3
