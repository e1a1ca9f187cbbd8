"""The store: whether it can be written to, whether it is whole, and how much room there is."""

import os
import shutil
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from longrein.client.port import Check
from longrein.core.words import size
from longrein.storage.tables.schema import APPLICATION_ID, MIGRATIONS

STORE = "store"
SECONDS = 5.0
"""How long a large store is read to see whether it is whole."""

LEAST_FREE = 1 << 30
MOVE = "Choose another place with `longrein config store PATH`, or make this one yours."
NEWER = "Update Longrein: the file was written by a newer one."
DAMAGED = (
    "Keep a copy of the file and of those beside it (-wal, -shm), then "
    "`sqlite3 FILE .recover | sqlite3 NEW` saves what can be read."
)
ROOM = "Make room: what cannot be written is not done."


def store_checks(name: str) -> list[Check]:
    """What there is to say about the store. Nothing is made, and nothing in it is changed."""
    kind, _, path = name.partition(":")
    if kind != "sqlite":
        return [Check(STORE, "note", f"{name}: gone with the process")]
    file = Path(path)
    there = next(one for one in (file, *file.absolute().parents) if one.exists())
    checks = [_file(file)] if file.exists() else [Check(STORE, "ok", f"{path}: not made yet")]
    if not os.access(there, os.W_OK):
        checks = [Check(STORE, "missing", f"{path} cannot be written to", MOVE)]
    return [*checks, _room(there)]


def _file(file: Path) -> Check:
    if not file.is_file():
        return Check(STORE, "missing", f"{file} is not a file", MOVE)
    try:
        uri = f"file:{quote(str(file.absolute()))}?mode=ro"
        with closing(sqlite3.connect(uri, uri=True, timeout=SECONDS)) as connection:
            return _content(file, connection)
    except sqlite3.Error as error:
        return Check(STORE, "missing", f"{file} cannot be read: {error}", DAMAGED)


def _content(file: Path, connection: sqlite3.Connection) -> Check:
    (mark,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version and mark != APPLICATION_ID:
        return Check(STORE, "missing", f"{file} belongs to another program", MOVE)
    if version > len(MIGRATIONS):
        return Check(STORE, "missing", f"{file} has version {version}", NEWER)
    taken = sum(one.stat().st_size for one in (file, Path(f"{file}-wal")) if one.exists())
    told = f"{file}: version {version} of {len(MIGRATIONS)}, {size(taken)}"
    problem = _damage(connection)
    if problem is None:
        return Check(STORE, "ok", f"{told}, too large to be read whole")
    if problem:
        return Check(STORE, "missing", f"{told}, damaged: {problem}", DAMAGED)
    return Check(STORE, "ok", f"{told}, whole")


def _damage(connection: sqlite3.Connection) -> str | None:
    """What is wrong with the file; empty: nothing. None where reading it all takes too long."""
    ends = time.monotonic() + SECONDS
    connection.set_progress_handler(lambda: time.monotonic() > ends, 100_000)
    try:
        (said,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode == sqlite3.SQLITE_INTERRUPT:
            return None
        raise
    return "" if said == "ok" else str(said)


def _room(folder: Path) -> Check:
    free = shutil.disk_usage(folder).free
    if free < LEAST_FREE:
        return Check("room", "missing", f"only {size(free)} free where the store is", ROOM)
    return Check("room", "ok", f"{size(free)} free where the store is")
