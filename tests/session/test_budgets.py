"""Money: reserved before each call, counted after it, never more than there is."""

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from longrein.core import events as e
from longrein.core.errors import StoreFull, UsageError
from longrein.core.outcomes import Finished, LimitReached, Outcome
from longrein.core.usage import Limits, Usage
from longrein.harness import Harness
from longrein.loop.agent import Agent
from longrein.loop.setup import Budgets
from longrein.models.base import ModelSettings, Request
from longrein.models.catalog import ProviderSettings, Wire
from longrein.models.price import Price
from longrein.session.session import Session
from longrein.testing import Reply, Script, ScriptedModel, ScriptedServer, call, pause, reply, say
from tests.session.kit import harness, of, until, with_session
from tests.session.test_failures import Filling
from tests.session.tools import read
from tests.support import run

NAME = "custom:ScriptedModel"
INPUT, OUTPUT = 1_000, 10_000
"""What a token costs: a dollar and ten dollars for a million."""
PRICES = {NAME: Price(1, 10), "custom:titles": Price(1, 10)}
LITTLE = Usage(input=10, output=5)
WHOLE = 2_000_000
"""Pays for some input and about a hundred tokens of output."""


def costs(*replies: Reply, **more: Any) -> Harness:
    """A harness whose model says this, each for a little, and costs money."""
    script = [reply(one, usage=LITTLE) for one in replies]
    spoken = Script(script, otherwise=reply(say("ok"), usage=LITTLE))
    return harness(spoken, read, prices=PRICES, **more)


def greedy(request: Request) -> Reply:
    """Works for ever, and says as much as it may."""
    most = request.settings.max_output or 32_000
    return reply(call("read"), usage=Usage(input=10, output=most))


def crowd(budget: int) -> Harness:
    """A harness for many sessions that share a budget and would all spend it alone."""
    model = ScriptedModel(greedy, delay=0.001)
    agent = Agent("tester", model=model, tools=[read], settings=ModelSettings(max_output=100))
    return Harness(agent, prices=PRICES, budgets=Budgets(resource=budget), environ={})


def limit(outcome: Outcome) -> str:
    assert isinstance(outcome, LimitReached), outcome
    return outcome.limit


def sqlite(tmp_path: Path) -> str:
    return f"sqlite:{tmp_path / 'money.db'}"


def test_without_a_limit_nothing_is_reserved_and_nothing_cut() -> None:
    model = ScriptedModel(lambda _: say("ok"))

    async def body(session: Session) -> None:
        assert await (await session.send("go")) == Finished("ok")
        (started,) = await of(session, e.StepStarted)
        assert (started.reserved, started.max_output) == (0, None)
        assert model.requests[0].settings.max_output is None

    with_session(harness(model, prices=PRICES), body)


def test_what_a_call_can_cost_at_worst_is_reserved_and_what_is_not_paid_for_is_cut() -> None:
    model = ScriptedModel(greedy)

    async def body(session: Session) -> None:
        assert limit(await (await session.send("go", limits=Limits(cost=WHOLE)))) == "cost"
        first = (await of(session, e.StepStarted))[0]
        assert first.max_output is not None
        assert WHOLE - OUTPUT < first.reserved <= WHOLE
        assert model.requests[0].settings.max_output == first.max_output
        assert session.folded.spent.cost <= WHOLE

    with_session(harness(model, read, prices=PRICES), body)


def test_a_smaller_output_that_is_configured_stays_as_it_is() -> None:
    model = ScriptedModel(lambda _: say("ok"))
    agent = Agent("tester", model=model, settings=ModelSettings(max_output=50))

    async def body(session: Session) -> None:
        assert await (await session.send("go", limits=Limits(cost=WHOLE))) == Finished("ok")
        (started,) = await of(session, e.StepStarted)
        assert started.max_output is None
        assert 50 * OUTPUT < started.reserved < WHOLE
        assert model.requests[0].settings.max_output == 50

    with_session(Harness(agent, prices=PRICES, environ={}), body)


FIELDS: Mapping[Wire, tuple[str, str]] = {
    "openai_chat": ("/v1", "max_completion_tokens"),
    "openai_responses": ("/v1", "max_output_tokens"),
    "anthropic": ("", "max_tokens"),
}


@pytest.mark.parametrize("wire", FIELDS)
def test_the_provider_is_told_where_to_cut(wire: Wire) -> None:
    path, field = FIELDS[wire]

    async def test() -> None:
        async with ScriptedServer(Script([say("ok")]), bodies=True) as server:
            house = ProviderSettings(base_url=server.url + path, key="sk-x", wire=wire)
            agent = Agent("tester", model="house:large")
            prices = {"house:large": Price(1, 10)}
            async with Harness(agent, providers={"house": house}, prices=prices, environ={}) as one:
                session = await one.session()
                await (await session.send("go", limits=Limits(cost=WHOLE)))
                (started,) = await of(session, e.StepStarted)
        body = json.loads(server.requests[0].body)
        sent = body.get(field, body.get("max_tokens"))
        assert sent == started.max_output
        assert sent is not None

    run(test())


def test_a_run_that_money_stopped_or_cut_short_goes_on_with_more() -> None:
    cut = reply(say("To be"), stop="length", usage=LITTLE)

    async def body(session: Session) -> None:
        assert limit(await (await session.send("go", limits=Limits(cost=1_000)))) == "cost"
        assert session.folded.spent.steps == 0
        assert limit(await (await session.proceed(limits=Limits(cost=WHOLE)))) == "cost"
        assert await (await session.proceed(limits=Limits(cost=100 * WHOLE))) == Finished("or not")

    with_session(harness([cut, say("or not")], prices=PRICES), body)


@pytest.mark.parametrize(
    "money",
    [
        {"limits": Limits(cost=WHOLE)},
        {"budgets": Budgets(thread=WHOLE)},
        {"budgets": Budgets(resource=WHOLE)},
    ],
)
def test_what_a_call_did_not_use_is_there_for_the_next(money: dict[str, Any]) -> None:
    """Each reserves all that is left, and uses little of it."""
    script = [*[call("read")] * 5, say("done")]

    async def body(session: Session) -> None:
        assert await (await session.send("go")) == Finished("done")
        started = await of(session, e.StepStarted)
        assert all(step.reserved > WHOLE // 2 for step in started)
        assert session.folded.spent.cost == 6 * (10 * INPUT + 5 * OUTPUT)

    with_session(costs(*script, **money), body)


def test_the_budget_of_a_thread_holds_over_all_its_runs_and_for_it_alone() -> None:
    async def test() -> None:
        made = harness(ScriptedModel(greedy), read, prices=PRICES, budgets=Budgets(thread=WHOLE))
        async with made as host:
            session = await host.session("ada")
            assert limit(await (await session.send("go"))) == "cost"
            assert limit(await (await session.send("go on"))) == "cost"
            assert WHOLE // 2 < session.folded.spent.cost <= WHOLE
            other = await host.session("ada", new=True)
            assert limit(await (await other.send("go"))) == "cost"
            assert other.folded.spent.cost > WHOLE // 2

    run(test())


def test_twenty_sessions_at_once_do_not_pass_the_budget_of_their_resource() -> None:
    budget = 60_000_000

    async def test() -> None:
        async with crowd(budget) as host:
            sessions = [await host.session("ada", f"s{n}") for n in range(20)]
            runs = [await session.send("go") for session in sessions]
            outcomes = await asyncio.gather(*runs)
            assert {limit(outcome) for outcome in outcomes} == {"cost"}
            total = sum(session.folded.spent.cost for session in sessions)
            assert budget * 0.9 < total <= budget
            assert (await host.spent("ada")).cost == total
            assert sum(s.folded.spent.steps > 0 for s in sessions) == 20

    run(test())


def test_sessions_that_come_and_go_while_others_run_neither_hide_nor_double_a_cost() -> None:
    budget = 40_000_000

    async def come_and_go(host: Harness, scope: str) -> None:
        while True:
            session = await host.session("ada", scope)
            outcome = await (await session.send("go", limits=Limits(steps=2)))
            if limit(outcome) == "cost":
                return
            if scope == "fork":
                await host.fork("ada", session.thread)
            await (host.delete("ada", session.thread) if scope == "gone" else session.close())

    async def test() -> None:
        async with crowd(budget) as host:
            await asyncio.gather(*(come_and_go(host, s) for s in ("a", "b", "gone", "fork", "c")))
            spent = (await host.spent("ada")).cost
            assert budget * 0.95 < spent <= budget

    run(test())


def test_a_thread_that_is_opened_again_is_counted_once(tmp_path: Path) -> None:
    async def test() -> None:
        used = 0
        for _ in range(4):
            async with costs(store=sqlite(tmp_path), budgets=Budgets(resource=WHOLE)) as host:
                session = await host.session("ada")
                assert await (await session.send("go")) == Finished("ok")
                reserved = (await of(session, e.StepStarted))[-1].reserved
                assert WHOLE - OUTPUT < reserved + used <= WHOLE
                used = session.folded.spent.cost

    run(test())


def test_a_deleted_thread_and_a_fork_still_count_for_their_resource() -> None:
    step = 10 * INPUT + 5 * OUTPUT

    async def test() -> None:
        async with costs(budgets=Budgets(resource=WHOLE)) as host:
            session = await host.session("ada")
            await (await session.send("one"))
            fork = await host.fork("ada", session.thread)
            assert fork.folded.spent.cost == 0
            await (await fork.send("two"))
            assert (fork.folded.spent.cost, session.folded.spent.cost) == (step, step)
            await host.delete("ada", fork.thread)
            assert (await host.spent("ada")).cost == 2 * step
            assert (await host.spent("bob")).cost == 0
            await (await session.send("three"))
            reserved = (await of(session, e.StepStarted))[-1].reserved
            assert reserved <= WHOLE - 2 * step

    run(test())


def test_a_reservation_that_could_not_be_written_is_given_back() -> None:
    store = Filling()

    async def test() -> None:
        async with costs(store=store, budgets=Budgets(resource=WHOLE)) as host:
            here, there = await host.session("ada", "here"), await host.session("ada", "there")
            await here.rename("here")
            store.full = True
            with pytest.raises(StoreFull):
                await here.send("go")
            store.full = False
            assert await (await there.send("go")) == Finished("ok")
            (started,) = await of(there, e.StepStarted)
            assert started.reserved > WHOLE - OUTPUT

    run(test())


def test_a_call_that_was_lost_with_its_process_counts_as_reserved(tmp_path: Path) -> None:
    limits = Limits(cost=10 * WHOLE)

    async def test() -> None:
        model = ScriptedModel(lambda _: reply(pause(), say("never")))
        async with harness(model, prices=PRICES, store=sqlite(tmp_path)) as first:
            session = await first.session("ada")
            handle = await session.send("go", limits=limits)
            await until(lambda: model.open == 1)
        async with costs(store=sqlite(tmp_path)) as second:
            session = await second.session("ada", resume=True)
            assert limit(await session.run(handle.id)) == "cost"
            (started,) = await of(session, e.StepStarted)
            assert session.folded.spent.cost == started.reserved > 10 * WHOLE - OUTPUT

    run(test())


def test_a_call_of_which_nobody_says_what_it_used_counts_as_reserved() -> None:
    async def body(session: Session) -> None:
        assert await (await session.send("go", limits=Limits(cost=WHOLE))) == Finished("ok")
        (started,) = await of(session, e.StepStarted)
        assert session.folded.spent.cost == started.reserved

    with_session(harness([reply(say("ok"), usage=None)], prices=PRICES), body)


@pytest.mark.parametrize("budgets", [Budgets(thread=WHOLE), Budgets(resource=WHOLE)])
def test_an_unknown_price_is_refused_at_the_start_unless_it_is_allowed_by_name(
    budgets: Budgets,
) -> None:
    async def test() -> None:
        async with harness([say("ok")], budgets=budgets) as host:
            session = await host.session()
            with pytest.raises(UsageError, match=f"nobody knows what {NAME} costs.*unpriced"):
                await session.send("go")
            assert session.folded.seq == 0
        async with harness([say("ok")], budgets=budgets, unpriced=[NAME]) as host:
            session = await host.session()
            assert await (await session.send("go")) == Finished("ok")
            assert (session.folded.spent.cost, session.folded.spent.unpriced) == (0, 0)
        async with costs(unpriced=[NAME], budgets=budgets) as host:
            session = await host.session()
            await (await session.send("go"))
            assert session.folded.spent.cost == 10 * INPUT + 5 * OUTPUT, "a known price counts"

    run(test())


def test_a_switch_to_a_model_without_a_price_stops_a_run_that_has_a_limit() -> None:
    free = ScriptedModel(lambda _: say("free"))

    async def body(session: Session) -> None:
        model = "custom:ScriptedModel-2"
        await session.switch_model(model)
        with pytest.raises(UsageError, match=model):
            await session.send("go")
        await session.signal("wake up")
        await until(lambda: bool(session.folded.outcomes))
        (outcome,) = session.folded.outcomes.values()
        assert isinstance(outcome, LimitReached)
        assert f"nobody knows what {model} costs" in outcome.message
        assert list(free.requests) == []

    paid = ScriptedModel(lambda _: say("ok"))
    with_session(harness([paid, free], prices=PRICES, budgets=Budgets(thread=WHOLE)), body)


def test_usage_is_told_for_each_step_run_thread_and_resource() -> None:
    each = 10 * INPUT + 5 * OUTPUT

    async def test() -> None:
        async with costs(call("read"), say("a"), say("b")) as host:
            session = await host.session("ada")
            await (await session.send("one"))
            await (await session.send("two"))
            steps = await of(session, e.StepEnded)
            assert [(step.usage, step.cost) for step in steps] == [(LITTLE, each)] * 3
            assert session.display.spent.cost == (await host.spent("ada")).cost == 3 * each
            assert (await host.spent("ada")).usage == Usage(30, 15)

    run(test())


def title(_: Request) -> Reply:
    return reply(say("A title"), usage=LITTLE)


def test_what_a_title_costs_is_counted() -> None:
    async def body(session: Session) -> None:
        await (await session.send("go"))
        await until(lambda: session.folded.title == "A title")
        assert session.folded.spent.cost == 2 * (10 * INPUT + 5 * OUTPUT)
        row = await session.conductor.store.thread(session.thread)
        assert row is not None
        assert row.spent == session.folded.spent

    with_session(costs(titles=ScriptedModel(title)), body)


def test_a_title_that_is_not_paid_for_is_not_made() -> None:
    async def body(session: Session) -> None:
        assert await (await session.send("go")) == Finished("ok")
        await until(lambda: bool(session.folded.warnings))
        (side,) = await of(session, e.SideCallEnded)
        assert side.problem is not None
        assert "does not pay for it" in side.problem.message
        assert session.folded.title == ""

    with_session(costs(titles=ScriptedModel(title), budgets=Budgets(thread=WHOLE)), body)
