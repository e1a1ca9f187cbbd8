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

_SECOND = (
    "ALTER TABLE threads ADD COLUMN tags TEXT NOT NULL DEFAULT '[]'",
    "ALTER TABLE threads ADD COLUMN spent TEXT NOT NULL DEFAULT '{}'",
    "ALTER TABLE threads ADD COLUMN rewrites INTEGER NOT NULL DEFAULT 0",
    # spent: what threads used that were deleted.
    """CREATE TABLE resources (
        key INTEGER PRIMARY KEY,
        name TEXT NOT NULL UNIQUE,
        spent TEXT NOT NULL DEFAULT '{}')""",
    # upto: the last event of the thread that was looked at for `texts`.
    """CREATE TABLE indexed (
        thread INTEGER PRIMARY KEY REFERENCES threads (key),
        upto INTEGER NOT NULL)""",
    # The words of events, by spot. They come split and folded, each with the key of its resource
    # before it; where they stand in the text, and how often, is not kept.
    "CREATE VIRTUAL TABLE texts USING fts5(words, tokenize=ascii, detail=none, columnsize=0)",
    # A node of the index fits a page of the file.
    "INSERT INTO texts (texts, rank) VALUES ('pgsz', 900)",
    # What is begun and must be finished, by whoever comes next.
    "CREATE TABLE chores (name TEXT PRIMARY KEY) WITHOUT ROWID",
)

_THIRD = (
    # under: the id of the thread that a child works for; empty for all others.
    "ALTER TABLE threads ADD COLUMN under TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE threads ADD COLUMN agent TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE threads ADD COLUMN call TEXT NOT NULL DEFAULT ''",
    # Lists leave children out, of which there may be many more than other threads.
    "DROP INDEX threads_listed",
    """CREATE INDEX threads_listed ON threads (resource, updated, id)
        WHERE kept IS NULL AND under = ''""",
    "CREATE INDEX threads_of ON threads (resource) WHERE kept IS NULL",
    "CREATE INDEX threads_under ON threads (under) WHERE kept IS NULL AND under > ''",
)

MIGRATIONS: tuple[tuple[str, ...], ...] = (_FIRST, _SECOND, _THIRD)
"""Entry n leads from version n to version n + 1."""
