"""The built-in capabilities in whole runs: live, and after the thread was opened again."""

from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

import pytest

from longrein.capabilities.ask_user import AskUser
from longrein.capabilities.base import Capability
from longrein.capabilities.contexts import SlashCommand
from longrein.capabilities.plans import PLAN, Plans
from longrein.capabilities.todos import TODOS, Todos, write_todos
from longrein.core import events as e
from longrein.core.errors import UsageError
from longrein.core.messages import ToolResult
from longrein.core.outcomes import Finished
from longrein.core.planning import Plan, Todo
from longrein.core.slices import Slice
from longrein.harness import Harness
from longrein.loop.agent import Agent, Mode
from longrein.session.session import Session
from longrein.testing import Reply, Script, ScriptedModel, call, calls, say
from longrein.tools.define import Function, Tool
from tests.session.kit import log, of, said, waiting, with_session
from tests.session.tools import read, write
from tests.support import run

T = TypeVar("T")

MODES = (Mode("plan", transitions_to="build"), Mode("build", additional_tools=[read]))
SUBMIT = call("submit_plan", title="Ship it", plan="1. Ship")
WRITE = call("write_todos", todos=[{"text": "Build"}, {"text": "Ship"}])
BUILT = call("update_todos", changes=[{"number": 1, "status": "completed"}])


def hosting(
    script: ScriptedModel | Sequence[Reply],
    *capabilities: Capability,
    tools: Sequence[Tool | Function] = (),
    modes: Sequence[Mode] | None = None,
    store: str = "memory",
) -> Harness:
    model = script if isinstance(script, ScriptedModel) else ScriptedModel(Script(script))
    agent = Agent("tester", model=model, tools=tools, capabilities=capabilities)
    return Harness(agent, modes=modes, store=store, environ={})


def value(session: Session, slice: Slice[T]) -> T:
    return session.folded.slices[slice.name].value


def results(session: Session) -> list[str]:
    return [message.text for message in said(session) if isinstance(message, ToolResult)]


async def reminders(session: Session) -> list[str]:
    return [note.text for note in await of(session, e.NoteAdded) if "todo list" in note.text]


def test_two_calls_of_one_step_keep_their_order() -> None:
    async def body(session: Session) -> None:
        assert await (await session.send("go")) == Finished("ok")
        assert results(session) == ["1. [ ] Build\n2. [ ] Ship", "1. [x] Build\n2. [ ] Ship"]
        assert value(session, TODOS) == (Todo("Build", "completed"), Todo("Ship"))

    with_session(hosting([calls(WRITE, BUILT), say("ok")], Todos()), body)


def test_a_fact_is_written_with_the_end_of_its_call() -> None:
    async def body(session: Session) -> None:
        await (await session.send("go"))
        events = await log(session)
        (fact,) = [event for event in events if isinstance(event, e.Recorded)]
        (ended,) = [event for event in events if isinstance(event, e.ToolEnded)]
        assert (fact.kind, fact.call) == ("todos", ended.call)
        assert abs(fact.seq - ended.seq) == 1

    with_session(hosting([WRITE, say("ok")], Todos()), body)


def test_a_run_is_told_once_what_the_one_before_left_open() -> None:
    script = [WRITE, BUILT, say("later"), BUILT, BUILT, say("ok")]

    async def body(session: Session) -> None:
        await (await session.send("go"))
        assert await reminders(session) == []
        assert await (await session.send("go on")) == Finished("ok")
        (note,) = await reminders(session)
        assert "2. [ ] Ship" in note
        assert "Build" not in note

    with_session(hosting(script, Todos()), body)


def test_todos_are_there_after_a_restart(tmp_path: Path) -> None:
    store = f"sqlite:{tmp_path / 'a.db'}"
    script = [WRITE, say("later"), BUILT, say("ok")]

    async def first() -> None:
        async with hosting(script, Todos(), store=store) as made:
            await (await (await made.session("ada")).send("go"))

    async def second() -> None:
        async with hosting(script, Todos(), store=store) as made:
            session = await made.session("ada")
            assert value(session, TODOS) == (Todo("Build"), Todo("Ship"))
            await (await session.send("go on"))
            assert value(session, TODOS)[0] == Todo("Build", "completed")

    run(first())
    run(second())


def test_a_slice_is_folded_from_the_first_event_when_its_capability_comes_late(
    tmp_path: Path,
) -> None:
    store = f"sqlite:{tmp_path / 'a.db'}"

    async def without() -> None:
        async with hosting([WRITE, say("ok")], tools=[write_todos], store=store) as made:
            await (await (await made.session("ada")).send("go"))

    async def late() -> None:
        async with hosting([], Todos(), store=store) as made:
            assert value(await made.session("ada"), TODOS) == (Todo("Build"), Todo("Ship"))

    run(without())
    run(late())


def test_a_slice_is_carried_along_while_its_capability_is_not_installed(tmp_path: Path) -> None:
    store = f"sqlite:{tmp_path / 'a.db'}"
    script = [WRITE, say("later"), say("nothing new")]

    async def say_something(*capabilities: Capability) -> None:
        async with hosting(script, *capabilities, store=store) as made:
            await (await (await made.session("ada")).send("go"))

    async def again() -> None:
        async with hosting(script, Todos(), store=store) as made:
            assert value(await made.session("ada"), TODOS) == (Todo("Build"), Todo("Ship"))

    run(say_something(Todos()))
    run(say_something())
    run(again())


def test_a_plan_is_approved_after_a_restart_and_the_next_mode_goes_on(tmp_path: Path) -> None:
    store = f"sqlite:{tmp_path / 'a.db'}"
    model = ScriptedModel(Script([SUBMIT, call("read", path="/a"), say("shipped")]))

    async def submit() -> str:
        async with hosting(model, Plans(), modes=MODES, store=store) as made:
            handle = await (await made.session("ada")).send("go")
            await waiting(handle)
            return handle.id

    async def approve(run_id: str) -> None:
        async with hosting(model, Plans(), modes=MODES, store=store) as made:
            session = await made.session("ada")
            (question,) = session.display.questions
            assert (question.kind, question.title, question.text) == ("plan", "Ship it", "1. Ship")
            assert (await session.answer(question.id, "approve")).status == "applied"
            assert await session.run(run_id) == Finished("shipped")
            assert value(session, PLAN) == Plan("Ship it", "1. Ship", "approved")
            (changed,) = await of(session, e.ModeChanged)
            assert (changed.mode, changed.previous) == ("build", "plan")
            assert results(session)[-1] == "content of /a"

    run(approve(run(submit())))
    offered = [{spec.name for spec in request.tools} for request in model.requests]
    assert ["read" in names for names in offered] == [False, True, True]


def test_a_rejected_plan_stays_in_its_mode_until_one_is_approved() -> None:
    script = [SUBMIT, call("submit_plan", title="Again", plan="2. Test"), say("shipped")]

    async def body(session: Session) -> None:
        handle = await session.send("go")
        await session.decline((await waiting(handle)).questions[0], "Test it first.")
        (second,) = (await waiting(handle)).questions
        assert session.folded.mode == "plan"
        assert results(session)[0].endswith("Test it first.")
        assert value(session, PLAN) == Plan(
            "Ship it", "1. Ship", "rejected", feedback="Test it first."
        )
        await session.approve_plan(second, "2. Test twice")
        assert await handle == Finished("shipped")
        assert session.folded.mode == "build"
        assert results(session)[1].endswith("2. Test twice")
        assert value(session, PLAN) == Plan("Again", "2. Test twice", "approved", edited=True)

    with_session(hosting(script, Plans(), modes=MODES), body)


@pytest.mark.parametrize("said", ["no", "reject", "", "  ", "1. Ship it twice", ("approve", "no")])
def test_only_approve_answers_a_plan(said: str | tuple[str, ...]) -> None:
    async def body(session: Session) -> None:
        handle = await session.send("go")
        (question,) = (await waiting(handle)).questions
        with pytest.raises(UsageError, match=r"approve_plan.*reject_plan"):
            await session.answer(question, said)
        assert [pending.id for pending in session.display.questions] == [question]
        assert session.folded.mode == "plan"

    with_session(hosting([SUBMIT], Plans(), modes=MODES), body)


@pytest.mark.parametrize("edited", ["", " \n"])
def test_a_plan_is_not_edited_into_nothing(edited: str) -> None:
    async def body(session: Session) -> None:
        handle = await session.send("go")
        (question,) = (await waiting(handle)).questions
        with pytest.raises(UsageError, match=r"reject_plan"):
            await session.approve_plan(question, edited)
        assert session.folded.mode == "plan"

    with_session(hosting([SUBMIT], Plans(), modes=MODES), body)


def test_a_question_that_is_no_plan_cannot_be_approved_as_one() -> None:
    async def body(session: Session) -> None:
        handle = await session.send("go")
        (question,) = (await waiting(handle)).questions
        with pytest.raises(UsageError, match="not a plan"):
            await session.approve_plan(question)
        with pytest.raises(UsageError, match="blank"):
            await session.answer(question, "  ")
        assert (await session.answer(question, "no")).status == "applied"
        assert await handle == Finished("ok")

    with_session(hosting([call("ask_user", question="Which?"), say("ok")], AskUser()), body)


def test_an_approved_plan_is_carried_out_whatever_trust_it_was_made_under() -> None:
    script = [SUBMIT, call("write", path="/a", text="x"), say("shipped")]

    async def body(session: Session) -> None:
        await session.set_trust("plan")
        handle = await session.send("go")
        await session.approve_plan((await waiting(handle)).questions[0])
        (approval,) = (await waiting(handle)).approvals
        assert session.display.trust == "ask"
        answered = (await of(session, e.QuestionAnswered))[0]
        changed = (await of(session, e.TrustChanged))[-1]
        assert (changed.trust, changed.previous) == ("ask", "plan")
        assert (changed.seq, changed.cause) == (answered.seq + 1, answered.cause)
        await session.approve(approval)
        assert await handle == Finished("shipped")

    with_session(hosting(script, Plans(), tools=[write], modes=MODES), body)


def test_a_rejected_plan_leaves_the_trust_as_it_is() -> None:
    async def body(session: Session) -> None:
        await session.set_trust("plan")
        handle = await session.send("go")
        await session.reject_plan((await waiting(handle)).questions[0], "Not yet.")
        assert await handle == Finished("ok")
        assert session.display.trust == "plan"

    with_session(hosting([SUBMIT, say("ok")], Plans(), modes=MODES), body)


def test_a_plan_that_gave_way_to_a_steer_was_not_decided_on() -> None:
    async def body(session: Session) -> None:
        handle = await session.send("go")
        await waiting(handle)
        await session.steer("Never mind.")
        assert await handle == Finished("ok")
        assert value(session, PLAN) is None
        assert session.folded.mode == "plan"

    with_session(hosting([SUBMIT, say("ok")], Plans(), modes=MODES), body)


def test_every_capability_says_its_piece_in_the_system_text() -> None:
    model = ScriptedModel(Script([say("ok")]))

    async def body(session: Session) -> None:
        await (await session.send("go"))
        (request,) = model.requests
        for name in ("write_todos", "submit_plan", "ask_user"):
            assert name in request.system
            assert name in {spec.name for spec in request.tools}

    with_session(hosting(model, Todos(), Plans(), AskUser()), body)


def test_what_changes_only_the_thread_is_not_asked_about_while_planning() -> None:
    ask = call("ask_user", question="Which?")

    async def body(session: Session) -> None:
        await session.set_trust("plan")
        handle = await session.send("go")
        pending = await waiting(handle)
        assert pending.approvals == ()
        assert len(pending.questions) == 2
        assert len(value(session, TODOS)) == 2

    with_session(hosting([calls(WRITE, SUBMIT, ask)], Todos(), Plans(), AskUser()), body)


def test_settings_are_read_as_they_were_configured_and_cannot_be_changed_in_place() -> None:
    async def body(session: Session) -> None:
        await session.configure({"units": "metric", "theme": "dark"})
        await session.configure({"theme": None})
        assert session.settings == {"units": "metric"}
        with pytest.raises(TypeError):
            session.settings["units"] = "imperial"  # pyright: ignore[reportIndexIssue]

    with_session(hosting([]), body)


def test_a_command_may_be_invoked_with_the_slash_that_people_type() -> None:
    class Echo(Capability):
        def commands(self) -> Sequence[SlashCommand]:
            return [SlashCommand("echo", "Say it again.", lambda ctx, arguments: arguments)]

    async def body(session: Session) -> None:
        assert await session.invoke("/echo", "so") == "so"
        assert await session.invoke("echo", "so") == "so"
        with pytest.raises(UsageError, match="known: echo"):
            await session.invoke("//echo")

    with_session(hosting([], Echo()), body)
