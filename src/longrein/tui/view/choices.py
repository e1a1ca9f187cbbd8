"""What can be chosen by a letter, side by side on as few rows as fit."""

from collections.abc import Sequence

from msgspec import Struct
from rich.cells import cell_len

GAP = 2


class Option(Struct, frozen=True):
    """Something to choose: the key that does it and what it does, in a word or two."""

    key: str
    label: str


class Placed(Struct, frozen=True):
    """Where an option stands: its row, its first cell and the cell after its last."""

    row: int
    start: int
    end: int


def placed(options: Sequence[Option], width: int) -> list[Placed]:
    """Where each option stands; a row that is full is followed by another. Letters alone stand
    close to each other.

    >>> placed([Option("y", "yes"), Option("n", "no")], 9)
    [Placed(row=0, start=0, end=7), Placed(row=1, start=0, end=6)]
    """
    places: list[Placed] = []
    row = at = 0
    for option in options:
        wide = cell_len(worded(option))
        if at and at + wide > width:
            row, at = row + 1, 0
        places.append(Placed(row, at, at + wide))
        at += wide + (GAP if option.label else 0)
    return places


def worded(option: Option) -> str:
    """An option as it stands there, with a blank on each side for the highlight."""
    return f" {option.key} {option.label} " if option.label else f" {option.key} "
