"""Answers that somebody began to write: the reason of a no, what should be different in a plan."""

from collections.abc import Callable, Collection, Mapping


class Place:
    """Where an answer is written. What was begun there is known when it is opened again."""

    def __init__(self, write: Callable[[str], object], read: Callable[[], str]) -> None:
        self.write = write
        self._read = read

    @property
    def text(self) -> str:
        """What was begun."""
        return self._read()


NOWHERE = Place(lambda _: None, str)
"""What is written there is not known again."""


class Begun:
    """What was begun, by what it is and what it answers; `changed` is told when it is more or less.

    What is settled in the thread is forgotten.
    """

    def __init__(self, changed: Callable[[], object] = lambda: None) -> None:
        self.changed = changed
        self._texts: dict[str, str] = {}
        self._waiting: frozenset[str] = frozenset()

    def place(self, what: str, ask: str) -> Place:
        """Where `what` is written in answer to an approval, a question or a plan."""
        key = f"{what} {ask}"

        def write(text: str) -> None:
            if text != self._texts.get(key, ""):
                self._texts[key] = text
                self.changed()

        return Place(write, lambda: self._texts.get(key, ""))

    def among(self, asks: Collection[str]) -> dict[str, str]:
        """What was begun in answer to these, to be kept: all that waits in the thread."""
        settled, self._waiting = self._waiting.difference(asks), frozenset(asks)
        for key in [key for key in self._texts if _ask(key) in settled]:
            del self._texts[key]
        begun = {key: text for key, text in self._texts.items() if text.strip()}
        return {key: text for key, text in begun.items() if _ask(key) in asks}

    def know(self, kept: Mapping[str, str]) -> None:
        """Know what was kept of another thread, as far as nothing else was begun in its place."""
        self._texts = {**kept, **self._texts}
        self._waiting = frozenset()


def _ask(key: str) -> str:
    return key.partition(" ")[2]
