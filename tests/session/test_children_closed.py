"""What is no end of a child: a close while it is opened, a store that fails, a capability."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from longrein.capabilities.base import Capability
from longrein.capabilities.opening import Opening
from longrein.core.commands import Rename
from longrein.core.errors import StoreError
from longrein.core.outcomes import Finished
from longrein.session.session import Session
from longrein.storage.base import Append
from longrein.storage.memory import MemoryStore
from longrein.testing import Script, ScriptedModel, pause, reply, say
from longrein.testing.scripted import When, when
from tests.session.families import ends, family, results, task
from tests.session.kit import log, until, with_session
from tests.support import run


def _rules(*, background: bool) -> Sequence[When]:
    return [
        when("begin", task("the work", background=background), say("Begun."), say("Heard.")),
        when("the work", say("The result.")),
    ]


class _Slow:
    """Dependencies that take for ever to be made for children, until they are let.

    `open` counts sessions that have theirs and are not closed.
    """

    def __init__(self) -> None:
        self.root = ""
        self.open = 0
        self.begun = asyncio.Event()
        self.go = asyncio.Event()

    async def __call__(self, resource: str, scope: str, thread: str) -> "_Slow":
        self.root = self.root or thread
        if thread != self.root:
            self.begun.set()
            await self.go.wait()
        return self

    async def __aenter__(self) -> None:
        self.open += 1

    async def __aexit__(self, *_: object) -> None:
        self.open -= 1


@pytest.mark.parametrize("background", [True, False])
@pytest.mark.parametrize("closed", ["harness", "session"])
def test_a_child_that_was_being_opened_at_a_close_goes_on_later(
    background: bool, closed: str
) -> None:
    rules = _rules(background=background)

    async def test() -> None:
        store, slow = MemoryStore(), _Slow()
        async with family(rules, store=store, deps=slow) as host:
            session = await host.session("tester")
            await session.send("begin")
            await slow.begun.wait()
            if closed == "session":
                await session.close()
        async with family(rules, store=store) as host:
            session = await host.session("tester", resume=True)
            assert [child.state for child in session.folded.children] == ["running"]
            await until(lambda: len(session.folded.outcomes) == 1 + background)
            assert ends(await log(session)) == ["finished"]

    run(test())


def test_nothing_of_a_child_is_left_open_when_its_parent_was_closed() -> None:
    async def test() -> None:
        store, slow = MemoryStore(), _Slow()
        async with family(_rules(background=True), store=store, deps=slow) as host:
            session = await host.session("tester")
            await session.send("begin")
            await slow.begun.wait()
            await session.close()
            slow.go.set()
            await until(lambda: slow.open == 0)
            await asyncio.sleep(0.01)
            assert slow.open == 0

    run(test())


def test_a_child_whose_process_lost_its_leases_goes_on_in_another() -> None:
    rules = [
        when("begin", task("the work"), say("Done.")),
        when("the work", reply(pause(), say("The result."))),
    ]
    first, second = ScriptedModel(Script(rules=rules)), ScriptedModel(Script(rules=rules))

    async def test() -> None:
        store = MemoryStore()
        async with family(first, store=store) as old, family(second, store=store) as new:
            session = await old.session("tester")
            sent = await session.send("begin")
            await until(lambda: first.open == 1)
            owner = await store.owner(session.thread)
            await store.retire(owner or "")
            elsewhere = await new.session("tester", resume=True)
            await until(lambda: second.open == 1)
            first.release()
            await session.conductor.recheck()
            await until(lambda: not session.conductor.owns)
            assert [child.state for child in elsewhere.folded.children] == ["running"]
            second.release()
            assert await elsewhere.run(sent.id) == Finished("Done.")
            assert ends(await log(elsewhere)) == ["finished"]
            assert results(elsewhere) == ["The result."]

    run(test())


class _Failing(MemoryStore):
    """A store that fails to write as often as it is told to."""

    failures = 0

    async def append(self, write: Append) -> int:
        if self.failures:
            self.failures -= 1
            raise StoreError("The disk is busy.")
        return await super().append(write)


def test_a_child_is_stopped_although_the_store_fails_at_first() -> None:
    rules = [
        when("begin", task("the work", background=True), say("Begun.")),
        when("the work", reply(pause(), say("Never."))),
    ]
    model, store = ScriptedModel(Script(rules=rules)), _Failing()

    async def body(session: Session) -> None:
        await (await session.send("begin"))
        await until(lambda: model.open == 1)
        store.failures = 1
        async with asyncio.timeout(20):
            assert await session.stop_child(session.folded.children[0].thread)
        assert ends(await log(session)) == ["stopped"]

    with_session(family(model, store=store), body)


def test_a_title_given_at_a_close_takes_up_no_child() -> None:
    rules = [
        when("begin", task("the work", background=True), say("Begun."), say("Heard.")),
        when("the work", reply(pause(), say("The result."))),
    ]
    first, second = ScriptedModel(Script(rules=rules)), ScriptedModel(Script(rules=rules))

    async def test() -> None:
        store = MemoryStore()
        async with family(first, store=store) as host:
            session = await host.session("tester")
            await (await session.send("begin"))
            await until(lambda: first.open == 1)
        async with family(second, store=store) as host:
            left = await host.session("tester")
            assert (await left.close_with(Rename("Another"))).status == "applied"
            assert not second.requests
            second.release()
            again = await host.session("tester", resume=True)
            assert again.folded.title == "Another"
            await until(lambda: len(again.folded.outcomes) == 2)
            assert ends(await log(again)) == ["finished"]

    run(test())


class _Clumsy(Capability):
    """Fails to close what it opened for threads that are not the first."""

    def __init__(self, closing: Callable[[], None] | None = None) -> None:
        self._closing = closing
        self._opened = 0

    def below(self) -> Capability:
        return self

    async def open(self, opening: Opening) -> Capability:
        self._opened += 1
        return _Clumsy(_fail) if self._opened > 1 else _Clumsy()

    async def close(self) -> None:
        if self._closing:
            self._closing()


def _fail() -> None:
    raise OSError("It would not close.")


def test_a_capability_that_fails_to_close_takes_nothing_from_the_result() -> None:
    async def body(session: Session) -> None:
        assert await (await session.send("begin")) == Finished("Begun.")
        assert results(session) == ["The result."]

    made: Any = family(_rules(background=False), capabilities=[_Clumsy()])
    with_session(made, body)


def test_a_capability_of_a_child_that_fails_to_close_keeps_no_lease() -> None:
    rules = [
        when("begin", task("the work", background=True), say("Begun.")),
        when("the work", reply(pause(), say("Never."))),
    ]
    model, store = ScriptedModel(Script(rules=rules)), MemoryStore()

    async def test() -> None:
        async with family(model, store=store, capabilities=[_Clumsy()]) as host:
            session = await host.session("tester")
            await (await session.send("begin"))
            await until(lambda: model.open == 1)
            await session.close()
            assert await store.owner(session.thread) is None

    run(test())
