"""`longrein demo`: one task from plan to rewind, without a key: in the app, or told in lines."""

import asyncio
import os
from argparse import Namespace
from collections.abc import AsyncGenerator, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from longrein.cli import demo_script as script
from longrein.cli import exits
from longrein.cli.attend import Asker, command_id
from longrein.cli.drive import drive
from longrein.cli.seat import Seat
from longrein.cli.telling import tell_approval, tell_question
from longrein.cli.terminal import BOLD, DIM, Screen
from longrein.cli.text_view import TextView
from longrein.cli.watch import mark
from longrein.core import commands as c
from longrein.core import events as e
from longrein.core.commands import Decision
from longrein.core.outcomes import Finished
from longrein.core.records import Approval, Question
from longrein.core.state import State
from longrein.harness import Harness
from longrein.session.bus import Anything
from longrein.settings.places import find_places, make_private
from longrein.workspace.sandbox.finding import find_sandbox

RESOURCE = "demo"
LEASE = 3.0
"""Short, so that after a kill the next demo takes over soon."""

PAUSE = 0.4

GREETING = """\
This is a demo. The model is a script: no key is needed, and nothing leaves this
machine. All else is real: the session, its tools, the database.
Nobody is asked: the demo answers for you."""


def demo(arguments: Namespace, screen: Screen) -> Coroutine[Any, Any, int]:
    """The demo in the app or, where nobody sits before a terminal, in lines."""
    if screen.interactive and not arguments.auto:
        from longrein.cli.app import demo_app

        return demo_app()
    return _tell(screen)


@asynccontextmanager
async def demo_harness(*, fresh: bool) -> AsyncGenerator[Harness, None]:
    """A harness on the demo's script, in a project of its own, which `fresh` lays out anew."""
    data = make_private(find_places(Path.cwd(), os.environ).data)
    project = demo_project(data)
    if fresh or not (project / "greet.sh").exists():
        script.lay_out(project)
    isolated = find_sandbox().kind != "none"
    agent, modes = script.agent(project, isolated=isolated)
    store = f"sqlite:{data / 'demo.db'}"
    async with Harness(agent, modes=modes, store=store, lease_seconds=LEASE) as harness:
        yield harness


def demo_project(data: Path) -> Path:
    """The folder in which the demo works."""
    return make_private(data / "demo")


async def _tell(screen: Screen) -> int:
    """Go through the demo, answering for the person."""
    async with demo_harness(fresh=True) as harness:
        session = await harness.session(RESOURCE, new=True)
        before = mark(session)
        screen.say(GREETING)
        screen.say(f"\nyou> {script.FIRST}", BOLD)
        first = await session.send(script.FIRST)
        screen.say(f"you> {script.SECOND}", BOLD)
        screen.say("     (queued: it gets its turn after what is under way)\n", DIM)
        second = await session.queue(script.SECOND)
        view = DemoView(screen, session.folded)
        seat = Seat(session, harness.store, screen, view, AutoAsker(screen))
        result = await drive(seat, [first, second], before)
        if result.outcome != Finished.__struct_config__.tag:
            screen.say(result.message)
            return result.exit
        undone = await session.rewind(session.points()[-1])
        screen.say(f"\nAnd all of it taken back by a rewind ({undone.status}).", BOLD)
        _goodbye(screen, session.folded.seq)
    return exits.FINISHED


def _goodbye(screen: Screen, events: int) -> None:
    data = find_places(Path.cwd(), os.environ).data
    screen.say(f"""
That was a plan, todos, an edit, commands, a subagent, a queue and a rewind:
{events} events, each on disk before anything came of it, in
  {data / "demo.db"}
At a terminal, `longrein demo` shows it in the app. With a model of your own:
  longrein login PROVIDER
  longrein
""")


class DemoView(TextView):
    """Says also when what was queued gets its turn."""

    def __init__(self, screen: Screen, state: State) -> None:
        super().__init__(screen, state)
        self._queued = {waiting.id: waiting.text for waiting in state.queue}

    def show(self, event: Anything) -> None:
        super().show(event)
        if isinstance(event, e.RunStarted):
            for id in event.inputs:
                if id in self._queued:
                    self.screen.say(f"\nyou> {self._queued[id]}", BOLD)


class AutoAsker:
    """Says yes, and takes the first choice, after a pause in which it can be read."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen

    async def approval(self, approval: Approval) -> Decision | None:
        tell_approval(self._screen, approval)
        await self._answer("y")
        return c.Approve(approval.id, id=command_id())

    async def question(self, question: Question) -> Decision | None:
        tell_question(self._screen, question)
        first = question.choices[0] if question.choices else "yes"
        await self._answer(first)
        return c.AnswerQuestion(question.id, first, id=command_id())

    async def _answer(self, text: str) -> None:
        await asyncio.sleep(PAUSE)
        self._screen.say(f"  (the demo answers: {text})", DIM)


_FITS: type[Asker] = AutoAsker
