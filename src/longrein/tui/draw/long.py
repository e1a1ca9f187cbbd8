"""Rows of long texts: counted at once, put together only where they are looked at."""

import re
from abc import abstractmethod
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import overload

from rich.style import Style
from textual.strip import Strip

from longrein.core.visible import visible
from longrein.tui.draw.lines import LEAST, TAB, breaks_hard, strip

CONTINUED = "… "
"""In front of the rest of a line that is too long for one row."""

MEASURED, MEASURED_IN_ALL = 4_000, 100_000
"""Characters of a line, and of all lines, that are measured one by one where some may be wide; of
more than that all count as wide."""

NARROW = 20
"""Cells on a row. Where there are more, lines are not counted again that have room on so many."""

SINGLE = re.compile(
    "[ -~\xa0-\u02ff\u0370-\u0482\u048a-\u058f\u1e00-\u200a"
    "\u20f1-\u2319\u23f4-\u25fc\u2713-\u2718]*"
)
"""A text of letters and signs that surely have one cell each."""


class Plain:
    """Harmless lines, looked through once for all widths: of very many that takes a while.

    `long` are those that may have no room on a `NARROW` row, each with the cells that it surely has
    room on; `measured` is up to which length a line that may be wide is measured.
    """

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = lines
        single = all(map(str.isascii, lines))
        most = [len(one) if single or _is_single(one) else 2 * len(one) for one in lines]
        self.long = [(at, cells) for at, cells in enumerate(most) if cells > NARROW]
        wide = sum(most) - sum(map(len, lines))
        self.measured = MEASURED if wide <= MEASURED_IN_ALL else 0


def harmless(lines: Sequence[str]) -> Plain:
    """The lines with nothing hidden in them. What breaks inside of a line is told from its end."""
    text = "\n".join(lines)
    if text.count("\n") >= len(lines) > 0:
        text = "\n".join(line.replace("\n", f"\n{CONTINUED}") for line in lines)
    # In front of the end of a line it would be taken for a part of that.
    text = text.replace("\r", "\\x0d")
    return Plain(visible(text, strict=True).expandtabs(TAB).split("\n") if lines else [])


class Rows(Sequence[Strip]):
    """Rows that are made when somebody asks for them."""

    @abstractmethod
    def row(self, at: int) -> Strip:
        """The row at a place that there is."""

    @overload
    def __getitem__(self, index: int) -> Strip: ...
    @overload
    def __getitem__(self, index: slice) -> list[Strip]: ...
    def __getitem__(self, index: int | slice) -> Strip | list[Strip]:
        places = range(len(self))[index]
        return self.row(places) if isinstance(places, int) else [self.row(at) for at in places]


class Lines(Rows):
    """Harmless lines in one style, as they are: what has no room on a row goes on below."""

    def __init__(self, text: Plain, width: int, style: Style, mark: Style) -> None:
        self._text, self._width = text, max(width, LEAST)
        self._style, self._mark = style, mark
        self._broken, self._ends = self._counted()

    def _counted(self) -> tuple[Sequence[int], Sequence[int]]:
        """The lines that may have several rows, and how many rows there are up to the end of each;
        every other line has one."""
        text, width = self._text, self._width
        if width < NARROW:
            broken = range(len(text.lines))
        else:
            broken = [at for at, cells in text.long if cells > width]
        heights = (_height(text.lines[at], width, text.measured) for at in broken)
        more = accumulate(height - 1 for height in heights)
        return broken, [at + 1 + rows for at, rows in zip(broken, more, strict=True)]

    def __len__(self) -> int:
        rest = len(self._text.lines) - (self._broken[-1] + 1 if self._broken else 0)
        return rest + (self._ends[-1] if self._ends else 0)

    def row(self, at: int) -> Strip:
        number = bisect_right(self._ends, at)
        behind, before = (
            (self._broken[number - 1] + 1, self._ends[number - 1]) if number else (0, 0)
        )
        place = behind + at - before
        if number < len(self._broken):
            place = min(place, self._broken[number])
        line, row = self._text.lines[place], at - before - (place - behind)
        start, stop = _place(line, row, self._width, self._text.measured)
        text = (line[start:stop], self._style)
        return strip([(CONTINUED, self._mark), text] if row else [text])


class Joined(Rows):
    """One thing below the other."""

    def __init__(self, parts: Iterable[Sequence[Strip]]) -> None:
        self._parts = [part for part in parts if part]
        self._ends = list(accumulate(map(len, self._parts)))

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    def row(self, at: int) -> Strip:
        number = bisect_right(self._ends, at)
        return self._parts[number][at - (self._ends[number - 1] if number else 0)]


def _is_single(line: str) -> bool:
    """Whether every letter of a line surely has one cell."""
    return line.isascii() or SINGLE.fullmatch(line) is not None


def _height(line: str, width: int, measured: int) -> int:
    first, others = _letters(line, width, measured)
    if first:
        return 1 + max(-(-(len(line) - first) // others), 0)
    return len(_measured(line, width))


def _place(line: str, row: int, width: int, measured: int) -> tuple[int, int]:
    """Where in the line one of its rows begins and ends."""
    first, others = _letters(line, width, measured)
    if not first:
        return _measured(line, width)[row]
    start = first + (row - 1) * others if row else 0
    return start, start + (others if row else first)


def _letters(line: str, width: int, measured: int) -> tuple[int, int]:
    """How many letters the first row has, and the others; 0 where that has to be measured."""
    left = width - len(CONTINUED)
    if _is_single(line):
        return width, left
    return (width // 2, left // 2) if len(line) > measured else (0, 0)


def _measured(line: str, width: int) -> list[tuple[int, int]]:
    end = breaks_hard(line, width)[0][1]
    rest = breaks_hard(line[end:], width - len(CONTINUED)) if line[end:] else []
    return [(0, end), *((end + start, end + stop) for start, stop in rest)]
