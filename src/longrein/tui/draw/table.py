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

SAMPLE = 40
"""Rows by which columns are laid out: those that come later do not move what was drawn."""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of equal length, the first of them the heads of the columns."""

    aligns: tuple[Align, ...]
    rows: tuple[tuple[Cell, ...], ...]


@dataclass(frozen=True, slots=True)
class Layout:
    """How the rows below a head are drawn: in columns of these widths, else field by field (None).

    `tall`: rows take several lines each, so that a blank one is between them.
    """

    head: tuple[Cell, ...]
    aligns: tuple[Align, ...]
    widths: Sequence[int] | None
    tall: bool

    @classmethod
    def of(cls, given: Table, width: int) -> "Layout":
        """The layout that suits the first rows of a table."""
        head, *body = rows = given.rows[: SAMPLE + 1]
        natural = [max(1, *map(_cells, column)) for column in zip(*rows, strict=True)]
        widths = _fitted(natural, _room(width, len(natural)))
        tall = widths is None or any(
            _cells(cell) > wide for row in body for cell, wide in zip(row, widths, strict=True)
        )
        return cls(head, given.aligns, widths, tall)


def table(given: Table, width: int, look: Look) -> list[Strip]:
    """The lines of a table."""
    layout = Layout.of(given, width)
    return [
        *_head_lines(layout, width, look, alone=len(given.rows) == 1),
        *row_lines(given.rows[1:], layout, width, look),
    ]


def _head_lines(layout: Layout, width: int, look: Look, *, alone: bool) -> list[Strip]:
    head, widths = layout.head, layout.widths
    if widths is None:  # the names of fields stand before each of them
        named = head if alone else ()
        return [line for name in named if name for line in wrapped(name, width)]
    rule = strip([(GAP.join("─" * wide for wide in widths), look.dim)])
    return [*_row(_strong(head), layout.aligns, widths, look.text), rule]


def row_lines(
    rows: Sequence[Sequence[Cell]], layout: Layout, width: int, look: Look, *, begun: bool = False
) -> list[Strip]:
    """The lines of rows below a head; `begun`: there are others above them."""
    lines = list[Strip]()
    for number, row in enumerate(rows):
        if layout.tall and (number or begun):
            lines.append(strip([]))
        if layout.widths is None:
            lines += _fields(row, layout.head, width, look)
        else:
            widths = _widened(layout.widths, row, width) if not layout.tall else layout.widths
            lines += _row(row, layout.aligns, widths, look.text)
    return lines


def _widened(widths: Sequence[int], row: Sequence[Cell], width: int) -> Sequence[int]:
    """The widths for a row of which a cell may need more than those by which all was laid out."""
    needs = [max(wide, _cells(cell)) for wide, cell in zip(widths, row, strict=True)]
    return _fitted(needs, _room(width, len(needs))) or widths


def _room(width: int, columns: int) -> int:
    return width - len(GAP) * (columns - 1)


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


def _fields(row: Sequence[Cell], head: Sequence[Cell], width: int, look: Look) -> list[Strip]:
    """A row as lines of `head: cell`, the empty ones left out."""
    lines = list[Strip]()
    for name, cell in zip(_strong(head), row, strict=True):
        if cell:
            before = (*name, (": ", look.dim)) if name else ()
            lines += wrapped((*before, *cell), width, (), (("  ", look.text),))
    return lines


def _strong(cells: Sequence[Cell]) -> list[Cell]:
    return [[(text, style + Style(bold=True)) for text, style in cell] for cell in cells]


def _cells(spans: Spans) -> int:
    return sum(cell_len(text) for text, _ in spans)
