"""Clock readings and time-ordered ids: impure, so handed in wherever they are needed."""

import os
import time
from typing import Protocol


class Clock(Protocol):
    """Where time comes from."""

    def now(self) -> int:
        """UTC, in integer microseconds since 1970."""
        ...

    def monotonic(self) -> float:
        """Seconds that never go back, also while the machine sleeps."""
        ...


class SystemClock:
    """The machine's own clock."""

    def now(self) -> int:
        return time.time_ns() // 1000

    def monotonic(self) -> float:
        # CLOCK_MONOTONIC stands still while a laptop sleeps; a lease does not.
        if hasattr(time, "CLOCK_BOOTTIME"):
            return time.clock_gettime(time.CLOCK_BOOTTIME)
        return time.monotonic()


class Ids(Protocol):
    """Where ids come from."""

    def new(self, prefix: str) -> str:
        """A fresh id: `prefix`, `_`, 32 hexadecimal digits that sort by time."""
        ...


class TimeOrderedIds:
    """Ids made of a version 7 UUID, which sorts by the time it was made."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def new(self, prefix: str) -> str:
        milliseconds = self._clock.now() // 1000
        noise = int.from_bytes(os.urandom(10), "big")
        value = (milliseconds & 0xFFFFFFFFFFFF) << 80 | noise
        value = value & ~(0xF << 76) | 0x7 << 76
        value = value & ~(0x3 << 62) | 0x2 << 62
        return f"{prefix}_{value:032x}"
