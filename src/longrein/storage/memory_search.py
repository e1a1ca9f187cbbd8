"""Searching a thread in memory: all of it is read each time."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from longrein.storage.base import Hit, TextOf
from longrein.storage.memory_parts import Thread
from longrein.storage.words import fit, snippet


class Ranked(NamedTuple):
    """A hit, and what it is ordered by; the greatest is the best."""

    order: tuple[int, int, int, str]
    hit: Hit


def best_hit(thread: Thread, wanted: Sequence[str], text_of: TextOf) -> Ranked | None:
    """The best place in a thread that has all wanted words."""
    row = thread.row
    if well := fit(row.title, wanted):
        return Ranked((well, 0, row.updated, row.id), Hit(row, 0, snippet(row.title, wanted)))
    begun: Ranked | None = None
    for seq, data in _backwards(thread):
        text = text_of(data)
        well = fit(text, wanted)
        if well == 2 or (well and begun is None):
            begun = Ranked((0, well, row.updated, row.id), Hit(row, seq, snippet(text, wanted)))
        if well == 2:
            break
    return begun


def _backwards(thread: Thread) -> Iterator[tuple[int, bytes]]:
    """What a thread reads, the newest first."""
    for part, upto in thread.line():
        for seq in range(min(upto, part.head), part.row.fork_at, -1):
            yield seq, part.events[seq - part.row.fork_at - 1]
