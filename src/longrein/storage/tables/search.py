"""Finding threads by the words of their events and titles."""

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from longrein.storage.base import Hit, TextOf
from longrein.storage.tables.database import Database
from longrein.storage.tables.index import FAMILY, term
from longrein.storage.tables.schema import LAST_SEQ, spot
from longrein.storage.tables.threads import Stretch
from longrein.storage.tables.threads import thread as row_of
from longrein.storage.words import fit, snippet

_SPACES = f"""{FAMILY} SELECT DISTINCT r.key FROM family
    JOIN threads t ON t.key = family.key JOIN resources r ON r.name = t.resource"""

_LINES = """WITH RECURSIVE line (thread, key, parent, after, upto) AS (
        SELECT key, key, parent, fork_at, ?2 FROM threads
        WHERE resource = ?1 AND kept IS NULL AND under = ''
        UNION ALL
        SELECT line.thread, t.key, t.parent, t.fork_at, min(line.after, line.upto)
        FROM line JOIN threads t ON t.key = line.parent)
    SELECT t.id, t.title, t.updated, line.key, line.after, line.upto
    FROM line JOIN threads t ON t.key = line.thread WHERE line.after <= line.upto"""

_DATA = """SELECT coalesce(e.data, c.data) FROM events e LEFT JOIN contents c ON c.blob = e.blob
    WHERE e.spot = ?"""


class _Place(NamedTuple):
    """Where a thread has the words, and how well; the greatest is the best."""

    in_title: int
    in_event: int
    updated: int
    thread: str
    seq: int
    spot: int


def find(
    db: Database, resource: str, wanted: Sequence[str], text_of: TextOf, limit: int, offset: int
) -> list[Hit]:
    """The best places of a resource's threads, of which all are indexed."""
    places = sorted(_best(db, resource, wanted), reverse=True)
    return [_hit(db, place, wanted, text_of) for place in places[offset : offset + limit]]


def _best(db: Database, resource: str, wanted: Sequence[str]) -> Iterable[_Place]:
    spaces = [space for (space,) in db.execute(_SPACES, (resource,))]
    whole, begun = _matches(db, spaces, wanted, ""), _matches(db, spaces, wanted, "*")
    best: dict[str, _Place] = {}
    for id, title, updated, *stretch in db.execute(_LINES, (resource, LAST_SEQ)):
        reads = Stretch(*stretch)
        if well := fit(title, wanted):
            place = _Place(well, 0, updated, id, 0, 0)
        elif at := _newest(whole, reads):
            place = _Place(0, 2, updated, id, at & LAST_SEQ, at)
        elif at := _newest(begun, reads):
            place = _Place(0, 1, updated, id, at & LAST_SEQ, at)
        else:
            continue
        best[id] = max(place, best.get(id, place))
    return best.values()


def _matches(db: Database, spaces: Iterable[int], wanted: Sequence[str], end: str) -> "array[int]":
    """The spots of events that have all words, in order. `end`: "*" for what begins like them."""
    found: array[int] = array("q")
    for space in spaces:
        # Words are letters and digits, so nothing in them can end the quotes.
        query = " AND ".join(f'"{term(space, word)}"{end}' for word in wanted)
        rows = db.execute("SELECT rowid FROM texts WHERE texts MATCH ?", (query,))
        found.extend(at for (at,) in rows)
    return array("q", sorted(found))


def _newest(matches: "array[int]", reads: Stretch) -> int:
    """The last match in a stretch; 0 if there is none."""
    number = bisect_right(matches, spot(reads.key, reads.upto))
    at = matches[number - 1] if number else 0
    return at if at > spot(reads.key, reads.after) else 0


def _hit(db: Database, place: _Place, wanted: Sequence[str], text_of: TextOf) -> Hit:
    row = row_of(db, place.thread)
    assert row is not None
    if not place.seq:
        return Hit(row, 0, snippet(row.title, wanted))
    (data,) = db.execute(_DATA, (place.spot,)).fetchone()
    return Hit(row, place.seq, snippet(text_of(data), wanted))
