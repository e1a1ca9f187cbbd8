"""What a session had begun ends with it, in time, and before the thread is let go."""

import asyncio
from pathlib import Path

import pytest

from longrein.capabilities.base import Capability
from longrein.capabilities.opening import Opening
from longrein.core import events as e
from longrein.core.errors import UsageError
from longrein.core.live import Signalled
from longrein.harness import Harness
from longrein.loop.agent import Agent
from longrein.session import ending
from longrein.session.bus import Anything
from longrein.session.session import Session
from longrein.storage.base import Store
from longrein.testing import ScriptedModel, call, pause, reply, say
from longrein.tools.context import Context
from longrein.tools.define import tool
from tests.session.kit import harness, of, until, waiting, with_session
from tests.support import run


class Worker(Capability):
    """Works for one session; writes down what became of it, and who owned the thread then."""

    def __init__(self, name: str, log: list[str], *, failing: bool = False, seconds: float = 0):
        self._name = name
        self._log = log
        self._failing = failing
        self._seconds = seconds
        self._store: Store | None = None
        self._thread = ""

    @property
    def name(self) -> str:
        return self._name

    async def open(self, opening: Opening) -> "Worker":
        made = Worker(self._name, self._log, failing=self._failing, seconds=self._seconds)
        made._store, made._thread = opening.store, opening.thread
        return made

    async def close(self) -> None:
        await asyncio.sleep(self._seconds)
        assert self._store is not None
        owned = await self._store.owner(self._thread) is not None
        self._log.append(f"{self._name} closed{' while owned' if owned else ''}")
        if self._failing:
            raise OSError("the disk is gone")

    async def stop_since(self, thread: str, since: int) -> None:
        self._log.append(f"{self._name} stopped since {since}")


def hosting(*workers: Worker, store: str | Store = "memory") -> Harness:
    model = ScriptedModel(lambda request: say("ok"))
    agent = Agent("tester", model=model, capabilities=workers)
    return Harness(agent, store=store, environ={})


def test_capabilities_are_closed_while_the_thread_is_still_ours(tmp_path: Path) -> None:
    log: list[str] = []

    async def body() -> None:
        store = f"sqlite:{tmp_path / 'a.db'}"
        async with hosting(Worker("one", log), Worker("two", log), store=store) as made:
            session = await made.session("ada")
            await (await session.send("hi"))
            await asyncio.gather(session.close(), session.close())
            assert await made.store.owner(session.thread) is None
        assert log == ["two closed while owned", "one closed while owned"]

    run(body())


def test_one_that_fails_keeps_no_other_from_closing_and_is_heard_of() -> None:
    log: list[str] = []

    async def heard(session: Session) -> list[Anything]:
        return [event async for event in session.events(only=Signalled)]

    async def body() -> None:
        async with hosting(Worker("one", log), Worker("two", log, failing=True)) as made:
            session = await made.session("ada")
            listening = asyncio.create_task(heard(session))
            await (await session.send("hi"))
        assert log == ["two closed while owned", "one closed while owned"]
        (signal,) = await listening
        assert isinstance(signal, Signalled)
        assert (signal.kind, "two failed" in signal.message) == ("listener_failed", True)

    run(body())


def test_one_that_fails_is_raised_where_nobody_listens_after_all_has_ended() -> None:
    log: list[str] = []
    made = hosting(Worker("one", log, failing=True))

    async def body() -> None:
        async with made:
            session = await made.session("ada")
            await (await session.send("hi"))
            with pytest.raises(UsageError, match=r"one failed .* the disk is gone"):
                await session.close()
            assert await made.store.owner(session.thread) is None
            await (await (await made.session("ada")).send("again"))
            log.clear()
            with pytest.raises(UsageError, match="the disk is gone"):
                await made.close()
            assert log == ["one closed while owned"]

    run(body())


def test_one_that_takes_too_long_is_left_to_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ending, "LONGEST", 0.05)
    log: list[str] = []

    async def body() -> None:
        async with hosting(Worker("one", log), Worker("two", log, seconds=30)) as made:
            session = await made.session("ada")
            await (await session.send("hi"))
            with pytest.raises(UsageError, match=r"two did not end .* within 0.05 s"):
                await session.close()
        assert log == ["one closed while owned"]

    run(body())


def test_what_runs_in_the_background_ends_with_a_rewind_and_with_a_lost_lease(
    tmp_path: Path,
) -> None:
    log: list[str] = []

    async def body() -> None:
        async with hosting(Worker("one", log), store=f"sqlite:{tmp_path / 'a.db'}") as made:
            session = await made.session("ada")
            await (await session.send("hi"))
            point = session.points()[0]
            await session.rewind(point, files=False)
            assert log == [f"one stopped since {point.seq}"]
            owner = await made.store.owner(session.thread)
            assert owner is not None
            await made.store.retire(owner)
            await session.conductor.recheck()
            await until(lambda: len(log) == 2)
            assert log[1] == "one stopped since 0"

    run(body())


def test_facts_of_a_call_that_was_interrupted_are_kept_and_nothing_else_of_it() -> None:
    begun = asyncio.Event()

    @tool(category="read")
    async def work(ctx: Context) -> str:
        """Work for long."""
        ctx.record("done", {"half": True})
        ctx.update({"count": 1})
        begun.set()
        await asyncio.sleep(30)
        return "never"

    async def body(session: Session) -> None:
        handle = await session.send("go")
        await begun.wait()
        await session.interrupt()
        await handle
        (ended,), (recorded,) = await of(session, e.ToolEnded), await of(session, e.Recorded)
        assert ended.status == "interrupted"
        assert (recorded.kind, recorded.data, recorded.call) == ("done", {"half": True}, ended.call)
        assert session.folded.data == {}

    with_session(harness([call("work")], work), body)


def test_an_approval_has_its_preview_also_where_trust_went_while_the_model_spoke() -> None:
    @tool(category="edit", preview=lambda given, ctx: "+ all of it")
    async def write() -> str:
        """Write something."""
        return "wrote"

    model = ScriptedModel(lambda request: reply(pause(None), call("write")))

    async def body(session: Session) -> None:
        await session.set_trust("yolo")
        handle = await session.send("go")
        await until(lambda: bool(model.requests))
        await session.set_trust("ask")
        model.release()
        await waiting(handle)
        assert [one.preview for one in session.display.approvals] == ["+ all of it"]

    with_session(harness(model, write), body)
