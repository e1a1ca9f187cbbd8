"""The search index: the words of events, by their spots.

Writing a log costs nothing for it. Whoever searches first brings the index up to date, a short
transaction at a time, from where each thread's mark (`indexed`) stands.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from longrein.storage.base import TextOf
from longrein.storage.tables.database import Database
from longrein.storage.tables.schema import LAST_SEQ, spot
from longrein.storage.words import words

FAMILY = """WITH RECURSIVE family (key, parent) AS (
        SELECT key, parent FROM threads WHERE resource = ?1 AND kept IS NULL AND under = ''
        UNION
        SELECT t.key, t.parent FROM family JOIN threads t ON t.key = family.parent)"""
"""A resource's threads without children, and all that they read, deleted ones included."""

_BATCH_BYTES = 128 * 1024
_BATCH_EVENTS = 500
"""What one transaction takes in: others wait for it for some hundredths of a second."""

_MERGE_PAGES = 200
"""How much of the index one step of merging writes anew."""

_BEHIND = f"""{FAMILY}
    SELECT family.key FROM family LEFT JOIN indexed ON indexed.thread = family.key
    WHERE (SELECT max(spot) FROM events WHERE spot > family.key << 32
        AND spot <= (family.key << 32) + ?2) > (family.key << 32) + coalesce(indexed.upto, 0)"""

_UNREAD = """SELECT e.spot, coalesce(e.data, c.data)
    FROM events e LEFT JOIN contents c ON c.blob = e.blob
    WHERE e.spot > ? AND e.spot <= ? AND NOT EXISTS (SELECT 1 FROM texts WHERE rowid = e.spot)
    ORDER BY e.spot"""


def behind(db: Database, resource: str) -> list[int]:
    """The keys of logs that a search of a resource's threads reads and that are not all indexed."""
    return [key for (key,) in db.execute(_BEHIND, (resource, LAST_SEQ))]


def catch_up(db: Database, keys: Sequence[int], text_of: TextOf) -> Sequence[int]:
    """Index logs, as far as a short transaction goes; the keys of those that are left."""
    bytes_left, events_left = _BATCH_BYTES, _BATCH_EVENTS
    for number, key in enumerate(keys):
        part = _read(db, key, text_of, bytes_left, events_left)
        _keep(db, key, part)
        bytes_left -= part.size
        events_left -= part.events
        if bytes_left <= 0 or events_left <= 0:
            return keys[number if part.more else number + 1 :]
    return ()


class _Part(NamedTuple):
    """The next words of a log: those of its events up to a position, and whether `more` follow."""

    words: list[tuple[int, list[str]]]
    upto: int
    size: int
    events: int
    more: bool


def _read(db: Database, key: int, text_of: TextOf, size: int, events: int) -> _Part:
    last = db.execute(
        "SELECT max(spot) FROM events WHERE spot > ? AND spot <= ?",
        (spot(key, 0), spot(key, LAST_SEQ)),
    ).fetchone()[0]
    mark = db.execute("SELECT upto FROM indexed WHERE thread = ?", (key,)).fetchone() or (0,)
    found: list[tuple[int, list[str]]] = []
    taken = seen = 0
    for at, data in db.execute(_UNREAD, (spot(key, mark[0]), last or 0)):
        found.append((at, sorted(set(words(text_of(data))))))
        taken += len(data)
        seen += 1
        if (taken >= size or seen >= events) and at < last:
            return _Part(found, at & LAST_SEQ, taken, seen, more=True)
    return _Part(found, (last or 0) & LAST_SEQ, taken, seen, more=False)


def _keep(db: Database, key: int, part: _Part) -> None:
    row = db.execute("SELECT resource FROM threads WHERE key = ?", (key,)).fetchone()
    if row is None or not part.upto:
        # Deleted since it was found to be behind.
        return
    space = resource_key(db, row[0])
    for at, found in part.words:
        if found:
            text = " ".join(term(space, word) for word in found)
            db.execute("INSERT INTO texts (rowid, words) VALUES (?, ?)", (at, text))
    db.execute("INSERT OR REPLACE INTO indexed VALUES (?, ?)", (key, part.upto))


def resource_key(db: Database, resource: str) -> int:
    """The number under which a resource has its words and what it spent."""
    db.execute("INSERT OR IGNORE INTO resources (name) VALUES (?)", (resource,))
    return db.execute("SELECT key FROM resources WHERE name = ?", (resource,)).fetchone()[0]


def term(space: int, word: str) -> str:
    """A word as it stands in the index: apart from the words of other resources, so that a search
    costs what its own resource has."""
    return f"{space}x{word}"


def forget_after(db: Database, key: int, seq: int) -> None:
    """Remove the words of a log's events after a position; -1: all that is known of the log."""
    if not db.execute("SELECT 1 FROM indexed WHERE thread = ?", (key,)).fetchone():
        return
    _removed(
        db,
        db.execute(
            "DELETE FROM texts WHERE rowid > ? AND rowid <= ?",
            (spot(key, seq), spot(key, LAST_SEQ)),
        ).rowcount,
    )
    if seq < 0:
        db.execute("DELETE FROM indexed WHERE thread = ?", (key,))
    else:
        db.execute("UPDATE indexed SET upto = min(upto, ?) WHERE thread = ?", (seq, key))


def forget(db: Database, key: int, seqs: Iterable[int]) -> None:
    """Remove the words of some events of a log, which are then to be indexed again."""
    seqs = list(seqs)
    marked = db.execute(
        "UPDATE indexed SET upto = min(upto, ?) WHERE thread = ?", (min(seqs) - 1, key)
    )
    if marked.rowcount:
        for seq in seqs:
            _removed(
                db, db.execute("DELETE FROM texts WHERE rowid = ?", (spot(key, seq),)).rowcount
            )


def _removed(db: Database, rows: int) -> None:
    if rows:
        db.execute("INSERT OR IGNORE INTO chores VALUES ('merge texts')")


def merge(db: Database) -> bool:
    """Take a step towards an index without removed words; whether there are more to take.

    FTS5 only marks words as removed: they leave the file when its parts are merged into one.
    """
    if not db.execute("SELECT 1 FROM chores WHERE name = 'merge texts'").fetchone():
        return False
    before = db.connection.total_changes
    db.execute("INSERT INTO texts (texts, rank) VALUES ('merge', ?)", (-_MERGE_PAGES,))
    # The statement itself counts as one change, by FTS5's documentation.
    if db.connection.total_changes - before >= 2:
        return True
    db.execute("DELETE FROM chores WHERE name = 'merge texts'")
    return False
