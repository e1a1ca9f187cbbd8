"""Several writers on one SQLite file: in one process by group commit, and in several processes."""

import asyncio
import os
import signal
import time
from pathlib import Path

import pytest

from longrein.core import points
from longrein.core.errors import LeaseLost
from longrein.storage.base import Append, Facts
from longrein.storage.sqlite import SqliteStore
from longrein.testing.store_cases.setting import contents, lease_on, new_thread, written
from tests.storage.processes import finish, start
from tests.support import run


@pytest.fixture
def commits(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The points that the writer reached since the test began."""
    seen: list[str] = []
    monkeypatch.setattr(points, "on_reach", seen.append)
    return seen


def test_writers_that_wait_together_share_a_commit(tmp_path: Path, commits: list[str]) -> None:
    async def check() -> None:
        store = SqliteStore(tmp_path / "test.db")
        leases = [await written(store, f"thr_{number}") for number in range(200)]
        commits.clear()
        for after in range(3):
            await asyncio.gather(*(store.append(Append(each, after, [b"x"])) for each in leases))
        assert commits.count("append.committed") < 60
        assert [await store.head(lease.thread) for lease in leases] == [3] * 200
        await store.close()

    run(check())


def test_a_write_that_sqlite_refuses_fails_alone(tmp_path: Path) -> None:
    async def check() -> None:
        store = SqliteStore(tmp_path / "test.db")
        leases = [await written(store, f"thr_{number}") for number in range(6)]
        wrong = Facts("\ud800", "idle", 0)
        writes = [
            Append(lease, 0, [b"x"], wrong if number % 2 else None)
            for number, lease in enumerate(leases)
        ]
        done = await asyncio.gather(*map(store.append, writes), return_exceptions=True)
        assert [each == 1 for each in done] == [True, False] * 3
        assert [await store.head(lease.thread) for lease in leases] == [1, 0] * 3
        await store.close()

    run(check())


def test_a_writer_that_stops_waiting_leaves_the_others_alone(tmp_path: Path) -> None:
    async def check() -> None:
        store = SqliteStore(tmp_path / "test.db")
        first, second = await written(store, "thr_1"), await written(store, "thr_2")
        impatient = asyncio.ensure_future(store.append(Append(first, 0, [b"x"])))
        await asyncio.sleep(0)
        impatient.cancel()
        assert await store.append(Append(second, 0, [b"x"])) == 1
        assert await store.head("thr_1") == 1
        await store.close()

    run(check())


def test_closing_finishes_what_waits(tmp_path: Path) -> None:
    async def check() -> None:
        store = SqliteStore(tmp_path / "test.db")
        puts = [asyncio.ensure_future(store.put(f"k{number}", b"v")) for number in range(50)]
        await asyncio.sleep(0)
        await store.close()
        await asyncio.gather(*puts)
        again = SqliteStore(tmp_path / "test.db")
        assert len(await again.keys("k")) == 50
        await again.close()

    run(check())


def test_ten_thousand_events_are_read_in_order(tmp_path: Path) -> None:
    async def check() -> None:
        store = SqliteStore(tmp_path / "test.db")
        await written(store, "thr_1", *(b"%d" % number for number in range(10_000)))
        await store.close()
        again = SqliteStore(tmp_path / "test.db")
        events = await again.read("thr_1", limit=20_000)
        assert [event.seq for event in events] == list(range(1, 10_001))
        assert [int(event.data) for event in events] == list(range(10_000))
        await again.close()

    run(check())


def test_large_events_lie_among_the_blobs_once(tmp_path: Path) -> None:
    async def check() -> None:
        store = SqliteStore(tmp_path / "test.db")
        large = os.urandom(500_000)
        lease = await written(store, "thr_1", *[large] * 10)
        await store.append(Append(lease, 10, [b"small"]))
        assert [event.data for event in await store.read("thr_1", after=8)] == [
            large,
            large,
            b"small",
        ]
        await store.delete("thr_1")
        await store.close()

    run(check())
    assert (tmp_path / "test.db").stat().st_size < 2_000_000


def test_a_store_is_used_from_one_event_loop_after_another(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "test.db")
    run(store.put("key", b"value"))
    assert run(store.get("key")) == b"value"
    run(store.close())


def test_processes_write_one_file_and_all_of_it_is_there(tmp_path: Path) -> None:
    path = tmp_path / "test.db"
    processes = [start("append_many", path, f"thr_{number}") for number in range(3)]
    for process in processes:
        finish(process)

    async def check() -> None:
        store = SqliteStore(path)
        for number in range(3):
            events = await contents(store, f"thr_{number}")
            assert events == [(n + 1, b"%d" % n) for n in range(50)]
        await store.close()

    run(check())


def test_a_follower_hears_what_another_process_writes(tmp_path: Path) -> None:
    path = tmp_path / "test.db"

    async def check() -> None:
        store = SqliteStore(path)
        changed = asyncio.Event()
        end = store.watch(changed.set)
        await store.put("opened", b"")
        process = start("append_many", path, "thr_1")
        while len(await store.threads("res")) == 0 or await store.head("thr_1") < 50:
            changed.clear()
            await changed.wait()
        end()
        await store.close()
        finish(process)

    run(check())


def test_an_owner_stopped_past_its_lease_cannot_write(tmp_path: Path) -> None:
    path = tmp_path / "test.db"

    async def check() -> None:
        store = SqliteStore(path)
        await new_thread(store, "thr_1")
        process = start("write_after_a_pause", path)
        await asyncio.to_thread(_wait_until_stopped, process.pid)
        await asyncio.sleep(0.3)
        lease = await lease_on(store, "thr_1")
        assert await store.append(Append(lease, 1, [b"taken over"])) == 2
        os.kill(process.pid, signal.SIGCONT)
        assert "somebody else" in await asyncio.to_thread(finish, process)
        assert await contents(store, "thr_1") == [(1, b"before"), (2, b"taken over")]
        with pytest.raises(LeaseLost):
            await store.append(Append(lease, 1, [b"x"]))
        await store.close()

    run(check())


def _wait_until_stopped(pid: int) -> None:
    give_up = time.monotonic() + 20
    while Path(f"/proc/{pid}/stat").read_text().rsplit(")")[-1].split()[0] != "T":
        assert time.monotonic() < give_up
        time.sleep(0.02)
