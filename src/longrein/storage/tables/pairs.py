"""Key-value pairs."""

from itertools import takewhile

from longrein.storage.base import Pairs
from longrein.storage.tables.database import Database


def get(db: Database, key: str) -> bytes | None:
    row = db.execute("SELECT value FROM pairs WHERE key = ?", (key,)).fetchone()
    return None if row is None else row[0]


def change(db: Database, pairs: Pairs) -> None:
    """Put values, or remove those that are there."""
    for key, value in pairs:
        if value is None:
            db.execute("DELETE FROM pairs WHERE key = ?", (key,))
        else:
            db.execute("INSERT OR REPLACE INTO pairs VALUES (?, ?)", (key, value))


def swap(db: Database, seen: Pairs, pairs: Pairs) -> bool:
    """Change pairs if those that were seen still are as they were."""
    if any(get(db, key) != value for key, value in seen):
        return False
    change(db, pairs)
    return True


def keys(db: Database, prefix: str) -> list[str]:
    rows = db.execute("SELECT key FROM pairs WHERE key >= ? ORDER BY key", (prefix,))
    return list(takewhile(lambda key: key.startswith(prefix), (key for (key,) in rows)))
