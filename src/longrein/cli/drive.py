"""A run from here until it comes to rest: shown, attended, interruptible."""

import asyncio
import os
import signal
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, Literal

from longrein.cli import exits
from longrein.cli.attend import Asker, attend
from longrein.cli.left import left_by
from longrein.cli.owner import living_owner
from longrein.cli.results import Result, result_of
from longrein.cli.terminal import Screen
from longrein.cli.views import View
from longrein.cli.watch import Mark, Watcher
from longrein.core.errors import LongreinError, StoreError
from longrein.core.outcomes import Finished, Outcome, Waiting
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
    run here should the process that owns it die. `shaped`: the answer has to fit a schema.
    """

    session: Session
    store: Store
    screen: Screen
    view: View
    asker: Asker | None = None
    unattended: Literal["park", "deny"] = "park"
    takes_over: bool = True
    brought: str = ""
    shaped: bool = False


async def drive(seat: Seat, runs: Sequence[Run], since: Mark) -> Result:
    """Show one run after the other until the last one ends, or one does not finish; how it stands.

    A run that waits for a person while nobody is there ends this too.
    """
    watcher = Watcher(seat.session, seat.view.show, since)
    outcome = asyncio.ensure_future(_outcome(seat, runs))
    attending = asyncio.ensure_future(_attend(seat, watcher))
    helpers = [asyncio.ensure_future(watcher.follow()), asyncio.ensure_future(_look_after(seat))]
    tasks: list[asyncio.Future[Any]] = [outcome, attending, *helpers]
    try:
        with _interruptible(seat):
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in tasks:
                if task.done():
                    task.result()
            run, rest = (runs[0], _left_open(seat)) if attending.done() else await outcome
            await watcher.caught_up()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    state, spent = seat.session.folded, watcher.spent
    left = await left_by(seat.session, run.id)
    return result_of(rest, state, run.id, spent, seat.brought, shaped=seat.shaped, left=left)


async def _outcome(seat: Seat, runs: Sequence[Run]) -> tuple[Run, Outcome]:
    """The last run that got its turn, and how it came to rest."""
    for run in runs[:-1]:
        outcome = await _rest(seat, run)
        if not isinstance(outcome, Finished):
            return run, outcome
    return runs[-1], await _rest(seat, runs[-1])


async def _rest(seat: Seat, run: Run) -> Outcome:
    while True:
        outcome = await run
        if not isinstance(outcome, Waiting):
            return outcome
        if seat.asker is None:
            if seat.unattended == "park":
                return outcome
            for id in (*outcome.approvals, *outcome.questions):
                await seat.session.decline(id, NOBODY)


async def _attend(seat: Seat, watcher: Watcher) -> None:
    """Have answered what waits; returns only if the person leaves it open."""
    if seat.asker is None:
        await asyncio.Event().wait()
    else:
        await attend(seat.session, watcher, seat.asker, seat.screen)


def _left_open(seat: Seat) -> Waiting:
    state = seat.session.folded
    return Waiting(tuple(a.id for a in state.approvals), tuple(q.id for q in state.questions))


async def _look_after(seat: Seat) -> None:
    """Take the thread over when the process that owned it is gone."""
    while True:
        await asyncio.sleep(LOOK_EVERY)
        session = seat.session
        if not seat.takes_over or session.conductor.owns:
            continue
        # A store that cannot be read now is asked again.
        with suppress(StoreError):
            if await living_owner(seat.store, session.thread) is None:
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
