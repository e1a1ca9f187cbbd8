"""Output shown while a command runs: often enough to follow, never more than anybody can read."""

import asyncio
from collections.abc import Callable

from longrein.capabilities.shell_tools.readable import Reader

PAUSE = 0.05
"""Seconds between two events."""

MOST_AT_ONCE = 16 * 1024
"""Bytes in one event: of what comes faster only the newest is shown."""


class Live:
    """Gathers output and shows it in a few pieces."""

    __slots__ = ("_last", "_loop", "_pending", "_reader", "_show", "_skipped", "_timer")

    def __init__(self, show: Callable[[str], None]) -> None:
        self._show = show
        self._loop = asyncio.get_running_loop()
        self._reader = Reader()
        self._pending = bytearray()
        self._skipped = 0
        self._last = 0.0
        self._timer: asyncio.TimerHandle | None = None

    def add(self, data: bytes) -> None:
        """Take in more, and show it now or soon."""
        self._pending += data
        if (over := len(self._pending) - MOST_AT_ONCE) > 0:
            del self._pending[:over]
            self._skipped += over
        if self._timer is None:
            due = self._last + PAUSE - self._loop.time()
            self._timer = self._loop.call_later(max(due, 0), self._flush)

    def end(self) -> None:
        """Show what is left."""
        if self._timer is not None:
            self._timer.cancel()
            self._flush()
        if held := self._reader.end():
            self._show(held)

    def _flush(self) -> None:
        self._timer = None
        self._last = self._loop.time()
        text = self._reader.read(self._pending)
        if self._skipped:
            text = f"\n[... {self._skipped:,} bytes not shown here ...]\n{text}"
        self._pending.clear()
        self._skipped = 0
        if text:
            self._show(text)
