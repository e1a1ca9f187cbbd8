"""From displays to entries: what is said, done, written and waiting, at the cost of what is new."""

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from longrein.client import own_words
from longrein.core.children import ChildView
from longrein.core.display import CallView, Display, Writing, display
from longrein.core.growing import Trail
from longrein.core.messages import (
    Assistant,
    File,
    Message,
    Note,
    Reasoning,
    Text,
    ToolCall,
    ToolResult,
    User,
)
from longrein.core.outcomes import Problem
from longrein.core.records import Input
from longrein.core.state import State
from longrein.tui.view.entries import (
    Called,
    ChildBody,
    Entry,
    OutputBody,
    Said,
    Spoke,
    Thought,
    Told,
)
from longrein.tui.view.transcript import Transcript, transcript

EMPTY = display(State(thread="thr_1"))


def showing(*messages: Message, **changes: Any) -> Display:
    return replace(EMPTY, messages=Trail(messages), **changes)


def entries(shown: Display) -> list[Entry]:
    return list(transcript(shown).entries)


def user(text: str, id: str = "cmd_1") -> User:
    return User((Text(text),), id)


def asks(id: str = "call_1", name: str = "look", arguments: str = '{"path": "a"}') -> Assistant:
    return Assistant((ToolCall(id, name, arguments),))


def result(id: str = "call_1", text: str = "fine", took: int = 0) -> ToolResult:
    return ToolResult(id, "look", (Text(text),), took=took)


def keys(shown: Sequence[Entry]) -> list[str]:
    return [entry.key for entry in shown]


def test_what_a_person_says_has_its_files_by_name() -> None:
    picture = File("image/png", "hash", name="cat.png")
    said = User((Text("look"), picture), "cmd_1", 7)
    assert entries(showing(said)) == [Said("cmd_1", "look", ("cat.png",), 7)]


def test_a_picture_with_a_mark_in_the_text_is_not_named_again() -> None:
    picture = File("image/png", "hash", name="cat.png")
    said = User((Text("See [image: cat.png]"), picture), "cmd_1", 7)
    assert entries(showing(said)) == [Said("cmd_1", "See [image: cat.png]", (), 7)]


def test_the_parts_of_an_answer_stand_in_their_order() -> None:
    parts = (Reasoning("hm"), Text("I look."), ToolCall("call_1", "look", "{}"))
    found = entries(showing(Assistant(parts, time=3), result()))
    assert found[:2] == [Thought("0.r0", "hm"), Spoke("0.t0", "I look.", time=3)]
    assert isinstance(found[2], Called)
    assert len(found) == 3


def test_blank_parts_of_an_answer_are_no_entries() -> None:
    assert entries(showing(Assistant((Reasoning(""), Text(" \n"), Text("x"))))) == [
        Spoke("0.t0", "x")
    ]


def test_an_answer_that_was_stopped_is_marked() -> None:
    stopped = Assistant((Text("a"), Text("b")), interrupted=True)
    assert [one.mark for one in entries(showing(stopped)) if isinstance(one, Spoke)] == [
        "",
        "interrupted",
    ]


def test_a_call_has_its_result_and_how_long_it_took() -> None:
    (call,) = entries(showing(asks(), result(text="found", took=400)))
    assert isinstance(call, Called)
    assert (call.key, call.state, call.gist, call.took) == ("call_1", "ok", "found", 400)
    assert OutputBody("found") in call.bodies


def test_a_call_that_runs_shows_what_it_has_put_out() -> None:
    view = CallView("call_1", "look", "{}", "started", "one\ntwo\n", began=5)
    (call,) = entries(showing(asks(), calls=(view,)))
    assert isinstance(call, Called)
    assert (call.state, call.gist, call.began) == ("running", "two", 5)


def test_a_call_with_changed_arguments_shows_those_that_count() -> None:
    view = CallView("call_1", "read_file", '{"path": "b.txt"}', "approved")
    (call,) = entries(showing(asks(name="read_file"), calls=(view,)))
    assert isinstance(call, Called)
    assert (call.object, call.state) == ("b.txt", "ready")


def test_calls_of_a_step_of_which_some_have_ended_are_open_still() -> None:
    both = Assistant((ToolCall("call_1", "look", "{}"), ToolCall("call_2", "look", "{}")))
    views = (CallView("call_1", "look", "{}", "ok"), CallView("call_2", "look", "{}", "approval"))
    found = entries(showing(both, calls=views))
    assert [one.state for one in found if isinstance(one, Called)] == ["ok", "asks"]


def test_what_is_being_written_has_the_keys_of_the_message_that_it_becomes() -> None:
    writing = transcript(showing(user("go"), writing=Writing("So", "hm", ())))
    said = Assistant((Reasoning("hm"), Text("So it is.")))
    written = transcript(showing(user("go"), said), writing)
    assert writing.entries[1:] == [Thought("1.r0", "hm"), Spoke("1.t0", "So", open=True)]
    assert keys(written.entries) == keys(writing.entries)


def test_a_call_being_written_shows_as_much_as_can_be_read() -> None:
    calls = (("write_file", '{"path": "a.txt", "content": "one\\ntwo'),)
    (call,) = entries(showing(writing=Writing(calls=calls)))
    assert isinstance(call, Called)
    assert (call.verb, call.object, call.state) == ("Write", "a.txt", "writing")
    assert call.gist == "2 lines so far"


def test_notes_are_told_in_few_words() -> None:
    notes = (
        Note("You are in plan mode. Change nothing.", "mode:plan"),
        Note("The skill x is new\n- x: y", "context:skills"),
        Note("Files were put back.\nPut back: /project/a.txt", "rewind"),
        Note(
            "The subagent reviewer (Check), task thr_9, has finished:\nAll fine.",
            "subagent:reviewer",
        ),
        Note("Job 1 (`make`) has ended: exit code 0.", "capability:workspace"),
        Note(
            "Still open in your todo list:\n1. [~] First\nBring it up to date.", "capability:todos"
        ),
        Note("deploy is done\nsecond line", "ci"),
    )
    told = [one for one in entries(showing(*notes)) if isinstance(one, Told)]
    assert [one.text for one in told] == [
        "Mode plan",
        "The model was told what changed in its instructions: skills",
        "Rewound. Put back: /project/a.txt",
        "The subagent reviewer (Check) has finished: All fine.",
        "workspace: Job 1 (`make`) has ended: exit code 0.",
        "todos: Still open in your todo list",
        "ci: deploy is done",
    ]
    wholes = [one.whole for one in told]
    assert wholes[4] == ""
    assert wholes[5:] == [notes[5].text, notes[6].text]


def test_what_waits_to_be_heard_stands_at_the_end() -> None:
    queue = (
        Input("cmd_1", "send", "run_1", (Text("and this"),)),
        Input("cmd_2", "queue", "run_2", (Text("later"),)),
        Input("cmd_3", "signal", "run_3", (Text("x"),), "ci"),
    )
    assert entries(showing(queue=queue)) == [Said("cmd_1", "and this", waits=True)]


def test_a_command_of_the_person_is_shown_before_and_after_the_model_hears_of_it() -> None:
    told = own_words.told(own_words.OwnCommand("false", "no\n", 1))
    waits = Input("cmd_1", "signal", "run_1", (Text(told),), own_words.SOURCE)
    (before,) = entries(showing(queue=(waits,)))
    (after,) = entries(showing(Note(told, own_words.SOURCE)))
    assert isinstance(before, Called)
    assert isinstance(after, Called)
    assert (before.object, before.state, before.gist) == ("false", "failed", "exit 1")
    assert replace(before, key="") == replace(after, key="")


def test_a_command_of_several_lines_is_not_mistaken_for_its_output() -> None:
    told = own_words.told(own_words.OwnCommand("cd src\nls", "a.py\n", 0))
    (ran,) = entries(showing(Note(told, own_words.SOURCE)))
    assert isinstance(ran, Called)
    assert (ran.object, ran.bodies) == ("cd src ls", (OutputBody("a.py"),))


def test_a_problem_stands_at_the_end_and_a_retry_is_no_end() -> None:
    problem = Problem("unavailable", "The provider is busy.")
    assert entries(showing(problem=problem)) == [
        Told("problem", "The provider is busy.", "bad", "unavailable")
    ]
    (retry,) = entries(showing(problem=problem, retry_at=9))
    assert isinstance(retry, Told)
    assert (retry.tone, retry.text) == ("warn", "The provider is busy. Trying again soon.")


def test_the_children_of_a_call_are_in_its_body() -> None:
    child = ChildView("thr_2", "reviewer", "Check", "running", call="call_1", text="I  read\nit")
    below = ChildView("thr_3", "x", "", "running", call="call_1", path=("thr_2", "thr_3"))
    view = CallView("call_1", "task", "{}", "started")
    (call,) = entries(showing(asks(name="task"), calls=(view,), children=(child, below)))
    assert isinstance(call, Called)
    assert call.bodies[0] == ChildBody("thr_2", "reviewer", "running", "I read it")
    assert sum(isinstance(body, ChildBody) for body in call.bodies) == 1


def test_a_child_that_works_on_after_its_call_has_ended_is_kept_up_to_date() -> None:
    child = ChildView("thr_2", "reviewer", "Check", "running", call="call_1", text="I read")
    messages = (asks(name="task"), result(), user("and?"))
    before = transcript(showing(*messages, children=(child,)))
    shown = replace(EMPTY, messages=before.past.messages)
    done = replace(shown, children=(replace(child, state="finished", text="Done."),))
    after = transcript(done, before)
    call = after.entries[0]
    assert isinstance(call, Called)
    assert call.bodies[0] == ChildBody("thr_2", "reviewer", "finished", "Done.")
    assert (after.since, after.touched) == (2, (0,))
    assert transcript(replace(shown, children=()), after).entries[0] is call


def grown(before: Display, *more: Message) -> Display:
    assert isinstance(before.messages, Trail)
    return replace(before, messages=before.messages.append(*more))


def test_what_is_settled_is_the_same_object_in_the_next_transcript() -> None:
    first = showing(user("a"), Assistant((Text("b"),)))
    before = transcript(first)
    after = transcript(grown(first, user("c", "cmd_2")), before)
    assert after.since == 2
    assert all(after.entries[n] is before.entries[n] for n in range(2))
    assert keys(after.entries) == ["cmd_1", "1.t0", "cmd_2"]


def test_nothing_new_is_no_difference() -> None:
    shown = showing(user("a"), asks(), calls=(CallView("call_1", "look", "{}", "started"),))
    before = transcript(shown)
    after = transcript(shown, before)
    assert after.since == len(after.entries) == len(before.entries)
    assert after.after is before.mark


def test_a_rewind_keeps_what_is_before_it() -> None:
    shown = showing(user("a"), Assistant((Text("b"),)), user("c", "cmd_2"), asks(), result())
    before = transcript(shown)
    assert isinstance(shown.messages, Trail)
    back = replace(shown, messages=shown.messages.first(2).append(user("d", "cmd_3")))
    after = transcript(back, before)
    assert after.since == 2
    assert [one.text for one in after.entries if isinstance(one, Said)] == ["a", "d"]
    assert after.entries[1] is before.entries[1]


def test_a_rewind_into_what_is_open_begins_there() -> None:
    shown = showing(user("a"), asks(), result(), asks("call_2"))
    before = transcript(shown)
    assert isinstance(shown.messages, Trail)
    after = transcript(replace(shown, messages=shown.messages.first(1)), before)
    assert keys(after.entries) == ["cmd_1"]
    assert after.since == 1


def test_any_way_to_a_display_leads_to_the_same_entries() -> None:
    said: list[Message] = [user("a"), Assistant((Text("b"), ToolCall("call_1", "look", "{}")))]
    said += [result(), Note("x", "ci"), user("c", "cmd_2"), asks("call_2"), result("call_2")]
    shown, made = showing(), Transcript()
    for message in said:
        shown = grown(shown, message)
        writing = Writing("partly") if not isinstance(message, Assistant) else None
        made = transcript(replace(shown, writing=writing), made)
        made = transcript(shown, made)
        assert list(made.entries) == entries(shown)


def test_where_there_is_no_model_nobody_is_told_to_log_in_to_it() -> None:
    problem = Problem("auth", "No model is configured.")
    (told,) = entries(showing(problem=problem, model=""))
    assert isinstance(told, Told)
    assert told.text == "No model is configured. /model chooses one."
