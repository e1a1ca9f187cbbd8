"""Reading without a mouse: into the conversation and back, and what nobody drives stands still."""

import asyncio
from pathlib import Path

from msgspec.structs import replace

from longrein.capabilities.subagents.capability import Subagents
from longrein.capabilities.subagents.spec import Subagent
from longrein.core import commands as c
from longrein.core.children import ChildView
from longrein.core.display import CallView, display
from longrein.core.growing import Trail
from longrein.core.messages import Assistant, ToolCall
from longrein.core.state import State
from longrein.models.base import Request
from longrein.testing import Reply, call, reply, say, think
from longrein.tui.view.calls import left_alone
from longrein.tui.view.entries import Called
from longrein.tui.view.transcript import transcript
from tests.support import run
from tests.tui.apps import User, using
from tests.tui.kit import client

LONG = "\n".join(f"row {n}" for n in range(40))


def measure(what: str) -> str:
    """Measure something."""
    return f"{what} took long"


def reading(person: User) -> bool:
    return person.app.main.focused is person.app.main.conversation


def writing(person: User) -> bool:
    return person.app.main.editor.has_focus_within


def test_tab_leads_into_the_conversation_and_escape_back(tmp_path: Path) -> None:
    async def main() -> None:
        async with client([say("Hello.")], tmp_path) as made, using(made) as person:
            await person.types("Hi", "enter")
            await person.sees("Hello.")
            await person.presses("tab")
            await person.until(lambda: reading(person), "the conversation")
            await person.presses("escape")
            await person.until(lambda: writing(person), "the editor")

    run(main())


def test_tab_before_anything_was_said_stays_in_the_editor(tmp_path: Path) -> None:
    async def main() -> None:
        async with client([], tmp_path) as made, using(made) as person:
            await person.presses("tab", "alt+up")
            assert writing(person)

    run(main())


def test_alt_up_leads_there_while_something_is_written_which_stays(tmp_path: Path) -> None:
    async def main() -> None:
        async with client([say("Hello.")], tmp_path) as made, using(made) as person:
            await person.types("Hi", "enter")
            await person.sees("Hello.")
            await person.types("half", "alt+up")
            await person.until(lambda: reading(person), "the conversation")
            await person.types(" jok!")
            await person.until(lambda: person.app.main.editor.draft.text == "halfjok!")
            await person.until(lambda: writing(person), "the editor")

    run(main())


def test_what_the_model_thought_and_a_long_message_open_by_keys(tmp_path: Path) -> None:
    async def main() -> None:
        says = [reply(think("First thought.\nSecond thought."), say("Hello."))]
        async with client(says, tmp_path) as made, using(made, size=(80, 70)) as person:
            await made_say(person, LONG)
            await person.sees("Hello.")
            assert "Second thought." not in person.screen
            await person.presses("tab", "enter")
            await person.sees("Second thought.")
            assert "row 39" not in person.screen
            await person.presses("up", "enter")
            await person.sees("row 39")

    run(main())


async def made_say(person: User, text: str) -> None:
    await person.app.stage.desk.thread.say("send", text)


def test_enter_at_a_task_opens_the_conversation_of_the_child(tmp_path: Path) -> None:
    def model(request: Request) -> Reply:
        last = request.messages[-1].text
        if "Look at it" in last:
            return say("I looked: all is fine.")
        return say("Reviewed.") if "fine" in last else task

    task = call("task", agent="reviewer", description="Check the parser", prompt="Look at it")

    async def main() -> None:
        able = [Subagents([Subagent("reviewer", "Reviews.", instructions="Review.")])]
        async with client(model, tmp_path, capabilities=able) as made, using(made) as person:
            await person.types("Go", "enter")
            await person.sees("Reviewed.")
            await person.presses("tab", "enter")
            await person.sees("Subagent")
            await person.presses("escape")
            await person.misses("Subagent")
            await person.until(lambda: reading(person), "the conversation")

    run(main())


def test_ctrl_o_opens_what_the_cursor_is_at(tmp_path: Path) -> None:
    async def main() -> None:
        says = [call("measure", what="a"), call("measure", what="b"), say("Measured.")]
        async with client(says, tmp_path, tools=[measure]) as made, using(made) as person:
            await person.app.stage.desk.thread.submit(c.SetTrust("yolo"))
            await person.types("Go", "enter")
            await person.sees("Measured.")
            await person.presses("tab", "up", "ctrl+o")
            await person.sees("what: a")
            assert "what: b" not in person.screen

    run(main())


def test_a_call_that_nobody_runs_stands_still() -> None:
    said = Assistant((ToolCall("call_1", "execute", '{"command": "make"}'),))
    view = CallView("call_1", "execute", '{"command": "make"}', "started", began=5)
    shown = replace(display(State()), messages=Trail((said,)), calls=(view,))
    (before,) = transcript(shown).entries
    (after,) = transcript(left_alone(shown)).entries
    assert isinstance(before, Called)
    assert isinstance(after, Called)
    assert (before.state, after.state) == ("running", "stopped")


def test_a_child_that_nobody_runs_is_not_said_to_run() -> None:
    states = ("running", "waiting", "finished")
    children = tuple(ChildView(f"thr_{one}", "reviewer", "Read it", one) for one in states)
    shown = left_alone(replace(display(State()), children=children))
    assert [one.state for one in shown.children] == ["stopped", "waiting", "finished"]


def test_a_call_that_was_left_running_neither_blinks_nor_counts(tmp_path: Path) -> None:
    async def wait(what: str) -> str:
        """Wait for something."""
        await asyncio.sleep(60)
        return what

    async def main() -> None:
        store = f"sqlite:{tmp_path / 'left.db'}"
        says = [call("wait", what="rain")]
        async with client(says, tmp_path, tools=[wait], store=store) as made, using(made) as person:
            thread = person.app.stage.desk.thread
            await thread.submit(c.SetTrust("yolo"))
            await thread.say("send", "Go")
            await person.until(lambda: thread.display.calls and thread.display.calls[0].began)
        again = client(says, tmp_path, tools=[wait], store=store)
        async with again as made, using(made, thread=thread.thread) as person:
            await person.sees("left in the middle")
            (line,) = (line for line in person.screen.splitlines() if "rain" in line)
            assert line.startswith("- wait rain  stopped")

    run(main())
