"""`longrein demo`: a little session that shows what Longrein does, without a key."""

import asyncio
import os
from argparse import Namespace
from pathlib import Path

from longrein.cli import demo_script as script
from longrein.cli import exits
from longrein.cli.asking import TerminalAsker
from longrein.cli.attend import Asker, Decision, command_id
from longrein.cli.drive import drive
from longrein.cli.results import Result
from longrein.cli.seat import Seat
from longrein.cli.telling import tell_approval, tell_question
from longrein.cli.terminal import BOLD, DIM, Screen
from longrein.cli.text_view import TextView
from longrein.cli.watch import mark
from longrein.core import commands as c
from longrein.core import events as e
from longrein.core.outcomes import Finished
from longrein.core.records import Approval, Question
from longrein.core.state import State
from longrein.harness import Harness
from longrein.session.bus import Anything
from longrein.session.session import Session
from longrein.settings.places import find_places, make_private

RESOURCE = "demo"
LEASE = 3.0
"""Short, so that after a kill the next demo takes over soon."""

PAUSE = 0.4

GREETING = """\
This is a demo. The model is a script: no key is needed, and nothing leaves this
machine. All else is real: the session, its tools, the database.
Answer as you like."""

KILL = """\
  Now you can see what it is about. Kill this process, for good:
      kill -9 {pid}
  and run `longrein demo` again: this approval will still be waiting.
  Or just answer it."""


async def demo(arguments: Namespace, screen: Screen) -> int:
    """Go through the demo, or go on where an earlier one was left."""
    data = make_private(find_places(Path.cwd(), os.environ).data)
    scratch = make_private(data / "demo")
    agent, modes = script.agent(scratch)
    auto = arguments.auto or not screen.interactive
    store = f"sqlite:{data / 'demo.db'}"
    async with Harness(agent, modes=modes, store=store, lease_seconds=LEASE) as harness:
        session = await harness.session(RESOURCE)
        if session.folded.run is not None or session.folded.queue:
            before = mark(session)
            runs = await _welcome_back(session, screen)
            asker = TerminalAsker(screen)
        else:
            session = await harness.session(RESOURCE, new=True)
            before = mark(session)
            runs = await _begin(session, screen, auto)
            asker = DemoAsker(screen)
        asker = AutoAsker(screen) if auto else asker
        view = DemoView(screen, session.folded)
        seat = Seat(session, harness.store, screen, view, asker)
        result = await drive(seat, [session.run(id) for id in runs], before)
        events = session.folded.seq
    if result.outcome != Finished.__struct_config__.tag:
        _left(screen, result)
        return result.exit
    _goodbye(screen, data, events)
    return exits.FINISHED


async def _begin(session: Session, screen: Screen, auto: bool) -> list[str]:
    """Say what the demo says; the ids of the runs that come of it."""
    screen.say(GREETING)
    if auto:
        screen.say("Nobody is asked: the demo answers for you.")
    screen.say(f"\nyou> {script.FIRST}", BOLD)
    first = await session.send(script.FIRST)
    screen.say(f"you> {script.SECOND}", BOLD)
    screen.say("     (queued: it gets its turn after what is under way)\n", DIM)
    second = await session.queue(script.SECOND)
    return [first.id, second.id]


async def _welcome_back(session: Session, screen: Screen) -> list[str]:
    """Take the thread over from a demo that was left or killed; the ids of its open runs."""
    state = session.folded
    screen.say("Welcome back. An earlier demo did not come to its end; all of it is still here:")
    screen.say(f"  {state.seq} events, {len(state.messages)} messages", DIM)
    for waiting in state.approvals:
        screen.say(f"  waiting for a yes: {waiting.tool} ({waiting.id})", DIM)
    for waiting in state.questions:
        screen.say(f"  waiting for an answer: {waiting.title or waiting.text} ({waiting.id})", DIM)
    for queued in state.queue:
        screen.say(f"  in the queue: {queued.text}", DIM)
    screen.say("")
    while not session.conductor.owns:
        # A process that was killed cannot give its lease back: it runs out.
        await session.resume()
    await session.release()
    open_run = [state.run.id] if state.run else []
    return [*open_run, *(queued.run for queued in state.queue)]


def _left(screen: Screen, result: Result) -> None:
    if result.exit == exits.WAITING:
        screen.say("Left open. `longrein demo` goes on from here.")
    else:
        screen.say(f"{result.message} `longrein demo` goes on.")


def _goodbye(screen: Screen, data: Path, events: int) -> None:
    screen.say(f"""
That was streamed text, a plan, todos, tools, a question, an approval, a queue:
{events} events, each on disk before anything came of it, in
  {data / "demo.db"}
The haiku, if you let it be saved, is in
  {data / "demo" / "haiku.txt"}

With a key it is the same:  longrein run --model provider:name "Hello"
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


class DemoAsker(TerminalAsker):
    """Asks the person, and says when it is worth killing the process."""

    async def approval(self, approval: Approval) -> Decision | None:
        self.screen.say(KILL.format(pid=os.getpid()), DIM)
        return await super().approval(approval)


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


_FITS: tuple[type[Asker], ...] = (AutoAsker, DemoAsker)
