"""Text selected with the mouse: where it begins and ends, how it looks, what is copied.

Textual tells places in a widget by a column and a line. Lines here are told by their entry and
their number in it, so that what is selected stays so when entries above it come, go, or grow.
"""

from collections.abc import Iterator

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Offset
from textual.selection import Selection
from textual.strip import Strip

from longrein.tui.scroll.column import Column, Line

_PER_ENTRY = 1 << 32
_GAPS = 16
"""Room for the lines of the gap before an entry, whose numbers are below 0."""


def place_of(line: Line) -> int:
    """The line as a number that is greater for every line below it."""
    return line.index * _PER_ENTRY + line.number + _GAPS


def whole(column: Column, index: int) -> Selection:
    """The selection of all of an entry."""
    lines = [line for line in column.rows(index) if line.number >= 0]
    first, last = lines[0], lines[-1]
    return Selection(Offset(0, place_of(first)), Offset(len(last.strip.text), place_of(last)))


def highlighted(strip: Strip, span: tuple[int, int], style: Style) -> Strip:
    """The line with what is selected of it in another style."""
    start, stop = span
    text = strip.text
    first = strip.index_to_cell_position(min(start, len(text)))
    last = strip.cell_length if stop < 0 else strip.index_to_cell_position(min(stop, len(text)))
    if first >= last:
        return strip
    chosen = Segment.apply_style(strip.crop(first, last), post_style=style)
    return Strip.join([strip.crop(0, first), Strip(chosen), strip.crop(last)])


def selected_text(column: Column, selection: Selection, margin: int) -> str:
    """What is copied: the text without the margin at the left and blanks at the right."""
    return "\n".join(_selected(column, selection, margin)).strip("\n")


def _selected(column: Column, selection: Selection, margin: int) -> Iterator[str]:
    start, end = selection
    first = start.y // _PER_ENTRY if start is not None else 0
    last = end.y // _PER_ENTRY if end is not None else len(column.entries) - 1
    for index in range(max(first, 0), min(last, len(column.entries) - 1) + 1):
        for line in column.rows(index):
            span = selection.get_span(place_of(line))
            if span is not None:
                text = line.strip.text
                begin, stop = span
                margin_here = len(text) - len(text.lstrip(" "))
                begin = max(begin, min(margin, margin_here))
                yield text[begin : len(text) if stop < 0 else stop].rstrip()
