"""Calls the person when the session waits for them, or is done, and they look elsewhere."""

from collections.abc import Mapping
from time import monotonic

from textual.driver import Driver
from textual.events import AppBlur, AppFocus, Event, Key

from longrein.core.display import Display
from longrein.core.preferences import Way
from longrein.tui.notify import announce, sequence


class Calling:
    """Knows whether somebody is there: a terminal may tell, and a key does."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = environ
        self._watched = True
        self._typed = monotonic()
        self._waiting: frozenset[str] = frozenset()

    def notice(self, event: Event) -> None:
        """Hear what the terminal says."""
        if isinstance(event, Key):
            self._typed = monotonic()
        elif isinstance(event, AppFocus | AppBlur):
            self._watched = isinstance(event, AppFocus)

    def call(self, before: Display, after: Display, now: int, way: Way, driver: Driver) -> None:
        """Call, if what is shown has changed in a way that they would want to know of."""
        idle = monotonic() - self._typed
        notice = announce(before, after, focused=self._watched, idle=idle, now=now)
        if notice is not None:
            driver.write(sequence(notice, way, self._environ))

    def look(self, waiting: frozenset[str], shown: str, way: Way, driver: Driver) -> None:
        """Call, if a thread waits by now that is not the one shown: nobody sees it ask."""
        new, self._waiting = waiting - self._waiting - {shown}, waiting
        if new:
            driver.write(sequence("waits", way, self._environ))
