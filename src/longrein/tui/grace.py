"""The moment in which a key that was meant for something else is not an answer."""

from collections.abc import Callable
from time import monotonic

SECONDS = 0.3
WRITING = 2.0
"""Seconds after a letter that answers nothing: somebody is writing, and looks elsewhere."""


HOLD = 0.3
"""Seconds that a letter waits to be an answer: one that another follows at once begins a word."""


class Grace:
    """Begins whenever something appears that can be answered by one key.

    `hold` is how long a letter then waits to be an answer.
    """

    def __init__(self, clock: Callable[[], float] = monotonic, *, hold: float = HOLD) -> None:
        self.hold = hold
        self._clock = clock
        self._until = 0.0

    def begin(self, seconds: float = SECONDS) -> None:
        self._until = self._clock() + seconds

    @property
    def over(self) -> bool:
        """Whether what is typed now is meant for what is seen."""
        return self._clock() >= self._until
