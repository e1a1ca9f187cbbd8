"""Files that the SQLite store cannot use: it says so, and leaves them as they were."""

import os
import shutil
import sqlite3
import stat
import tempfile
from pathlib import Path

import pytest

from longrein.core.errors import StoreError, StoreNewer, UsageError
from longrein.storage.base import Append
from longrein.storage.sqlite import SqliteStore
from longrein.testing.store_cases.setting import lease_on, written
from tests.storage.processes import finish, start
from tests.support import run

FILES = ("", "-wal", "-shm")


async def _refusal(path: Path, timeout: float = 0.1) -> StoreError:
    store = SqliteStore(path, timeout=timeout)
    try:
        with pytest.raises(StoreError) as caught:
            await store.thread("thr_1")
        assert str(path) in str(caught.value)
        with pytest.raises(StoreError):
            await store.put("key", b"value")
        return caught.value
    finally:
        await store.close()


async def _made(path: Path) -> None:
    store = SqliteStore(path)
    await written(store, "thr_1", *(b"%d" % number for number in range(200)))
    await store.close()


def test_a_newer_database_is_refused_untouched(tmp_path: Path) -> None:
    path = tmp_path / "test.db"
    run(_made(path))
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version=99")
    connection.close()
    before = path.read_bytes()
    error = run(_refusal(path))
    assert isinstance(error, StoreNewer)
    assert "version 99" in str(error)
    assert path.read_bytes() == before


def test_a_newer_database_that_crashed_is_refused_with_its_wal_untouched(tmp_path: Path) -> None:
    run(_made(tmp_path / "live.db"))
    connection = sqlite3.connect(tmp_path / "live.db")
    connection.execute("PRAGMA user_version=99")
    crashed = tmp_path / "crashed.db"
    for suffix in ("", "-wal"):
        shutil.copy(tmp_path / f"live.db{suffix}", tmp_path / f"crashed.db{suffix}")
    connection.close()
    before = crashed.read_bytes(), Path(f"{crashed}-wal").read_bytes()
    assert isinstance(run(_refusal(crashed)), StoreNewer)
    assert (crashed.read_bytes(), Path(f"{crashed}-wal").read_bytes()) == before


def test_a_file_that_is_no_database_is_refused_untouched(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("Buy milk. " * 500)
    assert "not a database" in str(run(_refusal(path)))
    assert path.read_text() == "Buy milk. " * 500
    assert [each.name for each in tmp_path.iterdir()] == ["notes.txt"]


def test_the_database_of_another_program_is_refused_untouched(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE bookmarks (url)")
    connection.close()
    before = path.read_bytes()
    assert "another program" in str(run(_refusal(path)))
    assert path.read_bytes() == before


def test_a_damaged_database_is_said_to_be_damaged(tmp_path: Path) -> None:
    path = tmp_path / "test.db"
    run(_made(path))
    data = path.read_bytes()
    path.write_bytes(data[:1024] + b"\xa5" * (len(data) - 1024))
    assert "damaged" in str(run(_refusal(path)))


def test_a_directory_is_not_a_database(tmp_path: Path) -> None:
    assert "cannot be opened" in str(run(_refusal(tmp_path)))


def test_a_path_below_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    run(_refusal(tmp_path / "file" / "test.db"))


@pytest.mark.parametrize("writable", [False, True])
def test_a_file_that_may_only_be_read_is_said_to_be_so(writable: bool) -> None:
    # Not below tmp_path, whose parents another user may not enter.
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        path = directory / "test.db"
        run(_made(path))
        path.chmod(0o444)
        directory.chmod(0o777 if writable else 0o555)
        before = path.read_bytes()
        assert "writ" in finish(start("write_without_permission", path))
        assert path.read_bytes() == before
        directory.chmod(0o755)


def test_a_locked_database_is_said_to_be_locked_until_it_is_free(tmp_path: Path) -> None:
    path = tmp_path / "test.db"

    async def check() -> None:
        await _made(path)
        store = SqliteStore(path, timeout=0.1)
        lease = await lease_on(store, "thr_1")
        locker = sqlite3.connect(path, isolation_level=None)
        locker.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="locked"):
            await store.append(Append(lease, 200, [b"x"]))
        assert await store.head("thr_1") == 200
        locker.close()
        assert await store.append(Append(lease, 200, [b"x"])) == 201
        await store.close()

    run(check())


def test_a_store_goes_on_when_the_cause_is_gone(tmp_path: Path) -> None:
    path = tmp_path / "test.db"
    path.write_text("in the way" * 100)

    async def check() -> None:
        store = SqliteStore(path)
        with pytest.raises(StoreError):
            await store.put("key", b"value")
        path.unlink()
        await store.put("key", b"value")
        assert await store.get("key") == b"value"
        await store.close()

    run(check())


def test_a_closed_store_says_so(tmp_path: Path) -> None:
    async def check() -> None:
        store = SqliteStore(tmp_path / "test.db")
        await store.put("key", b"value")
        await store.close()
        await store.close()
        with pytest.raises(UsageError, match="closed"):
            await store.get("key")

    run(check())


def test_a_new_database_is_for_its_owner_only(tmp_path: Path) -> None:
    path = tmp_path / "new" / "deep" / "a?b#c%20d.db"

    async def check() -> None:
        store = SqliteStore(path)
        await store.put("key", b"value")
        modes = {stat.S_IMODE(os.stat(f"{path}{suffix}").st_mode) for suffix in FILES}
        assert modes == {0o600}
        await store.close()

    run(check())
    assert path.exists()


def test_making_a_store_opens_nothing(tmp_path: Path) -> None:
    async def check() -> None:
        await SqliteStore(tmp_path / "test.db").close()

    run(check())
    assert not list(tmp_path.iterdir())
