"""Tables: aligned where they fit, in wrapped cells where they nearly do, else field by field."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Literal, TypeAlias

from rich.cells import cell_len
from rich.style import Style
from textual.strip import Strip

from longrein.tui.draw.lines import Span, Spans, broken, strip, wrapped
from longrein.tui.look import Look

Align: TypeAlias = Literal["left", "center", "right"]
Cell: TypeAlias = Spans

GAP = "  "
NARROWEST = 8
"""Cells of a column that is wrapped, at the least."""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of equal length, the first of them the heads of the columns."""

    aligns: tuple[Align, ...]
    rows: tuple[tuple[Cell, ...], ...]


def table(given: Table, width: int, look: Look) -> list[Strip]:
    """The lines of a table."""
    natural = [max(1, *map(_cells, column)) for column in zip(*given.rows, strict=True)]
    widths = _fitted(natural, width - len(GAP) * (len(natural) - 1))
    if widths is None:
        return _fields(given, width, look)
    head, *body = given.rows
    rule = strip([(GAP.join("─" * wide for wide in widths), look.dim)])
    lines = [*_row(_strong(head), given.aligns, widths, look.text), rule]
    tall = any(_cells(cell) > wide for row in body for cell, wide in zip(row, widths, strict=True))
    for number, row in enumerate(body):
        if tall and number:
            lines.append(strip([]))
        lines += _row(row, given.aligns, widths, look.text)
    return lines


def _fitted(natural: Sequence[int], room: int) -> list[int] | None:
    """The widths of columns: what they need, less for the widest; None where there are too many."""
    if sum(natural) <= room:
        return list(natural)
    if sum(min(need, NARROWEST) for need in natural) > room:
        return None
    widths = dict[int, int]()
    left = room
    for place in sorted(range(len(natural)), key=lambda place: natural[place]):
        widths[place] = min(natural[place], left // (len(natural) - len(widths)))
        left -= widths[place]
    return [widths[place] for place in range(len(natural))]


def _row(
    cells: Sequence[Cell], aligns: Sequence[Align], widths: Sequence[int], style: Style
) -> list[Strip]:
    columns = [broken(cell, wide) for cell, wide in zip(cells, widths, strict=True)]
    lines = list[Strip]()
    for parts in zip_longest(*columns):
        spans = list[Span]()
        for part, wide, align in zip(parts, widths, aligns, strict=True):
            spans += [(GAP, style)] if spans else []
            spans += _aligned(part, wide, align, style)
        while spans and not spans[-1][0].strip():
            spans.pop()
        lines.append(strip(spans))
    return lines


def _aligned(part: Spans | None, wide: int, align: Align, style: Style) -> list[Span]:
    text = part or ()
    left = wide - _cells(text)
    before = {"left": 0, "center": left // 2, "right": left}[align]
    return [(" " * before, style), *text, (" " * (left - before), style)]


def _fields(given: Table, width: int, look: Look) -> list[Strip]:
    """Each row as lines of `head: cell`, the empty ones left out."""
    head, *body = given.rows
    names = [((*name, (": ", look.dim)) if name else ()) for name in _strong(head)]
    if not body:
        return [line for name in head if name for line in wrapped(name, width)]
    lines = list[Strip]()
    for number, row in enumerate(body):
        if number:
            lines.append(strip([]))
        for name, cell in zip(names, row, strict=True):
            if cell:
                lines += wrapped((*name, *cell), width, (), (("  ", look.text),))
    return lines


def _strong(cells: Sequence[Cell]) -> list[Cell]:
    return [[(text, style + Style(bold=True)) for text, style in cell] for cell in cells]


def _cells(spans: Spans) -> int:
    return sum(cell_len(text) for text, _ in spans)
