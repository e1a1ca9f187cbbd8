"""What capabilities do beside runs: work in the background, and model calls of their own."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from longrein.capabilities.base import Capability
from longrein.capabilities.contexts import HookContext
from longrein.capabilities.opening import Beside, Opening
from longrein.core import events as e
from longrein.core.errors import ModelError, Overloaded, UsageError
from longrein.core.usage import Limits, Usage
from longrein.loop.setup import Budgets
from longrein.models.price import Price
from longrein.testing import ScriptedModel, fail, reply, say
from tests.capabilities.kit import hosting
from tests.session.kit import log, of, until
from tests.support import run


class Helper(Capability):
    """Does something beside the run when a message is answered."""

    def __init__(self, work: Callable[[HookContext], Awaitable[None]]) -> None:
        self.beside: Beside | None = None
        self._work = work
        self.over = asyncio.Event()

    async def open(self, opening: Opening) -> "Helper":
        self.beside = opening.beside
        return self

    async def on_event(self, ctx: HookContext, event: e.Event) -> None:
        if isinstance(event, e.StepEnded) and self.beside is not None:
            self.beside.spawn(self._doing, self.name)

    async def _doing(self, ctx: HookContext) -> None:
        try:
            await self._work(ctx)
        finally:
            self.over.set()


async def done(helper: Helper, *, model: ScriptedModel | None = None, **more: Any) -> list[Any]:
    """What was written when the helper had done its work beside one run."""
    model = model or ScriptedModel(lambda _: say("Ok."))
    async with hosting(model, helper, **more) as harness:
        session = await harness.session()
        await (await session.send("Hi"))
        await helper.over.wait()
        while True:
            await asyncio.sleep(0.005)
            kinds = (e.Recorded, e.HookFailed, e.SideCallEnded)
            found = [event for event in await log(session) if isinstance(event, kinds)]
            if any(not isinstance(one, e.SideCallEnded) for one in found):
                return found


def test_what_was_recorded_is_written_when_the_work_has_ended() -> None:
    async def work(ctx: HookContext) -> None:
        ctx.record("seen", {"n": 1})
        ctx.record("seen", {"n": 2})

    found = run(done(Helper(work)))
    assert [one.data for one in found] == [{"n": 1}, {"n": 2}]


def test_what_fails_is_reported_and_brings_nothing_about() -> None:
    async def work(ctx: HookContext) -> None:
        ctx.record("seen", 1)
        raise ValueError("no")

    (failed,) = run(done(Helper(work)))
    assert isinstance(failed, e.HookFailed)
    assert (failed.capability, failed.problem.message) == ("helper", "ValueError: no")


def test_what_is_recorded_now_stays_when_the_rest_fails() -> None:
    async def work(ctx: HookContext) -> None:
        ctx.record("seen", 1)
        await ctx.record_now()
        ctx.record("seen", 2)
        raise ValueError("no")

    recorded, failed = run(done(Helper(work)))
    assert recorded.data == 1
    assert isinstance(failed, e.HookFailed)


def test_a_model_is_asked_and_its_cost_counts() -> None:
    async def work(ctx: HookContext) -> None:
        said = await ctx.call_model("noting", "Note.", "What happened?", max_output=50)
        ctx.record("noted", said)

    def answer(request: Any) -> Any:
        if request.system == "Note.":
            return reply(say("It rained."), usage=Usage(30, 4))
        return reply(say("Ok."), usage=Usage(10, 2))

    async def main() -> None:
        helper = Helper(work)
        model = ScriptedModel(answer)
        async with hosting(model, helper) as harness:
            session = await harness.session()
            await (await session.send("Hi"))
            await helper.over.wait()
            await until(lambda: not session.conductor._asides)  # pyright: ignore[reportPrivateUsage]
            (ended,) = await of(session, e.SideCallEnded)
            assert (ended.purpose, ended.usage) == ("noting", Usage(30, 4))
            assert session.display.spent.usage.total == 46
            assert [request.settings.max_output for request in model.requests] == [None, 50]

    run(main())


def test_a_model_that_fails_raises_and_the_run_is_none_the_worse() -> None:
    raised: list[Exception] = []

    async def work(ctx: HookContext) -> None:
        try:
            await ctx.call_model("noting", "Note.", "What happened?")
        except ModelError as error:
            raised.append(error)
        ctx.record("tried")

    def answer(request: Any) -> Any:
        return fail(Overloaded("busy")) if request.system == "Note." else say("Ok.")

    recorded, ended = sorted(
        run(done(Helper(work), model=ScriptedModel(answer))), key=lambda one: type(one).__name__
    )
    assert isinstance(recorded, e.Recorded)
    assert ended.problem is not None
    assert isinstance(raised[0], Overloaded)


def test_a_model_that_hangs_is_given_up() -> None:
    async def work(ctx: HookContext) -> None:
        with pytest.raises(TimeoutError, match=r"took longer than 0\.05 s"):
            await ctx.call_model("noting", "Note.", "What happened?", timeout=0.05)
        ctx.record("tried")

    class Slow(ScriptedModel):
        async def stream(self, request: Any):
            if request.system == "Note.":
                await asyncio.sleep(30)
            async for delta in super().stream(request):
                yield delta

    found = run(done(Helper(work), model=Slow(lambda _: say("Ok."))))
    assert any(isinstance(one, e.Recorded) for one in found)


def test_where_money_is_limited_and_spent_nothing_is_asked() -> None:
    raised: list[str] = []

    async def work(ctx: HookContext) -> None:
        try:
            await ctx.call_model("noting", "Note.", "What happened?", max_output=100_000)
        except UsageError as error:
            raised.append(str(error))
        ctx.record("tried")

    price = Price("1", "1")
    model = ScriptedModel(lambda _: reply(say("Ok."), usage=Usage(10, 2)))
    run(
        done(
            Helper(work),
            model=model,
            budgets=Budgets(thread=40_000_000),
            limits=Limits(),
            prices={"custom:ScriptedModel": price},
        )
    )
    assert len(raised) == 1
    assert "does not pay for it" in raised[0]


def test_work_is_cancelled_when_the_session_is_closed() -> None:
    cancelled: list[bool] = []
    begun = asyncio.Event()

    async def work(ctx: HookContext) -> None:
        ctx.record("seen")
        begun.set()
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            cancelled.append(True)
            raise

    async def main() -> None:
        async with hosting(ScriptedModel(lambda _: say("Ok.")), Helper(work)) as harness:
            session = await harness.session()
            await (await session.send("Hi"))
            await begun.wait()
        assert cancelled == [True]

    run(main())


def test_nothing_can_be_done_beside_a_session_that_is_not_open() -> None:
    class Hasty(Capability):
        async def open(self, opening: Opening) -> "Hasty":
            opening.beside.spawn(self._work, self.name)
            return self

        async def _work(self, ctx: HookContext) -> None: ...

    async def main() -> None:
        async with hosting(ScriptedModel(lambda _: say("Ok.")), Hasty()) as harness:
            with pytest.raises(UsageError, match="once the session is open"):
                await harness.session()

    run(main())


def test_a_call_that_is_lost_with_its_session_counts_as_reserved(tmp_path: Path) -> None:
    async def work(ctx: HookContext) -> None:
        await ctx.call_model("noting", "Note.", "What happened?", max_output=1000)

    class Hanging(ScriptedModel):
        async def stream(self, request: Any):
            if request.system == "Note.":
                await asyncio.sleep(60)
            async for delta in super().stream(request):
                yield delta

    async def spent(text: str) -> int:
        model = Hanging(lambda _: reply(say("Ok."), usage=Usage(1000, 1000)))
        budgets, prices = Budgets(thread=10**12), {"custom:Hanging": Price("1", "1")}
        store = f"sqlite:{tmp_path / 'app.db'}"
        async with hosting(model, Helper(work), budgets=budgets, prices=prices, store=store) as one:
            session = await one.session()
            await (await session.send(text))
            await until(lambda: len(model.requests) == 1 and bool(session.folded.side_calls))
            return session.display.spent.cost

    first = run(spent("one"))
    assert first == 2_000_000
    # The two calls of the second, and what was reserved for the one that was lost.
    assert 2 * first + 1_000_000 < run(spent("two")) < 2 * first + 1_200_000
