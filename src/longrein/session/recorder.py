"""How what is in flight gets its end written, also when the store cannot write just now."""

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeAlias

from longrein.core.errors import LeaseLost, StoreError
from longrein.core.events import Event
from longrein.core.live import Signalled
from longrein.core.state import State
from longrein.session.bus import Bus
from longrein.session.journal import Draft, Journal

Build: TypeAlias = Callable[[State], Sequence[Event]]

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

    async def record(self, build: Build, otherwise: Build | None = None) -> None:
        """Write until it works; give up only where another process owns the thread.

        What cannot be written for another reason than the store is replaced by `otherwise`.
        """
        pause = FIRST_PAUSE
        while True:
            try:
                await self._journal.write(partial(_draft, build))
                return
            except LeaseLost:
                return
            except StoreError as error:
                self._tell(str(error))
            except Exception as error:  # the event itself is at fault, and would be again
                self._tell(f"An event could not be written: {error}")
                if otherwise is None:
                    return
                build, otherwise = otherwise, None
                continue
            if not self._patient:
                return
            await asyncio.sleep(pause)
            pause = min(pause * 2, LONGEST_PAUSE)

    def _tell(self, message: str) -> None:
        after = self._journal.state.seq
        self._bus.publish(Signalled("store_failed", message, after=after, stream="", offset=0))


def _draft(build: Build, state: State) -> Draft[None]:
    return Draft(build(state), None)
