"""Key-value pairs."""

from itertools import takewhile

from longrein.storage.tables.database import Database


def get(db: Database, key: str) -> bytes | None:
    row = db.execute("SELECT value FROM pairs WHERE key = ?", (key,)).fetchone()
    return None if row is None else row[0]


def put(db: Database, key: str, value: bytes) -> None:
    db.execute("INSERT OR REPLACE INTO pairs VALUES (?, ?)", (key, value))


def remove(db: Database, key: str) -> None:
    db.execute("DELETE FROM pairs WHERE key = ?", (key,))


def keys(db: Database, prefix: str) -> list[str]:
    rows = db.execute("SELECT key FROM pairs WHERE key >= ? ORDER BY key", (prefix,))
    return list(takewhile(lambda key: key.startswith(prefix), (key for (key,) in rows)))
