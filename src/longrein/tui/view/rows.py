"""The rows of a list to choose from, and which of them fit what somebody typed."""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from longrein.client.words import in_order
from longrein.tui.view.tones import Tone


class Row(Struct, frozen=True):
    """One thing to choose, by its `key`.

    `title` is what it is, `note` stands after it where there is room, `cells` stand in columns at
    the right, the least important last. `words` are not shown, but found. A `heading` is over the
    rows that follow it and cannot be chosen. `current` is what is in use now.
    """

    key: str
    title: str
    note: str = ""
    cells: tuple[str, ...] = ()
    current: bool = False
    heading: bool = False
    tone: Tone = ""
    words: str = ""


def heading(title: str, note: str = "") -> Row:
    """A line over the rows that follow."""
    return Row("", title, note, heading=True)


def fitting(rows: Sequence[Row], typed: str) -> list[Row]:
    """The rows that hold every word that was typed, in order; where none does, those whose titles
    hold its letters one after the other.

    >>> [row.title for row in fitting([Row("1", "build"), Row("2", "plan")], "pn")]
    ['plan']
    """
    words = typed.lower().split()
    if not words:
        return list(rows)
    found = [row for row in rows if row.heading or _holds(row, words)]
    if all(row.heading for row in found):
        letters = "".join(words)
        found = [row for row in rows if row.heading or in_order(letters, row.title.lower())]
    return list(_without_empty(found))


def _holds(row: Row, words: Sequence[str]) -> bool:
    text = f"{row.title} {row.note} {row.words}".lower()
    return all(word in text for word in words)


def _without_empty(rows: Sequence[Row]) -> Iterator[Row]:
    """The rows without headings over nothing."""
    for place, row in enumerate(rows):
        below = rows[place + 1 : place + 2]
        if not row.heading or any(not one.heading for one in below):
            yield row
