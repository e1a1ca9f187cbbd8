"""What compaction counts: the tokens of requests, and what a summary costs."""

import pytest

from longrein.context.estimate import estimate_messages
from longrein.context.summary import Compaction
from longrein.core import events as e
from longrein.core.errors import Auth, ContextOverflow, ModelError, RateLimited
from longrein.core.outcomes import Finished, LimitReached
from longrein.core.usage import Limits, Usage
from longrein.harness import Harness
from longrein.loop.agent import Agent
from longrein.models.base import Request
from longrein.models.price import Price
from longrein.session.session import Session
from longrein.testing import Reply, ScriptedModel, fail, pause, reply, say
from tests.session.crowded import TEXT, Looker, crowded, look
from tests.session.kit import of, with_session

MONEY = 4_000_000_000


def test_the_cost_of_a_summary_counts_and_is_limited() -> None:
    model = Looker(100)

    async def body(session: Session) -> None:
        outcome = await (await session.send("Go", limits=Limits(None, cost=MONEY)))
        assert isinstance(outcome, LimitReached)
        assert outcome.limit == "cost"
        started = await of(session, e.CompactionStarted)
        assert started
        assert all(one.reserved > 0 for one in started)
        assert session.folded.spent.cost <= MONEY

    with_session(crowded(model), body)


def test_a_summary_that_was_cut_off_counts_as_it_is_estimated() -> None:
    model = Looker(40, lambda request: reply(say("word " * 400, size=0), pause(), usage=None))

    async def body(session: Session) -> None:
        await (await session.send("Look at all of it."))
        (failed,) = await of(session, e.CompactionFailed)
        assert failed.usage.input > 4_000
        assert failed.usage.output > 400
        assert failed.cost == 1_000 * failed.usage.input + 2_000 * failed.usage.output
        assert session.folded.spent.cost == failed.cost

    with_session(crowded(model, compaction=Compaction(timeout=0.3)), body)


@pytest.mark.parametrize("error", [Auth("no key"), RateLimited("slowly"), ContextOverflow("long")])
def test_a_summary_that_was_refused_costs_nothing_where_money_is_limited(error: ModelError) -> None:
    model = Looker(20, lambda request: fail(error))

    async def body(session: Session) -> None:
        await (await session.send("Go", limits=Limits(None, cost=100 * MONEY)))
        (started,) = await of(session, e.CompactionStarted)
        (failed,) = await of(session, e.CompactionFailed)
        assert started.reserved > 0
        assert (failed.usage, failed.cost) == (Usage(), 0)

    with_session(crowded(model), body)


def test_thoughts_that_are_not_sent_again_take_no_room() -> None:
    def thinking(request: Request) -> Reply:
        answer, tokens = looker(request), estimate_messages(request.messages)
        return Reply(answer.pieces, usage=Usage(tokens, 4_050, reasoning=4_000))

    looker = Looker(4)

    async def body(session: Session) -> None:
        await (await session.send("Look at all of it."))
        assert not await of(session, e.Compacted)
        assert (await session.context()).total < 4_000

    with_session(crowded(thinking), body)


def test_a_large_system_text_does_not_make_every_step_begin_an_epoch() -> None:
    model = Looker(30)

    async def body(session: Session) -> None:
        assert await (await session.send("Look.")) == Finished("All is looked at.")
        assert len(await of(session, e.Compacted)) <= 15

    agent = Agent("t", model=ScriptedModel(model), tools=[look], instructions=TEXT * 9)
    prices = {"custom:ScriptedModel": Price("1", "2", window=8_000)}
    with_session(Harness(agent, prices=prices, limits=Limits(steps=None), environ={}), body)
