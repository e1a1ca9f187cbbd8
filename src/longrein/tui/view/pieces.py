"""Long texts in pieces, so that only those that are seen need be drawn.

A text is cut between two blocks of Markdown, where what comes before and after looks the same with
and without the other. A block that is very long itself is cut between two of its lines.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from msgspec import Struct

LEAST, MOST, MOST_LINES = 4_000, 16_000, 1_000
"""Characters of a piece, at least and at most, and its lines at most."""

_FENCE_OR_BREAK = re.compile(
    r"^[ \t]*(?P<fence>`{3,}|~{3,})(?P<rest>[^\n]*)\n|(?<=\n)\n(?P<next>\S[^\n]*\n)",
    re.MULTILINE,
)
"""The line of a fence; or a blank line before one that is not indented."""

_TABLE = re.compile(
    r"^[^\n]*\|[^\n]*\n {0,3}(?=[^\n]*\|)\|? *:?-+:? *(?:\| *:?-+:? *)*\|? *$", re.MULTILINE
)
"""The head of a table, and the line below it."""

_GOES_ON = frozenset("0123456789-*+>|<[=")
"""What may begin a line that goes on with the block before the blank line."""


class Piece(Struct, frozen=True):
    """Where a piece begins. `joined`: in the middle of a block; `within` code or a table, if that
    is not empty, which began with this line, or these."""

    start: int
    joined: bool = False
    within: str = ""


FIRST = Piece(0)


class Pieces(Struct, frozen=True):
    """A text, and all of its pieces but the first."""

    text: str = ""
    more: tuple[Piece, ...] = ()

    def __iter__(self) -> Iterator[tuple[Piece, str]]:
        pieces = (FIRST, *self.more)
        ends = (*(piece.start for piece in self.more), len(self.text))
        return ((one, self.text[one.start : end]) for one, end in zip(pieces, ends, strict=True))

    @property
    def texts(self) -> list[str]:
        return [text for _, text in self]


NOTHING = Pieces()


def cut(text: str, before: Pieces = NOTHING) -> Pieces:
    """The text in pieces. Where it begins with that of `before`, so do its pieces.

    >>> cut("short").texts
    ['short']
    """
    more = list(before.more) if text.startswith(before.text) else []
    while found := _next(text, more[-1] if more else FIRST):
        more.append(found)
    return Pieces(text, tuple(more))


def _next(text: str, piece: Piece) -> Piece | None:
    """The piece behind this one; None: nobody can tell yet."""
    start = place = piece.start
    if len(text) - start < LEAST and text.count("\n", start) < MOST_LINES:
        return None  # as most texts are
    opening, blank = piece.within if _mark(piece.within) else "", 0
    stop = _limit(text, start)
    while found := _found(text, place, stop or len(text), opening):
        mark: str | None = found["fence"]
        if mark is None:
            # What begins there may be the line of a fence.
            place = found.start("next")
            if not opening and found.start() - start >= LEAST:
                if text[place] not in _GOES_ON:
                    return Piece(place)
                blank = place
            continue
        place = found.end()
        if not opening:
            opening = found[0].rstrip("\n")
        elif mark.startswith(_mark(opening)) and not found["rest"].strip():
            opening = ""
    if not stop:
        return None
    if blank:
        return Piece(blank)
    place = _between_lines(text, start, stop)
    if place == len(text):
        return None
    return Piece(place, True, opening or _head(text, piece, place))


def _found(text: str, place: int, end: int, opening: str) -> re.Match[str] | None:
    """The next line of a fence, or blank line; none in code to whose end there is no such line."""
    if opening and text.find(_mark(opening), place, end) < 0:
        return None
    return _FENCE_OR_BREAK.search(text, place, end)


def _limit(text: str, start: int) -> int:
    """Where a piece ends at the latest; 0: the text does not go that far."""
    lines = text[start : start + MOST].split("\n", MOST_LINES)
    if len(lines) > MOST_LINES and len(lines[-1]) < len(text) - start:
        return start + sum(map(len, lines[:-1])) + MOST_LINES
    return start + MOST if len(text) - start > MOST else 0


def _between_lines(text: str, start: int, stop: int) -> int:
    """The last place at which a block may be cut: before a line, a word, or anywhere."""
    return text.rfind("\n", start, stop) + 1 or text.rfind(" ", start, stop) + 1 or stop


def _head(text: str, piece: Piece, place: int) -> str:
    """The head of the table that goes on at a place; empty where none does."""
    blank = text.rfind("\n\n", piece.start, place) + 1
    if text[place - 1] != "\n" or "\n" in (text[place : place + 1], text[place - 2 : place - 1]):
        return ""
    if found := _TABLE.search(text, blank or piece.start, place):
        return found[0]
    return "" if blank or _mark(piece.within) else piece.within


@lru_cache(64)
def _mark(opening: str) -> str:
    found = _FENCE_OR_BREAK.match(f"{opening}\n")
    return found["fence"] if found else ""
