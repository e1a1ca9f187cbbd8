"""A database of an older version is brought up to date, with all that it holds."""

import sqlite3
from pathlib import Path

import pytest

from longrein.core.errors import StoreError, StoreNewer
from longrein.storage.sqlite import SqliteStore
from longrein.storage.tables import database
from longrein.storage.tables.schema import APPLICATION_ID, MIGRATIONS
from longrein.testing.store_cases.setting import contents, written
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
