"""Runs that nobody attends to: deadlines, parking, the watchdog, and who answers first."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from longrein import (
    Agent,
    Context,
    Finished,
    Harness,
    Session,
    Text,
    Unattended,
    Waiting,
    events,
    tool,
)
from longrein.core import events as e
from longrein.core.ids import Clock
from longrein.testing import ManualClock, Reply, Script, ScriptedModel, call, pause, reply, say
from tests.session.kit import of, until
from tests.support import run

SOON = 0.05


@tool(category="execute")
def deploy() -> str:
    """Deploy."""
    return "deployed"


@tool(asks=True)
async def confirm(ctx: Context) -> str:
    """Ask a person."""
    return await ctx.ask("Go on?")


@tool(category="read")
async def sleep() -> str:
    """Do nothing for a while."""
    await asyncio.sleep(60)
    return "rested"


@asynccontextmanager
async def alone(
    unattended: Unattended | None,
    *replies: Reply,
    store: str = "memory",
    thread: str = "",
    clock: Clock | None = None,
) -> AsyncGenerator[Session[Any]]:
    """A session that nobody attends to."""
    agent = Agent("worker", model=ScriptedModel(Script(replies)), tools=[deploy, confirm, sleep])
    async with Harness(
        agent, store=store, unattended=unattended, clock=clock, environ={}
    ) as harness:
        yield await harness.session("tester", thread=thread, resume=True)


async def last(session: Session[Any]) -> str:
    """What the last tool result says."""
    ended = await of(session, e.ToolEnded)
    return "".join(part.text for part in ended[-1].parts if isinstance(part, Text))


def test_what_nobody_approves_is_declined_and_the_run_ends() -> None:
    async def body() -> None:
        async with alone(Unattended(SOON), call("deploy"), say("I could not.")) as session:
            handle = await session.send("go")
            assert isinstance(await handle, Waiting)
            assert await handle == Finished("I could not.")
            (answered,) = await of(session, e.ApprovalAnswered)
            assert (answered.decision, answered.by) == ("declined", "deadline")
            assert "nobody answered in time" in await last(session)

    run(body())


def test_a_question_that_nobody_answers_is_declined() -> None:
    async def body() -> None:
        async with alone(Unattended(SOON), call("confirm"), say("On my own then.")) as session:
            handle = await session.send("go")
            assert isinstance(await handle, Waiting)
            assert await handle == Finished("On my own then.")
            text = await last(session)
            assert text.startswith("There is no answer to 'Go on?': nobody answered in time")

    run(body())


def test_a_parked_run_says_so_and_goes_on_when_somebody_answers() -> None:
    async def body() -> None:
        given = Unattended(SOON, then="park")
        async with alone(given, call("deploy"), say("Done.")) as session:
            handle = await session.send("go")
            first = await handle
            assert isinstance(first, Waiting)
            second = await handle
            assert second == Waiting(first.approvals, parked=True)
            (parked,) = await of(session, e.Parked)
            assert parked.on == first.approvals
            assert parked.run == handle.id
            await session.approve(first.approvals[0])
            assert await handle == Finished("Done.")
            assert await last(session) == "deployed"

    run(body())


def test_a_deadline_that_passed_while_nothing_ran_is_due_at_once(tmp_path: Path) -> None:
    async def body() -> None:
        store, replies = f"sqlite:{tmp_path}/a.db", (call("deploy"), say("I could not."))
        clock = ManualClock()
        async with alone(Unattended(100), *replies, store=store, clock=clock) as session:
            assert isinstance(await (await session.send("go")), Waiting)
            thread, deadline = session.thread, session.folded.approvals[0].deadline
        clock.advance(101)
        given = Unattended(100)
        async with alone(given, *replies, store=store, thread=thread, clock=clock) as session:
            await until(lambda: session.folded.run is None)
            (due,) = await of(session, e.TimerDue)
            assert due.time == deadline + 1_000_000
            assert await of(session, e.ApprovalAnswered)

    run(body())


def test_of_two_who_answer_the_first_counts(tmp_path: Path) -> None:
    async def body() -> None:
        store, replies = f"sqlite:{tmp_path}/a.db", (call("deploy"), say("Done."))
        async with alone(None, *replies, store=store) as owner:
            handle = await owner.send("go")
            waiting = await handle
            assert isinstance(waiting, Waiting)
            async with alone(None, *replies, store=store, thread=owner.thread) as other:
                id = waiting.approvals[0]
                answers = await asyncio.gather(other.approve(id), owner.decline(id))
                assert sorted(one.status for one in answers) == ["applied", "stale"]
                assert isinstance(await handle, Finished)
                assert (await other.decline(id)).status == "stale"
            assert len(await of(owner, e.ApprovalAnswered)) == 1

    run(body())


def test_the_watchdog_names_the_tool_that_says_nothing() -> None:
    async def body() -> str:
        async with alone(Unattended(watchdog=0.1), call("sleep"), say("Done.")) as session:
            return await stall(session, "the run waits for the tool sleep.")

    assert run(body()).startswith("Nothing happened for 0.1 s:")


def test_the_watchdog_names_the_model_that_says_nothing() -> None:
    async def body() -> str:
        async with alone(Unattended(watchdog=0.1), reply(pause(), say("Done."))) as session:
            return await stall(session, "the run waits for the model custom:ScriptedModel")

    assert run(body())


def test_the_watchdog_says_nothing_of_who_works_or_waits_for_a_person() -> None:
    async def body(watchdog: float) -> list[str]:
        async with alone(Unattended(watchdog=watchdog), call("deploy"), say("Done.")) as session:
            handle = await session.send("go")
            heard: list[str] = []

            async def listen() -> None:
                async for event in session.events():
                    if isinstance(event, events.Signalled):
                        heard.append(event.message)

            listening = asyncio.ensure_future(listen())
            waiting = await handle
            assert isinstance(waiting, Waiting)
            await asyncio.sleep(watchdog * 3)
            await session.approve(waiting.approvals[0])
            await handle
            listening.cancel()
            return heard

    # On a busy machine the work itself may stand still as long: then once more, with more time.
    assert run(body(0.1)) == [] or run(body(5)) == []


async def stall(session: Session[Any], named: str) -> str:
    """What the watchdog says of a run, once it names this."""
    async for one in await session.send("go"):
        if isinstance(one, events.Signalled) and named in one.message:
            return one.message
    raise AssertionError("the run has ended")
