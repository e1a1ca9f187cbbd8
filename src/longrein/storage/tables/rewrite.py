"""Other bytes in the place of events, and the end of all that the old ones left."""

from collections.abc import Iterable, Mapping, Sequence

from longrein.storage.base import Lease
from longrein.storage.rewriting import missing, shared
from longrein.storage.tables import blobs, index
from longrein.storage.tables.database import Database
from longrein.storage.tables.events import LARGE, leased
from longrein.storage.tables.schema import LAST_SEQ, spot
from longrein.storage.tables.threads import line

_READING = """WITH RECURSIVE reading (key) AS (
        SELECT ?1
        UNION
        SELECT t.key FROM reading JOIN threads t ON t.parent = reading.key WHERE t.fork_at >= ?2)
    SELECT key FROM reading"""
"""A log, and those of the forks that read its event ?2."""

_REFERRING = """SELECT e.spot FROM events e LEFT JOIN contents c ON c.blob = e.blob
    WHERE e.spot >= ?1 AND e.spot < ?2
    AND (e.blob = ?3 OR instr(coalesce(e.data, c.data), ?4))"""


def rewrite(
    db: Database, lease: Lease, events: Mapping[int, bytes], digests: Sequence[str]
) -> None:
    """Replace events of a thread's own log; see `EventStore.rewrite`."""
    tip = leased(db, lease)
    for seq in events:
        _refuse_unless_own(db, lease.thread, tip.key, seq)
    new = dict(zip(digests, blobs.find(db, digests), strict=True))
    if not events:
        return
    at = {spot(tip.key, seq): data for seq, data in events.items()}
    dropped = _drop_references(db, tip.key, at.keys())
    for each, data in at.items():
        _replace(db, each, data)
    for digest, blob in new.items():
        holders = [each for each, data in at.items() if digest.encode() in data]
        for each in holders or [min(at)]:
            blobs.refer(db, each, [blob])
    for blob in dropped:
        blobs.remove_unreferenced(db, blob)
    _count(db, tip.key, min(events))
    index.forget(db, tip.key, events)


def _refuse_unless_own(db: Database, thread: str, key: int, seq: int) -> None:
    if db.execute("SELECT 1 FROM events WHERE spot = ?", (spot(key, seq),)).fetchone():
        return
    for stretch in line(db, thread):
        if stretch.key != key and stretch.after < seq <= stretch.upto:
            writer, kept = db.execute(
                "SELECT id, kept FROM threads WHERE key = ?", (stretch.key,)
            ).fetchone()
            raise shared(thread, seq, writer, deleted=kept is not None)
    raise missing(thread, seq)


def _drop_references(db: Database, key: int, rewritten: Iterable[int]) -> list[int]:
    """Take away the references of events; the blobs that may have none any more.

    References lie where the first event of an append does. Where one is rewritten, those of the
    others are moved to the events that they are of.
    """
    rewritten, dropped = set(rewritten), list[int]()
    for first in {_referred_at(db, key, each) for each in rewritten} - {None}:
        following = db.execute(
            "SELECT min(spot) FROM refs WHERE spot > ? AND spot <= ?", (first, spot(key, LAST_SEQ))
        ).fetchone()[0]
        referred = db.execute(
            "SELECT key, digest FROM refs JOIN blobs ON key = blob WHERE spot = ?", (first,)
        ).fetchall()
        db.execute("DELETE FROM refs WHERE spot = ?", (first,))
        for blob, digest in referred:
            end = following or spot(key, LAST_SEQ) + 1
            rows = db.execute(_REFERRING, (first, end, blob, digest.hex().encode())).fetchall()
            for holder in {each for (each,) in rows} or {first}:
                if holder in rewritten:
                    dropped.append(blob)
                else:
                    db.execute("INSERT OR IGNORE INTO refs VALUES (?, ?)", (holder, blob))
    return dropped


def _referred_at(db: Database, key: int, upto: int) -> int | None:
    return db.execute(
        "SELECT max(spot) FROM refs WHERE spot > ? AND spot <= ?", (spot(key, 0), upto)
    ).fetchone()[0]


def _replace(db: Database, at: int, data: bytes) -> None:
    large = blobs.keep_event(db, data) if len(data) > LARGE else None
    db.execute(
        "UPDATE events SET data = ?, blob = ? WHERE spot = ?", (None if large else data, large, at)
    )
    if large:
        blobs.refer(db, at, [large])


def _count(db: Database, key: int, seq: int) -> None:
    """Whoever has read an event has read what it was: let the threads say so, and no snapshot."""
    for (each,) in db.execute(_READING, (key, seq)).fetchall():
        db.execute(
            "DELETE FROM snapshots WHERE spot >= ? AND spot <= ?",
            (spot(each, seq), spot(each, LAST_SEQ)),
        )
        db.execute("UPDATE threads SET rewrites = rewrites + 1 WHERE key = ?", (each,))
