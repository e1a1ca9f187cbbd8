"""Long texts in pieces, so that only those that are seen need be drawn.

A text is cut between two blocks of Markdown, where what comes before and after looks the same with
and without the other.
"""

import re

from msgspec import Struct

LEAST = 4_000
"""Characters of a piece, at least."""

_FENCE_OR_BREAK = re.compile(
    r"^[ \t]*(?P<fence>`{3,}|~{3,})(?P<rest>[^\n]*)\n|(?<=\n)\n(?P<next>[^\s\d\-*+>|<\[=][^\n]*\n)",
    re.MULTILINE,
)
"""The line of a fence; or a blank line before one that begins a block of its own."""


class Pieces(Struct, frozen=True):
    """A text, and where in it every piece but the first begins."""

    text: str = ""
    cuts: tuple[int, ...] = ()

    @property
    def texts(self) -> list[str]:
        ends = (*self.cuts, len(self.text))
        return [self.text[a:b] for a, b in zip((0, *self.cuts), ends, strict=True)]


def cut(text: str, before: Pieces = Pieces()) -> Pieces:  # noqa: B008  it is a value
    """The text in pieces. Where it begins with that of `before`, so do its pieces.

    >>> cut("short").texts
    ['short']
    """
    if len(text) <= LEAST:
        return Pieces(text)
    cuts = list(before.cuts) if text.startswith(before.text) else []
    while (place := _next(text, cuts[-1] if cuts else 0)) > 0:
        cuts.append(place)
    return Pieces(text, tuple(cuts))


def _next(text: str, start: int) -> int:
    """Where the piece that begins at `start` ends; -1: nobody can tell yet."""
    if len(text) - start <= LEAST:
        return -1
    fence, place = "", start
    while found := _FENCE_OR_BREAK.search(text, place):
        mark: str | None = found["fence"]
        if mark is None:
            if not fence and found.start() - start >= LEAST:
                return found.start("next")
            # What begins there may be the line of a fence.
            place = found.start("next")
            continue
        place = found.end()
        if not fence:
            fence = mark
        elif mark.startswith(fence) and not found["rest"].strip():
            fence = ""
    return -1
