"""Rewinds beside other things: each is carried out whole, or refused before a file has changed."""

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from longrein.capabilities.workspace.sources import InThread
from longrein.capabilities.workspace.workspace import Workspace
from longrein.core import events as e
from longrein.core.errors import RateLimited, UsageError
from longrein.core.outcomes import Aborted
from longrein.core.policy import Rule
from longrein.harness import Harness
from longrein.loop.agent import Agent
from longrein.models.base import Request
from longrein.session.rewound import ELSEWHERE, KEPT_IN_THREAD, REASON
from longrein.session.session import Session
from longrein.testing import ManualClock, Reply, Script, ScriptedModel, call, fail, say
from tests.session.kit import of, said, until, with_session
from tests.session.rewinds import Drawer, Model, harness, tell
from tests.support import run


class Gate:
    """What is put back waits here until it is let through."""

    def __init__(self) -> None:
        self.reached = asyncio.Event()
        self.open = asyncio.Event()

    async def __call__(self) -> None:
        self.reached.set()
        await self.open.wait()


PAUSE = 0.2


class Moody(Model):
    """Has its first call about "later" made again after a pause."""

    def __call__(self, request: Request) -> Reply:
        answer = super().__call__(request)
        first = sum("later" in str(heard[-1:]) for heard in self.heard) == 1
        if self.last[-1] == "later" and first:
            return fail(RateLimited("Slow down", retry_after=PAUSE))
        return answer


def with_files(
    folder: Path, body: Callable[[Session], Coroutine[Any, Any, None]], **more: Any
) -> None:
    """Run a test on a new thread in SQLite whose agent changes files in a folder."""
    (folder / "files").mkdir()
    store = f"sqlite:{folder / 'a.db'}"
    with_session(harness(folder / "files", store=store, **more), body)


def files_in(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in (folder / "files").iterdir()}


def test_an_undo_beside_another_rewind_puts_back_only_what_that_one_did(tmp_path: Path) -> None:
    async def body(session: Session) -> None:
        _, two, three = await tell(session, "put a.txt 1", "put b.txt 2", "put c.txt 3")
        await session.rewind(three)
        before = files_in(tmp_path)
        await asyncio.gather(session.rewind(two, files=False), session.undo())
        assert files_in(tmp_path) == before == {"a.txt": "1", "b.txt": "2"}
        assert [one.files for one in await of(session, e.Rewound)] == [True, False, False]

    with_files(tmp_path, body)


def test_an_undo_that_finds_another_rewind_than_the_one_it_was_meant_for_is_whole(
    tmp_path: Path,
) -> None:
    async def body(session: Session) -> None:
        _, two, three = await tell(session, "put a.txt 1", "put b.txt 2", "put c.txt 3")
        await session.rewind(three, files=False)
        await asyncio.gather(session.rewind(two), session.undo())
        assert files_in(tmp_path) == {"a.txt": "1", "b.txt": "2", "c.txt": "3"}

    with_files(tmp_path, body)


def test_a_run_that_pauses_does_not_go_on_while_files_are_put_back(tmp_path: Path) -> None:
    gate, model = Gate(), Moody()

    async def body(session: Session) -> None:
        (one,) = await tell(session, "put a.txt text")
        handle = await session.send("later")
        await until(lambda: session.folded.run is not None and session.folded.run.retry_at > 0)
        going_back = asyncio.create_task(session.rewind(one))
        await gate.reached.wait()
        heard, due = len(model.heard), await of(session, e.TimerDue)
        await asyncio.sleep(PAUSE * 2)
        assert len(model.heard) == heard
        gate.open.set()
        assert (await going_back).status == "applied"
        assert await handle == Aborted(REASON)
        assert files_in(tmp_path) == {}
        await asyncio.sleep(0.05)
        assert len(model.heard) == heard
        assert await of(session, e.TimerDue) == due

    with_files(tmp_path, body, model=model, meanwhile=gate)


def test_a_rewind_that_nobody_waits_for_any_more_comes_to_its_end(tmp_path: Path) -> None:
    gate = Gate()

    async def body(session: Session) -> None:
        (one,) = await tell(session, "put a.txt text")
        going_back = asyncio.create_task(session.rewind(one))
        await gate.reached.wait()
        going_back.cancel()
        with pytest.raises(asyncio.CancelledError):
            await going_back
        gate.open.set()
        await until(lambda: said(session) == [])
        assert files_in(tmp_path) == {}

    with_files(tmp_path, body, meanwhile=gate)


def test_a_session_closes_when_the_rewind_under_way_is_over(tmp_path: Path) -> None:
    gate = Gate()

    async def body(session: Session) -> None:
        (one,) = await tell(session, "put a.txt text")
        going_back = asyncio.create_task(session.rewind(one))
        await gate.reached.wait()
        closing = asyncio.create_task(session.close())
        late = asyncio.create_task(session.rewind(one))
        await asyncio.sleep(0.01)
        assert not closing.done()
        gate.open.set()
        assert (await going_back).status == "applied"
        await closing
        with pytest.raises(UsageError, match="closed"):
            await late
        assert files_in(tmp_path) == {}

    with_files(tmp_path, body, meanwhile=gate)


def test_no_file_is_put_back_by_a_process_that_stood_still_and_lost_the_thread(
    tmp_path: Path,
) -> None:
    async def body() -> None:
        folder, clock = tmp_path / "files", ManualClock()
        folder.mkdir()

        def made(clock: ManualClock | None) -> Harness:
            agent = Agent("tester", model=ScriptedModel(Model()), capabilities=[Drawer(folder)])
            return Harness(agent, store=f"sqlite:{tmp_path / 'a.db'}", clock=clock, environ={})

        async with made(clock) as here, made(None) as there:
            session = await here.session("ada")
            (one,) = await tell(session, "put a.txt text")
            owner = await here.store.owner(session.thread)
            assert owner is not None
            await there.store.retire(owner)
            await (await there.session("ada", thread=session.thread)).rename("Mine")
            clock.advance(3600)
            with pytest.raises(UsageError) as refused:
                await session.rewind(one)
            assert str(refused.value) == ELSEWHERE
            assert files_in(tmp_path) == {"a.txt": "text"}
            assert not session.conductor.owns

    run(body())


def test_people_are_told_that_what_the_thread_keeps_of_files_went_back() -> None:
    write = call("write_file", path="/a", content="one")
    model = ScriptedModel(Script([write, say("did")]))
    agent = Agent("tester", model=model, capabilities=[Workspace(InThread())])
    rules = [Rule("allow", category="edit")]

    async def body(session: Session) -> None:
        (one,) = await tell(session, "go")
        assert session.points()[0].files_changed
        assert (await session.rewind(one)).message == KEPT_IN_THREAD

    with_session(Harness(agent, rules=rules, environ={}), body)
