"""What is erased is gone from the store, from every fork, and from what is found."""

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import msgspec
import pytest

from longrein.core import events as e
from longrein.core.codec import STATE_VERSION, decode_event
from longrein.core.erase import ERASED
from longrein.core.errors import NotFound, UsageError
from longrein.core.messages import File
from longrein.core.policy import Rule
from longrein.core.searchable import text_of
from longrein.harness import Harness
from longrein.session.archive import export_json, import_thread
from longrein.session.forgetting import Erased, erase
from longrein.storage.base import Store, ThreadRow
from longrein.storage.memory import MemoryStore
from longrein.storage.sqlite import SqliteStore
from longrein.testing import call, say
from longrein.testing.clock import CountingIds
from longrein.testing.scripted import spoken
from tests.session.hosts import hosting, nobody
from tests.session.kit import harness, waiting
from tests.session.tools import deploy
from tests.support import run

Opener: TypeAlias = Callable[[], Store]


@pytest.fixture(params=["memory", "sqlite"])
def opener(request: pytest.FixtureRequest, tmp_path: Path) -> Opener:
    """Opens a store."""
    if request.param == "memory":
        return MemoryStore
    return lambda: SqliteStore(tmp_path / "test.db")


async def forget(store: Store, thread: str, seq: int) -> Erased:
    """Erase as a process of its own would."""
    row = await store.thread(thread)
    assert row is not None
    async with hosting(store) as host:
        return await erase(store, host, row, seq, nobody)


async def events(store: Store, thread: str) -> list[e.Event]:
    return [decode_event(stored.data) for stored in await store.read(thread, 0, 10_000)]


async def number(store: Store, thread: str, kind: type[e.Durable], nth: int = 0) -> int:
    """The number of an event of some kind."""
    return [one.seq for one in await events(store, thread) if isinstance(one, kind)][nth]


def talking(store: Store, *rules: Rule) -> Harness:
    """A model that answers with what it was asked; it deploys where it is told to."""
    return harness(
        lambda request: (
            call("deploy", target="MARK-target")
            if "deploy" in str(request.messages[-1])
            else say(f"MARK-answer {spoken(request.messages)}")
        ),
        deploy,
        store=store,
        rules=rules,
    )


async def talk(made: Harness, *inputs: str) -> str:
    session = await made.session("ada")
    for text in inputs:
        await (await session.send(text))
    return session.thread


async def found(store: Store, thread: str, text: str) -> bool:
    """Whether a text stands in the log, the index, a search or a snapshot of a thread."""
    log = b"".join(stored.data for stored in await store.read(thread, 0, 10_000))
    row = await store.thread(thread)
    hits = await store.search("ada", text, text_of)
    kept = await store.snapshot(thread, STATE_VERSION)
    places = (log, msgspec.json.encode(row), kept.data if kept else b"")
    return any(text.encode() in place for place in places) or bool(hits)


def test_what_is_erased_is_gone_and_the_thread_goes_on(opener: Opener) -> None:
    async def body() -> None:
        store = opener()
        async with talking(store) as made:
            thread = await talk(made, "MARKinput please", "second")
            session = await made.session("ada")
            await session.conductor.journal.snapshot()
        before = await events(store, thread)
        admitted = await number(store, thread, e.InputAdmitted)
        assert await found(store, thread, "MARKinput")
        assert (await forget(store, thread, admitted)).events == (admitted,)
        assert not await found(store, thread, "MARKinput")
        after = await events(store, thread)
        assert [one.seq for one in after] == [one.seq for one in before]
        assert [a for a in after if a.seq != admitted] == [b for b in before if b.seq != admitted]
        row = await store.thread(thread)
        assert row is not None
        assert row.title == ERASED
        async with talking(store) as made:
            assert await talk(made, "third") == thread
        await store.close()

    run(body())


def test_a_file_that_is_erased_leaves_the_store() -> None:
    async def body() -> None:
        store = MemoryStore()
        async with talking(store) as made:
            session = await made.session("ada")
            await (await session.send("Look", files=[File("image/png", await _blob(store))]))
        digest = await _blob(MemoryStore())
        assert await store.blob(digest) is not None
        await forget(store, session.thread, await number(store, session.thread, e.InputAdmitted))
        assert await store.blob(digest) is None

    run(body())


async def _blob(store: Store) -> str:
    return await store.put_blob(b"\x89PNG a face")


def test_an_answer_goes_with_the_end_of_its_run_and_a_title_made_of_it() -> None:
    async def body() -> None:
        store = MemoryStore()
        async with talking(store) as made:
            thread = await talk(made, "hello")
        answer = await number(store, thread, e.StepEnded)
        erased = await forget(store, thread, answer)
        assert erased.events == (answer, await number(store, thread, e.RunEnded))
        assert not await found(store, thread, "MARK")

    run(body())


def test_a_thread_that_waits_is_not_touched() -> None:
    async def body() -> None:
        store = MemoryStore()
        async with talking(store) as made:
            session = await made.session("ada")
            await waiting(await session.send("deploy"))
            thread = session.thread
        log = await events(store, thread)
        with pytest.raises(UsageError, match="waiting"):
            await forget(store, thread, await number(store, thread, e.StepEnded))
        assert await events(store, thread) == log

    run(body())


def test_a_thread_that_another_process_has_open_is_not_touched() -> None:
    async def body() -> None:
        store = MemoryStore()
        async with talking(store) as made:
            thread = await talk(made, "hello")
            with pytest.raises(UsageError, match="Another process"):
                await forget(store, thread, await number(store, thread, e.InputAdmitted))

    run(body())


def test_a_live_session_of_this_process_is_closed_first() -> None:
    async def body() -> None:
        store = MemoryStore()
        async with talking(store) as made:
            thread = await talk(made, "MARKinput")
            session = await made.session("ada")
            await made.erase("ada", thread, await number(store, thread, e.InputAdmitted))
            assert session.closed
            again = await made.session("ada")
            assert "MARKinput" not in str(again.folded)

    run(body())


@pytest.mark.parametrize("seq", [0, -1, 99])
def test_an_event_that_is_not_there_is_refused(seq: int) -> None:
    async def body() -> None:
        store = MemoryStore()
        async with talking(store) as made:
            thread = await talk(made, "hello")
        with pytest.raises(UsageError, match="no event"):
            await forget(store, thread, seq)
        with pytest.raises(NotFound):
            async with hosting(store) as host:
                await erase(store, host, ThreadRow("thr_none", "ada"), 1, nobody)

    run(body())


def test_a_rule_in_force_is_refused() -> None:
    async def body() -> None:
        store = MemoryStore()
        async with talking(store) as made:
            thread = await talk(made, "hello")
            session = await made.session("ada")
            await session.add_rule(Rule("deny", path="/secret/**"))
        with pytest.raises(UsageError, match="in force"):
            await forget(store, thread, await number(store, thread, e.RuleAdded))

    run(body())


def test_a_yes_for_the_whole_resource_is_named_so_that_it_can_be_revoked() -> None:
    async def body() -> None:
        store = MemoryStore()
        async with talking(store) as made:
            session = await made.session("ada")
            handle = await session.send("deploy")
            outcome = await waiting(handle)
            await session.approve(outcome.approvals[0], remember="call", scope="resource")
            await handle
            (grant,) = await made.grants("ada")
            thread = session.thread
        erased = await forget(store, thread, await number(store, thread, e.StepEnded))
        assert erased.grants == (grant.id,)

    run(body())


def test_what_forks_share_is_erased_for_all_of_them(opener: Opener) -> None:
    async def body() -> None:
        store = opener()
        async with talking(store) as made:
            thread = await talk(made, "MARKinput", "second")
            fork = await made.clone("ada", thread)
            await (await fork.send("third"))
            await fork.conductor.journal.snapshot()
            second = await made.fork("ada", fork.thread, at=5)
            forks = [fork.thread, second.thread]
        admitted = await number(store, thread, e.InputAdmitted)
        assert admitted < 5
        for each in (thread, *forks):
            assert await found(store, each, "MARKinput")
        await forget(store, forks[1], admitted)
        for each in (thread, *forks):
            assert not await found(store, each, "MARKinput")
        await store.close()

    run(body())


def test_what_a_deleted_thread_left_to_its_forks_is_erased_in_a_copy() -> None:
    async def body() -> None:
        store = MemoryStore()
        async with talking(store) as made:
            thread = await talk(made, "MARKinput")
            fork = (await made.fork("ada", thread)).thread
        admitted = await number(store, thread, e.InputAdmitted)
        await store.delete(thread)
        with pytest.raises(UsageError, match="copy=True"):
            await forget(store, fork, admitted)
        row = await store.thread(fork)
        assert row is not None
        data = b"".join([piece async for piece in export_json(store, row)])
        async with hosting(store) as host:
            copy = await import_thread(store, host, CountingIds(), data, "ada", copy=True)
        await store.delete(fork)
        await forget(store, copy.id, admitted)
        assert not await found(store, copy.id, "MARKinput")

    run(body())


def test_a_fork_of_a_deleted_fork_is_found_as_well() -> None:
    async def body() -> None:
        store = MemoryStore()
        async with talking(store) as made:
            thread = await talk(made, "MARKinput")
            middle = await made.fork("ada", thread)
            last = await made.clone("ada", middle.thread)
            forks = [middle.thread, last.thread]
        await store.delete(forks[0])
        await forget(store, thread, await number(store, thread, e.InputAdmitted))
        assert not await found(store, forks[1], "MARKinput")

    run(body())


def test_other_threads_stay_as_they_are() -> None:
    async def body() -> None:
        store = MemoryStore()
        async with talking(store) as made:
            thread = await talk(made, "same words")
            other = await made.session("ada", new=True)
            await (await other.send("same words"))
            log = await events(store, other.thread)
        await forget(store, thread, await number(store, thread, e.InputAdmitted))
        assert await events(store, other.thread) == log

    run(body())
