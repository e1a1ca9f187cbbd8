"""What was erased does not come back from the memory of a session that had read it before."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from longrein.core import events as e
from longrein.core.codec import STATE_VERSION
from longrein.core.erase import ERASED
from longrein.core.outcomes import Finished
from longrein.harness import Harness
from longrein.session.session import Session
from longrein.storage.base import Store
from longrein.storage.memory import MemoryStore
from longrein.storage.sqlite import SqliteStore
from longrein.testing import ScriptedModel, call, say
from longrein.tools.define import tool
from tests.session.kit import Held, harness, of, until
from tests.support import run

SECRET = "MARKinput"


@pytest.fixture(params=["memory", "sqlite"])
def opener(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], Store]:
    """Opens a store: that of another process where it is a file, the same one in memory."""
    shared = MemoryStore()
    return lambda: shared if request.param == "memory" else SqliteStore(tmp_path / "test.db")


def talking(store: Store) -> Harness:
    return harness(lambda _: say("ok"), store=store)


async def told(made: Harness) -> Session:
    """A session that was told the secret, closed again."""
    session = await made.session("ada")
    await (await session.send(SECRET))
    await session.close()
    return session


async def erase(made: Harness, thread: str) -> None:
    session = await made.session("ada", thread=thread)
    admitted = (await of(session, e.InputAdmitted))[0].seq
    await session.close()
    assert await made.erase("ada", thread, admitted) == (admitted,)


async def kept_nowhere(session: Session) -> None:
    """Nothing of the secret is in a session, or in what it writes."""
    await session.conductor.journal.snapshot()
    store = session.conductor.store
    snapshot = await store.snapshot(session.thread, STATE_VERSION)
    row = await store.thread(session.thread)
    assert snapshot is not None
    assert SECRET not in f"{snapshot.data} {row} {session.folded} {session.display}"
    assert ERASED in str(session.display)


def test_a_session_that_had_only_looked_does_not_send_what_was_erased(
    opener: Callable[[], Store],
) -> None:
    async def body() -> None:
        model = ScriptedModel(lambda _: say("ok"))
        here, there = opener(), opener()
        async with talking(here) as one, harness(model, store=there) as two:
            thread = (await told(one)).thread
            looking = await two.session("ada", thread=thread)
            assert SECRET in str(looking.display)
            await erase(one, thread)
            await (await looking.send("again"))
            assert "again" in str(model.requests[-1])
            assert SECRET not in str(model.requests[-1])
            await kept_nowhere(looking)
        await here.close()
        await there.close()

    run(body())


def test_a_session_of_a_fork_forgets_what_was_erased_in_its_parent() -> None:
    async def body() -> None:
        store = MemoryStore()
        async with talking(store) as one, talking(store) as two:
            session = await told(one)
            fork = await one.fork("ada", session.thread)
            await fork.close()
            looking = await two.session("ada", thread=fork.thread)
            await erase(one, session.thread)
            await (await looking.send("again"))
            await kept_nowhere(looking)

    run(body())


def test_a_session_that_follows_forgets_what_was_erased() -> None:
    async def body() -> None:
        store = MemoryStore()
        async with talking(store) as one, talking(store) as two:
            thread = (await told(one)).thread
            following = await two.session("ada", thread=thread)
            displays = following.displays()
            assert SECRET in str(await anext(displays))
            await erase(one, thread)
            await until(lambda: SECRET not in str(following.display))
            await (await (await one.session("ada", thread=thread)).send("again"))
            await until(lambda: "again" in str(following.display))
            assert SECRET not in str(following.display)

    run(body())


def test_a_session_that_lost_its_thread_does_not_put_the_old_title_back() -> None:
    async def body() -> None:
        store = MemoryStore()
        async with talking(store) as one, talking(store) as two:
            session = await one.session("ada")
            await (await session.send(SECRET))
            owner = await store.owner(session.thread)
            assert owner is not None
            await store.retire(owner)
            await erase(two, session.thread)
            await store.beat(owner, 60)
            await session.conductor.recheck()
            await (await session.send("again"))
            await kept_nowhere(session)

    run(body())


def test_a_run_begun_while_its_thread_is_erased_loses_nothing_and_hears_nothing_of_it() -> None:
    store = Held()

    @tool
    async def work() -> str:
        """Work for a while."""
        await asyncio.sleep(0.2)
        return "done"

    async def body() -> None:
        model = ScriptedModel(lambda r: call("work") if "go" in str(r.messages[-1]) else say("ok"))
        async with harness(model, work, store=store) as made:
            session = await made.session("ada")
            await (await session.send(SECRET))
            store.next = held = asyncio.Event()
            admitted = (await of(session, e.InputAdmitted))[0].seq
            erasing = asyncio.create_task(made.erase("ada", session.thread, admitted))
            await until(lambda: session.closed and store.next is None)
            running = asyncio.create_task(_go(made, session.thread))
            await asyncio.sleep(0.05)
            held.set()
            await erasing
            outcome, again = await running
            assert outcome == Finished("ok")
            assert [one.status for one in await of(again, e.ToolEnded)] == ["ok"]
            await kept_nowhere(again)

    run(body())


async def _go(made: Harness, thread: str) -> tuple[object, Session]:
    session = await made.session("ada", thread=thread)
    return await (await session.send("go")), session
