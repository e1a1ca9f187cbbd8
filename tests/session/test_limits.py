"""Limits: a run stops at each of them, and goes on with more."""

import asyncio

import pytest

from longrein.core.errors import UsageError
from longrein.core.outcomes import Finished, LimitReached, Outcome, Waiting
from longrein.core.usage import Limits, Usage
from longrein.models.price import Price
from longrein.session.session import Session
from longrein.testing import ScriptedModel, call, reply, say
from longrein.tools.define import tool
from tests.session.kit import harness, with_session
from tests.session.tools import deploy, read
from tests.support import run


def limit(outcome: Outcome) -> str:
    """Which limit ended a run."""
    assert isinstance(outcome, LimitReached), outcome
    return outcome.limit


def always(_: object):
    """A model that never stops calling a tool."""
    return reply(call("read"), usage=Usage(input=90, output=10))


@pytest.mark.parametrize(
    ("limits", "name", "steps"),
    [
        (Limits(steps=3), "steps", 3),
        (Limits(tokens=250), "tokens", 3),
    ],
)
def test_a_run_stops_at_its_limit(limits: Limits, name: str, steps: int) -> None:
    model = ScriptedModel(always)
    prices = {"custom:ScriptedModel": Price(10, 10)}

    async def body(session: Session) -> None:
        assert limit(await (await session.send("go"))) == name
        assert session.folded.spent.steps == steps == len(model.requests)

    with_session(harness(model, read, limits=limits, prices=prices), body)


def test_a_model_that_always_calls_a_tool_stops_after_250_steps() -> None:
    async def body(session: Session) -> None:
        assert limit(await (await session.send("go"))) == "steps"
        assert session.folded.spent.steps == 250

    with_session(harness(always, read), body)


def test_proceed_goes_on_with_more() -> None:
    script = [call("read"), call("read"), call("read"), say("done")]

    async def body(session: Session) -> None:
        assert limit(await (await session.send("go", limits=Limits(steps=2)))) == "steps"
        assert limit(await (await session.proceed(limits=Limits(steps=1)))) == "steps"
        assert await (await session.proceed()) == Finished("done")

    with_session(harness(script, read), body)


def test_the_time_limit_stops_a_tool_that_runs() -> None:
    enough = asyncio.Event()

    @tool
    async def sleep() -> str:
        """Sleep long."""
        await enough.wait()
        return "rested"

    async def body(session: Session) -> None:
        run = await session.send("go", limits=Limits(seconds=0.05))
        assert limit(await run) == "seconds"
        assert session.display.activity == "idle"
        enough.set()  # if the machine was so busy that it had not even begun
        assert await (await session.proceed(limits=Limits())) == Finished("ok")

    with_session(harness([call("sleep"), say("ok")], sleep), body)


def test_waiting_for_a_person_does_not_count_as_time() -> None:
    async def outcome(seconds: float) -> Outcome:
        async with harness([call("deploy", target="x"), say("ok")], deploy) as host:
            session = await host.session("tester")
            run = await session.send("go", limits=Limits(seconds=seconds))
            if not isinstance(asked := await run, Waiting):
                return asked
            await asyncio.sleep(seconds * 1.5)
            await session.approve(asked.approvals[0])
            return await run

    # On a busy machine the run itself may take as long: then once more, with more time.
    assert run(outcome(0.2)) == Finished("ok") or run(outcome(10)) == Finished("ok")


def test_a_limit_of_money_without_a_known_price_is_refused_at_the_start() -> None:
    model = ScriptedModel(always)

    async def body(session: Session) -> None:
        with pytest.raises(UsageError, match="nobody knows what custom:ScriptedModel costs"):
            await session.send("go", limits=Limits(cost=1))
        assert session.folded.seq == 0

    with_session(harness(model, read), body)


def test_usage_and_cost_are_counted_per_run_and_thread() -> None:
    prices = {"custom:ScriptedModel": Price("1", "2")}
    script = [reply(call("read"), usage=Usage(input=1000, output=100)), say("a"), say("b")]

    async def body(session: Session) -> None:
        await (await session.send("one"))
        first = session.folded.spent
        assert (first.usage.input, first.usage.output, first.steps) == (1100, 110, 2)
        assert first.cost == 1100 * 1000 + 110 * 2000
        await (await session.send("two"))
        assert session.display.spent.steps == 3

    with_session(harness(script, read, prices=prices), body)
