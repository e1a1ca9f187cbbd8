"""A database of an older version is brought up to date, with all that it holds."""

import sqlite3
from pathlib import Path

import pytest

from longrein.core.errors import StoreError, StoreNewer
from longrein.core.usage import Spent, Usage
from longrein.storage.base import Append, Facts, Snapshot, ThreadRow
from longrein.storage.sqlite import SqliteStore
from longrein.storage.tables import database
from longrein.storage.tables.schema import APPLICATION_ID, MIGRATIONS, spot
from longrein.testing.store_cases.setting import contents, lease_on, written
from tests.support import run


async def _use(path: Path, expected: int) -> None:
    store = SqliteStore(path)
    await written(store, f"thr_{expected}", b"1", b"2")
    for number in range(1, expected + 1):
        assert await contents(store, f"thr_{number}") == [(1, b"1"), (2, b"2")]
    await store.close()


def _pragma(path: Path, name: str) -> int:
    connection = sqlite3.connect(path)
    value = connection.execute(f"PRAGMA {name}").fetchone()[0]
    connection.close()
    return value


def test_a_new_database_has_the_newest_version_and_our_mark(tmp_path: Path) -> None:
    path = tmp_path / "test.db"
    run(_use(path, 1))
    assert _pragma(path, "user_version") == len(MIGRATIONS)
    assert _pragma(path, "application_id") == APPLICATION_ID
    assert _pragma(path, "page_size") == 1024


def _make_version_1(path: Path) -> None:
    """A database of the first version, with a thread, a fork of it and a snapshot."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA page_size=1024")
    connection.execute("PRAGMA journal_mode=WAL")
    for statement in MIGRATIONS[0]:
        connection.execute(statement)
    connection.execute(f"PRAGMA application_id={APPLICATION_ID}")
    connection.execute("PRAGMA user_version=1")
    threads = [(1, "old", "Old title", 5, None, 0), (2, "fork", "Forked", 6, 1, 2)]
    connection.executemany(
        """INSERT INTO threads (key, id, resource, title, status, created, updated, parent, fork_at)
        VALUES (?, ?, 'res', ?, 'idle', 1, ?, ?, ?)""",
        threads,
    )
    events = [(spot(1, 1), b"one"), (spot(1, 2), b"two"), (spot(2, 3), b"three")]
    connection.executemany("INSERT INTO events VALUES (?, ?, NULL)", events)
    connection.execute("INSERT INTO snapshots VALUES (?, 'v', 6, ?)", (spot(1, 2), b"at 2"))
    connection.close()


def test_a_database_of_version_1_opens_and_keeps_its_threads(tmp_path: Path) -> None:
    path = tmp_path / "test.db"
    _make_version_1(path)

    async def check() -> None:
        store = SqliteStore(path)
        old = ThreadRow("old", "res", "Old title", "idle", 1, 5)
        fork = ThreadRow("fork", "res", "Forked", "idle", 1, 6, "old", 2)
        assert await store.threads("res") == [fork, old]
        assert await contents(store, "fork") == [(1, b"one"), (2, b"two"), (3, b"three")]
        assert await store.snapshot("fork", "v") == Snapshot(2, "v", b"at 2", 6)
        assert await store.spent("res") == Spent()
        hits = await store.search("res", "two", bytes.decode)
        assert [(hit.row.id, hit.seq) for hit in hits] == [("fork", 2), ("old", 2)]
        facts = Facts("New", "idle", 7, ("tag",), Spent(Usage(1)))
        await store.append(Append(await lease_on(store, "old"), 2, [b"more"], facts))
        assert [row.id for row in await store.threads("res", tag="tag")] == ["old"]
        await store.close()

    run(check())
    assert _pragma(path, "user_version") == len(MIGRATIONS)


def test_a_later_migration_runs_once_and_keeps_everything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "test.db"
    run(_use(path, 1))
    with monkeypatch.context() as later:
        later.setattr(database, "MIGRATIONS", (*MIGRATIONS, ("CREATE TABLE more (x)",)))
        run(_use(path, 2))
        run(_use(path, 3))
        assert _pragma(path, "user_version") == len(MIGRATIONS) + 1
    with pytest.raises(StoreNewer):
        run(_use(path, 4))


def test_a_migration_that_fails_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "test.db"
    run(_use(path, 1))
    with monkeypatch.context() as broken:
        broken.setattr(database, "MIGRATIONS", (*MIGRATIONS, ("CREATE TABLE more (x)", "no SQL")))
        with pytest.raises(StoreError):
            run(_use(path, 2))
    assert _pragma(path, "user_version") == len(MIGRATIONS)
    run(_use(path, 2))
