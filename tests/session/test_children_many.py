"""Many children of one step or one call: nobody has to wait for a place that nobody needs."""

import pytest

from longrein.core.errors import UsageError
from longrein.core.fold_children import MOST_ENDED
from longrein.core.outcomes import Finished
from longrein.loop.deadlines import Unattended
from longrein.session.session import Session
from longrein.storage.memory import MemoryStore
from longrein.testing import call, calls, say
from longrein.testing.scripted import When, when
from longrein.tools.children import Order
from longrein.tools.context import Context
from longrein.tools.define import tool
from tests.session.families import GENERAL, family, results, task, write
from tests.session.kit import until, waiting, with_session
from tests.support import run

DONE = say("Done.")


def _jobs(waiting: int, working: int = 0) -> list[When]:
    """A step with so many children that ask a person, then so many that do not."""
    names = [f"job {number:02d}." for number in range(waiting + working)]
    asks = call("write", text="x")
    sees = call("look", at="x")
    return [
        when("begin", calls(*map(task, names)), DONE),
        *(
            when(name, asks if number < waiting else sees, say(name))
            for number, name in enumerate(names)
        ),
    ]


@pytest.mark.parametrize("working", [0, 3])
def test_children_that_wait_for_people_hold_no_place(working: int) -> None:
    async def body(session: Session) -> None:
        sent = await session.send("begin")
        asked = await waiting(sent)
        assert len(asked.approvals) == 9
        for approval in asked.approvals:
            await session.approve(approval)
        assert await sent == Finished("Done.")
        assert len(results(session)) == 9 + working

    with_session(family(_jobs(9, working)), body)


def test_what_may_only_run_alone_does_not_hide_that_a_child_waits() -> None:
    @tool(category="read", exclusive=True)
    def settle() -> str:
        """Settle it."""
        return "settled"

    rules = [
        when("begin", calls(task("write it"), call("settle")), DONE),
        when("write it", call("write", text="x"), say("Written.")),
    ]

    async def body(session: Session) -> None:
        sent = await session.send("begin")
        asked = await waiting(sent)
        assert results(session) == []
        await session.approve(asked.approvals[0])
        assert await sent == Finished("Done.")
        assert results(session) == ["Written.", "settled"]

    with_session(family(rules, tools=[write, settle]), body)


def test_a_run_is_parked_where_it_and_a_child_wait() -> None:
    rules = [
        when("begin", calls(task("write it"), call("write", text="own")), DONE),
        when("write it", call("write", text="x"), say("Written.")),
    ]

    async def body(session: Session) -> None:
        sent = await session.send("begin")
        await waiting(sent)
        await until(lambda: all(one.due for one in session.display.approvals))
        asked = await waiting(sent)
        assert (len(asked.approvals), asked.parked) == (2, True)

    with_session(family(rules, unattended=Unattended(0.2, then="park")), body)


@tool(category="delegate", idempotent=True, timeout=None)
async def fan(ctx: Context, orders: int) -> str:
    """Ask many, one after the other; the first is nobody."""
    texts: list[str] = []
    for number in range(orders):
        name = GENERAL if number else "nobody"
        try:
            end = await ctx.children.run(Order(name, f"job {number:03d}."))
        except UsageError:
            texts.append("nobody")
        else:
            texts.append(end.text)
    return ",".join(texts)


@pytest.mark.parametrize("orders", [3, MOST_ENDED + 5])
def test_a_call_with_many_orders_finds_each_of_its_children_again(orders: int) -> None:
    seen: list[str] = []

    @tool(category="read")
    def effect(name: str) -> str:
        """Do something that is not to be done twice."""
        seen.append(name)
        return name

    names = [f"{number:03d}" for number in range(1, orders)]
    rules = [when("begin", call("fan", orders=orders), DONE)]
    for name in names:
        asks = [call("write", text="x")] if name == names[-1] else []
        rules.append(when(f"job {name}.", call("effect", name=name), *asks, say(name)))

    async def test() -> None:
        store, tools = MemoryStore(), [fan, effect, write]
        async with family(rules, tools=tools, store=store) as host:
            session = await host.session("tester")
            await waiting(await session.send("begin"))
        async with family(rules, tools=tools, store=store) as host:
            session = await host.session("tester", thread=session.thread)
            await session.approve(session.display.approvals[0])
            await until(lambda: session.folded.run is None)
            assert results(session) == [",".join(["nobody", *names])]
            assert seen == names

    run(test())
