"""Tool calls in few words: what each does, what came of it, what can be opened."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longrein.core.offload import left_out
from longrein.core.planning import Todo
from longrein.tui.view.arguments import read_arguments
from longrein.tui.view.calls import Standing, called
from longrein.tui.view.diffs import diff_of_edits
from longrein.tui.view.entries import (
    Called,
    CallState,
    DiffBody,
    FieldsBody,
    MarkdownBody,
    OutputBody,
    TodosBody,
)
from longrein.tui.view.shapes import SHAPES
from longrein.workspace.diffs import diff

EDITED = """\
Edited /project/a.py (1 place, +2 -1).
@@ -1,2 +1,3 @@
 a
-b
+c
+d"""


def call(name: str, text: str = "", state: CallState = "ok", /, **arguments: Any) -> Called:
    return called("k", name, json.dumps(arguments), Standing(state, text))


def line(shown: Called) -> str:
    """The call on one line, as it is read."""
    return " | ".join((shown.verb, shown.object, shown.gist))


@pytest.mark.parametrize(
    ("shown", "reads"),
    [
        (call("read_file", "a.py: 3 lines\n1\tx", path="a.py"), "Read | a.py | 3 lines"),
        (
            call("read_file", "a.py: lines 1-200 of 900; go on with offset=201\n1\tx", path="a.py"),
            "Read | a.py | lines 1-200 of 900",
        ),
        (call("ls", "a/\nb.txt (3 bytes)"), "List | . | 2 names"),
        (call("ls", "b.txt (3 bytes)"), "List | . | 1 name"),
        (call("ls", "(empty)", path="x"), "List | x | empty"),
        (call("glob", "a.py\nb.py", pattern="*.py"), "Find | *.py | 2 files"),
        (call("glob", "No files fit. x", pattern="*.py", path="src"), "Find | *.py in src | none"),
        (call("grep", "a.py\n1:x\n2-y\n9:x", pattern="x"), "Search | x | 2 lines"),
        (call("grep", "a.py\nb.py", pattern="x", show="files"), "Search | x | 2 files"),
        (call("grep", "Nothing found. y", pattern="x"), "Search | x | none"),
        (
            call("write_file", "Created a (2 lines).", path="a", content="x\ny"),
            "Write | a | 2 lines",
        ),
        (call("edit_file", EDITED, path="a.py", edits=[]), "Edit | a.py | +2 -1"),
        (
            call("delete", "Deleted a.txt (3 bytes)", path="a.txt"),
            "Delete | a.txt | (3 bytes)",
        ),
        (call("move", "Moved a to b.", source="a", target="b"), "Move | a to b | "),
        (call("execute", "a\nb\n[exit code 0]", command="ls"), "Run | ls | 2 lines"),
        (
            call("execute", f"1\n{left_out(3_893, 'bytes')}\n9\n[exit code 0]", command="seq"),
            "Run | seq | 2 lines, 3,893 bytes left out",
        ),
        (call("execute", "[exit code 0]", command="true"), "Run | true | no output"),
        (call("execute", "no\n[exit code 2]", command="make"), "Run | make | exit 2"),
        (
            call("execute", "[killed after 5 s, exit code 137]", command="make"),
            "Run | make | killed after 5 s, exit 137",
        ),
        (
            call("execute", "up\n[job 1 runs]", command="serve", background=True),
            "Start | serve | job 1 runs",
        ),
        (
            call("job", "x\n[job 1 ended: exit code 0]", id=1),
            "Job | 1 read | job 1 ended: exit code 0",
        ),
        (
            call("submit_plan", "The plan is approved. Carry it out now.", title="T", plan="1. x"),
            "Plan | T | approved",
        ),
        (
            call("submit_plan", "The plan was rejected. Revise.\n\nNo tests", title="T", plan="x"),
            "Plan | T | rejected: No tests",
        ),
        (
            call("ask_user", "blue", question="Which?", choices=["red", "blue"]),
            "Ask | Which? | blue",
        ),
        (
            call("ask_user", '["a","b, c"]', question="Which?", choices=["a"], several=True),
            "Ask | Which? | a, b, c",
        ),
        (
            call("ask_user", '["a', question="Which?", choices=["a"], several=True),
            'Ask | Which? | ["a',
        ),
        (
            call("task", "All fine.", agent="reviewer", description="Check it", prompt="p"),
            "Delegate | reviewer: Check it | All fine.",
        ),
        (call("skill", "# Skill pdf\n\nx", name="pdf"), "Skill | pdf | loaded"),
        (call("recall", "x", search="budget"), "Recall | budget | x"),
        (call("deploy", "a\nb", target="prod", force=True), "deploy | prod | 2 lines"),
    ],
)
def test_a_call_reads(shown: Called, reads: str) -> None:
    assert line(shown) == reads


def test_several_answers_are_opened_as_a_person_would_write_them() -> None:
    asked = call("ask_user", '["red","blue"]', question="Which?", choices=["red"], several=True)
    assert asked.bodies[-1] == OutputBody("red, blue")


def test_an_edit_shows_the_diff_that_the_tool_told() -> None:
    shown = call("edit_file", EDITED, path="a.py", edits=[])
    assert shown.bodies == (DiffBody("@@ -1,2 +1,3 @@\n a\n-b\n+c\n+d", "a.py"),)
    assert shown.shown


def test_an_edit_that_did_not_happen_shows_what_it_would_have_changed() -> None:
    edits = [{"old_string": "a\nb", "new_string": "a\nc"}]
    shown = call("edit_file", "declined", "declined", path="a.py", edits=edits)
    assert shown.bodies == (
        DiffBody("@@ @@\n a\n-b\n+c", "a.py"),
        OutputBody("declined", problem=True),
    )


def test_a_write_that_failed_shows_no_change_as_if_it_had_been_made() -> None:
    shown = call("write_file", "Nothing was done: it is a folder.", "failed", path="a", content="x")
    assert shown.bodies == (
        FieldsBody((("path", "a"), ("content", "x"))),
        OutputBody("Nothing was done: it is a folder.", problem=True),
    )


def test_what_a_failed_call_said_is_shown_once() -> None:
    shown = call("task", "**No** such agent.", "failed", agent="x", prompt="p")
    assert [body for body in shown.bodies if not isinstance(body, FieldsBody)] == [
        OutputBody("**No** such agent.", problem=True)
    ]


def test_the_reason_of_a_no_stands_on_the_line_of_the_call() -> None:
    said = "The user declined this call. The reason given: too dangerous"
    shown = call("execute", said, "declined", command="rm -rf x")
    assert line(shown) == "Run | rm -rf x | declined: too dangerous"


def test_a_single_edit_outside_of_a_list_is_understood() -> None:
    shown = call("edit_file", "", "ready", file_path="a", old_string="x", new_string="y")
    assert shown.bodies == (DiffBody("@@ @@\n-x\n+y", "a"),)


def test_an_edit_that_waits_for_a_yes_shows_its_preview() -> None:
    preview = "--- a\n+++ a\n@@ -1 +1 @@\n-x\n+y"
    shown = called("k", "edit_file", '{"path": "a"}', Standing("asks", preview=preview))
    assert shown.bodies == (DiffBody(preview, "a"),)
    assert shown.gist == "+1 -1"


def test_a_plan_that_was_rejected_is_not_marked_as_done() -> None:
    said = "The plan was rejected. Revise.\n\nNo tests"
    assert call("submit_plan", said, title="T", plan="x").state == "declined"


def test_the_size_of_a_long_new_file_is_told_before_it_is_written() -> None:
    content = "x\n" * 400
    preview = diff(None, content.encode(), "/project/a").text
    arguments = json.dumps({"path": "a", "content": content})
    asked = called("k", "write_file", arguments, Standing("asks", preview=preview))
    assert line(asked) == "Write | a | +400 -0"


def test_a_long_diff_is_cut() -> None:
    long = diff_of_edits([{"old_string": "", "new_string": "x\n" * 10_000}])
    assert long.count("\n") == 400
    assert long.endswith("... (cut)")


def test_a_command_that_failed_is_open_and_failed() -> None:
    shown = call("execute", "boom\n[exit code 1]", command="make")
    assert (shown.state, shown.shown) == ("failed", True)
    assert shown.bodies == (OutputBody("boom"),)


def test_what_a_command_prints_is_not_taken_for_its_end() -> None:
    shown = call("execute", "[exit code 1]\nok\n[exit code 0]", command="echo")
    assert shown.state == "ok"
    assert shown.bodies == (OutputBody("[exit code 1]\nok"),)


def test_a_command_of_several_lines_can_be_read_whole() -> None:
    shown = call("execute", "", "ready", command="cd x\nmake")
    assert shown.object == "cd x …"
    assert shown.bodies == (FieldsBody((("command", "cd x\nmake"),)),)


def test_todos_are_those_of_the_call_not_of_today() -> None:
    shown = call("update_todos", "1. [x] Read\n2. [~] Write", changes=[])
    assert shown.bodies == (TodosBody((Todo("Read", "completed"), Todo("Write", "in_progress"))),)
    assert line(shown) == "Todos | Write | 1 of 2 done"


def test_todos_being_written_are_told_from_the_arguments() -> None:
    todos = [{"text": "Read", "status": "in_progress", "doing": "Reading"}, {"text": "Write"}, 3]
    shown = call("write_todos", "", "running", todos=todos)
    assert shown.bodies == (TodosBody((Todo("Read", "in_progress", "Reading"), Todo("Write"))),)
    assert shown.object == "Reading"


def test_a_plan_that_was_changed_is_shown_as_it_counts() -> None:
    said = "The plan is approved with changes. Carry it out now as it stands here:\n\n1. y"
    shown = call("submit_plan", said, title="T", plan="1. x")
    assert shown.bodies == (MarkdownBody("1. y"),)


def test_a_call_that_failed_is_open_with_its_arguments_and_what_it_said() -> None:
    shown = call("read_file", "There is no such file.\nLook again.", "failed", path="a")
    assert shown.gist == "There is no such file."
    assert shown.shown
    assert shown.bodies == (
        FieldsBody((("path", "a"),)),
        OutputBody("There is no such file.\nLook again.", problem=True),
    )


def test_arguments_that_are_no_json_are_shown_as_they_are() -> None:
    shown = called("k", "deploy", "now!", Standing("failed", "Not JSON."))
    assert shown.bodies[0] == FieldsBody((("arguments", "now!"),))


@settings(max_examples=120, deadline=None)
@given(st.dictionaries(st.text(max_size=5), st.text(max_size=9)), st.integers(0, 200))
def test_half_written_arguments_are_read_as_far_as_they_go(given: dict[str, str], at: int) -> None:
    whole = json.dumps(given, ensure_ascii=at % 2 == 0)
    read = read_arguments(whole[:at])
    for name, value in read.items():
        assert given[name].startswith(value)


ARGUMENTS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=6,
)
NAMES = st.sampled_from(
    ["path", "content", "edits", "old_string", "todos", "choices", "command", "id", "question",
     "background", "plan", "changes", "pattern", "show", "first", "agent", "text", "status"]
)  # fmt: skip
STATES = st.sampled_from(
    ["writing", "ready", "asks", "running", "ok", "failed", "declined", "stopped", "unknown"]
)


@settings(max_examples=120, deadline=None)
@given(
    st.sampled_from([*SHAPES, "other", ""]),
    st.dictionaries(NAMES, ARGUMENTS).map(json.dumps) | st.text(),
    st.text() | st.sampled_from(["[exit code 1]", "1. [x] a", "@@ @@\n+", "a: 3 lines"]),
    STATES,
    st.integers(0, 60),
)
def test_no_arguments_and_no_result_are_too_odd(
    name: str, arguments: str, text: str, state: CallState, cut: int
) -> None:
    for written in (arguments, arguments[:cut]):
        shown = called("k", name, written, Standing(state, text, preview=text))
        assert "\n" not in shown.verb + shown.object + shown.gist


def test_deeply_nested_arguments_are_survived() -> None:
    for odd in ("[" * 100_000, '{"a":' * 100_000, '{"a": "' + "\\" * 99_999, '"' * 9_999):
        assert called("k", "edit_file", odd, Standing("ok")).verb == "Edit"


@pytest.mark.parametrize(
    ("tool", "given"), [("task", {"agent": "x", "prompt": "Do it"}), ("skill", {"name": "x"})]
)
def test_what_went_wrong_is_said_once(tool: str, given: dict[str, str]) -> None:
    bodies = call(tool, "There is no x.", "failed", **given).bodies
    assert [one for one in bodies if not isinstance(one, FieldsBody)] == [
        OutputBody("There is no x.", problem=True)
    ]
