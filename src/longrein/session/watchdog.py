"""Says what a run waits for, where nothing has happened for long."""

import asyncio
from collections.abc import Callable, Coroutine

from longrein.core.state import State
from longrein.loop.deadlines import Unattended, waits_for
from longrein.session.bus import Bus


class Watchdog:
    """Looks now and then whether something happened, for as long as a run is open.

    That a person is waited for is told by events; this is for what runs and says nothing.
    """

    def __init__(
        self, unattended: Unattended | None, bus: Bus, folded: Callable[[], State]
    ) -> None:
        self._seconds = unattended.watchdog if unattended else None
        self._bus = bus
        self._folded = folded
        self._looking = False

    def wanted(self) -> Coroutine[None, None, None] | None:
        """What looks after the run that is open; None where nothing needs to."""
        if self._seconds is None or self._looking or self._folded().run is None:
            return None
        self._looking = True
        return self._look(self._seconds)

    async def _look(self, seconds: float) -> None:
        clock = asyncio.get_running_loop().time
        seen, since = self._bus.count, clock()
        try:
            while self._folded().run is not None:
                await asyncio.sleep(seconds)
                if self._bus.count != seen:
                    seen, since = self._bus.count, clock()
                elif what := waits_for(self._folded()):
                    passed = f"{clock() - since:.1f}".removesuffix(".0")
                    text = f"Nothing happened for {passed} s: the run waits for {what}."
                    self._bus.tell("stalled", text, self._folded().seq)
                    seen = self._bus.count
        finally:
            self._looking = False
