"""Key-value pairs."""

from collections.abc import Sequence
from itertools import takewhile

from longrein.storage.tables.database import Database


def get(db: Database, key: str) -> bytes | None:
    row = db.execute("SELECT value FROM pairs WHERE key = ?", (key,)).fetchone()
    return None if row is None else row[0]


def change(db: Database, pairs: Sequence[tuple[str, bytes | None]]) -> None:
    """Put values, or remove those that are there."""
    for key, value in pairs:
        if value is None:
            db.execute("DELETE FROM pairs WHERE key = ?", (key,))
        else:
            db.execute("INSERT OR REPLACE INTO pairs VALUES (?, ?)", (key, value))


def keys(db: Database, prefix: str) -> list[str]:
    rows = db.execute("SELECT key FROM pairs WHERE key >= ? ORDER BY key", (prefix,))
    return list(takewhile(lambda key: key.startswith(prefix), (key for (key,) in rows)))
