"""What SQLite and the file system say went wrong, in words for whoever runs Longrein."""

import errno
import sqlite3

from longrein.core.errors import LongreinError, StoreError, StoreFull

_FULL = {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_SHMSIZE}
_LOCKED = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
_FORBIDDEN = {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH}
_DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}


def translate(error: Exception, path: str) -> Exception:
    """The error to raise for one that came up while working on the database at `path`."""
    if isinstance(error, LongreinError):
        return error
    if isinstance(error, OSError):
        return _from_system(error, path)
    if isinstance(error, sqlite3.Error):
        return _from_sqlite(error, path)
    return error


def _from_system(error: OSError, path: str) -> StoreError:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return _full(path)
    return StoreError(f"The database {path} cannot be opened: {error.strerror}.")


def _from_sqlite(error: sqlite3.Error, path: str) -> StoreError:
    # Errors that the Python module raises itself have no code.
    code: int = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
    if code in _FULL:
        return _full(path)
    kind = code & 0xFF
    if kind in _LOCKED:
        return StoreError(
            f"The database {path} is locked by another program for too long. Nothing was "
            "written; try again when that program is done."
        )
    if kind in _FORBIDDEN:
        return StoreError(
            f"The database {path} cannot be written: make the file and its directory writable."
        )
    if kind == sqlite3.SQLITE_CANTOPEN:
        return StoreError(
            f"The database {path} cannot be opened: see that it is a file, and that it and its "
            "directory can be read and written."
        )
    if kind in _DAMAGED:
        return StoreError(
            f"The database {path} is damaged, or is not a database ({error}). Put a copy of it "
            "back, or choose another path for the store."
        )
    return StoreError(f"The database {path} could not be used: {error}.")


def _full(path: str) -> StoreFull:
    return StoreFull(
        f"There is no room left to write the database {path}. Nothing was written; make room on "
        "its disk and try again."
    )
