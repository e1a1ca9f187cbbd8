"""The first start of a new database, killed at any instant: the next start is clean."""

import itertools
import signal
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from longrein.core.errors import StoreError
from longrein.storage.sqlite import SqliteStore
from longrein.storage.tables.database import Layout, open_database
from tests.storage.processes import build_shim, finish, start
from tests.support import run


async def _starts_cleanly(path: Path) -> None:
    store = SqliteStore(path)
    await store.put("after", b"all well")
    assert await store.get("after") == b"all well"
    await store.close()
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    connection.close()


@pytest.mark.parametrize(
    "point", ["open.file", "open.wal", "open.migrating", "open.migrated", "append.inserted"]
)
def test_a_start_killed_at_a_named_point_leaves_a_clean_next_one(
    tmp_path: Path, point: str
) -> None:
    path = tmp_path / "new.db"
    finish(start("start_and_die", path, point), status=-signal.SIGKILL)
    run(_starts_cleanly(path))


def test_a_start_killed_in_the_middle_of_a_write_leaves_a_clean_next_one(tmp_path: Path) -> None:
    shim = build_shim(tmp_path)
    killed = 0
    for operation in itertools.chain(range(1, 13), range(13, 1000, 9)):
        path = tmp_path / f"new{operation}.db"
        process = start(
            "start", path, LD_PRELOAD=shim, SHIM_FILES=str(path), SHIM_KILL=str(operation)
        )
        process.communicate(timeout=30)
        run(_starts_cleanly(path))
        if process.returncode == 0:
            break
        assert process.returncode == -signal.SIGKILL
        killed += 1
    assert killed > 12


def test_first_starts_at_once_share_one_database(tmp_path: Path) -> None:
    path = tmp_path / "new.db"
    processes = [start("claim", path, f"thr_{number}") for number in range(6)]
    claimed = {finish(process) for process in processes}
    assert len(claimed) == 1


def test_first_opens_at_once_make_one_database_of_any_layout(tmp_path: Path) -> None:
    layout = Layout(0x7E57, (("CREATE TABLE things (a)",), ("CREATE TABLE more (a)",)), 4096)
    for number in range(20):
        path = tmp_path / f"{number}.db"
        together = Barrier(4, timeout=20)

        def first(path: Path = path, together: Barrier = together) -> None:
            together.wait()
            open_database(str(path), "FULL", 10, layout).close()

        with ThreadPoolExecutor(4) as pool:
            for opened in [pool.submit(first) for _ in range(4)]:
                opened.result(20)


def test_a_database_of_another_layout_is_refused(tmp_path: Path) -> None:
    path = str(tmp_path / "a.db")
    open_database(path, "FULL", 1).close()
    with pytest.raises(StoreError, match="another program"):
        open_database(path, "FULL", 1, Layout(0x7E57, (("CREATE TABLE things (a)",),), 4096))
