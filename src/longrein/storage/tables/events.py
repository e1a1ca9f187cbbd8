"""The log: append and read events, save and find snapshots."""

from collections.abc import Sequence
from functools import cache

from longrein.core.errors import LeaseLost
from longrein.storage.base import Append, Lease, Snapshot, Stored
from longrein.storage.tables import blobs, inbox, pairs
from longrein.storage.tables.database import Database, Tip
from longrein.storage.tables.schema import LAST_SEQ, spot
from longrein.storage.tables.threads import head as head_of
from longrein.storage.tables.threads import key_of, line, state

LARGE = 64 * 1024
"""An event with more bytes than this lies among the blobs."""

_ROWS = 16
"""How many events one statement inserts at most."""


def append(db: Database, write: Append) -> int:
    """Write events after the head; `LeaseLost` if the lease or the position is not the newest."""
    tip = _fitting(db, write.lease, write.after)
    referred = blobs.find(db, write.blobs) if write.blobs else []
    first = spot(tip.key, write.after + 1)
    if write.events:
        referred += _insert(db, first, write.events)
    if referred:
        blobs.refer(db, first, referred)
    if write.facts is not None:
        state(db, tip.key, write.facts)
    for id, answer in write.answered:
        inbox.settle(db, tip.key, id, answer)
    pairs.change(db, write.pairs)
    tip.head = write.after + len(write.events)
    return tip.head


def _fitting(db: Database, lease: Lease, after: int) -> Tip:
    tip = leased(db, lease)
    if tip.head != after:
        raise LeaseLost(
            f"Thread {lease.thread} ends at event {tip.head}, not at {after}: somebody else "
            "wrote it."
        )
    return tip


def leased(db: Database, lease: Lease) -> Tip:
    """Where the holder of a lease writes; `LeaseLost` if it is not the newest."""
    tip = db.tips.get(lease.thread) or _look_up(db, lease.thread)
    if tip.owner != lease.owner or tip.epoch != lease.epoch:
        raise LeaseLost(
            f"Thread {lease.thread} is written by somebody else now: epoch {lease.epoch} of "
            f"{lease.owner} is not its newest lease."
        )
    return tip


def _look_up(db: Database, thread: str) -> Tip:
    row = db.execute(
        "SELECT key, owner, epoch FROM threads WHERE id = ? AND kept IS NULL", (thread,)
    ).fetchone()
    if row is None:
        raise LeaseLost(f"Thread {thread} was deleted.")
    key, owner, epoch = row
    tip = db.tips[thread] = Tip(key, owner, epoch, head_of(db, key))
    return tip


def _insert(db: Database, first: int, events: Sequence[bytes]) -> list[int]:
    """Insert events from a spot on; the keys of the blobs that large ones became."""
    large: list[int] = []
    values: list[int | bytes | None] = []
    for at, data in enumerate(events, first):
        if len(data) > LARGE:
            large.append(blobs.keep_event(db, data))
            values += (at, None, large[-1])
        else:
            values += (at, data, None)
    for start in range(0, len(values), 3 * _ROWS):
        part = values[start : start + 3 * _ROWS]
        db.execute(_insertion(len(part) // 3), part)
    return large


@cache
def _insertion(rows: int) -> str:
    return "INSERT INTO events VALUES " + ", ".join(["(?, ?, ?)"] * rows)


def read(db: Database, thread: str, after: int, limit: int) -> list[Stored]:
    found: list[Stored] = []
    for stretch in reversed(line(db, thread)):
        if stretch.upto <= after or len(found) >= limit:
            continue
        rows = db.execute(
            """SELECT e.spot & ?4, coalesce(e.data, c.data)
            FROM events e LEFT JOIN contents c ON c.blob = e.blob
            WHERE e.spot > ?1 AND e.spot <= ?2 ORDER BY e.spot LIMIT ?3""",
            (
                spot(stretch.key, max(after, stretch.after)),
                spot(stretch.key, stretch.upto),
                limit - len(found),
                LAST_SEQ,
            ),
        )
        found += [Stored(seq, data) for seq, data in rows]
    return found


def head(db: Database, thread: str) -> int:
    return head_of(db, key_of(db, thread))


def save_snapshot(db: Database, thread: str, snapshot: Snapshot, rewrites: int | None) -> None:
    """Keep a snapshot; older ones go, but for those that a fork can begin with."""
    key = key_of(db, thread)
    if rewrites not in (None, _rewrites(db, key)):
        return
    at = spot(key, snapshot.seq)
    forked = db.execute("SELECT max(fork_at) FROM threads WHERE parent = ?", (key,)).fetchone()[0]
    # First make room: the new one then takes the pages of the old one, which are written once.
    db.execute("DELETE FROM snapshots WHERE spot > ? AND spot < ?", (spot(key, forked or 0), at))
    db.execute(
        "INSERT OR REPLACE INTO snapshots VALUES (?, ?, ?, ?)",
        (at, snapshot.version, snapshot.log_bytes, snapshot.data),
    )


def _rewrites(db: Database, key: int) -> int:
    return db.execute("SELECT rewrites FROM threads WHERE key = ?", (key,)).fetchone()[0]


def snapshot(db: Database, thread: str, version: str) -> Snapshot | None:
    for stretch in line(db, thread):
        row = db.execute(
            """SELECT spot & ?4, version, data, log_bytes FROM snapshots
            WHERE spot >= ?1 AND spot <= ?2 AND version = ?3 ORDER BY spot DESC LIMIT 1""",
            (spot(stretch.key, stretch.after), spot(stretch.key, stretch.upto), version, LAST_SEQ),
        ).fetchone()
        if row is not None:
            return Snapshot(*row)
    return None
