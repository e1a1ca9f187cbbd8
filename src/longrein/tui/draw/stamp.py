"""The time at which something was said, at the right end of its first line."""

from collections.abc import Sequence
from datetime import datetime

from rich.segment import Segment
from textual.strip import Strip

from longrein.tui.look import Look

GAP = 2
"""Blank cells on either side of it, at least."""


def stamped(strips: Sequence[Strip], time: int, width: int, look: Look) -> Sequence[Strip]:
    """The lines with the time, in microseconds, where there is room for it."""
    said = datetime.fromtimestamp(time / 1_000_000).strftime("%H:%M")
    room = width - GAP - len(said) - (strips[0].cell_length if strips else width)
    if room < GAP:
        return strips
    first, *rest = strips
    blank = " " * room
    return [Strip.join([first, Strip([Segment(blank), Segment(said, look.dim)])]), *rest]
