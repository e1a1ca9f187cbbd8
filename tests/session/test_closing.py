"""Closing, ending and being given up: each thing ends once, and nobody is left waiting."""

import asyncio

import pytest

from longrein.core import events as e
from longrein.core.errors import RateLimited, UsageError
from longrein.core.messages import Text
from longrein.core.outcomes import Failed, Finished
from longrein.core.usage import Limits, Usage
from longrein.loop.retry import Retry
from longrein.models.base import Request
from longrein.session import tasks
from longrein.session.session import Session
from longrein.testing import ScriptedModel, call, pause, reply, say
from longrein.tools.define import tool
from tests.session.kit import harness, of, until, with_session
from tests.session.tools import Gate
from tests.support import run


def test_nothing_runs_any_more_when_close_has_returned() -> None:
    async def body() -> None:
        for turns in range(12):
            gate = Gate()
            async with harness([call("work", name="a"), say("ok")], *gate.tools()) as made:
                session = await made.session("ada")
                await session.send("go")
                for _ in range(turns):
                    await asyncio.sleep(0)
                await session.close()
                assert gate.inside == []
                await asyncio.sleep(0.005)
                assert gate.inside == []

    run(body())


def test_a_session_opened_while_it_closes_waits_for_the_old_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tasks, "GRACE", 2.0)
    inside: list[int] = []
    most: list[int] = []

    @tool(idempotent=True)
    async def slow_to_stop() -> str:
        """Take a moment to stop."""
        inside.append(1)
        most.append(len(inside))
        try:
            await asyncio.sleep(30 if len(most) == 1 else 0)
        except asyncio.CancelledError:
            await asyncio.sleep(0.05)
            raise
        finally:
            inside.pop()
        return "done"

    async def body() -> None:
        async with harness([call("slow_to_stop"), say("ok")], slow_to_stop) as made:
            session = await made.session("ada")
            await session.send("go")
            await until(lambda: inside == [1])
            closing = asyncio.create_task(session.close())
            await asyncio.sleep(0)
            again = await made.session("ada", resume=True)
            await closing
            await until(lambda: again.display.activity == "idle")
            assert max(most) == 1

    run(body())


def test_a_model_that_breaks_off_by_itself_does_not_loop() -> None:
    class Broken(ScriptedModel):
        async def stream(self, request: Request):
            self.requests.append(request)
            for delta in ():
                yield delta
            lost: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            lost.cancel()
            await lost

    model = Broken(lambda _: say("never"))

    async def body(session: Session) -> None:
        outcome = await (await session.send("hi"))
        assert isinstance(outcome, Failed)
        assert outcome.problem.kind == "network"
        assert len(model.requests) == 1

    with_session(harness(model, retry=Retry(attempts=1)), body)


def test_an_error_that_cannot_be_counted_with_ends_the_run() -> None:
    wrong = RateLimited("later", retry_after="5")  # pyright: ignore[reportArgumentType]

    class Strange(ScriptedModel):
        async def stream(self, request: Request):
            self.requests.append(request)
            for delta in ():
                yield delta
            raise wrong

    model = Strange(lambda _: say("never"))

    async def body(session: Session) -> None:
        assert isinstance(await (await session.send("hi")), Failed)
        assert len(model.requests) == 1

    with_session(harness(model), body)


def test_usage_that_is_not_a_number_of_tokens_is_not_written() -> None:
    odd = Usage(input=10.5)  # pyright: ignore[reportArgumentType]

    async def body(session: Session) -> None:
        outcome = await (await session.send("hi"))
        assert isinstance(outcome, Failed)
        assert [f.usage for f in await of(session, e.StepFailed)] == [Usage()]

    with_session(harness([reply(say("x"), usage=odd)]), body)


def test_limits_that_make_no_sense_are_refused_at_the_start() -> None:
    with pytest.raises(UsageError, match="billionths"):
        harness([say("x")], limits=Limits(cost=0.5))  # pyright: ignore[reportArgumentType]


def test_whoever_listens_to_a_closed_session_comes_to_an_end() -> None:
    async def body() -> None:
        async with harness([say("one")]) as made:
            session = await made.session("ada")
            await (await session.send("hi"))
            await session.close()
            assert len([event async for event in session.events()]) == session.folded.seq
            assert len([shown async for shown in session.displays()]) == 1

    run(body())


def test_waiting_with_a_timeout_leaves_nothing_behind() -> None:
    async def body(session: Session) -> None:
        handle = await session.send("hi")
        for _ in range(20):
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(handle, 0.001)
        assert not session.conductor.followed

    with_session(harness([reply(pause(None), say("x"))]), body)


def test_a_command_that_changed_nothing_is_already_done_the_second_time() -> None:
    async def body(session: Session) -> None:
        await (await session.send("hi"))
        assert (await session.release(command="mine")).status == "applied"
        assert (await session.release(command="mine")).status == "already"

    with_session(harness([say("x")]), body)


def test_a_command_id_that_no_json_can_hold_is_mended() -> None:
    async def body(session: Session) -> None:
        handle = await session.send("hi", command="cmd_\ud800")
        assert await handle == Finished("x")
        assert session.folded.messages[0].parts == (Text("hi"),)  # pyright: ignore

    with_session(harness([say("x")]), body)
