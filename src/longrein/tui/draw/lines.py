"""Lines of a width: styled text, made harmless and broken between words."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import TypeAlias

from rich.cells import cell_len, set_cell_size, split_graphemes
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from longrein.core.visible import visible

Span: TypeAlias = tuple[str, Style]
Spans: TypeAlias = Sequence[Span]

TAB = 4
PROSE = 110
"""Cells of a line that is read; what is longer is hard to follow to its end."""

LEAST = 8
"""Where less than so many cells would be left, nothing is indented any more."""

_NOT_FIRST = frozenset("\u3001\u3002\uff0c\uff0e\uff01\uff1f\uff1a\uff1b\uff09\u300d\u300f\u3011")
"""What does not begin a line in Chinese and Japanese."""


def said(text: str, style: Style) -> Span:
    """A span of somebody's text, with nothing in it that a terminal would act upon."""
    return one_line(text), style


def one_line(text: str) -> str:
    """Somebody's text on one line, with nothing in it that a terminal would act upon."""
    return visible(text).expandtabs(TAB).replace("\n", " ")


def said_lines(text: str, *, strict: bool = False) -> list[str]:
    """The lines of somebody's text, harmless, without an empty one at the end."""
    return visible(text, strict=strict).expandtabs(TAB).removesuffix("\n").split("\n")


def strip(spans: Iterable[Span]) -> Strip:
    """One line, as long as it is."""
    return Strip(Segment(text, style) for text, style in spans if text)


def wrapped(spans: Spans, width: int, first: Spans = (), rest: Spans = ()) -> list[Strip]:
    """The spans on as many lines as they need; `first` and `rest` stand before them.

    Words go to the next line whole; one that is longer than a line is broken anywhere.
    """
    first, rest = _room(first, width), _room(rest, width)
    inner = max(width - max(_cells(first), _cells(rest)), 1)
    pieces = broken(spans, inner)
    return [strip((*(rest if n else first), *piece)) for n, piece in enumerate(pieces)]


def broken(spans: Spans, width: int) -> list[list[Span]]:
    """The spans of each line that they need, as in `wrapped`."""
    return _pieces(spans, breaks("".join(text for text, _ in spans), width))


def indented(lines: Iterable[Strip], first: Spans, rest: Spans | None = None) -> list[Strip]:
    """The lines with something before each of them; blanks only before what is not blank."""
    one = [Segment(text, style) for text, style in first]
    others = one if rest is None else [Segment(text, style) for text, style in rest]
    blank = not "".join(segment.text for segment in others).strip()
    made = list[Strip]()
    for line in lines:
        before = others if made else one
        made.append(line if blank and not line and before is others else Strip([*before, *line]))
    return made


def room(prefix: Spans, width: int) -> tuple[Spans, int]:
    """The prefix, or none where it leaves too little, and the cells that are left beside it."""
    prefix = _room(prefix, width)
    return prefix, width - _cells(prefix)


def cropped(spans: Spans, width: int, style: Style) -> Spans:
    """The spans, cut with `…` where they are longer than the width."""
    if _cells(spans) <= width:
        return spans
    if width < 1:
        return ()
    kept, left = list[Span](), width - 1
    for text, own in spans:
        end = breaks_hard(text, left)[0][1] if text and left else 0
        kept.append((text[:end], own))
        left -= cell_len(text[:end])
        if end < len(text):
            break
    return (*kept, ("…", style))


def cut(text: str, width: int) -> str:
    """The text in at most so many cells, with `…` at its end where there is more."""
    if cell_len(text) <= width:
        return text
    return f"{set_cell_size(text, width - 1).rstrip()}…" if width > 0 else ""


def breaks(text: str, width: int) -> list[tuple[int, int]]:
    """Where each line of the text begins and ends, the blanks between them left out."""
    if text.isascii():
        return _ascii_breaks(text, width)
    return _wide_breaks(text, width) if cell_len(text) > width else [(0, len(text))]


def breaks_hard(text: str, width: int) -> list[tuple[int, int]]:
    """Where each line begins and ends if lines are filled, whatever stands at their ends."""
    if text.isascii():
        return [(at, min(at + width, len(text))) for at in range(0, len(text) or 1, width)]
    found, begin, cells = list[tuple[int, int]](), 0, 0
    for start, _, size in split_graphemes(text)[0]:
        if cells + size > width:
            found.append((begin, start))
            begin, cells = start, 0
        cells += size
    return [*found, (begin, len(text))]


def _ascii_breaks(text: str, width: int) -> list[tuple[int, int]]:
    found, at, length = list[tuple[int, int]](), 0, len(text)
    blanks = length - len(text.lstrip(" "))
    while length - at > width:
        space = text.rfind(" ", max(at, blanks), at + width + 1)
        if space <= at:
            found.append((at, at + width))
            at += width
            continue
        found.append((at, space))
        at = space + 1
        while at < length and text[at] == " ":
            at += 1
    return [*found, (at, length)] if at < length or not found else found


def _wide_breaks(text: str, width: int) -> list[tuple[int, int]]:
    """As `_ascii_breaks`; between wide letters a line may end, and blanks may hang over its end."""
    found, begin, cells = list[tuple[int, int]](), 0, 0
    place = (0, 0, 0)  # the last place for a break: end of the line, begin of the next, cells to it
    before, size_before = "", 1
    for start, stop, size in split_graphemes(text)[0]:
        letter = text[start:stop]
        if letter == " ":
            place = (place[0] if before == " " else start, stop, cells + size)
        else:
            if before != " " and max(size, size_before) > 1 and letter not in _NOT_FIRST:
                place = (start, start, cells)
            while cells + size > width and start > begin:
                end, after, to = place if place[1] > begin else (start, start, cells)
                found.append((begin, end))
                begin, cells = after, cells - to
        cells += size
        before, size_before = letter, size
    end = len(text.rstrip(" ")) if cells > width else len(text)
    return [*found, (begin, end)] if begin < end or not found else found


def _pieces(spans: Spans, ranges: Sequence[tuple[int, int]]) -> list[list[Span]]:
    ends = list(accumulate(len(text) for text, _ in spans))
    if not ends or ranges[0] == (0, ends[-1]):
        return [list(spans)]
    return [list(_between(spans, ends, start, stop)) for start, stop in ranges]


def _between(spans: Spans, ends: Sequence[int], start: int, stop: int) -> Iterable[Span]:
    index = bisect_right(ends, start)
    while index < len(spans) and start < stop:
        text, style = spans[index]
        begin = ends[index] - len(text)
        yield text[start - begin : stop - begin], style
        start = ends[index]
        index += 1


def _room(prefix: Spans, width: int) -> Spans:
    return prefix if width - _cells(prefix) >= min(LEAST, width) else ()


def _cells(spans: Spans) -> int:
    return sum(cell_len(text) for text, _ in spans)
