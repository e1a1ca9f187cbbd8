"""The first start of a new database, killed at any instant: the next start is clean."""

import itertools
import signal
import sqlite3
from pathlib import Path

import pytest

from longrein.storage.sqlite import SqliteStore
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
