"""A list of things to choose from, as rows: numbered, one of them at the cursor."""

from collections.abc import Collection, Sequence

from rich.segment import Segment
from textual.strip import Strip

from longrein.tui.draw.asks import worded
from longrein.tui.look import CURSOR, Look

MARKED, UNMARKED = "[x] ", "[ ] "


def draw_menu(
    items: Sequence[str],
    at: int,
    marked: Collection[int] | None,
    width: int,
    look: Look,
) -> list[tuple[int, Strip]]:
    """Every row with the item that it belongs to. `marked`: those taken; None: one is chosen."""
    rows: list[tuple[int, Strip]] = []
    digits = len(str(len(items)))
    for number, item in enumerate(items):
        here = number == at
        box = "" if marked is None else MARKED if number in marked else UNMARKED
        front = f"{CURSOR if here else ' '} {number + 1:>{digits}} {box}"
        first, *rest = worded(item, width - len(front))
        style, mark = (look.heading, look.heading) if here else (look.text, look.dim)
        rows.append((number, Strip([Segment(front, mark), Segment(first, style)])))
        indent = Segment(" " * len(front), style)
        rows += ((number, Strip([indent, Segment(row, style)])) for row in rest)
    return rows
