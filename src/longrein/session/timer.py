"""The one moment that a thread waits for."""

import asyncio
from collections.abc import Callable

from longrein.core import events as e
from longrein.core.fold_deadlines import deadline_timer
from longrein.core.fold_runs import retry_timer, seconds_timer
from longrein.core.ids import Clock
from longrein.core.state import State
from longrein.loop.next import Wait


class Timer:
    """Calls `due` with the name of the timer that was set last, when its time has come."""

    __slots__ = ("_clock", "_due", "_handle")

    def __init__(self, clock: Clock, due: Callable[[str], object]) -> None:
        self._clock = clock
        self._due = due
        self._handle: asyncio.TimerHandle | None = None

    def set(self, wait: Wait) -> None:
        """Wait for this, and for nothing else any more."""
        self.stop()
        if wait.timer:
            pause = max(wait.until - self._clock.now(), 0) / 1_000_000
            loop = asyncio.get_running_loop()
            self._handle = loop.call_later(pause, self._due, wait.timer)

    def stop(self) -> None:
        """Wait for nothing."""
        if self._handle is not None:
            self._handle.cancel()
            self._handle = None


def rung(state: State, timer: str) -> list[e.Event]:
    """What a timer has to say, if the run that it was set for still waits for it."""
    run = state.run
    awaited = run is not None and timer in (retry_timer(run), seconds_timer(run))
    asked = (*state.approvals, *state.questions)
    awaited = awaited or any(timer == deadline_timer(one.id) for one in asked if not one.due)
    return [e.TimerDue(timer)] if awaited else []
