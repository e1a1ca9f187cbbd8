"""The SQLite file that checkpoints are in: how it is made and opened."""

import os
import sqlite3
import time

from longrein.core.errors import StoreError, StoreNewer
from longrein.storage.tables.database import Database

APPLICATION_ID = 0x4C524650

MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        # A thread, or a tree: who needs an object.
        "CREATE TABLE owners (key INTEGER PRIMARY KEY, name BLOB NOT NULL UNIQUE)",
        """CREATE TABLE objects (
            key INTEGER PRIMARY KEY, digest BLOB NOT NULL UNIQUE, packed INTEGER NOT NULL
        )""",
        # Apart from the digests, so that looking for one does not read the bytes of others.
        "CREATE TABLE contents (object INTEGER PRIMARY KEY, data BLOB NOT NULL)",
        """CREATE TABLE refs (
            owner INTEGER NOT NULL, object INTEGER NOT NULL, PRIMARY KEY (owner, object)
        ) WITHOUT ROWID""",
        "CREATE INDEX refs_by_object ON refs (object)",
        """CREATE TABLE changes (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            thread INTEGER NOT NULL, seq INTEGER NOT NULL, run TEXT NOT NULL, call TEXT NOT NULL,
            origin TEXT NOT NULL, path BLOB NOT NULL, before BLOB NOT NULL, after BLOB,
            sure INTEGER NOT NULL
        )""",
        "CREATE INDEX changes_by_seq ON changes (thread, seq)",
        "CREATE INDEX changes_by_path ON changes (thread, path, id)",
        "CREATE INDEX changes_by_call ON changes (thread, call)",
        # What each folder of a tree was at the last look.
        """CREATE TABLE folders (
            tree INTEGER NOT NULL, path BLOB NOT NULL, state BLOB NOT NULL,
            PRIMARY KEY (tree, path)
        ) WITHOUT ROWID""",
        """CREATE TABLE users (
            tree INTEGER NOT NULL, thread INTEGER NOT NULL, PRIMARY KEY (tree, thread)
        ) WITHOUT ROWID""",
        # Commands that began and did not end.
        """CREATE TABLE commands (
            id INTEGER PRIMARY KEY AUTOINCREMENT, tree INTEGER NOT NULL, thread INTEGER NOT NULL,
            seq INTEGER NOT NULL, run TEXT NOT NULL, call TEXT NOT NULL, mark INTEGER NOT NULL
        )""",
        # What folders were when such a command began, if anybody has looked since. NULL: not there.
        """CREATE TABLE folders_then (
            command INTEGER NOT NULL, path BLOB NOT NULL, state BLOB, PRIMARY KEY (command, path)
        ) WITHOUT ROWID""",
        # Rewinds that began and did not end; `mark` is the last change before them.
        """CREATE TABLE restores (
            thread INTEGER PRIMARY KEY, since INTEGER NOT NULL, seq INTEGER NOT NULL,
            mark INTEGER NOT NULL, overwrite BLOB NOT NULL
        )""",
    ),
)


def open_database(path: str, timeout: float = 10) -> Database:
    """The database at `path`, made where there is none, for its owner's eyes only.

    Raises `sqlite3.Error`, `OSError`, or `StoreError` for a file that is not ours.
    """
    _create_file(path)
    connection = sqlite3.connect(path, timeout=timeout, isolation_level=None)
    try:
        _version(connection, path)
        connection.execute("PRAGMA synchronous=FULL")
        connection.execute("PRAGMA secure_delete=ON")
        _change_to_wal(connection, timeout)
        _migrate(connection, path)
        return Database(connection)
    except BaseException:
        connection.close()
        raise


def _create_file(path: str) -> None:
    # Not opened if it is there: closing it would drop the locks of our other connections to it.
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        pass


def _version(connection: sqlite3.Connection, path: str) -> int:
    """The version of a database that is ours; 0 for an empty one."""
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if application != APPLICATION_ID:
        if connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone():
            raise StoreError(
                f"{path} is an SQLite database of another program, and not where file versions "
                "are kept. Move it away, or choose another path for the store."
            )
        return 0
    if version > len(MIGRATIONS):
        raise StoreNewer(
            f"{path} was written by a newer Longrein (version {version}, this one knows up to "
            f"{len(MIGRATIONS)}). Update Longrein; the file was not touched."
        )
    return version


def _change_to_wal(connection: sqlite3.Connection, timeout: float) -> None:
    # SQLite does not wait for the lock that this needs: of two first starts one fails at once.
    give_up = time.monotonic() + timeout
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > give_up:
                raise
            time.sleep(0.01)


def _migrate(connection: sqlite3.Connection, path: str) -> None:
    connection.execute("BEGIN IMMEDIATE")
    try:
        for migration in MIGRATIONS[_version(connection, path) :]:
            for statement in migration:
                connection.execute(statement)
        connection.execute(f"PRAGMA application_id={APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version={len(MIGRATIONS)}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
