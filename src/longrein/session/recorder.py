"""How what is in flight gets its end written, also when the store cannot write just now."""

import asyncio
from collections.abc import Callable, Sequence

from longrein.core.errors import LeaseLost, LongreinError, StoreError
from longrein.core.events import Event
from longrein.core.live import Signalled
from longrein.core.state import State
from longrein.session.bus import Bus
from longrein.session.journal import Draft, Journal

FIRST_PAUSE = 0.1
LONGEST_PAUSE = 5.0


class Recorder:
    """Writes events that must not be lost: a tool that ran is not run again to hear its result."""

    __slots__ = ("_bus", "_journal", "_patient")

    def __init__(self, journal: Journal, bus: Bus) -> None:
        self._journal = journal
        self._bus = bus
        self._patient = True

    def hurry(self) -> None:
        """The session closes: try once, then let it be found open after the next start."""
        self._patient = False

    async def record(self, build: Callable[[State], Sequence[Event]]) -> None:
        """Write until it works; give up only where another process owns the thread."""
        pause = FIRST_PAUSE
        while True:
            try:
                await self._journal.write(lambda state: Draft(build(state), None))
                return
            except LeaseLost:
                return
            except LongreinError as error:
                self._tell(str(error))
                if not self._patient or not isinstance(error, StoreError):
                    return
            await asyncio.sleep(pause)
            pause = min(pause * 2, LONGEST_PAUSE)

    def _tell(self, message: str) -> None:
        after = self._journal.state.seq
        self._bus.publish(Signalled("store_failed", message, after=after, stream="", offset=0))
