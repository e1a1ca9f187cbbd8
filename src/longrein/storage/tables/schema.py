"""The tables of the SQLite store, as numbered migrations; `PRAGMA user_version` is how many ran.

A migration that was released is never changed: what comes later is a further one.

Events and snapshots have one integer as their key, the thread's key and the sequence number in one
(`spot`). So a thread's events lie side by side in a table whose inner pages hold only numbers: a
write touches the page it ends in and little else.
"""

APPLICATION_ID = 0x4C52_4E31
"""Marks a database file as ours: "LRN1"."""

SEQ_BITS = 32
LAST_SEQ = (1 << SEQ_BITS) - 1


def spot(key: int, seq: int) -> int:
    """Where event `seq` of the thread with this key lies."""
    return (key << SEQ_BITS) + seq


_FIRST = (
    # kept: NULL while the thread lives; once deleted, how far its forks still read it.
    """CREATE TABLE threads (
        key INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        resource TEXT NOT NULL,
        title TEXT NOT NULL,
        status TEXT NOT NULL,
        created INTEGER NOT NULL,
        updated INTEGER NOT NULL,
        parent INTEGER REFERENCES threads (key),
        fork_at INTEGER NOT NULL,
        kept INTEGER,
        owner TEXT,
        epoch INTEGER NOT NULL DEFAULT 0)""",
    "CREATE INDEX threads_listed ON threads (resource, updated, id) WHERE kept IS NULL",
    "CREATE INDEX threads_forked ON threads (parent) WHERE parent IS NOT NULL",
    "CREATE INDEX threads_owned ON threads (owner) WHERE owner IS NOT NULL",
    """CREATE TABLE current (
        resource TEXT NOT NULL,
        scope TEXT NOT NULL,
        thread INTEGER NOT NULL REFERENCES threads (key),
        PRIMARY KEY (resource, scope)) WITHOUT ROWID""",
    "CREATE INDEX current_thread ON current (thread)",
    # blob: where a large event lies instead of in data.
    """CREATE TABLE events (
        spot INTEGER PRIMARY KEY,
        data BLOB,
        blob INTEGER REFERENCES blobs (key))""",
    """CREATE TABLE snapshots (
        spot INTEGER PRIMARY KEY,
        version TEXT NOT NULL,
        log_bytes INTEGER NOT NULL,
        data BLOB NOT NULL)""",
    # loose: since when, in seconds, the blob waits for its first reference; 0 once it had one.
    """CREATE TABLE blobs (
        key INTEGER PRIMARY KEY,
        digest BLOB NOT NULL UNIQUE,
        loose INTEGER NOT NULL)""",
    "CREATE INDEX blobs_loose ON blobs (loose) WHERE loose > 0",
    # Apart from blobs, so that changing a blob's row does not write its content again.
    "CREATE TABLE contents (blob INTEGER PRIMARY KEY, data BLOB NOT NULL)",
    """CREATE TABLE refs (
        spot INTEGER NOT NULL,
        blob INTEGER NOT NULL REFERENCES blobs (key),
        PRIMARY KEY (spot, blob)) WITHOUT ROWID""",
    "CREATE INDEX refs_blob ON refs (blob)",
    # alive_until: milliseconds since 1970 by SQLite's clock.
    """CREATE TABLE owners (
        id TEXT PRIMARY KEY,
        alive_until INTEGER NOT NULL) WITHOUT ROWID""",
    """CREATE TABLE inbox (
        place INTEGER PRIMARY KEY,
        thread INTEGER NOT NULL REFERENCES threads (key),
        id TEXT NOT NULL,
        data BLOB NOT NULL,
        answer BLOB,
        UNIQUE (thread, id))""",
    "CREATE INDEX inbox_pending ON inbox (thread, place) WHERE answer IS NULL",
    "CREATE TABLE pairs (key TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID",
)

MIGRATIONS: tuple[tuple[str, ...], ...] = (_FIRST,)
"""Entry n leads from version n to version n + 1."""
