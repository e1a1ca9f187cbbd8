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
from longrein.testing import Reply, Script, ScriptedModel, call, pause, reply, say
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
    await asyncio.sleep(0.4)
    return "rested"


@asynccontextmanager
async def alone(
    unattended: Unattended | None,
    *replies: Reply,
    store: str = "memory",
    thread: str = "",
) -> AsyncGenerator[Session[Any]]:
    """A session that nobody attends to."""
    agent = Agent("worker", model=ScriptedModel(Script(replies)), tools=[deploy, confirm, sleep])
    async with Harness(agent, store=store, unattended=unattended, environ={}) as harness:
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
        async with alone(Unattended(1.0), *replies, store=store) as session:
            assert isinstance(await (await session.send("go")), Waiting)
            thread, deadline = session.thread, session.folded.approvals[0].deadline
        await asyncio.sleep(1.0)
        async with alone(Unattended(1.0), *replies, store=store, thread=thread) as session:
            await until(lambda: session.folded.run is None)
            (due,) = await of(session, e.TimerDue)
            assert deadline <= due.time < deadline + 900_000
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
    async def body() -> list[str]:
        async with alone(Unattended(watchdog=0.1), call("sleep"), say("Done.")) as session:
            return await stalls(session)

    told = run(body())
    assert told
    assert all(text.endswith("the run waits for the tool sleep.") for text in told)
    assert told[0].startswith("Nothing happened for 0.1 s:")


def test_the_watchdog_names_the_model_that_says_nothing() -> None:
    async def body() -> list[str]:
        async with alone(Unattended(watchdog=0.1), reply(pause(0.35), say("Done."))) as session:
            return await stalls(session)

    told = run(body())
    assert told
    assert "the run waits for the model custom:ScriptedModel" in told[0]


def test_the_watchdog_says_nothing_of_who_works_or_waits_for_a_person() -> None:
    async def body() -> list[str]:
        async with alone(Unattended(watchdog=0.1), call("deploy"), say("Done.")) as session:
            handle = await session.send("go")
            heard: list[str] = []

            async def listen() -> None:
                async for event in session.events():
                    if isinstance(event, events.Signalled):
                        heard.append(event.message)

            listening = asyncio.ensure_future(listen())
            waiting = await handle
            assert isinstance(waiting, Waiting)
            await asyncio.sleep(0.3)
            await session.approve(waiting.approvals[0])
            await handle
            listening.cancel()
            return heard

    assert run(body()) == []


async def stalls(session: Session[Any]) -> list[str]:
    """What the watchdog said during a run."""
    handle = await session.send("go")
    return [one.message async for one in handle if isinstance(one, events.Signalled)]
