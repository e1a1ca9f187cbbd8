"""Loss of power and a full disk, with a shim between SQLite and the C library."""

from pathlib import Path

import pytest

from longrein.storage.sqlite import SqliteStore
from tests.storage.processes import build_shim, finish, start
from tests.support import run


def _logged(tmp_path: Path, synchronous: str) -> list[str]:
    """What happened to the WAL, as W(rite) and S(ync), between B(egin) and A(cknowledged)."""
    path, log = tmp_path / "test.db", tmp_path / "log"
    log.touch()
    finish(
        start(
            "append_and_note",
            path,
            synchronous,
            LD_PRELOAD=build_shim(tmp_path),
            SHIM_FILES=str(path),
            SHIM_LOG=str(log),
        )
    )
    lines = [line.split(maxsplit=1) for line in log.read_text().splitlines()]
    happened = "".join(kind for kind, what in lines if kind in "AB" or what.endswith("-wal"))
    return [part.split("A")[0] for part in happened.split("B")[1:]]


def test_every_acknowledgement_comes_after_a_sync_of_what_was_written(tmp_path: Path) -> None:
    appends = _logged(tmp_path, "FULL")
    assert len(appends) == 20
    for happened in appends:
        assert "W" in happened
        assert happened.endswith("S")


def test_normal_acknowledges_without_a_sync(tmp_path: Path) -> None:
    appends = _logged(tmp_path, "NORMAL")
    assert all("W" in happened for happened in appends)
    assert sum("S" in happened for happened in appends) < 5


@pytest.mark.parametrize("program", ["write_until_full", "start_when_full"])
def test_a_full_disk_is_said_and_survived(tmp_path: Path, program: str) -> None:
    path, flag = tmp_path / "test.db", tmp_path / "full"
    shim = build_shim(tmp_path)
    finish(
        start(
            program,
            path,
            str(flag),
            LD_PRELOAD=shim,
            SHIM_FILES=str(path),
            SHIM_FULL=str(flag),
        )
    )


def test_what_was_acknowledged_before_and_after_a_full_disk_is_there(tmp_path: Path) -> None:
    path, flag = tmp_path / "test.db", tmp_path / "full"
    shim = build_shim(tmp_path)
    environment = {"LD_PRELOAD": shim, "SHIM_FILES": str(path), "SHIM_FULL": str(flag)}
    finish(start("write_until_full", path, str(flag), **environment))

    async def check() -> None:
        store = SqliteStore(path)
        assert [event.data for event in await store.read("thr_1")] == [b"1", b"2"]
        await store.close()

    run(check())
