"""Hooks that take their own task away, and listeners that cannot keep up."""

import asyncio

import pytest

from longrein.capabilities.base import AskedCall, Capability
from longrein.capabilities.contexts import HookContext
from longrein.core import events as e
from longrein.core.outcomes import Finished
from longrein.core.records import Point
from longrein.session.extras import MOST_UNTOLD
from longrein.session.session import Session
from longrein.testing import call, say
from longrein.tools.context import Context
from longrein.tools.define import tool
from tests.capabilities.kit import Latch, failures, hosting, results
from tests.session.kit import until, with_session
from tests.session.tools import read


class Leaving(Capability):
    """Cancels the task that it runs in, at one point."""

    def __init__(self, point: Point) -> None:
        self._point = point

    async def _at(self, point: Point) -> None:
        task = asyncio.current_task()
        if point == self._point and task is not None:
            task.cancel()
            await asyncio.sleep(0)

    async def before_run(self, ctx: HookContext) -> None:
        await self._at("before_run")

    async def before_model(self, ctx: HookContext) -> None:
        await self._at("before_model")

    async def before_tool(self, ctx: HookContext, call: AskedCall) -> None:
        await self._at("before_tool")

    async def before_finish(self, ctx: HookContext, answer: str) -> None:
        await self._at("before_finish")


@pytest.mark.parametrize("point", ["before_run", "before_model", "before_tool", "before_finish"])
def test_a_hook_that_cancels_its_own_task_has_failed_and_the_run_goes_on(point: Point) -> None:
    async def body(session: Session) -> None:
        assert await (await session.send("go")) == Finished("ok")
        reported = await failures(session)
        assert {where for _, where, _ in reported} == {point}
        assert "without an answer" in reported[0][2]
        (result,) = results(session)
        assert result.startswith("refused: " if point == "before_tool" else "ok: ")

    script = [call("read", path="/a"), say("ok")]
    with_session(hosting(script, Leaving(point), tools=[read]), body)


@tool
async def chatter(ctx: Context) -> str:
    """Write down more than a listener may be behind."""
    for number in range(MOST_UNTOLD + 10):
        ctx.record("chat", number)
    return "done"


class Slow(Capability):
    """Hears nothing until it is let."""

    def __init__(self, latch: Latch) -> None:
        self._latch = latch
        self.heard: list[e.Event] = []

    async def on_event(self, ctx: HookContext, event: e.Event) -> None:
        if not self.heard:
            await self._latch.wait()
        self.heard.append(event)


def test_a_listener_that_falls_too_far_behind_misses_events_which_is_reported_once() -> None:
    latch = Latch()
    slow = Slow(latch)

    async def body(session: Session) -> None:
        assert await (await session.send("go")) == Finished("ok")
        latch.open()
        await until(lambda: bool(slow.heard) and slow.heard[-1].seq == session.folded.seq - 1)
        assert len(slow.heard) == MOST_UNTOLD + 1
        ((_, where, why),) = await failures(session)
        assert where == "on_event"
        assert "behind" in why

    with_session(hosting([call("chatter"), say("ok")], slow, tools=[chatter]), body)
