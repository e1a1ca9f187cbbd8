"""Threads that nobody used for long enough are deleted; others stay."""

import asyncio
from pathlib import Path

import pytest

from longrein.core.errors import NotFound, UsageError
from longrein.session.forgetting import retain
from longrein.storage.base import Store, ThreadRow
from longrein.storage.memory import MemoryStore
from longrein.storage.sqlite import SqliteStore
from longrein.testing import call, say
from longrein.testing.clock import ManualClock
from tests.session.hosts import hosting, nobody
from tests.session.kit import Held, harness, until, waiting
from tests.session.tools import deploy
from tests.support import run

DAY = 86_400


async def row(store: Store, thread: str, resource: str, used: int) -> None:
    """A thread that was last used some days after the first day."""
    await store.create(ThreadRow(thread, resource, updated=used * DAY * 1_000_000))


@pytest.mark.parametrize("kind", ["memory", "sqlite"])
def test_threads_go_by_age_and_by_the_rule_for_their_resource(kind: str, tmp_path: Path) -> None:
    async def body() -> None:
        store = MemoryStore() if kind == "memory" else SqliteStore(tmp_path / "test.db")
        for resource in ("ada", "bob", "team-1", "team-2"):
            for used in (1, 50, 99):
                await row(store, f"{resource}-{used}", resource, used)
        rules = {"": 60 * DAY, "team-*": 30 * DAY, "team-2": 0.0}
        async with hosting(store) as host:
            gone = await retain(store, host, rules, 100 * DAY * 1_000_000, nobody)
        assert sorted(gone) == [
            *("ada-1", "bob-1", "team-1-1", "team-1-50", "team-2-1", "team-2-50", "team-2-99"),
        ]
        assert [each.id for each in await store.threads("ada")] == ["ada-99", "ada-50"]
        assert await store.resources() == ["ada", "bob", "team-1"]
        await store.close()

    run(body())


def test_resources_without_a_rule_keep_everything() -> None:
    async def body() -> None:
        store = MemoryStore()
        await row(store, "thr_1", "ada", 1)
        async with hosting(store) as host:
            assert await retain(store, host, {"bob": 1.0}, 10**18, nobody) == []

    run(body())


def test_many_threads_go_though_some_in_between_stay() -> None:
    async def body() -> None:
        store = MemoryStore()
        for n in range(450):
            status = "waiting" if n % 3 == 0 else "idle"
            await store.create(ThreadRow(f"thr_{n:03d}", "ada", status=status, updated=n))
        async with hosting(store) as host:
            gone = await retain(store, host, {"": 1.0}, 10**9, nobody)
        assert len(gone) == 300
        left = await store.threads("ada", limit=1000)
        assert {each.status for each in left} == {"waiting"}

    run(body())


def test_a_thread_that_waits_for_a_person_or_is_open_elsewhere_stays() -> None:
    async def body() -> None:
        store, clock = MemoryStore(), ManualClock()
        async with harness([call("deploy", target="prod")], deploy, store=store) as made:
            asking = await made.session("ada")
            await waiting(await asking.send("deploy"))
            await asking.close()
            open = await made.session("ada", new=True)
            await open.rename("Open")
            async with hosting(store) as host:
                assert await retain(store, host, {"": 0.0}, 2 * clock.now(), nobody) == []
            await open.close()
            async with hosting(store) as host:
                gone = await retain(store, host, {"": 0.0}, 2 * clock.now(), nobody)
        assert gone == [open.thread]

    run(body())


def test_nobody_here_can_begin_a_run_in_a_thread_that_is_being_deleted() -> None:
    store = Held()

    async def body() -> None:
        async with harness(lambda _: say("ok"), store=store) as made:
            session = await made.session("ada")
            await (await session.send("hello"))
            store.next = held = asyncio.Event()
            retaining = asyncio.create_task(made.retain({"": 0.0}))
            await until(lambda: session.closed and store.next is None)
            opening = asyncio.create_task(made.session("ada", thread=session.thread))
            await asyncio.sleep(0.05)
            assert not opening.done()
            held.set()
            assert await retaining == [session.thread]
            with pytest.raises(NotFound):
                await opening

    run(body())


@pytest.mark.parametrize("seconds", [-1.0, float("nan")])
def test_a_time_below_zero_is_refused(seconds: float) -> None:
    async def body() -> None:
        store = MemoryStore()
        async with hosting(store) as host:
            with pytest.raises(UsageError, match="cannot be kept"):
                await retain(store, host, {"": seconds}, 0, nobody)

    run(body())
