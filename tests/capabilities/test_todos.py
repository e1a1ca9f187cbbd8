"""Todos: written and updated by the model, folded into the thread, recalled when a run begins."""

from typing import Any

import pytest

from longrein.capabilities.todos import MOST_ITEMS, TODOS, Todos, shown, update_todos, write_todos
from longrein.core.events import Recorded
from longrein.core.planning import Todo
from tests.capabilities.thread import Thread

THREE = [
    {"text": "Read the code", "status": "completed"},
    {"text": "Write the tests", "status": "in_progress", "doing": "Writing the tests"},
    {"text": "Ship it"},
]
AS_TODOS = (
    Todo("Read the code", "completed"),
    Todo("Write the tests", "in_progress", "Writing the tests"),
    Todo("Ship it"),
)
AS_TEXT = "1. [x] Read the code\n2. [~] Write the tests\n3. [ ] Ship it"


def begun() -> Thread:
    thread = Thread(TODOS)
    thread.use(write_todos, todos=THREE)
    return thread


def test_a_list_is_written_and_shown() -> None:
    thread = Thread(TODOS)
    assert thread.use(write_todos, todos=THREE) == AS_TEXT
    assert thread.read(TODOS) == AS_TODOS


def test_writing_replaces_the_whole_list() -> None:
    thread = begun()
    thread.use(write_todos, todos=[{"text": "Something else"}])
    assert thread.read(TODOS) == (Todo("Something else"),)
    assert thread.use(write_todos, todos=[]) == "The todo list is empty."
    assert thread.read(TODOS) == ()


def test_several_changes_are_made_in_one_call_with_the_numbers_from_before() -> None:
    thread = begun()
    told = thread.use(
        update_todos,
        changes=[
            {"number": 1, "remove": True},
            {"number": 2, "status": "completed"},
            {"number": 3, "text": "Ship it twice", "status": "in_progress"},
            {"text": "Celebrate"},
            {"text": "Rest", "status": "completed"},
        ],
    )
    assert told == "\n".join(
        ["1. [x] Write the tests", "2. [~] Ship it twice", "3. [ ] Celebrate", "4. [x] Rest"]
    )
    assert shown(thread.read(TODOS)) == told


def test_a_new_text_drops_what_was_said_about_doing_the_old_one() -> None:
    thread = begun()
    thread.use(update_todos, changes=[{"number": 2, "status": "completed"}])
    assert thread.read(TODOS)[1] == Todo("Write the tests", "completed", "Writing the tests")
    thread.use(update_todos, changes=[{"number": 2, "text": "Write more tests"}])
    assert thread.read(TODOS)[1] == Todo("Write more tests", "completed")


def test_an_update_without_changes_shows_the_list_and_writes_nothing() -> None:
    thread = begun()
    assert thread.use(update_todos, changes=[]) == AS_TEXT
    assert thread.effects == []


def test_white_space_in_a_text_is_one_space() -> None:
    thread = Thread(TODOS)
    assert thread.use(write_todos, todos=[{"text": " Read\n  all  "}]) == "1. [ ] Read all"


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ([{"number": 1, "status": "pending"}, {"number": 4, "remove": True}], "no item 4"),
        ([{"number": 0, "status": "pending"}], "no item 0"),
        ([{"number": -1, "status": "pending"}], "no item -1"),
        ([{"number": 4, "text": "One more"}], "To add one, leave out its number"),
        ([{"number": 9, "remove": True}], AS_TEXT),
        ([{"number": 2}], "say what becomes of item 2"),
        ([{"status": "completed"}], "a new item needs a `text`"),
        ([{"text": "Ship it", "remove": True}], "a change of an item its `number`"),
        ([{"number": 1, "text": " \n"}], "has no text"),
        ([{"text": "x" * 501}], "501 characters"),
        ([{"text": str(n)} for n in range(98)], "would have 101 items"),
        ([{"number": 1, "status": "done"}], "'done'"),
        ([{"number": 1, "content": "Read"}], "content"),
    ],
)
def test_a_change_that_cannot_be_made_changes_nothing_and_says_why(
    changes: list[dict[str, Any]], told: str
) -> None:
    thread = begun()
    assert told in thread.fail(update_todos, changes=changes)
    assert thread.read(TODOS) == AS_TODOS


@pytest.mark.parametrize(
    ("todos", "told"),
    [
        ([{"text": "Read"}, {"text": ""}], "has no text"),
        ([{"text": "x" * 501}], "at most 500"),
        ([{"text": "x"}] * (MOST_ITEMS + 1), "Keep at most 100"),
    ],
)
def test_a_list_that_cannot_be_kept_is_refused(todos: list[dict[str, Any]], told: str) -> None:
    thread = begun()
    assert told in thread.fail(write_todos, todos=todos)
    assert thread.read(TODOS) == AS_TODOS


def test_updates_that_were_made_side_by_side_both_hold() -> None:
    thread = begun()
    _, first = thread.prepared(update_todos, changes=[{"number": 1, "remove": True}, {"text": "A"}])
    _, second = thread.prepared(
        update_todos, changes=[{"number": 3, "status": "completed"}, {"text": "B"}]
    )
    thread.write(first)
    thread.write(second)
    assert shown(thread.read(TODOS)) == "\n".join(
        ["1. [~] Write the tests", "2. [x] Ship it", "3. [ ] A", "4. [ ] B"]
    )


def test_a_call_that_was_lost_before_its_end_is_run_again_and_adds_once() -> None:
    thread = begun()
    thread.prepared(update_todos, changes=[{"text": "Celebrate"}])
    thread.use(update_todos, changes=[{"text": "Celebrate"}])
    assert len(thread.read(TODOS)) == 4


def test_a_change_of_an_item_that_is_gone_meanwhile_hits_no_other() -> None:
    thread = begun()
    _, late = thread.prepared(update_todos, changes=[{"number": 3, "status": "completed"}])
    thread.use(write_todos, todos=[{"text": text} for text in ("A", "B", "C")])
    thread.write(late)
    assert [todo.status for todo in thread.read(TODOS)] == ["pending"] * 3


def test_of_two_items_with_one_text_the_one_with_the_number_is_meant() -> None:
    thread = Thread(TODOS)
    thread.use(write_todos, todos=[{"text": "Again"}, {"text": "Again"}])
    thread.use(update_todos, changes=[{"number": 2, "status": "completed"}])
    assert [todo.status for todo in thread.read(TODOS)] == ["pending", "completed"]


@pytest.mark.parametrize(
    "data",
    [
        None,
        "todos",
        [],
        {},
        {"type": "unheard_of"},
        {"type": "written"},
        {"type": "written", "todos": [{"text": 7}]},
        {"type": "written", "todos": [{"text": "x", "status": "done"}]},
        {"type": "updated", "changes": [{"type": "edited"}]},
        {"type": "updated", "changes": [{"type": "edited", "number": -9, "was": "nothing"}]},
        {"type": "updated", "changes": [{"type": "removed", "number": 99, "was": "nothing"}]},
    ],
)
def test_a_fact_that_says_nothing_changes_nothing(data: Any) -> None:
    thread = begun()
    thread.record("todos", data)
    assert thread.read(TODOS) == AS_TODOS


def test_the_fold_returns_the_same_object_for_other_events() -> None:
    assert TODOS.fold(AS_TODOS, Recorded("plan", {})) is AS_TODOS


def test_the_list_comes_back_from_a_snapshot() -> None:
    thread = begun()
    thread.restart()
    assert thread.read(TODOS) == AS_TODOS
    assert thread.use(update_todos, changes=[{"number": 3, "status": "completed"}])


def test_a_run_begins_with_a_note_of_what_is_still_open() -> None:
    (note,) = begun().notes_before_run(Todos())
    assert "2. [~] Write the tests\n3. [ ] Ship it\n" in note
    assert "Read the code" not in note


def test_a_run_begins_without_a_note_where_nothing_is_open() -> None:
    thread = Thread(TODOS)
    assert thread.notes_before_run(Todos()) == []
    thread.use(write_todos, todos=[{"text": "Done", "status": "completed"}])
    assert thread.notes_before_run(Todos()) == []


def test_a_note_of_a_long_list_is_short() -> None:
    thread = Thread(TODOS)
    thread.use(write_todos, todos=[{"text": f"Item {n}"} for n in range(1, 31)])
    (note,) = thread.notes_before_run(Todos())
    assert "20. [ ] Item 20\nand 10 more\n" in note


def test_both_tools_share_a_lane_and_may_run_again() -> None:
    lanes = {write_todos.lane('{"todos": []}'), update_todos.lane('{"changes": []}')}
    assert lanes == {(False, "todos")}
    assert write_todos.idempotent
    assert update_todos.idempotent
