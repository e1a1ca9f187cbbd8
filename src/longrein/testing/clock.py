"""Time and ids that a test decides on."""

from longrein.core.ids import Clock, Ids


class ManualClock:
    """A clock that stands still until it is told to go on.

    >>> clock = ManualClock(now=1_000_000)
    >>> clock.advance(2.5)
    >>> clock.now(), clock.monotonic()
    (3500000, 2.5)
    """

    def __init__(self, now: int = 1_700_000_000_000_000) -> None:
        self._start = now
        self._passed = 0

    def now(self) -> int:
        return self._start + self._passed

    def monotonic(self) -> float:
        return self._passed / 1_000_000

    def advance(self, seconds: float) -> None:
        """Let time pass; it never goes back."""
        if seconds < 0:
            raise ValueError("Time does not go back.")
        self._passed += round(seconds * 1_000_000)


class CountingIds:
    """Ids that count from 1: the same in every run, and sorted.

    >>> CountingIds().new("run")
    'run_00000000000000000000000000000001'
    """

    def __init__(self) -> None:
        self._count = 0

    def new(self, prefix: str) -> str:
        self._count += 1
        return f"{prefix}_{self._count:032x}"


_CLOCK: type[Clock] = ManualClock
_IDS: type[Ids] = CountingIds
