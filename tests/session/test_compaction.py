"""Compaction in a session: by a summary, by itself or asked for, and what people do meanwhile."""

import asyncio
from collections.abc import Callable, Sequence

import pytest

from longrein.capabilities.todos import Todos
from longrein.context.summary import Compaction, SummaryTask
from longrein.core import events as e
from longrein.core.errors import UsageError
from longrein.core.lead import SUMMARISED, lead_of
from longrein.core.messages import Message, ToolResult
from longrein.core.outcomes import Aborted, Finished
from longrein.core.usage import Limits
from longrein.harness import Harness
from longrein.loop.agent import Agent, Mode
from longrein.models.base import Request
from longrein.models.price import Price
from longrein.session.session import Session
from longrein.storage.memory import MemoryStore
from longrein.testing import Reply, ScriptedModel, call, pause, reply, say
from longrein.tools.define import tool
from tests.session.crowded import SUMMARY, TEXT, Looker, Shelf, asks_for_summary, crowded, look
from tests.session.kit import harness, of, run, until, with_session


def texts(messages: Sequence[Message]) -> str:
    return "\n".join(m.text for m in messages)


def test_a_long_run_goes_on_with_summaries_and_stubs() -> None:
    model = Looker(60)

    async def body(session: Session) -> None:
        assert await (await session.send("Look at all of it.")) == Finished("All is looked at.")
        compacted = await of(session, e.Compacted)
        assert {one.how for one in compacted} == {"cleared", "summary"}
        assert all(one.after < one.before for one in compacted)
        assert not await of(session, e.CompactionFailed)
        epochs = [one.reason for one in await of(session, e.PrefixStarted)]
        assert epochs == ["first", *["compaction"] * len(compacted)]
        assert len(session.folded.messages) == 2 + 2 * 60, "the thread itself stays whole"

    with_session(crowded(model, capabilities=[Shelf()]), body)


def test_the_lead_has_the_request_the_summary_and_what_capabilities_keep() -> None:
    model = Looker(60)
    first = ScriptedModel(_todo_first(model))

    async def body(session: Session) -> None:
        await (await session.send("Look at all of it."))
        window = session.folded.window
        assert window is not None
        lead = lead_of(session.folded.messages, window)
        assert lead[0] == session.folded.messages[0]
        assert SUMMARISED in texts(lead)
        assert SUMMARY in texts(lead)
        assert "[ ] Look at everything" in texts(lead)

    agent = Agent("tester", model=first, tools=[look], capabilities=[Todos()])
    prices = {"custom:ScriptedModel": Price("1", "2", window=8_000)}
    with_session(Harness(agent, prices=prices, limits=Limits(steps=None), environ={}), body)


def test_todos_stay_in_requests_where_their_call_became_a_stub() -> None:
    model, item = Looker(60), "Look at everything, and then at all the rest of it with care"
    todos = [{"text": f"{item} {number}"} for number in range(20)]

    def speak(request: Request) -> Reply:
        if not any(isinstance(m, ToolResult) for m in request.messages):
            return reply(call("write_todos", todos=todos), usage=None)
        return model(request)

    async def body(session: Session) -> None:
        await (await session.send("Look at all of it."))
        assert (await of(session, e.Compacted))[0].how == "cleared"
        assert all(f"[ ] {item} 7" in texts(request.messages) for request in model.requests)

    with_session(crowded(speak, 16_000, capabilities=[Shelf(), Todos()]), body)


def test_an_agent_that_reads_no_files_is_told_no_paths() -> None:
    model = Looker(60)

    async def body(session: Session) -> None:
        await (await session.send("Look at all of it. " + TEXT * 3))
        assert {one.how for one in await of(session, e.Compacted)} == {"summary"}
        for request in model.requests:
            assert "/offload" not in texts(request.messages)
            assert "/history" not in texts(request.messages)

    with_session(crowded(model), body)


def _todo_first(model: Looker) -> Callable[[Request], Reply]:
    def speak(request: Request) -> Reply:
        if not any(isinstance(m, ToolResult) for m in request.messages):
            return reply(call("write_todos", todos=[{"text": "Look at everything"}]), usage=None)
        return model(request)

    return speak


def test_compact_makes_an_idle_thread_shorter() -> None:
    model = Looker(8)

    async def body(session: Session) -> None:
        await (await session.send("Look at all of it."))
        answer = await session.compact(focus="the files", command="c1")
        assert answer.status == "applied"
        assert (await session.compact(command="c1")).status == "already"
        await until(lambda: session.folded.window is not None)
        (done,) = await of(session, e.Compacted)
        assert (done.trigger, done.how, done.summary) == ("asked", "summary", SUMMARY)
        assert "the files" in texts(model.summaries[0].messages[-1:])
        assert await (await session.send("More.")) == Finished("All is looked at.")

    with_session(crowded(model, window=None), body)


def test_compact_between_the_steps_of_a_run() -> None:
    model = Looker(30)

    async def body(session: Session) -> None:
        handle = await session.send("Look at all of it.")
        await until(lambda: len(model.requests) > 10)
        await session.compact()
        assert await handle == Finished("All is looked at.")
        (done,) = await of(session, e.Compacted)
        assert done.run == handle.id

    with_session(crowded(model, window=None), body)


def test_nothing_to_compact_is_a_usage_error() -> None:
    async def body(session: Session) -> None:
        with pytest.raises(UsageError, match="nothing to compact"):
            await session.compact()
        await (await session.send("Hi"))
        with pytest.raises(UsageError, match="nothing to compact"):
            await session.compact()

    with_session(crowded(Looker(0)), body)


def _slow(request: Request) -> Reply:
    return reply(say("## Goal"), pause(), usage=None)


def test_an_interrupt_stops_a_summary_and_changes_nothing() -> None:
    model = Looker(100, _slow)

    async def body(session: Session) -> None:
        handle = await session.send("Look at all of it.")
        await until(lambda: session.folded.compaction is not None)
        held = session.folded.windows
        await session.interrupt("enough")
        assert await handle == Aborted("enough")
        assert session.folded.compaction is None
        assert session.folded.windows == held
        (failed,) = await of(session, e.CompactionFailed)
        assert failed.problem.kind == "stopped"

    with_session(crowded(model, compaction=Compaction(timeout=60)), body)


def test_an_interrupt_stops_a_summary_of_an_idle_thread() -> None:
    model = Looker(8, _slow)

    async def body(session: Session) -> None:
        await (await session.send("Look at all of it."))
        await session.compact()
        await until(lambda: session.folded.compaction is not None)
        assert (await session.interrupt()).status == "applied"
        await until(lambda: session.folded.compaction is None)
        assert session.folded.window is None
        assert session.display.activity == "idle"

    with_session(crowded(model, None, compaction=Compaction(timeout=60)), body)


def test_an_interrupt_takes_back_what_was_asked_for_while_a_tool_ran() -> None:
    model, begun = Looker(100), asyncio.Event()

    @tool(category="read")
    async def wait() -> str:
        """Wait for ever."""
        begun.set()
        await asyncio.Event().wait()
        return ""

    def speak(request: Request) -> Reply:
        return reply(call("wait"), usage=None) if len(model.requests) == 9 else model(request)

    async def body(session: Session) -> None:
        handle = await session.send("Look at all of it.")
        await begun.wait()
        await session.compact()
        await session.interrupt("enough")
        assert await handle == Aborted("enough")
        await until(lambda: session.display.activity == "idle")
        assert not await of(session, e.CompactionStarted)

    made = harness(speak, look, wait, limits=Limits(steps=None))
    with_session(made, body)


def test_what_is_said_meanwhile_waits_for_the_summary() -> None:
    model = Looker(24, lambda request: reply(pause(0.2), say(SUMMARY), usage=None))

    async def body(session: Session) -> None:
        handle = await session.send("Look at all of it.")
        await until(lambda: session.folded.compaction is not None)
        await session.steer("Only the first ones.")
        await handle
        log = [type(one) for one in await of(session, e.Durable)]
        assert log.index(e.InputPromoted) > log.index(e.CompactionStarted)
        assert not await of(session, e.CompactionFailed)
        assert "Only the first ones." in texts(model.requests[-1].messages)

    with_session(crowded(model, compaction=Compaction(timeout=60)), body)


def test_a_summary_lost_with_its_process_is_made_again() -> None:
    store, slow = MemoryStore(), Looker(100, _slow)

    async def test() -> None:
        async with crowded(slow, store=store, compaction=Compaction(timeout=60)) as host:
            session = await host.session("tester")
            await session.send("Look at all of it.")
            await until(lambda: session.folded.compaction is not None)
            thread = session.thread
        quick = Looker(2)
        async with crowded(quick, store=store) as host:
            session = await host.session("tester", thread=thread, resume=True)
            await until(lambda: session.folded.run is None)
            assert "summary" in {one.how for one in await of(session, e.Compacted)}
            assert len(quick.summaries) == 1

    run(test())


def test_another_model_is_shown_the_conversation_as_text() -> None:
    model, other = Looker(60), ScriptedModel(lambda request: reply(say(SUMMARY)))

    async def body(session: Session) -> None:
        await (await session.send("Look at all of it."))
        assert not model.summaries
        asked = other.requests[0]
        assert asks_for_summary(asked)
        assert not asked.tools
        assert "User: Look at all of it." in texts(asked.messages)

    with_session(crowded(model, compaction=Compaction(model=other)), body)


def test_a_summariser_of_the_application_is_asked_instead() -> None:
    class Counting:
        async def summarise(self, task: SummaryTask) -> str:
            return f"{len(task.messages)} messages came before."

    model = Looker(60)

    async def body(session: Session) -> None:
        await (await session.send("Look at all of it."))
        assert not model.summaries
        assert "messages came before." in texts(model.requests[-1].messages)

    with_session(crowded(model, compaction=Compaction(summariser=Counting())), body)


def test_the_mode_is_told_again_after_it_was_left_out() -> None:
    model = Looker(60)

    async def body(session: Session) -> None:
        await (await session.send("Look at all of it."))
        said = texts(model.requests[-1].messages)
        assert said.count("Only look.") == 1

    with_session(crowded(model, modes=[Mode("look", instructions="Only look.")]), body)


def test_nothing_is_compacted_where_that_is_switched_off() -> None:
    model = Looker(40)

    async def body(session: Session) -> None:
        await (await session.send("Look at all of it."))
        assert not await of(session, e.Compacted)

    with_session(crowded(model, compaction=Compaction(enabled=False)), body)
