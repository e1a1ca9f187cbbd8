"""Content-addressed bytes, and which events refer to them."""

from collections.abc import Iterable
from hashlib import sha256

from longrein.core.errors import UsageError
from longrein.storage.tables.database import Database

_SECONDS = "CAST(strftime('%s', 'now') AS INTEGER)"

_UNREFERENCED = "NOT EXISTS (SELECT 1 FROM refs WHERE refs.blob = blobs.key)"


def put(db: Database, data: bytes) -> str:
    _collect(db)
    digest = sha256(data)
    _keep(db, digest.digest(), data, loose=True)
    return digest.hexdigest()


def _collect(db: Database) -> None:
    """Remove blobs that were put an hour ago and that no event ever referred to."""
    old = f"loose > 0 AND loose < {_SECONDS} - 3600 AND {_UNREFERENCED}"
    if db.execute(f"SELECT 1 FROM blobs WHERE {old} LIMIT 1").fetchone():
        _remove(db, old, ())


def keep_event(db: Database, data: bytes) -> int:
    """The key of a blob that holds a large event."""
    return _keep(db, sha256(data).digest(), data, loose=False)


def _keep(db: Database, digest: bytes, data: bytes, *, loose: bool) -> int:
    since = _SECONDS if loose else "0"
    found = db.execute("SELECT key FROM blobs WHERE digest = ?", (digest,)).fetchone()
    if found is not None:
        db.execute(f"UPDATE blobs SET loose = {since} WHERE key = ?", found)
        return found[0]
    key = db.execute(f"INSERT INTO blobs (digest, loose) VALUES (?, {since})", (digest,)).lastrowid
    assert key is not None
    db.execute("INSERT INTO contents VALUES (?, ?)", (key, data))
    return key


def get(db: Database, digest: str) -> bytes | None:
    row = db.execute(
        """SELECT contents.data FROM blobs JOIN contents ON contents.blob = blobs.key
        WHERE blobs.digest = ?""",
        (_raw(digest),),
    ).fetchone()
    return None if row is None else row[0]


def find(db: Database, digests: Iterable[str]) -> list[int]:
    """The keys of blobs that must be there."""
    return [_find(db, digest) for digest in digests]


def _find(db: Database, digest: str) -> int:
    row = db.execute("SELECT key FROM blobs WHERE digest = ?", (_raw(digest),)).fetchone()
    if row is None:
        raise UsageError(f"There is no blob {digest}: put it before an event refers to it.")
    return row[0]


def _raw(digest: str) -> bytes:
    try:
        return bytes.fromhex(digest)
    except ValueError:
        return b""


def refer(db: Database, spot: int, blobs: Iterable[int]) -> None:
    """Keep blobs for as long as the event at `spot`."""
    for blob in blobs:
        db.execute("INSERT OR IGNORE INTO refs VALUES (?, ?)", (spot, blob))
        db.execute("UPDATE blobs SET loose = 0 WHERE key = ? AND loose > 0", (blob,))


def drop_references(db: Database, after: int, upto: int) -> None:
    """Forget the references of removed events, and the blobs that nothing refers to any more."""
    dropped = db.execute(
        "SELECT DISTINCT blob FROM refs WHERE spot > ? AND spot <= ?", (after, upto)
    ).fetchall()
    db.execute("DELETE FROM refs WHERE spot > ? AND spot <= ?", (after, upto))
    for (key,) in dropped:
        remove_unreferenced(db, key)


def remove_unreferenced(db: Database, key: int) -> None:
    """Forget a blob that had a reference, if it has none any more."""
    # One that was put again meanwhile is about to be referred to.
    _remove(db, f"key = ? AND loose = 0 AND {_UNREFERENCED}", (key,))


def _remove(db: Database, which: str, values: tuple[int, ...]) -> None:
    db.execute(f"DELETE FROM contents WHERE blob IN (SELECT key FROM blobs WHERE {which})", values)
    db.execute(f"DELETE FROM blobs WHERE {which}", values)
