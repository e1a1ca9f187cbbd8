"""A yes for a whole resource that was taken back lets nothing run any more, wherever that is."""

from collections.abc import Callable, Sequence

import pytest

from longrein.core import events as e
from longrein.core.errors import StoreFull
from longrein.core.messages import User
from longrein.core.outcomes import Finished
from longrein.core.policy import Grant
from longrein.harness import Harness
from longrein.session.session import Session
from longrein.storage.base import Store
from longrein.storage.memory import MemoryStore
from longrein.testing import call, say
from tests.session.kit import harness, of, waiting
from tests.session.tools import deploy
from tests.support import run


class Troubled(MemoryStore):
    """A store that tells nobody of writes, has room for some, and can be unreadable for once.

    Nobody hears of writes, as in a process that has not looked since.
    """

    def __init__(self) -> None:
        super().__init__()
        self.room = 1_000_000
        self.unreadable = False
        self.asked: list[str] = []

    def watch(self, changed: Callable[[], None]) -> Callable[[], None]:
        return lambda: None

    async def change(self, pairs: Sequence[tuple[str, bytes | None]]) -> None:
        if not self.room:
            raise StoreFull("There is no room left where the store is.")
        self.room -= 1
        await super().change(pairs)

    async def get(self, key: str) -> bytes | None:
        self.asked.append(key)
        return await super().get(key)

    async def keys(self, prefix: str) -> list[str]:
        if self.unreadable:
            self.unreadable = False
            raise StoreFull("There is no room left for what is read.")
        return await super().keys(prefix)


def deploying(store: Store) -> Harness:
    """A model that deploys whenever it is told anything."""
    return harness(
        lambda request: (
            call("deploy", target="prod") if isinstance(request.messages[-1], User) else say("done")
        ),
        deploy,
        store=store,
    )


async def granted(session: Session) -> Grant:
    """A yes to every deployment, for the whole resource."""
    handle = await session.send("go")
    (id,) = (await waiting(handle)).approvals
    await session.approve(id, remember="tool", scope="resource")
    assert await handle == Finished("done")
    return (await of(session, e.GrantAdded))[-1].grant


def test_no_call_runs_on_a_yes_that_another_process_took_back_before() -> None:
    async def body() -> None:
        store = Troubled()
        async with deploying(store) as one, deploying(store) as two:
            session = await one.session("ada")
            grant = await granted(session)
            await two.revoke("ada", grant.id)
            assert session.grants() == [grant]
            handle = await session.send("go")
            await waiting(handle)
            assert len(await of(session, e.CallReexamined)) == 1
            assert len(await of(session, e.ToolEnded)) == 1
            (approval,) = session.display.approvals
            await session.approve(approval.id)
            assert await handle == Finished("done")

    run(body())


def test_a_call_that_needs_no_such_yes_does_not_ask_the_store_for_it() -> None:
    async def body() -> None:
        store = Troubled()
        async with deploying(store) as made:
            session = await made.session("ada")
            handle = await session.send("go")
            (id,) = (await waiting(handle)).approvals
            store.asked.clear()
            await session.approve(id)
            assert await handle == Finished("done")
            assert store.asked == []

    run(body())


@pytest.mark.parametrize("room", [0, 1])
def test_a_yes_is_taken_back_as_a_whole_or_not_at_all(room: int) -> None:
    async def body() -> None:
        store = Troubled()
        async with deploying(store) as made:
            session = await made.session("ada")
            grant = await granted(session)
            store.room = room
            if room == 0:
                with pytest.raises(StoreFull):
                    await made.revoke("ada", grant.id)
                assert session.grants() == await made.grants("ada") == [grant]
                store.room = 1
            await made.revoke("ada", grant.id)
            assert session.grants() == await made.grants("ada") == []
            await waiting(await session.send("go"))

    run(body())


def test_a_yes_taken_back_holds_no_more_though_the_store_could_not_be_read_after() -> None:
    async def body() -> None:
        store = Troubled()
        async with deploying(store) as made:
            session = await made.session("ada")
            grant = await granted(session)
            store.unreadable = True
            with pytest.raises(StoreFull):
                await made.revoke("ada", grant.id)
            await waiting(await session.send("go"))
            assert session.grants() == []

    run(body())
