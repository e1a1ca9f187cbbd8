"""A run from here until it comes to rest: shown, attended, interruptible."""

import asyncio
import os
import signal
from collections.abc import Coroutine, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal

from longrein.cli import exits
from longrein.cli.attend import Asker, attend
from longrein.cli.results import Result, result_of
from longrein.cli.terminal import Screen
from longrein.cli.views import View
from longrein.cli.watch import Watcher
from longrein.core.errors import LongreinError
from longrein.core.outcomes import Outcome, Waiting
from longrein.session.handle import Run
from longrein.session.session import Session
from longrein.storage.base import Store

NOBODY = (
    "Nobody is there to answer: this run is unattended. Go on without it if you can; otherwise "
    "say what you need."
)
LOOK_EVERY = 1.0


@dataclass(frozen=True, slots=True)
class Seat:
    """From where a run is driven.

    `asker` answers what waits; without one it is parked or declined. `takes_over`: go on with the
    run here should the process that owns it die.
    """

    session: Session
    store: Store
    screen: Screen
    view: View
    asker: Asker | None = None
    unattended: Literal["park", "deny"] = "park"
    takes_over: bool = True
    brought: str = ""


async def drive(seat: Seat, run: Run, after: int) -> Result:
    """Show a run from event `after` until it ends, or waits and nobody is there; how it stands."""
    watcher = Watcher(seat.session, seat.view.show, after)
    outcome = asyncio.ensure_future(_outcome(seat, run))
    helpers = [asyncio.ensure_future(watcher.follow()), asyncio.ensure_future(_look_after(seat))]
    if seat.asker is not None:
        answering = attend(seat.session, watcher, seat.asker, seat.screen)
        helpers.append(asyncio.ensure_future(_or_park(answering, outcome)))
    try:
        with _interruptible(seat):
            await asyncio.wait({outcome, *helpers}, return_when=asyncio.FIRST_COMPLETED)
            for helper in helpers:
                if helper.done() and not helper.cancelled() and helper.exception():
                    helper.result()
            rest = _left_open(seat) if outcome.cancelled() else await outcome
            await watcher.caught_up()
    finally:
        for task in (outcome, *helpers):
            task.cancel()
        await asyncio.gather(outcome, *helpers, return_exceptions=True)
    return result_of(rest, seat.session.state, run.id, watcher.spent, seat.brought)


async def _outcome(seat: Seat, run: Run) -> Outcome:
    while True:
        outcome = await run
        if not isinstance(outcome, Waiting):
            return outcome
        if seat.asker is None:
            if seat.unattended == "park":
                return outcome
            for id in (*outcome.approvals, *outcome.questions):
                await seat.session.decline(id, NOBODY)


async def _or_park(answering: Coroutine[Any, Any, None], outcome: asyncio.Future[Outcome]) -> None:
    """The person leaves what waits open: then there is nothing more to do here."""
    await answering
    outcome.cancel()
    await asyncio.sleep(0)


def _left_open(seat: Seat) -> Waiting:
    state = seat.session.state
    return Waiting(tuple(a.id for a in state.approvals), tuple(q.id for q in state.questions))


async def _look_after(seat: Seat) -> None:
    """Take the thread over when the process that owned it is gone."""
    while True:
        await asyncio.sleep(LOOK_EVERY)
        session = seat.session
        if not seat.takes_over or session.conductor.owns:
            continue
        if await seat.store.owner(session.thread) is None:
            await session.resume()


@contextmanager
def _interruptible(seat: Seat) -> Generator[None, None, None]:
    """Ctrl-C stops the run; a second one ends the process where it stands."""
    loop = asyncio.get_running_loop()
    stopping: list[asyncio.Task[None]] = []

    def pressed() -> None:
        if stopping:
            # Nothing that was acknowledged can be lost by this.
            os._exit(exits.INTERRUPTED)
        seat.screen.say("\nStopping; Ctrl-C again quits at once.")
        stopping.append(loop.create_task(_stop(seat)))

    loop.add_signal_handler(signal.SIGINT, pressed)
    try:
        yield
    finally:
        loop.remove_signal_handler(signal.SIGINT)


async def _stop(seat: Seat) -> None:
    try:
        await seat.session.interrupt("interrupted at the terminal")
    except LongreinError as error:
        seat.screen.say(f"It could not be stopped: {error}")
