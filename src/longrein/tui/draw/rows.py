"""A row of a list as pieces of one line, each with its tone."""

from collections.abc import Sequence

from rich.cells import cell_len, set_cell_size

from longrein.tui.draw.lines import cut, one_line
from longrein.tui.look import CURSOR
from longrein.tui.view.rows import Row
from longrein.tui.view.tones import Tone, Toned

CURRENT = "✓ "
GAP = 2

LEAST_TITLE = 32
"""Cells that a title has before columns stand beside it."""


def columns(rows: Sequence[Row]) -> tuple[int, ...]:
    """How wide each column is, so that they stand below each other."""
    widths: list[int] = []
    for row in rows:
        for place, cell in enumerate(row.cells):
            if place == len(widths):
                widths.append(0)
            widths[place] = max(widths[place], cell_len(cell))
    return tuple(widths)


def draw_row(
    row: Row, width: int, widths: Sequence[int], *, marks: bool, at_cursor: bool
) -> list[Toned]:
    """The row in exactly `width` cells. `marks`: some row of the list is the current one."""
    front = f"{CURSOR} " if at_cursor else "  "
    if marks and not row.heading:
        front += CURRENT if row.current else "  "
    left = max(width - cell_len(front), 0)
    if row.heading:
        return [(front[:width], ""), *_title(row, left)]
    cells = _cells(row, widths, left)
    used = sum(cell_len(text) for text, _ in cells)
    return [(front[:width], "accent"), *_title(row, left - used), *cells]


def _cells(row: Row, widths: Sequence[int], room: int) -> list[Toned]:
    """As many columns as leave room for the title, the first of them first."""
    if not row.cells:
        return []
    least = min(LEAST_TITLE, room)
    pieces: list[Toned] = []
    for place, wide in enumerate(widths):
        room -= wide + GAP
        if room < least:
            break
        text = one_line(row.cells[place]) if place < len(row.cells) else ""
        text = cut(text, wide)
        pieces.append((" " * (wide + GAP - cell_len(text)) + text, "dim"))
    return pieces


def _title(row: Row, room: int) -> list[Toned]:
    """The title and, where there is room, its note."""
    title = cut(one_line(row.title), room)
    tone: Tone = "accent" if row.heading else row.tone
    left = room - cell_len(title)
    if not row.note or left < GAP + 4:
        return [(title, tone), (" " * left, "")]
    note = cut(one_line(row.note), left - GAP)
    return [(title, tone), (set_cell_size(f"{' ' * GAP}{note}", left), "dim")]
