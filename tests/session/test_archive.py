"""A thread leaves one store and comes into another, or back, as it was."""

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TypeAlias

import msgspec
import pytest

from longrein.core import events as e
from longrein.core.codec import decode_event, encode_event
from longrein.core.errors import LeaseLost, NotFound, UsageError
from longrein.core.evolve import evolve
from longrein.core.ids import SystemClock
from longrein.core.messages import File
from longrein.core.outcomes import Finished
from longrein.core.state import State
from longrein.core.usage import Spent, Usage
from longrein.session.archive import PAGE, export_json, export_markdown, import_thread
from longrein.session.host import Host
from longrein.storage.base import Append, Store, ThreadRow
from longrein.storage.memory import MemoryStore
from longrein.storage.sqlite import SqliteStore
from longrein.testing import call, say
from longrein.testing.clock import CountingIds
from tests.session.kit import harness, waiting
from tests.session.tools import deploy
from tests.support import run

Opener: TypeAlias = Callable[[str], Store]


@pytest.fixture(params=["memory", "sqlite"])
def opener(request: pytest.FixtureRequest, tmp_path: Path) -> Opener:
    """Opens stores by name, all of one kind."""
    if request.param == "memory":
        return lambda name: MemoryStore()
    return lambda name: SqliteStore(tmp_path / f"{name}.db")


async def joined(pieces: AsyncIterator[bytes]) -> bytes:
    return b"".join([piece async for piece in pieces])


async def taken_in(
    store: Store, data: bytes, resource: str = "ada", *, copy: bool = False
) -> ThreadRow:
    """Import as a process of its own would."""
    host = Host(store, "importer", SystemClock())
    try:
        return await import_thread(store, host, CountingIds(), data, resource, copy=copy)
    finally:
        await host.close()


async def everything(store: Store, thread: str) -> list[bytes]:
    return [stored.data for stored in await store.read(thread, 0, 10_000)]


def folded(log: list[bytes]) -> State:
    state = State()
    for data in log:
        state = evolve(state, decode_event(data))
    return state


async def talked(store: Store) -> ThreadRow:
    """A thread with a file, a tool call that was approved, a title and tags."""
    replies = [call("deploy", target="prod"), say("It is up.")]
    async with harness(replies, deploy, store=store) as made:
        session = await made.session("ada")
        digest = await store.put_blob(b"\x89PNG picture")
        handle = await session.send("Deploy this", files=[File("image/png", digest)])
        outcome = await waiting(handle)
        await session.approve(outcome.approvals[0])
        await handle
        await session.rename("Deployment")
        await session.tag(["work", "urgent"])
        row = await store.thread(session.thread)
    assert row is not None
    return row


def test_a_thread_comes_into_another_store_as_it_was(opener: Opener) -> None:
    async def body() -> None:
        one, other = opener("one"), opener("other")
        async with AsyncExitStack() as stack:
            stack.push_async_callback(one.close)
            stack.push_async_callback(other.close)
            row = await talked(one)
            came = await taken_in(other, await joined(export_json(one, row)))
            log = await everything(one, row.id)
            assert await everything(other, row.id) == log
            assert came == row == await other.thread(row.id)
            assert folded(await everything(other, row.id)) == folded(log)
            assert await other.blob(_picture(folded(log))) == b"\x89PNG picture"
            async with harness(lambda _: say("Again."), store=other) as made:
                session = await made.session("ada", thread=row.id)
                assert await (await session.send("And now?")) == Finished("Again.")

    run(body())


def _picture(state: State) -> str:
    files = [
        part.blob
        for message in state.messages
        for part in getattr(message, "parts", ())
        if isinstance(part, File)
    ]
    return files[0]


def test_a_thread_that_was_deleted_can_come_back(opener: Opener) -> None:
    async def body() -> None:
        store = opener("one")
        row = await talked(store)
        data, log = await joined(export_json(store, row)), await everything(store, row.id)
        await store.delete(row.id)
        await taken_in(store, data)
        assert await everything(store, row.id) == log
        await store.close()

    run(body())


def test_a_taken_id_is_refused_and_a_copy_gets_another(opener: Opener) -> None:
    async def body() -> None:
        store = opener("one")
        row = await talked(store)
        data, log = await joined(export_json(store, row)), await everything(store, row.id)
        with pytest.raises(UsageError, match="copy=True"):
            await taken_in(store, data)
        assert await everything(store, row.id) == log
        copy = await taken_in(store, data, copy=True)
        copied = await everything(store, copy.id)
        assert copied[1:] == log[1:]
        assert decode_event(copied[0]) == msgspec.structs.replace(
            decode_event(log[0]), thread=copy.id
        )
        assert folded(copied) == msgspec.structs.replace(folded(log), thread=copy.id)
        assert copy == msgspec.structs.replace(row, id=copy.id)
        await store.close()

    run(body())


def test_a_thread_that_comes_to_another_resource_belongs_to_it() -> None:
    async def body() -> None:
        store, other = MemoryStore(), MemoryStore()
        row = await talked(store)
        came = await taken_in(other, await joined(export_json(store, row)), "bob")
        assert came.resource == "bob"
        log, copied = await everything(store, row.id), await everything(other, row.id)
        assert folded(copied) == msgspec.structs.replace(folded(log), resource="bob")
        assert copied[1:] == log[1:]

    run(body())


def test_a_fork_comes_as_a_thread_of_its_own(opener: Opener) -> None:
    async def body() -> None:
        store, other = opener("one"), opener("other")
        row = await talked(store)
        async with harness([say("x"), say("y"), say("Else.")], store=store) as made:
            fork = await made.fork("ada", row.id, at=row_end(await everything(store, row.id)))
            await (await fork.send("Something else"))
            forked = await store.thread(fork.thread)
        assert forked is not None
        log = await everything(store, forked.id)
        came = await taken_in(other, await joined(export_json(store, forked)))
        assert came == msgspec.structs.replace(forked, parent="", fork_at=0)
        assert await everything(other, forked.id) == log
        copy = await taken_in(other, await joined(export_json(store, forked)), copy=True)
        copied = await everything(other, copy.id)
        assert folded(copied) == msgspec.structs.replace(folded(log), thread=copy.id)
        assert sum(mine != its for mine, its in zip(copied, log, strict=True)) == 1
        await store.close()
        await other.close()

    run(body())


def row_end(log: list[bytes]) -> int:
    """The number of the event that ended the first run."""
    return next(
        seq for seq, data in enumerate(log, 1) if isinstance(decode_event(data), e.RunEnded)
    )


def _big(count: int) -> list[bytes]:
    first = encode_event(e.ThreadCreated("thr_big", "ada", seq=1))
    rest = [encode_event(e.NoteAdded(f"note {n}", "app", seq=n)) for n in range(2, count + 1)]
    return [first, *rest]


async def _stored(store: Store, events: list[bytes]) -> ThreadRow:
    row = ThreadRow("thr_big", "ada", "Big", created=5, updated=6, spent=Spent(Usage(1)))
    await store.create(row)
    await store.beat("tester", 60)
    lease = await store.take(row.id, "tester")
    assert lease is not None
    await store.append(Append(lease, 0, events))
    await store.retire("tester")
    return row


def test_a_big_thread_goes_in_pieces(opener: Opener) -> None:
    async def body() -> None:
        store, other = opener("one"), opener("other")
        events = _big(2 * PAGE + 7)
        row = await _stored(store, events)
        pieces = [piece async for piece in export_json(store, row)]
        assert max(map(len, pieces)) < 300
        await taken_in(other, b"".join(pieces))
        assert await everything(other, row.id) == events
        await store.close()
        await other.close()

    run(body())


def test_an_event_of_a_newer_version_comes_with_its_blobs() -> None:
    async def body() -> None:
        store, other = MemoryStore(), MemoryStore()
        digest = await store.put_blob(b"moon")
        newer = b'{"type":"moon_rose",  "seq":2,"photo":"%b","also":"%b"}'
        data = [_big(1)[0], newer % (digest.encode(), b"0" * 64)]
        row = await _stored(store, data)
        await taken_in(other, await joined(export_json(store, row)))
        assert await everything(other, row.id) == data
        assert await other.blob(digest) == b"moon"

    run(body())


class Failing(MemoryStore):
    """A store that loses the lease at the second append."""

    appends = 0

    async def append(self, write: Append) -> int:
        self.appends += 1
        if self.appends == 2:
            raise LeaseLost("somebody else writes this thread")
        return await super().append(write)


def test_an_import_that_fails_halfway_leaves_nothing() -> None:
    async def body() -> None:
        store, other = MemoryStore(), Failing()
        row = await _stored(store, _big(PAGE + 1))
        data = await joined(export_json(store, row))
        with pytest.raises(LeaseLost):
            await taken_in(other, data)
        assert await other.threads("ada") == []
        with pytest.raises(NotFound):
            await other.head(row.id)
        await taken_in(other, data)

    run(body())


def test_a_broken_export_changes_nothing() -> None:
    async def body() -> None:
        store = MemoryStore()
        with pytest.raises(UsageError, match="Nothing was changed"):
            await taken_in(store, b'{"longrein":1}')
        assert await store.resources() == []

    run(body())


def test_a_transcript_has_the_title_and_the_conversation() -> None:
    async def body() -> None:
        store = MemoryStore()
        text = await export_markdown(store, await talked(store))
        assert text.startswith("# Deployment\n\n## User, ")
        assert "> Deploy this" in text
        assert "**Approval** of `deploy`: approved." in text
        assert "> It is up." in text

    run(body())
