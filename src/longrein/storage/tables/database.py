"""An open database, and how it is opened, created and brought up to date."""

import os
import sqlite3
import time
from collections.abc import Generator
from contextlib import closing, contextmanager
from errno import EISDIR
from typing import Literal, NamedTuple, TypeAlias

from msgspec import Struct

from longrein.core.errors import StoreError, StoreNewer
from longrein.core.points import reached
from longrein.storage.tables.schema import APPLICATION_ID, MIGRATIONS

Synchronous: TypeAlias = Literal["FULL", "NORMAL"]

_PAGE_SIZE = 1024
"""A write changes the page that its thread ends in: small pages keep written bytes low."""

_CHECKPOINT_PAGES = 256

_IN_THE_WAY = 200
"""Milliseconds to wait for others before the WAL is left as it is."""


class Layout(NamedTuple):
    """What is in a database: its mark, the statements of each version, and the size of pages."""

    application: int
    migrations: tuple[tuple[str, ...], ...]
    page_size: int


class Tip(Struct):
    """The end of a thread's log: who may write there, and after which event."""

    key: int
    owner: str | None
    epoch: int
    head: int


class Database:
    """One connection, and what it knows without asking again.

    `tips` holds for as long as nobody else writes to the file, which `look` finds out.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        self.execute = connection.execute
        self.tips: dict[str, Tip] = {}
        self._version = self._data_version()

    def look(self) -> bool:
        """Whether another connection wrote since the last look."""
        version = self._data_version()
        if version == self._version:
            return False
        self._version = version
        self.tips.clear()
        return True

    def _data_version(self) -> int:
        return self.execute("PRAGMA data_version").fetchone()[0]

    def roll_back(self) -> None:
        """Undo the transaction, unless SQLite did so itself."""
        self.tips.clear()
        if self.connection.in_transaction:
            self.execute("ROLLBACK")

    def empty_wal(self) -> None:
        """Move the WAL into the file and leave nothing in it, unless somebody else is in the way.

        What was deleted stays readable in the WAL until then.
        """
        (timeout,) = self.execute("PRAGMA busy_timeout").fetchone()
        self.execute(f"PRAGMA busy_timeout={_IN_THE_WAY}")
        try:
            self.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        finally:
            self.execute(f"PRAGMA busy_timeout={timeout}")

    def vacuum(self) -> None:
        """Write the whole file anew, with nothing in it but what is there to read."""
        self.execute("VACUUM")
        self.empty_wal()

    def close(self) -> None:
        self.connection.close()


def open_database(
    path: str, synchronous: Synchronous, timeout: float, layout: Layout | None = None
) -> Database:
    """A database of the newest version at `path`, created where there is none: that of a store, or
    one of another layout.

    Raises `sqlite3.Error`, `OSError`, or `StoreError` for a file that is not ours, which is then
    as it was.
    """
    layout = layout or Layout(APPLICATION_ID, MIGRATIONS, _PAGE_SIZE)
    if not _create_file(path):
        _refuse_foreign(path, timeout, layout)
    reached("open.file")
    connection = _connect(path, "rw", timeout)
    try:
        _refuse_unless_ours(connection, path, layout)
        _set_up(connection, synchronous, timeout, layout)
        _migrate(connection, path, layout)
        reached("open.migrated")
        return Database(connection)
    except BaseException:
        connection.close()
        raise


def _create_file(path: str) -> bool:
    """Make the empty file, readable by its owner only. False if there is one.

    SQLite would make it with the mode that umask leaves; its side files copy the mode of this one.
    An existing file is not opened here: closing it would drop the locks that another connection
    of this process holds on it.
    """
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        if os.path.isdir(path):
            raise IsADirectoryError(EISDIR, os.strerror(EISDIR)) from None
        return False
    return True


def _refuse_foreign(path: str, timeout: float, layout: Layout) -> None:
    # Read-only, because the last writing connection to close moves the WAL into the file.
    with closing(_connect(path, "ro", timeout)) as connection:
        try:
            _refuse_unless_ours(connection, path, layout)
        except sqlite3.OperationalError as error:
            # A first start was killed before the WAL was there; whoever opens to write undoes it.
            if error.sqlite_errorcode != sqlite3.SQLITE_READONLY_ROLLBACK:
                raise


def _refuse_unless_ours(connection: sqlite3.Connection, path: str, layout: Layout) -> int:
    """The version of a database that is ours; 0 for one in which nothing was made yet."""
    version, application, tables = _look(connection)
    if application != layout.application:
        if version or application or tables:
            raise StoreError(
                f"{path} is an SQLite database of another program. Choose another path for the "
                "store; the file was not touched."
            )
        return 0
    if version > (newest := len(layout.migrations)):
        raise StoreNewer(
            f"{path} was written by a newer Longrein (database version {version}, this one knows "
            f"up to {newest}). Update Longrein, or choose another path for the store; the file was "
            "not touched."
        )
    return version


def _look(connection: sqlite3.Connection) -> tuple[int, int, bool]:
    """Version, application and whether there are tables, all of one moment.

    Another first start may finish between two of these.
    """
    began = not connection.in_transaction
    if began:
        connection.execute("BEGIN")
    try:
        found = connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone()
        version: int = connection.execute("PRAGMA user_version").fetchone()[0]
        application: int = connection.execute("PRAGMA application_id").fetchone()[0]
        return version, application, found is not None
    finally:
        if began and connection.in_transaction:
            connection.execute("ROLLBACK")


def _connect(path: str, mode: Literal["ro", "rw"], timeout: float) -> sqlite3.Connection:
    name = path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    return sqlite3.connect(
        f"file:{name}?mode={mode}", uri=True, timeout=timeout, isolation_level=None
    )


def _set_up(
    connection: sqlite3.Connection, synchronous: Synchronous, timeout: float, layout: Layout
) -> None:
    connection.execute(f"PRAGMA synchronous={synchronous}")
    connection.execute(f"PRAGMA wal_autocheckpoint={_CHECKPOINT_PAGES}")
    # What was deleted is overwritten with zeros, in free pages too (FAST leaves those as they
    # were). An append frees nothing, so it pays nothing.
    connection.execute("PRAGMA secure_delete=ON")
    if connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
        connection.execute(f"PRAGMA page_size={layout.page_size}")
        _change_to_wal(connection, timeout)
    reached("open.wal")


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


def _migrate(connection: sqlite3.Connection, path: str, layout: Layout) -> None:
    newest = len(layout.migrations)
    if _refuse_unless_ours(connection, path, layout) == newest:
        return
    with _transaction(connection):
        version = _refuse_unless_ours(connection, path, layout)
        for migration in layout.migrations[version:]:
            for statement in migration:
                connection.execute(statement)
        connection.execute(f"PRAGMA application_id={layout.application}")
        connection.execute(f"PRAGMA user_version={newest}")
        reached("open.migrating")


@contextmanager
def _transaction(connection: sqlite3.Connection) -> Generator[None, None, None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
