"""What is asked of a person, as lines."""

import json

import pytest
from msgspec.structs import replace

from longrein.cli.telling import approval_lines
from longrein.cli.wrapping import rows, wrapped
from longrein.client.telling import headline, lay_out
from longrein.core.policy import Touches
from longrein.core.records import Approval
from longrein.workspace.diffs import diff

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


@pytest.mark.parametrize("end", "\x0b\x0c\x1c\x1e\x85\u2028\u2029\r")
def test_only_a_newline_ends_a_line_of_a_diff(end: str) -> None:
    told = lay_out(edit({"path": "a.py"}, f"{DIFF}{end}-not removed"))
    assert told.preview[-1] == f"+three{end}-not removed"


@pytest.mark.parametrize(
    "preview",
    [
        "/project/a.py: not text; 3 bytes before, 9 bytes after",
        "Overwrite /project/a.py (5.7 MB) with 9 bytes.",
        "What this would do cannot be shown: it is a pipe",
        "applies\n@@ a patch",
    ],
)
def test_what_is_written_is_shown_where_no_diff_shows_it(preview: str) -> None:
    lines = approval_lines(edit({"content": "one\nevil", "lines": ["x"]}, preview))
    assert lines[1:5] == ["    content:", "      | one", "      | evil", '    lines: ["x"]']


def test_a_diff_that_was_cut_is_followed_by_all_arguments() -> None:
    cut = f"{DIFF}\n... (cut; 9 lines added and 0 removed in all)"
    lines = approval_lines(edit({"path": "a.py", "content": "two\nevil"}, cut))
    assert lines[-5:] == [
        "  This is not the whole change. All that the call was given:",
        '    path: "a.py"',
        "    content:",
        "      | two",
        "      | evil",
    ]


def test_what_is_touched_is_named_unless_it_stands_there_as_such() -> None:
    asked = replace(edit({}, f"{DIFF}\n+/etc/passwd"), touches=Touches(("/etc/passwd", "/etc")))
    assert lay_out(asked).touched == ("touches /etc/passwd", "touches /etc")
    shell = execute("cat /etc/hosts", "cat /etc/hosts\nin /project")
    touches = Touches(("/etc", "/etc/hosts", "/project"))
    assert lay_out(replace(shell, touches=touches)).touched == ("touches /etc",)


def test_arguments_that_nobody_can_read_are_shown_as_they_are() -> None:
    deep = "[" * 100_000
    assert approval_lines(replace(edit({}, ""), arguments=deep))[1] == f"    {deep}"


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


def test_a_command_of_several_stands_there_once_as_it_was_written() -> None:
    line = "cd src && make 'all of it'"
    preview = "cd src\nmake all of it\nin /project"
    asked = replace(execute(line, preview), touches=Touches(commands=("cd src", "make all of it")))
    assert approval_lines(asked)[1:] == [
        "    cd src && make 'all of it'",
        "    make all of it",
        "    in /project",
    ]


def test_of_a_long_new_file_the_content_is_told_once() -> None:
    content = "".join(f"{number}\n" for number in range(400))
    preview = diff(None, content.encode(), "/project/a.py").text
    asked = edit({"path": "a.py", "content": content}, preview)
    lines = approval_lines(asked)
    assert lines[:4] == [
        "? edit_file (edit) wants to run:",
        "    --- /dev/null",
        "    +++ /project/a.py",
        "    content:",
    ]
    assert len(lines) == 4 + 401
    assert headline(asked).endswith("(+400 -0)")
