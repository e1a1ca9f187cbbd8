"""Children whose sessions others close, or talk to, at the worst moment: nobody waits for ever."""

import asyncio
import contextlib
from collections.abc import Generator
from pathlib import Path

import pytest

from longrein.capabilities.base import Capability
from longrein.capabilities.opening import Opening
from longrein.core import events as e
from longrein.core import points
from longrein.core.outcomes import Finished
from longrein.harness import Harness
from longrein.session.children.driving import run_of
from longrein.session.handle import Run
from longrein.session.session import Session
from longrein.storage.memory import MemoryStore
from longrein.storage.sqlite import SqliteStore
from longrein.testing import Script, ScriptedModel, call, pause, reply, say
from longrein.testing.scripted import when
from tests.session.families import child_of, ends, family, task
from tests.session.kit import log, of, until
from tests.support import run

DONE = say("Done.")


class Slow(Capability):
    """Takes its time to open: whoever asked for a session first is the first to have it."""

    async def open(self, opening: Opening) -> Capability:
        await asyncio.sleep(0.05)
        return self


@contextlib.contextmanager
def _hello_first(host: Harness, session: Session) -> Generator[list[asyncio.Task[Session]]]:
    """Somebody says something in a child as soon as its thread is there, before its task comes."""
    saying: list[asyncio.Task[Session]] = []

    async def hello() -> Session:
        step = session.folded.step
        assert step
        (call,) = step.calls
        child = await host.session("tester", thread=f"thr_{call.id.partition('_')[2]}-0")
        await child.send("hello")
        return child

    def reached(name: str) -> None:
        if name == "child.created":
            saying.append(asyncio.create_task(hello()))

    points.on_reach = reached
    try:
        yield saying
    finally:
        points.on_reach = None


async def _joined(host: Harness, session: Session) -> tuple[Run, Session]:
    """A run that waits for a child whose task came into the run of somebody else."""
    with _hello_first(host, session) as saying:
        sent = await session.send("begin")
        await until(lambda: bool(saying))
        child = await saying[0]
    task = f"{child.thread}/task"
    await until(lambda: task in child.folded.commands)
    assert [child.folded.commands[task].run] == [one.run for one in await of(child, e.RunStarted)]
    assert child.folded.commands[task].run != run_of(session.folded.children[0])
    return sent, child


@pytest.mark.parametrize("closed", [False, True])
def test_a_close_and_a_rewind_that_stops_a_child_both_come_back(closed: bool) -> None:
    rules = [
        when("begin", task("one", background=True), DONE),
        when("one", call("write", text="x"), say("Written.")),
    ]

    async def test() -> None:
        store = MemoryStore()
        async with family(rules, store=store) as host:
            session = await host.session("tester")
            await (await session.send("begin"))
            await until(lambda: bool(session.display.approvals))
            if closed:
                await (await child_of(session)).close()
            rewinding = asyncio.create_task(session.rewind(session.points()[-1]))
            while not session.conductor.still.locked():  # noqa: ASYNC110 - nothing tells of it
                await asyncio.sleep(0)
            async with asyncio.timeout(30):
                await session.close()
                assert (await rewinding).status == "applied"
        async with family(rules, store=store) as host:
            session = await host.session("tester")
            await session.resume()
            await until(lambda: not session.folded.children[0].open)
            assert ends(await log(session)) == ["stopped"]
            assert len(await of(session, e.Rewound)) == 1

    run(test())


def test_a_task_that_joins_the_run_of_somebody_else_ends_with_it(tmp_path: Path) -> None:
    rules = [
        when("begin", task("one"), DONE),
        when("hello", call("write", text="x"), say("Hi.")),
        when("one", say("One.")),
    ]

    async def test() -> None:
        async with family(
            rules, capabilities=[Slow()], store=SqliteStore(tmp_path / "t.db")
        ) as host:
            session = await host.session("tester")
            sent, _ = await _joined(host, session)
            await until(lambda: bool(session.display.approvals))
            await session.approve(session.display.approvals[0])
            async with asyncio.timeout(30):
                assert await sent == Finished("Done.")
            assert ends(await log(session)) == ["finished"]

    run(test())


def test_a_task_that_joined_the_run_of_somebody_else_ends_with_it_after_a_restart(
    tmp_path: Path,
) -> None:
    rules = [
        when("begin", task("one"), DONE),
        when("hello", call("write", text="x"), say("Hi.")),
        when("one", say("One.")),
    ]

    async def test() -> None:
        path = tmp_path / "threads.db"
        async with family(rules, capabilities=[Slow()], store=SqliteStore(path)) as host:
            session = await host.session("tester")
            sent, _ = await _joined(host, session)
            await until(lambda: bool(session.display.approvals))
        async with family(rules, store=SqliteStore(path)) as host:
            session = await host.session("tester", thread=session.thread)
            await session.resume()
            await until(lambda: bool(session.display.approvals))
            await session.approve(session.display.approvals[0])
            async with asyncio.timeout(30):
                assert await session.run(sent.id) == Finished("Done.")

    run(test())


def test_a_child_whose_task_joined_the_run_of_somebody_else_can_be_stopped(tmp_path: Path) -> None:
    rules = [
        when("begin", task("one"), DONE),
        when("hello", reply(pause(), say("Hi."))),
        when("one", reply(pause(), say("One."))),
    ]
    model = ScriptedModel(Script(rules=rules))

    async def test() -> None:
        async with family(
            model, capabilities=[Slow()], store=SqliteStore(tmp_path / "t.db")
        ) as host:
            session = await host.session("tester")
            sent, child = await _joined(host, session)
            await until(lambda: model.open == 1)
            async with asyncio.timeout(30):
                await session.stop_child(child.thread)
                assert await sent == Finished("Done.")
            assert ends(await log(session)) == ["stopped"]

    run(test())
