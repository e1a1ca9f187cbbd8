"""Children that nobody attends to: the same terms as their parent, in threads of their own."""

import asyncio

from longrein import Finished, Session, Unattended, Waiting, events, tool
from longrein.core import events as e
from longrein.testing import call, say
from longrein.testing.scripted import when
from tests.session.families import child_of, family, results, task, write
from tests.session.kit import of, with_session

DONE = say("Done.")
ASKING = [
    when("begin", task("write it"), DONE),
    when("write it", call("write", text="x"), say("I tried.")),
]


@tool(category="read")
async def doze() -> str:
    """Do nothing for a while."""
    await asyncio.sleep(60)
    return "rested"


def test_what_a_child_asks_in_vain_is_declined_and_both_go_on() -> None:
    async def body(session: Session) -> None:
        sent = await session.send("begin")
        outcome = await sent
        while isinstance(outcome, Waiting):
            outcome = await sent
        assert outcome == Finished("Done.")
        child = await child_of(session)
        (answered,) = await of(child, e.ApprovalAnswered)
        assert answered.by == "deadline"
        assert "nobody answered in time" in results(child)[0]

    with_session(family(ASKING, unattended=Unattended(0.1)), body)


def test_a_parked_child_is_answered_at_the_root_later() -> None:
    async def body(session: Session) -> None:
        sent = await session.send("begin")
        first, second = await sent, await sent
        assert isinstance(first, Waiting)
        assert second == Waiting(first.approvals, parked=True)
        child = await child_of(session)
        assert len(await of(child, e.Parked)) == 1
        await session.approve(first.approvals[0])
        assert await sent == Finished("Done.")
        assert results(child) == ["wrote x"]

    with_session(family(ASKING, unattended=Unattended(0.2, then="park")), body)


def test_the_watchdog_says_what_the_child_waits_for() -> None:
    rules = [when("begin", task("rest"), DONE), when("rest", call("doze"), say("Rested."))]

    async def body(session: Session) -> None:
        async for event in await session.send("begin"):
            inner = event.event if isinstance(event, events.FromChild) else event
            if isinstance(inner, events.Signalled) and "the tool doze." in inner.message:
                return
        raise AssertionError("the run has ended")

    with_session(family(rules, tools=[doze, write], unattended=Unattended(watchdog=0.1)), body)
