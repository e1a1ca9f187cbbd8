"""The content store: bytes by their hash, kept for as long as a thread or a tree needs them."""

import asyncio
import zlib
from collections.abc import Iterable
from hashlib import sha256
from typing import NamedTuple

from longrein.storage.tables.database import Database

_WORTH_PACKING = 256
_QUICKLY_PACKED = 64 * 1024


class Piece(NamedTuple):
    """Bytes as they are put away."""

    digest: bytes
    packed: bool
    data: bytes


def piece(data: bytes, digest: bytes = b"") -> Piece:
    """Bytes made ready to be kept: packed, if that pays."""
    digest = digest or sha256(data).digest()
    if len(data) >= _WORTH_PACKING:
        packed = zlib.compress(data, 1)
        if len(packed) < len(data) * 7 // 8:
            return Piece(digest, True, packed)
    return Piece(digest, False, data)


async def packed(data: bytes, digest: bytes) -> Piece:
    """The same, without keeping the event loop from its work."""
    if len(data) <= _QUICKLY_PACKED:
        return piece(data, digest)
    return await asyncio.to_thread(piece, data, digest)


def owner(db: Database, name: bytes) -> int:
    """The key of a thread or tree, made where there is none."""
    found = db.execute("SELECT key FROM owners WHERE name = ?", (name,)).fetchone()
    if found is None:
        found = db.execute("INSERT INTO owners (name) VALUES (?) RETURNING key", (name,)).fetchone()
    return found[0]


def known(db: Database, name: bytes) -> int | None:
    """The key of a thread or tree, if there is one."""
    found = db.execute("SELECT key FROM owners WHERE name = ?", (name,)).fetchone()
    return found and found[0]


def put(db: Database, owner: int, pieces: Iterable[Piece]) -> None:
    """Keep bytes for an owner; what is there already is only referred to."""
    for one in pieces:
        made = db.execute(
            "INSERT OR IGNORE INTO objects (digest, packed) VALUES (?, ?)", (one.digest, one.packed)
        )
        if made.rowcount:
            db.execute("INSERT INTO contents VALUES (?, ?)", (made.lastrowid, one.data))
        refer(db, owner, one.digest)


def refer(db: Database, owner: int, digest: bytes) -> None:
    """Keep what is there for this owner too."""
    db.execute(
        "INSERT OR IGNORE INTO refs SELECT ?, key FROM objects WHERE digest = ?", (owner, digest)
    )


def has(db: Database, digests: Iterable[bytes]) -> bool:
    """Whether all of these are there."""
    find = "SELECT 1 FROM objects WHERE digest = ?"
    return all(db.execute(find, (digest,)).fetchone() for digest in digests)


def load(db: Database, digest: bytes) -> bytes | None:
    """The bytes with this hash."""
    found = db.execute(
        """SELECT packed, data FROM objects JOIN contents ON contents.object = objects.key
        WHERE digest = ?""",
        (digest,),
    ).fetchone()
    if found is None:
        return None
    packed, data = found
    return zlib.decompress(data) if packed else data


def drop(db: Database, owner: int) -> None:
    """Remove an owner, and what only it needed."""
    refs = db.execute("SELECT object FROM refs WHERE owner = ?", (owner,)).fetchall()
    db.execute("DELETE FROM refs WHERE owner = ?", (owner,))
    _remove_unreferenced(db, refs)
    db.execute("DELETE FROM owners WHERE key = ?", (owner,))


def drop_except(db: Database, owner: int, needed: set[bytes]) -> None:
    """Remove what an owner no longer needs."""
    refs = db.execute(
        "SELECT key, digest FROM refs JOIN objects ON key = object WHERE owner = ?", (owner,)
    ).fetchall()
    old = [(key,) for key, digest in refs if digest not in needed]
    db.connection.executemany(f"DELETE FROM refs WHERE owner = {owner} AND object = ?", old)
    _remove_unreferenced(db, old)


def _remove_unreferenced(db: Database, keys: list[tuple[int]]) -> None:
    alone = [
        key
        for key in keys
        if not db.execute("SELECT 1 FROM refs WHERE object = ? LIMIT 1", key).fetchone()
    ]
    db.connection.executemany("DELETE FROM contents WHERE object = ?", alone)
    db.connection.executemany("DELETE FROM objects WHERE key = ?", alone)
