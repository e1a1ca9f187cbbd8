"""Hooks and the end of a process: what was decided is read, what was not is asked again."""

import asyncio
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from longrein.capabilities.base import AskedCall, CallResult, Capability, GoOn
from longrein.capabilities.contexts import HookContext
from longrein.core import events as e
from longrein.core.messages import Assistant
from longrein.core.outcomes import Finished
from longrein.core.records import Point
from longrein.session.session import Session
from longrein.testing import call, say
from tests.capabilities.kit import Latch, failures, hosting, results, scripted, words
from tests.session.kit import of, said, until, waiting
from tests.session.tools import Gate, deploy, read
from tests.support import run

BEFORE: Sequence[Point] = ("before_run", "before_model", "before_tool", "before_finish")
READ = (call("read", path="/a"), say("ok"))
DEPLOY = (call("deploy", target="prod"), say("ok"))


class Witness(Capability):
    """Counts how often it was asked at each point; at one of them it waits, if it is told to."""

    def __init__(self, stop: str = "") -> None:
        self.asked: dict[str, int] = {}
        self.latch = Latch()
        self._stop = stop

    async def _at(self, point: str) -> None:
        self.asked[point] = self.asked.get(point, 0) + 1
        if point == self._stop:
            await self.latch.wait()

    async def before_run(self, ctx: HookContext) -> None:
        await self._at("before_run")
        ctx.record("witness.run")

    async def before_model(self, ctx: HookContext) -> None:
        await self._at("before_model")

    async def after_model(self, ctx: HookContext, said: Assistant) -> None:
        await self._at("after_model")

    async def before_tool(self, ctx: HookContext, call: AskedCall) -> None:
        await self._at("before_tool")

    async def after_tool(self, ctx: HookContext, call: AskedCall, result: CallResult) -> None:
        await self._at("after_tool")

    async def before_finish(self, ctx: HookContext, answer: str) -> None:
        await self._at("before_finish")


async def _stopped_at(point: str, store: str) -> tuple[str, Witness]:
    """A run whose session was closed while a hook was being asked."""
    witness = Witness(point)
    async with hosting(READ, witness, tools=[read], store=store) as made:
        session = await made.session("ada")
        handle = await session.send("go")
        await until(lambda: witness.latch.asked == 1)
    return handle.id, witness


@pytest.mark.parametrize("point", [*BEFORE, "after_model"])
def test_a_hook_that_had_not_answered_is_asked_again(point: Point, tmp_path: Path) -> None:
    store = f"sqlite:{tmp_path / 'a.db'}"

    async def body() -> None:
        handle, _ = await _stopped_at(point, store)
        witness = Witness()
        async with hosting(READ, witness, tools=[read], store=store) as made:
            session = await made.session("ada")
            await session.resume()
            assert await session.run(handle) == Finished("ok")
            assert witness.asked[point] >= 1
            assert results(session) == ["ok: content of /a"]
            assert await failures(session) == []

    run(body())


@pytest.mark.parametrize("point", [*BEFORE, "after_model"])
def test_a_hook_that_had_answered_is_not_asked_again(point: Point, tmp_path: Path) -> None:
    store = f"sqlite:{tmp_path / 'a.db'}"

    async def body() -> None:
        handle, before = await _stopped_at(point, store)
        after = Witness()
        async with hosting(READ, after, tools=[read], store=store) as made:
            session = await made.session("ada")
            await session.resume()
            await session.run(handle)
            once_more = {name: n + (name == point) for name, n in _WHOLE.items()}
            total = {n: before.asked.get(n, 0) + after.asked.get(n, 0) for n in _WHOLE}
            assert total == once_more
            assert len(await of(session, e.Recorded)) == 1

    run(body())


_WHOLE = {
    "before_run": 1,
    "before_model": 2,
    "after_model": 2,
    "before_tool": 1,
    "after_tool": 1,
    "before_finish": 1,
}
"""How often each is asked in a run of two steps and one call."""


def test_a_result_is_not_lost_when_the_session_is_closed_while_after_tool_is_asked(
    tmp_path: Path,
) -> None:
    store = f"sqlite:{tmp_path / 'a.db'}"

    async def body() -> None:
        handle, _ = await _stopped_at("after_tool", store)
        after = Witness()
        async with hosting(READ, after, tools=[read], store=store) as made:
            session = await made.session("ada")
            await session.resume()
            assert await session.run(handle) == Finished("ok")
            assert results(session) == ["ok: content of /a"]
            assert [point for _, point, _ in await failures(session)] == ["after_tool"]

    run(body())


def test_what_was_decided_of_a_call_holds_while_a_person_is_asked(tmp_path: Path) -> None:
    store = f"sqlite:{tmp_path / 'a.db'}"

    async def ask() -> tuple[str, str]:
        async with hosting(DEPLOY, Witness(), tools=[deploy], store=store) as made:
            handle = await (await made.session("ada")).send("go")
            return handle.id, (await waiting(handle)).approvals[0]

    async def approve(handle: str, approval: str) -> None:
        witness = Witness()
        async with hosting(DEPLOY, witness, tools=[deploy], store=store) as made:
            session = await made.session("ada")
            await session.approve(approval)
            assert await session.run(handle) == Finished("ok")
            assert "before_tool" not in witness.asked

    run(approve(*run(ask())))


def test_a_run_goes_on_without_a_capability_that_is_gone(tmp_path: Path) -> None:
    store = f"sqlite:{tmp_path / 'a.db'}"

    async def body(point: str) -> None:
        handle, _ = await _stopped_at(point, store)
        async with hosting(READ, tools=[read], store=store) as made:
            session = await made.session("ada")
            await session.resume()
            assert await session.run(handle) == Finished("ok")

    run(body("before_tool"))


@pytest.mark.parametrize("point", BEFORE)
def test_a_process_that_is_killed_while_a_hook_is_asked_loses_nothing(
    point: Point, tmp_path: Path
) -> None:
    """What a killed process leaves is a copy of its database from the moment it was killed."""

    async def body() -> None:
        witness = Witness(point)
        store = f"sqlite:{tmp_path / 'a.db'}"
        made = hosting(READ, witness, tools=[read], store=store, lease_seconds=0.6)
        async with made as first:
            handle = await (await first.session("ada")).send("go")
            await until(lambda: witness.latch.asked == 1)
            _copied(tmp_path / "a.db", tmp_path / "b.db")
        after, model = Witness(), scripted(*READ)
        store = f"sqlite:{tmp_path / 'b.db'}"
        async with hosting(model, after, tools=[read], store=store) as second:
            session = await second.session("ada")
            await session.resume()
            assert await session.run(handle.id) == Finished("ok")
            assert after.asked[point] >= 1
            assert words(said(session)) == ["user: go", "model: ", "ok: content of /a", "model: ok"]
            assert len(await of(session, e.Recorded)) == 1

    run(body())


def _copied(source: Path, target: Path) -> None:
    before, after = sqlite3.connect(source), sqlite3.connect(target)
    with before, after:
        before.backup(after)
    before.close()
    after.close()


def test_a_note_of_before_finish_is_there_after_a_restart(tmp_path: Path) -> None:
    store = f"sqlite:{tmp_path / 'a.db'}"
    script: Any = (say("a"), call("deploy", target="x"), say("b"))

    class Once(Capability):
        asked = 0

        async def before_finish(self, ctx: HookContext, answer: str) -> GoOn | None:
            Once.asked += 1
            return GoOn("deploy it") if Once.asked == 1 else None

    async def ask() -> tuple[str, str]:
        async with hosting(script, Once(), tools=[deploy], store=store) as made:
            handle = await (await made.session("ada")).send("go")
            return handle.id, (await waiting(handle)).approvals[0]

    async def approve(handle: str, approval: str) -> None:
        async with hosting(script, Once(), tools=[deploy], store=store) as made:
            session: Session = await made.session("ada")
            await session.approve(approval)
            assert await session.run(handle) == Finished("b")
            assert words(said(session))[:3] == ["user: go", "model: a", "once: deploy it"]
            assert Once.asked == 2

    run(approve(*run(ask())))


def test_a_hook_that_makes_an_error_of_a_close_is_asked_again(tmp_path: Path) -> None:
    store = f"sqlite:{tmp_path / 'a.db'}"
    latch = Latch()

    class Clumsy(Capability):
        async def before_tool(self, ctx: HookContext, call: AskedCall) -> None:
            try:
                await latch.wait()
            except asyncio.CancelledError as error:
                raise RuntimeError("clumsy") from error

    async def body() -> None:
        async with hosting(READ, Clumsy(), tools=[read], store=store) as made:
            handle = await (await made.session("ada")).send("go")
            await until(lambda: latch.asked == 1)
        latch.open()
        async with hosting(READ, Clumsy(), tools=[read], store=store) as made:
            session = await made.session("ada")
            await session.resume()
            assert await session.run(handle.id) == Finished("ok")
            assert results(session) == ["ok: content of /a"]

    run(body())


def test_a_listener_is_stopped_when_the_session_is_closed() -> None:
    latch, left = Latch(), list[str]()

    class Listener(Capability):
        async def on_event(self, ctx: HookContext, event: e.Event) -> None:
            try:
                await latch.wait()
            finally:
                left.append(type(event).__name__)

    async def body() -> None:
        async with hosting(READ, Listener(), tools=[read]) as made:
            session = await made.session("ada")
            await session.send("go")
            await until(lambda: latch.asked == 1)
            await session.close()
            await asyncio.sleep(0)
            assert left == ["ThreadCreated"]

    run(body())


def test_a_listener_does_not_hear_of_what_a_close_writes() -> None:
    heard: list[str] = []

    class Listener(Capability):
        async def on_event(self, ctx: HookContext, event: e.Event) -> None:
            heard.append(type(event).__name__)

    async def body() -> None:
        gate = Gate()
        async with hosting([call("work", name="a")], Listener(), tools=gate.tools()) as made:
            session = await made.session("ada")
            await session.send("go")
            await until(lambda: "ToolStarted" in heard and gate.inside == ["a"])
            await session.close()
            await asyncio.sleep(0.01)
            assert session.folded.seq > len(heard)
            assert heard[-1] == "ToolStarted"

    run(body())
