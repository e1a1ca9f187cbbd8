"""A letter that is an answer unless another follows at once: then it begins a word."""

from collections.abc import Callable

from textual.timer import Timer
from textual.widget import Widget


class Held:
    """Waits so many `seconds` with a letter before `choose` hears of it; 0: not at all."""

    def __init__(self, node: Widget, seconds: float, choose: Callable[[str], None]) -> None:
        self._node = node
        self._seconds = seconds
        self._choose = choose
        self._letter = ""
        self._timer: Timer | None = None

    def __bool__(self) -> bool:
        return bool(self._letter)

    def hold(self, letter: str) -> None:
        """Take a letter for an answer, if none follows."""
        if not self._seconds:
            self._choose(letter)
            return
        self._letter = letter
        self._timer = self._node.set_timer(self._seconds, self._release)

    def drop(self) -> str:
        """Take the letter for none; the letter."""
        letter, self._letter = self._letter, ""
        if self._timer is not None:
            self._timer.stop()
        return letter

    def _release(self) -> None:
        if letter := self.drop():
            self._choose(letter)
