"""The transcript of a real session, followed as a front end does."""

import asyncio
from collections.abc import Callable
from pathlib import Path

from longrein.capabilities.subagents.capability import Subagents
from longrein.capabilities.subagents.spec import Subagent
from longrein.client.local_thread import LocalThread
from longrein.core.commands import Approve
from longrein.core.display import Display
from longrein.models.base import Request
from longrein.testing import Reply, call, calls, say, think
from longrein.tui.view.entries import (
    Called,
    ChildBody,
    DiffBody,
    MarkdownBody,
    OutputBody,
    Said,
    Spoke,
    Thought,
    Told,
)
from longrein.tui.view.transcript import NOTHING, Transcript, transcript
from tests.support import run
from tests.tui.kit import client
from tests.tui.working import settled

EDITS = [{"old_string": "two", "new_string": "2"}]


class Follower:
    """Makes a transcript of every display that comes, each from the one before."""

    def __init__(self, thread: LocalThread) -> None:
        self.shown: Transcript = NOTHING
        self._seq = 0
        self._thread = thread
        self._task = asyncio.create_task(self._follow())

    async def _follow(self) -> None:
        async for shown in self._thread.displays():
            self.shown = transcript(shown, self.shown)
            self._seq = shown.seq

    @property
    def calls(self) -> list[Called]:
        return [one for one in self.shown.entries if isinstance(one, Called)]

    async def until(self, holds: Callable[[Display], bool]) -> None:
        await settled(self._thread, lambda shown: holds(shown) and self._seq >= shown.seq)

    def close(self) -> None:
        self._task.cancel()


def _idle(shown: Display) -> bool:
    return shown.activity == "idle" and bool(shown.messages)


def test_a_task_from_question_to_answer(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\ntwo\n")
    script = [
        calls(think("I have to read it."), say("I look."), call("read_file", path="a.txt")),
        call("edit_file", path="a.txt", edits=EDITS),
        call("execute", command="cat a.txt; exit 3"),
        say("Done."),
    ]

    async def check() -> None:
        async with client(script, tmp_path) as made:
            thread = await made.open(new=True)
            follower = Follower(thread)
            await thread.say("send", "Change it.")
            for number in range(2):
                await follower.until(lambda shown: bool(shown.approvals))
                asks = [one for one in follower.calls if one.state == "asks"]
                assert len(asks) == 1
                if asks[0].tool == "edit_file":
                    assert any(isinstance(body, DiffBody) for body in asks[0].bodies)
                await thread.submit(Approve(thread.display.approvals[0].id, id=f"cmd_{number}"))
                await follower.until(lambda shown: not shown.approvals)
            await follower.until(_idle)
            follower.close()
            said, *rest = [one for one in follower.shown.entries if not isinstance(one, Told)]
            assert isinstance(said, Said)
            kinds = [Thought, Spoke, Called, Called, Called, Spoke]
            assert [type(one) for one in rest] == kinds
            read, edit, ran = follower.calls
            assert (read.verb, read.object, read.gist) == ("Read", "a.txt", "2 lines")
            assert (edit.verb, edit.gist, edit.state) == ("Edit", "+1 -1", "ok")
            assert edit.bodies[0] == DiffBody("@@ -1,2 +1,2 @@\n one\n-two\n+2", "a.txt")
            assert (ran.state, ran.gist) == ("failed", "exit 3")
            assert ran.bodies == (OutputBody("one\n2"),)
            assert ran.took > 0
            assert list(follower.shown.entries) == list(transcript(thread.display).entries)

    run(check())


def test_a_rewind_and_a_command_of_the_person(tmp_path: Path) -> None:
    async def check() -> None:
        async with client([say("One."), say("Two."), say("Three.")], tmp_path) as made:
            thread = await made.open(new=True)
            follower = Follower(thread)
            for text, answer in (("first", "One."), ("second", "Two.")):
                await thread.say("send", text)
                await follower.until(
                    lambda shown, said=answer: _idle(shown) and shown.messages[-1].text == said
                )
            assert await thread.shell("echo hello", lambda text: None) == 0
            await follower.until(lambda shown: bool(shown.queue))
            (ran,) = follower.calls
            assert (ran.verb, ran.object, ran.bodies) == (
                "You ran",
                "echo hello",
                (OutputBody("hello"),),
            )
            points = await thread.points()
            before = follower.shown.entries[0]
            await thread.rewind(points[0].input, files=False, conversation=True)
            await follower.until(lambda shown: len(shown.messages) < 4)
            said = [one.text for one in follower.shown.entries if isinstance(one, Said)]
            assert said == ["first"]
            assert follower.shown.entries[0] is before
            follower.close()

    run(check())


def test_a_child_is_in_the_call_that_it_works_for(tmp_path: Path) -> None:
    def model(request: Request) -> Reply:
        last = request.messages[-1]
        if "Look at it" in last.text:
            return say("It is fine.")
        if "fine" in last.text:
            return say("Done.")
        return call("task", agent="reviewer", description="Check", prompt="Look at it")

    async def check() -> None:
        reviewer = Subagent("reviewer", "Reviews.", instructions="Review.")
        able = (Subagents([reviewer]),)
        async with client(model, tmp_path, capabilities=able) as made:
            thread = await made.open(new=True)
            follower = Follower(thread)
            await thread.say("send", "Have it reviewed.")
            await follower.until(_idle)
            follower.close()
            (task,) = follower.calls
            child = task.bodies[0]
            assert isinstance(child, ChildBody)
            assert (child.agent, child.state, child.text) == ("reviewer", "finished", "")
            assert MarkdownBody("It is fine.") in task.bodies
            assert task.gist == "It is fine."
            assert (await thread.child(child.thread)).display.messages

    run(check())
