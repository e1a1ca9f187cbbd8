"""A run from here until it comes to rest: shown, attended, interruptible."""

import asyncio
import os
import signal
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from longrein.cli import exits
from longrein.cli.attend import attend
from longrein.cli.left import left_by
from longrein.cli.resting import Resting, waiting_for
from longrein.cli.results import Result, pending_of, result_of
from longrein.cli.seat import Seat
from longrein.cli.watch import Mark, Watcher
from longrein.core.errors import LongreinError, StoreError
from longrein.core.outcomes import Aborted, Outcome, Waiting
from longrein.session.alive import living_owner
from longrein.session.handle import Run

LOOK_EVERY = 1.0
INTERRUPTED = "interrupted at the terminal"


async def drive(seat: Seat, runs: Sequence[Run], since: Mark) -> Result:
    """Show one run after the other until the last one ends, or one does not finish; how it stands.

    Children that work in the background are waited for, with the runs that they wake; without
    `runs` only they are. What waits for a person while nobody is there ends this too.
    """
    if seat.session.conductor.owns:
        # Answers that were left for whoever goes on, for children too, are heard first.
        await seat.session.attend()
    watcher = Watcher(seat.session, seat.view.show, since.seq)
    resting = Resting(seat, since)
    outcome = asyncio.ensure_future(resting.outcome(runs))
    attending = asyncio.ensure_future(_attend(seat, watcher))
    leaving = asyncio.Event()
    left = asyncio.ensure_future(leaving.wait())
    helpers = [asyncio.ensure_future(watcher.follow()), asyncio.ensure_future(_look_after(seat))]
    tasks: list[asyncio.Future[Any]] = [outcome, attending, left, *helpers]
    try:
        with _interruptible(seat, leaving):
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in tasks:
                if task.done():
                    task.result()
            rest = await outcome if outcome.done() else _given_up(seat, left.done())
            await watcher.caught_up()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    return result_of(
        rest,
        seat.session.folded,
        resting.run,
        since.spent_since(seat.session),
        pending_of(seat.session.display, seat.brought) if isinstance(rest, Waiting) else (),
        seat.brought,
        shaped=seat.shaped,
        left=await left_by(seat.session, resting.runs),
    )


async def _attend(seat: Seat, watcher: Watcher) -> None:
    """Have answered what waits; returns only if the person leaves it open."""
    if seat.asker is None:
        await asyncio.Event().wait()
    else:
        await attend(seat.session, watcher, seat.asker, seat.screen)


def _given_up(seat: Seat, interrupted: bool) -> Outcome:
    """How it stands when a person does not wait for children, or leaves open what is asked."""
    return Aborted(INTERRUPTED) if interrupted else waiting_for(seat.session.display)


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
def _interruptible(seat: Seat, leaving: asyncio.Event) -> Generator[None, None, None]:
    """Ctrl-C stops the run or, where only children work, leaves them; a second one ends the process
    where it stands."""
    loop = asyncio.get_running_loop()
    stopping: list[asyncio.Task[None]] = []

    def pressed() -> None:
        if stopping:
            # Nothing that was acknowledged can be lost by this.
            os._exit(exits.INTERRUPTED)
        seat.screen.say("\nStopping; Ctrl-C again quits at once.")
        stopping.append(loop.create_task(_stop(seat, leaving)))

    loop.add_signal_handler(signal.SIGINT, pressed)
    try:
        yield
    finally:
        loop.remove_signal_handler(signal.SIGINT)


async def _stop(seat: Seat, leaving: asyncio.Event) -> None:
    try:
        answer = await seat.session.interrupt(INTERRUPTED)
    except LongreinError as error:
        seat.screen.say(f"It could not be stopped: {error}")
    else:
        if answer.status == "stale":
            leaving.set()
