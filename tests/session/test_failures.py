"""When the store cannot write: the command fails with a reason, nothing is lost, work goes on."""

import asyncio
from typing import Any

import pytest

from longrein.core.errors import StoreFull
from longrein.core.live import Signalled
from longrein.core.messages import ToolResult
from longrein.core.outcomes import Finished
from longrein.storage.base import Append
from longrein.storage.memory import MemoryStore
from longrein.testing import call, say
from tests.session.kit import harness, log, said, until
from tests.session.tools import Gate
from tests.support import run


class Filling(MemoryStore):
    """A store that is full for as long as it is told to be."""

    def __init__(self) -> None:
        super().__init__()
        self.full = False

    async def append(self, write: Append) -> int:
        if self.full:
            raise StoreFull("There is no room left where the store is.")
        return await super().append(write)


def test_a_command_that_cannot_be_written_fails_and_changes_nothing() -> None:
    store = Filling()

    async def body() -> None:
        async with harness([say("one"), say("two")], store=store) as made:
            session = await made.session("ada")
            await (await session.send("first"))
            before = session.folded
            store.full = True
            with pytest.raises(StoreFull, match="no room"):
                await session.send("second")
            assert session.folded is before
            store.full = False
            assert await (await session.send("third")) == Finished("two")
            seen = await log(session)
            assert [event.seq for event in seen] == list(range(1, len(seen) + 1))

    run(body())


def test_the_result_of_a_tool_that_ran_is_kept_until_it_can_be_written() -> None:
    store, gate = Filling(), Gate()

    async def body() -> None:
        async with harness([call("work", name="a"), say("ok")], *gate.tools(), store=store) as made:
            session = await made.session("ada")
            handle = await session.send("go")
            await until(lambda: gate.inside == ["a"])
            signals: list[Any] = []
            listening = asyncio.create_task(collect(session.events(session.folded.seq), signals))
            await asyncio.sleep(0)
            store.full = True
            gate.open("a")
            await until(lambda: bool(signals))
            assert signals[0].kind == "store_failed"
            store.full = False
            assert await handle == Finished("ok")
            assert gate.order == ["a"]
            assert [m.status for m in said(session) if isinstance(m, ToolResult)] == ["ok"]
            listening.cancel()

    async def collect(events: Any, signals: list[Any]) -> None:
        async for event in events:
            if isinstance(event, Signalled):
                signals.append(event)

    run(body())
