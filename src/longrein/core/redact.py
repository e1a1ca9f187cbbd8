"""Known secrets, replaced by their names before anything is written or shown."""

import re
from collections.abc import Mapping

import msgspec

SHORTEST = 8
"""A shorter value would be found everywhere by accident; it is not treated as a secret."""


class Redactor:
    """Replaces each known secret by `[secret:NAME]`.

    >>> Redactor({"KEY": "sk-123456789"}).text("curl -H sk-123456789")
    'curl -H [secret:KEY]'
    """

    def __init__(self, secrets: Mapping[str, str]) -> None:
        self._know(secrets)

    def add(self, name: str, value: str) -> None:
        """Replace this too from now on: a secret that was fetched only when it was needed."""
        if value not in self._known.values():
            self._know({**self._known, name: value})

    def _know(self, secrets: Mapping[str, str]) -> None:
        self._known = dict(secrets)
        known = sorted(secrets.items(), key=lambda item: -len(item[1]))
        self._texts = [(v, f"[secret:{name}]") for name, v in known if len(v) >= SHORTEST]
        self._data = [(inside, _inside(n)) for v, n in self._texts for inside in _escaped(v)]
        self._firsts = frozenset(value[0] for value, _ in self._texts)
        self._starts = re.compile("|".join(re.escape(value[:2]) for value, _ in self._texts))
        self.longest = max((len(value) for value, _ in self._texts), default=0)
        """Characters of the longest secret."""

    def text(self, text: str) -> str:
        """The text without secrets; the very same object where there are none."""
        for value, name in self._texts:
            if value in text:
                text = text.replace(value, name)
        return text

    def part(self, text: str, start: int, end: int, *, growing: bool) -> str:
        """What stands between two places of a text, without secrets. Nothing is left of one that
        is cut there, nor, of a `growing` text, of one that may only have begun at its end.

        >>> Redactor({"KEY": "sk-123456789"}).part("a sk-123456789 b", 5, 16, growing=False)
        ' b'
        """
        if growing:
            end = min(end, len(text) - self.held(text))
        start, end = self._outside(text, start, 1), self._outside(text, end, -1)
        return self.text(text[start:end])

    def data(self, data: bytes) -> bytes:
        """The JSON without secrets; the very same object where there are none."""
        for value, name in self._data:
            if value in data:
                data = data.replace(value, name)
        return data

    def held(self, text: str) -> int:
        """How many characters at the end of `text` may be the beginning of a secret."""
        if not self._begins(text):
            return 0
        most = 0
        for value, _ in self._texts:
            at = text.find(value[0], max(0, len(text) - len(value) + 1))
            while at >= 0 and len(text) - at > most:
                if value.startswith(text[at:]):
                    most = len(text) - at
                at = text.find(value[0], at + 1)
        return most

    def _outside(self, text: str, place: int, by: int) -> int:
        """The nearest place that is not inside of a secret, behind it, or before it (-1)."""
        before = -1
        while before != place:  # out of one secret it may get into another
            before = place
            for value, _ in self._texts:
                reach = max(place - len(value) + 1, 0), place + len(value) - 1
                at = text.rfind(value, *reach) if by > 0 else text.find(value, *reach)
                if at >= 0:
                    place = at + len(value) if by > 0 else at
        return place

    def _begins(self, text: str) -> bool:
        """Whether the first letters of any secret are in reach; asked for every fragment."""
        if not text or not self._texts:
            return False
        reach = max(0, len(text) - self.longest + 1)
        return text[-1] in self._firsts or self._starts.search(text, reach) is not None


class Redacting:
    """Redacts text that comes in pieces, of which none may show a part of a secret.

    >>> stream = Redacting(Redactor({"KEY": "sk-123456789"}))
    >>> [stream.feed(piece) for piece in ("use sk-1234", "56789 now")]
    ['use ', '[secret:KEY] now']
    """

    __slots__ = ("_held", "_redactor")

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._held = ""

    def feed(self, text: str) -> str:
        """What can be shown now."""
        text = self._redactor.text(self._held + text if self._held else text)
        held = self._redactor.held(text)
        if not held:
            self._held = ""
            return text
        self._held = text[-held:]
        return text[:-held]


def _escaped(value: str) -> list[bytes]:
    """How a value can stand in JSON: escaped, and escaped twice in JSON that is itself a text."""
    once = _inside(value)
    twice = _inside(once.decode())
    return [once] if twice == once else [twice, once]


def _inside(text: str) -> bytes:
    return msgspec.json.encode(text)[1:-1]
