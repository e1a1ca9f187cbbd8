"""What was drawn of entries, kept while it may be seen again."""

from collections import OrderedDict
from collections.abc import Sequence
from typing import Literal, Protocol, TypeAlias

from msgspec import Struct
from textual.strip import Strip

from longrein.tui.view.entries import Called, Entry

MOST_LINES = 5_000
"""Lines that are kept; what is seen is kept in any case."""


Opening: TypeAlias = Literal["closed", "brief", "full"]
"""How far an entry is open: not at all, as far as it is by itself, or because a person wants it."""


class Draw(Protocol):
    """From an entry to its lines, none of which is wider than `width` cells."""

    def __call__(self, entry: Entry, width: int, opening: Opening, now: int) -> Sequence[Strip]: ...


class _Kept(Struct, frozen=True, eq=False):
    entry: Entry
    width: int
    opening: Opening
    lines: Sequence[Strip]
    count: int
    """How many lines there were: of an entry that is being written there may be more by now."""


class Drawn:
    """Draws entries, each once while it stays as it is, and forgets those not seen for longest."""

    def __init__(self, draw: Draw, most: int = MOST_LINES) -> None:
        self._draw = draw
        self._most = most
        self._kept: OrderedDict[str, _Kept] = OrderedDict()
        self._held = 0

    def lines(self, entry: Entry, width: int, opening: Opening, now: int) -> Sequence[Strip]:
        """The lines of an entry; at least one."""
        kept = self._kept.get(entry.key)
        if kept and kept.entry is entry and kept.width == width and kept.opening == opening:
            self._kept.move_to_end(entry.key)
            return kept.lines
        lines = self._draw(entry, width, opening, now) or (Strip.blank(0),)
        self.forget(entry)
        self._kept[entry.key] = _Kept(entry, width, opening, lines, len(lines))
        self._held += len(lines)
        while self._held > self._most and len(self._kept) > 1:
            self._held -= self._kept.popitem(last=False)[1].count
        return lines

    def forget(self, entry: Entry) -> None:
        """Draw it anew when it is seen next."""
        if kept := self._kept.pop(entry.key, None):
            self._held -= kept.count

    def clear(self, draw: Draw) -> None:
        """Draw everything anew, and in another way."""
        self._draw = draw
        self._kept.clear()
        self._held = 0


def changes_with_time(entry: Entry) -> bool:
    """Whether an entry shows how long something has been running."""
    return isinstance(entry, Called) and entry.state == "running" and entry.began > 0
