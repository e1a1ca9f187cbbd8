"""Money and tokens of a tree: what children use rolls up, and what limits the root limits all."""

from typing import Any

import pytest

from longrein.capabilities.subagents.capability import Subagents
from longrein.capabilities.subagents.spec import Subagent
from longrein.core import events as e
from longrein.core.outcomes import Finished, LimitReached
from longrein.core.usage import Limits, Usage
from longrein.harness import Harness
from longrein.loop.agent import Agent
from longrein.loop.setup import Budgets
from longrein.models.base import ModelSettings
from longrein.models.price import Price
from longrein.session.session import Session
from longrein.storage.memory import MemoryStore
from longrein.testing import Reply, Script, ScriptedModel, call, calls, reply, say
from longrein.testing.scripted import when
from tests.session.families import child_of, ends, look, results, task, write
from tests.session.kit import log, of, until, waiting, with_session
from tests.support import run

NAME = "custom:ScriptedModel"
DOLLAR = 1_000_000_000
OUTPUT = 100
STEP = OUTPUT * 1000
"""What a step costs that writes all it may, in billionths: its input is free."""
PRICE = Price("0", "1")


def _says(text: Reply, tokens: int = OUTPUT) -> Reply:
    return reply(text, usage=Usage(output=tokens))


def _paid(*rules: Any, agents: Any = (), store: Any = None, **more: Any) -> Harness:
    agent = Agent(
        "root",
        model=ScriptedModel(Script(rules=rules)),
        tools=[look, write],
        capabilities=[Subagents(agents)],
        settings=ModelSettings(max_output=OUTPUT),
    )
    store = store or MemoryStore()
    return Harness(agent, store=store, environ={}, prices={NAME: PRICE}, **more)


def _three(steps: int) -> list[Any]:
    """A root with three children at once, each of so many steps."""
    work = [_says(call("look", at=str(n))) for n in range(steps - 1)]
    children = [when(name, *work, _says(say(f"{name}."))) for name in ("one", "two", "three")]
    root = when("begin", _says(calls(task("one"), task("two"), task("three"))), _says(say("Done.")))
    return [root, *children]


def test_what_children_used_rolls_up() -> None:
    async def body(session: Session) -> None:
        await (await session.send("begin"))
        assert session.folded.spent.cost == 2 * STEP
        assert session.folded.below.cost == 6 * STEP
        assert (session.display.spent.cost, session.display.below.cost) == (8 * STEP, 6 * STEP)
        assert sum(one.spent.cost for one in await of(session, e.ChildEnded)) == 6 * STEP

    with_session(_paid(*_three(2)), body)


@pytest.mark.parametrize("limit", [4, 5, 7, 9])
def test_a_limit_of_money_holds_for_three_children_at_once(limit: int) -> None:
    async def body(session: Session) -> None:
        sent = await session.send("begin", limits=Limits(cost=limit * STEP))
        outcome = await sent
        shown = session.display
        assert shown.spent.cost <= limit * STEP
        statuses = ends(await log(session))
        assert len(statuses) == 3
        if limit < 11:
            assert isinstance(outcome, LimitReached)
            assert "limit" in statuses

    with_session(_paid(*_three(3)), body)


def test_a_limit_that_is_just_enough_is_enough() -> None:
    async def body(session: Session) -> None:
        sent = await session.send("begin", limits=Limits(cost=11 * STEP))
        assert await sent == Finished("Done.")
        assert session.display.spent.cost == 11 * STEP

    with_session(_paid(*_three(3)), body)


def test_a_budget_of_the_thread_holds_for_its_tree() -> None:
    async def body(session: Session) -> None:
        await (await session.send("begin"))
        assert session.display.spent.cost <= 5 * STEP
        assert "limit" in ends(await log(session))

    with_session(_paid(*_three(3), budgets=Budgets(thread=5 * STEP)), body)


def test_a_budget_of_the_resource_counts_a_child_once() -> None:
    async def body(session: Session) -> None:
        assert await (await session.send("begin")) == Finished("Done.")
        store = session.services.store
        assert (await store.spent(session.resource)).cost == 11 * STEP

    with_session(_paid(*_three(3), budgets=Budgets(resource=11 * STEP)), body)


def test_a_child_has_the_limits_of_its_subagent_if_these_are_less() -> None:
    agent = Subagent("poor", "Is poor.", limits=Limits(cost=STEP))
    root = when("begin", _says(task("go", "poor")), _says(say("Done.")))
    child = when("go", _says(call("look", at="a")), _says(say("Never.")))

    async def body(session: Session) -> None:
        sent = await session.send("begin", limits=Limits(cost=100 * STEP))
        assert await sent == Finished("Done.")
        assert ends(await log(session)) == ["limit"]
        assert session.folded.below.cost == STEP

    with_session(_paid(root, child, agents=[agent]), body)


def test_a_limit_of_tokens_holds_for_the_tree() -> None:
    async def body(session: Session) -> None:
        sent = await session.send("begin", limits=Limits(tokens=4 * OUTPUT))
        assert isinstance(await sent, LimitReached)
        assert "limit" in ends(await log(session))
        # Tokens are not reserved: those in flight may pass the limit by what they use.
        assert session.display.spent.usage.total <= 7 * OUTPUT

    with_session(_paid(*_three(3)), body)


def test_a_child_in_the_background_is_held_to_what_its_run_may_still_spend() -> None:
    work = [_says(call("look", at=str(n))) for n in range(9)]
    root = when("begin", _says(task("go", background=True)), _says(say("Begun.")))
    rules = [root, when("go", *work, _says(say("Never.")))]

    async def body(session: Session) -> None:
        sent = await session.send("begin", limits=Limits(cost=5 * STEP))
        assert await sent == Finished("Begun.")
        await until(lambda: not session.folded.children[0].open)
        assert session.folded.children[0].state == "limit"
        assert session.folded.children[0].spent.cost == 3 * STEP
        assert session.folded.accounts == ()

    with_session(_paid(*rules), body)


def test_a_grandchild_is_held_to_what_the_root_has_left() -> None:
    rules = [
        when("begin", _says(task("middle")), _says(say("Done."))),
        when("middle", _says(task("below")), _says(say("Middle."))),
        when("below", _says(call("look", at="a")), _says(call("look", at="b")), _says(say("x"))),
    ]

    async def body(session: Session) -> None:
        sent = await session.send("begin", limits=Limits(cost=4 * STEP))
        await sent
        assert session.display.spent.cost == 4 * STEP
        middle = await child_of(session)
        assert "ran into a limit" in results(middle)[0] or "limit" in ends(await log(middle))

    with_session(_paid(*rules), body)


def test_what_an_ended_child_uses_later_counts_and_stays_within_the_budget_of_its_root() -> None:
    more = when("more", *(_says(call("look", at=str(n))) for n in range(20)))
    rules = [
        more,
        when("begin", _says(task("one")), _says(say("Done."))),
        when("one", _says(say("1."))),
    ]

    async def test() -> None:
        store, budgets = MemoryStore(), Budgets(thread=6 * STEP)
        async with _paid(*rules, store=store, budgets=budgets) as host:
            session = await host.session("tester")
            await (await session.send("begin"))
            child = await host.session("tester", thread=session.folded.children[0].thread)
            assert isinstance(await (await child.send("more")), LimitReached)
            assert child.display.spent.cost == 4 * STEP
            assert session.display.spent.cost == 6 * STEP
            await until(lambda: session.folded.below.cost == 4 * STEP)
            assert len(await of(session, e.ChildSpent)) == 1
            assert session.children()[0].spent.cost == 4 * STEP
        async with _paid(*rules, store=store, budgets=budgets) as host:
            session = await host.session("tester", thread=session.thread)
            assert session.display.spent.cost == 6 * STEP

    run(test())


def test_what_an_ended_child_used_counts_although_all_was_closed_while_it_waits() -> None:
    more = [*(_says(call("look", at=str(n))) for n in range(3)), _says(call("write", text="x"))]
    rules = [
        when("begin", _says(task("one")), _says(say("Done."))),
        when("one", _says(say("1."))),
        when("more", *more, _says(say("Written."))),
        when("again", *(_says(call("look", at=str(n))) for n in range(9))),
    ]

    async def test() -> None:
        store, budgets = MemoryStore(), Budgets(thread=9 * STEP)
        async with _paid(*rules, store=store, budgets=budgets) as host:
            session = await host.session("tester")
            await (await session.send("begin"))
            child = await host.session("tester", thread=session.folded.children[0].thread)
            await waiting(await child.send("more"))
            assert session.display.spent.cost == 7 * STEP
        async with _paid(*rules, store=store, budgets=budgets) as host:
            session = await host.session("tester", thread=session.thread)
            assert session.display.spent.cost == 7 * STEP
            assert isinstance(await (await session.send("again")), LimitReached)
            assert (await store.spent("tester")).cost == session.display.spent.cost == 9 * STEP
            child = await host.session("tester", thread=child.thread)
            await child.decline(child.display.approvals[0].id, "No.")
            await until(lambda: child.folded.run is None)
            await until(lambda: session.folded.below.cost == 5 * STEP)
            assert session.display.spent.cost == 9 * STEP

    run(test())


def test_what_an_ended_grandchild_used_counts_when_its_parent_is_opened_again() -> None:
    rules = [
        when("begin", _says(task("middle")), _says(say("Done."))),
        when("middle", _says(task("below")), _says(say("Middle."))),
        when("below", _says(say("Below."))),
        when("more", _says(call("look", at="a")), _says(call("write", text="x"))),
    ]

    async def test() -> None:
        store = MemoryStore()
        async with _paid(*rules, store=store) as host:
            session = await host.session("tester")
            await (await session.send("begin"))
            middle = await host.session("tester", thread=session.folded.children[0].thread)
            below = await host.session("tester", thread=middle.folded.children[0].thread)
            await waiting(await below.send("more"))
            assert session.display.spent.cost == 7 * STEP
        async with _paid(*rules, store=store) as host:
            session = await host.session("tester", thread=session.thread)
            assert session.display.spent.cost == 7 * STEP
            middle = await host.session("tester", thread=middle.thread)
            assert (middle.display.spent.cost, session.display.spent.cost) == (5 * STEP, 7 * STEP)
            assert all(one.spent.cost >= 4 * STEP for one in await of(session, e.ChildSpent))

    run(test())


def test_what_a_child_used_counts_although_it_cannot_be_opened_any_more() -> None:
    rules = [
        when("begin", _says(task("one", "old")), _says(say("Done."))),
        when("one", _says(task("two")), _says(call("write", text="x"))),
        when("two", _says(say("2."))),
    ]

    async def test() -> None:
        store = MemoryStore()
        async with _paid(*rules, agents=[Subagent("old", "Works.")], store=store) as host:
            session = await host.session("tester")
            await waiting(await session.send("begin"))
            assert session.display.below.cost == 3 * STEP
        async with _paid(*rules, agents=[Subagent("new", "Works.")], store=store) as host:
            session = await host.session("tester", thread=session.thread)
            assert session.display.below.cost == 3 * STEP
            await session.resume()
            await until(lambda: session.folded.run is None)
            assert (ends(await log(session)), session.folded.below.cost) == (["failed"], 3 * STEP)
            assert session.display.below.cost == 3 * STEP

    run(test())
