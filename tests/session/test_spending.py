"""Money for calls that did not go as planned: too long, broken off, cut short, or for nothing."""

import pytest

from longrein.core import events as e
from longrein.core.outcomes import Aborted, Finished, LimitReached
from longrein.core.usage import ASSUMED_OUTPUT, Limits
from longrein.session.session import Session
from longrein.testing import Reply, ScriptedModel, broken, call, pause, reply, say, think
from tests.session.kit import harness, of, until, with_session
from tests.session.test_budgets import INPUT, LITTLE, OUTPUT, PRICES, costs

PLENTY = Limits(cost=10_000_000_000)
"""Pays for many calls with all the output that is assumed."""


def test_a_maximum_of_output_is_sent_only_where_money_cuts_it_short() -> None:
    model = ScriptedModel(lambda _: say("ok"))
    plenty = Limits(cost=ASSUMED_OUTPUT * OUTPUT + 10_000 * INPUT)
    little = Limits(cost=ASSUMED_OUTPUT * OUTPUT // 2)

    async def body(session: Session) -> None:
        for limits in (plenty, little):
            assert await (await session.send("go", limits=limits)) == Finished("ok")
        one, two = await of(session, e.StepStarted)
        assert one.max_output is model.requests[0].settings.max_output is None
        assert two.max_output == model.requests[1].settings.max_output
        assert two.max_output is not None
        assert two.max_output < ASSUMED_OUTPUT

    with_session(harness(model, prices=PRICES), body)


def test_a_model_that_costs_nothing_is_not_held_to_anything() -> None:
    model = ScriptedModel(lambda _: say("ok"))

    async def body(session: Session) -> None:
        assert await (await session.send("go", limits=PLENTY)) == Finished("ok")
        assert model.requests[0].settings.max_output is None

    with_session(harness(model, unpriced=["custom:ScriptedModel"]), body)


def test_a_reply_that_is_cut_at_the_assumed_output_was_not_cut_by_money() -> None:
    async def body(session: Session) -> None:
        outcome = await (await session.send("go", limits=PLENTY))
        assert isinstance(outcome, LimitReached)
        assert outcome.limit == "output"

    with_session(costs(reply(say("To be"), stop="length")), body)


@pytest.mark.parametrize("heard", [think("hm"), call("read", path="/a"), say("half")])
def test_a_call_that_broke_off_counts_as_reserved_whatever_was_heard_of_it(heard: Reply) -> None:
    replies = iter([reply(heard, broken()), reply(say("ok"), usage=LITTLE)])

    async def body(session: Session) -> None:
        assert await (await session.send("go", limits=PLENTY)) == Finished("ok")
        first, _ = await of(session, e.StepStarted)
        (failed,) = await of(session, e.StepFailed)
        assert failed.dropped > 0
        assert session.folded.spent.cost == first.reserved + 10 * INPUT + 5 * OUTPUT

    with_session(harness(lambda _: next(replies), prices=PRICES), body)


@pytest.mark.parametrize("heard", [think("x" * 4000), call("read", path="x" * 4000)])
def test_an_interrupted_call_counts_what_was_thought_and_written_as_arguments(heard: Reply) -> None:
    model = ScriptedModel(lambda _: reply(heard, pause()))

    async def body(session: Session) -> None:
        handle = await session.send("go", limits=PLENTY)
        await until(lambda: sum(map(len, _written(session))) >= 4000)
        await session.interrupt()
        assert isinstance(await handle, Aborted)
        (interrupted,) = await of(session, e.StepInterrupted)
        assert interrupted.usage.output >= 1000

    with_session(harness(model, prices=PRICES), body)


def _written(session: Session) -> list[str]:
    writing = session.display.writing
    return [] if writing is None else [writing.reasoning, *(text for _, text in writing.calls)]


@pytest.mark.parametrize(
    "said", [reply(say(" "), usage=LITTLE), reply(say("x"), stop="filtered", usage=LITTLE)]
)
def test_what_a_title_cost_that_came_to_nothing_is_counted(said: Reply) -> None:
    async def body(session: Session) -> None:
        await (await session.send("go"))
        await until(lambda: bool(session.folded.warnings))
        (side,) = await of(session, e.SideCallEnded)
        assert side.problem is not None
        assert side.usage == LITTLE
        assert session.folded.spent.cost == 2 * (10 * INPUT + 5 * OUTPUT)
        assert session.folded.title == ""

    with_session(costs(titles=ScriptedModel(lambda _: said)), body)
