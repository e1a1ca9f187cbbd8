"""The input verbs: send, queue, steer, interrupt, signal, proceed."""

import asyncio

from longrein.core import events as e
from longrein.core.messages import Assistant, Note, ToolResult, User
from longrein.core.outcomes import Aborted, Finished
from longrein.session.session import Session
from longrein.testing import Script, ScriptedModel, call, calls, pause, reply, say, when
from tests.session.kit import harness, of, said, until, waiting, with_session
from tests.session.tools import Gate, deploy, read


def texts(session: Session) -> list[str]:
    """Everything that people and models said."""
    return [
        "".join(part.text for part in message.parts if hasattr(part, "text"))  # pyright: ignore
        for message in said(session)
        if isinstance(message, User | Assistant)
    ]


def test_send_starts_a_run_and_awaiting_it_gives_the_outcome() -> None:
    async def body(session: Session) -> None:
        assert await (await session.send("Hi")) == Finished("Hello!")

    with_session(harness([say("Hello!")]), body)


def test_iterating_a_run_gives_its_events_up_to_its_end() -> None:
    async def body(session: Session) -> None:
        run = await session.send("Hi")
        kinds = [type(event).__name__ async for event in run]
        assert kinds[0] == "InputAdmitted"
        assert kinds[-1] == "RunEnded"
        assert "TextFragment" in kinds

    with_session(harness([reply(pause(0.01), say("Hello!"))]), body)


def test_send_while_a_tool_runs_is_heard_after_the_results_of_the_step() -> None:
    gate = Gate()

    async def body(session: Session) -> None:
        first = await session.send("Go")
        await until(lambda: gate.inside == ["a"])
        second = await session.send("And hurry")
        assert second.id == first.id
        gate.open("a")
        assert await second == Finished("done")
        kinds = [type(message) for message in said(session)]
        assert kinds == [User, Assistant, ToolResult, User, Assistant]

    with_session(harness([call("work", name="a"), say("done")], *gate.tools()), body)


def test_send_as_the_answer_ends_goes_on_in_the_same_run() -> None:
    model = ScriptedModel(Script([reply(pause(None), say("one")), say("two")]))

    async def body(session: Session) -> None:
        first = await session.send("a")
        await until(lambda: model.open == 1)
        second = await session.send("b")
        model.release()
        assert await first == Finished("two")
        assert first.id == second.id

    with_session(harness(model), body)


def test_queued_inputs_run_one_at_a_time_in_runs_of_their_own() -> None:
    model = ScriptedModel(Script([reply(pause(None), say("one")), say("two"), say("three")]))

    async def body(session: Session) -> None:
        first = await session.send("a")
        second, third = await session.queue("b"), await session.queue("c")
        assert [i.text for i in session.display.queue] == ["b", "c"]
        assert len({first.id, second.id, third.id}) == 3
        model.release()
        assert [await first, await second, await third] == [
            Finished("one"),
            Finished("two"),
            Finished("three"),
        ]
        assert texts(session) == ["a", "one", "b", "two", "c", "three"]

    with_session(harness(model), body)


def test_the_queue_is_edited_reordered_and_withdrawn() -> None:
    model = ScriptedModel(Script([reply(pause(None), say("one")), say("two"), say("three")]))

    async def body(session: Session) -> None:
        first = await session.send("a")
        await session.queue("b", command="cmd_b")
        gone = await session.queue("c", command="cmd_c")
        last = await session.queue("d", command="cmd_d")
        assert (await session.reorder(["cmd_d"])).status == "applied"
        assert (await session.edit("cmd_b", "B")).status == "applied"
        assert (await session.withdraw("cmd_c")).status == "applied"
        assert await gone == Aborted("withdrawn")
        assert (await session.withdraw("cmd_c")).status == "stale"
        assert (await session.withdraw("cmd_nobody")).status == "missing"
        assert [i.text for i in session.display.queue] == ["d", "B"]
        model.release()
        await first
        assert await last == Finished("two")
        await until(lambda: session.display.activity == "idle")
        assert texts(session) == ["a", "one", "d", "two", "B", "three"]

    with_session(harness(model), body)


def test_steer_stops_the_model_and_keeps_what_it_said() -> None:
    model = ScriptedModel(
        Script(
            rules=[when("no, b", say("doing b"))],
            replies=[reply(say("I shall do a"), pause(None), say(" thoroughly"))],
        )
    )

    async def body(session: Session) -> None:
        run = await session.send("a")
        await until(lambda: session.display.writing is not None and model.open == 1)
        await until(lambda: session.display.writing.text == "I shall do a")  # pyright: ignore
        steered = await session.steer("no, b")
        assert steered.id == run.id
        assert await run == Finished("doing b")
        assert texts(session) == ["a", "I shall do a", "no, b", "doing b"]
        kept = said(session)[1]
        assert isinstance(kept, Assistant)
        assert kept.interrupted
        assert model.open == 0

    with_session(harness(model), body)


def test_steer_lets_started_tools_finish_and_does_not_run_the_rest() -> None:
    gate = Gate()
    script = [calls(call("alone", name="a"), call("alone", name="b")), say("ok")]

    async def body(session: Session) -> None:
        run = await session.send("go")
        await until(lambda: gate.inside == ["a"])
        await session.steer("stop that")
        gate.open("a")
        assert await run == Finished("ok")
        results = [m.status for m in said(session) if isinstance(m, ToolResult)]
        assert results == ["ok", "not_run"]
        assert gate.order == ["a"]

    with_session(harness(script, *gate.tools()), body)


def test_steer_settles_what_waits_for_a_person_as_declined() -> None:
    async def body(session: Session) -> None:
        run = await session.send("go")
        await waiting(run)
        await session.steer("never mind")
        assert await run == Finished("fine")
        answered = await of(session, e.ApprovalAnswered)
        assert [(a.decision, a.by) for a in answered] == [("declined", "steer")]
        assert [m.status for m in said(session) if isinstance(m, ToolResult)] == ["declined"]

    with_session(harness([call("deploy", target="x"), say("fine")], deploy), body)


def test_interrupt_cancels_tools_keeps_the_queue_and_holds_it() -> None:
    gate = Gate()

    async def body(session: Session) -> None:
        run = await session.send("go")
        later = await session.queue("later")
        await until(lambda: gate.inside == ["a"])
        assert (await session.interrupt()).status == "applied"
        assert await run == Aborted("")
        assert gate.inside == []
        assert session.display.held
        assert [i.text for i in session.display.queue] == ["later"]
        assert (await session.release()).status == "applied"
        assert await later == Finished("done")

    with_session(harness([call("work", name="a"), say("done")], *gate.tools()), body)


def test_interrupt_keeps_the_text_so_far() -> None:
    model = ScriptedModel(Script([reply(say("Once upon a"), pause(None)), say("again")]))

    async def body(session: Session) -> None:
        run = await session.send("tell")
        await until(lambda: session.display.writing is not None)
        await until(lambda: session.display.writing.text == "Once upon a")  # pyright: ignore
        await session.interrupt("enough")
        assert await run == Aborted("enough")
        assert texts(session) == ["tell", "Once upon a"]
        assert await (await session.send("go on")) == Finished("again")

    with_session(harness(model), body)


def test_interrupt_declines_what_waits_for_a_person() -> None:
    async def body(session: Session) -> None:
        run = await session.send("go")
        pending = await waiting(run)
        await session.interrupt()
        assert await run == Aborted("")
        assert session.display.approvals == ()
        assert (await session.approve(pending.approvals[0])).status == "stale"

    with_session(harness([call("deploy", target="x"), say("fine")], deploy), body)


def test_interrupt_while_idle_is_stale() -> None:
    async def body(session: Session) -> None:
        assert (await session.interrupt()).status == "stale"

    with_session(harness([say("x")]), body)


def test_a_message_sent_while_the_run_is_being_stopped_starts_the_next_run() -> None:
    gate = Gate()

    async def body(session: Session) -> None:
        run = await session.send("go")
        await until(lambda: gate.inside == ["a"])
        stop, more = await asyncio.gather(session.interrupt(), session.send("new start"))
        assert stop.status == "applied"
        assert await run == Aborted("")
        assert more.id != run.id
        assert await more == Finished("done")

    with_session(harness([call("work", name="a"), say("done")], *gate.tools()), body)


def test_a_signal_is_told_as_a_note_and_wakes_the_model() -> None:
    async def body(session: Session) -> None:
        told = await session.signal("The build is green.", source="ci")
        assert await session.run(told.run) == Finished("Good.")
        note = said(session)[0]
        assert isinstance(note, Note)
        assert (note.text, note.source) == ("The build is green.", "ci")

    with_session(harness([say("Good.")]), body)


def test_a_signal_that_does_not_wake_is_kept_for_the_next_run() -> None:
    async def body(session: Session) -> None:
        await session.signal("FYI", wake=False)
        assert session.display.activity == "idle"
        await (await session.send("hi"))
        assert [type(m) for m in said(session)] == [Note, User, Assistant]

    with_session(harness([say("ok")]), body)


def test_the_same_command_id_is_carried_out_once() -> None:
    async def body(session: Session) -> None:
        first = await session.send("hi", command="cmd_mine")
        await first
        again = await session.send("hi", command="cmd_mine")
        assert again.id == first.id
        assert await again == Finished("one")
        assert len(await of(session, e.InputAdmitted)) == 1

    with_session(harness([say("one"), say("two")], read), body)
