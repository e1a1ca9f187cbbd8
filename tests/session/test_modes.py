"""Modes: what cannot be built, which tools each has, and how a session goes from one to another."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from longrein.capabilities.base import Capability
from longrein.capabilities.todos import Todos
from longrein.core import events as e
from longrein.core.errors import UsageError
from longrein.core.messages import Note, ToolResult
from longrein.core.outcomes import Aborted, Finished
from longrein.core.policy import Rule
from longrein.harness import Harness
from longrein.loop.agent import Agent, Mode
from longrein.session.session import Session
from longrein.testing import Script, ScriptedModel, call, pause, reply, say
from longrein.tools.context import Context
from longrein.tools.define import Function, Tool, tool
from tests.session.kit import of, said, until, waiting, with_session
from tests.session.tools import Gate, deploy, read, write
from tests.support import run

PLAN = Mode("plan", instructions="Only plan.")
BUILD = Mode("build", instructions="Build it.", additional_tools=[deploy])


def saying(*replies: str) -> ScriptedModel:
    return ScriptedModel(Script([say(text) for text in replies], otherwise=say("ok")))


def hosting(
    model: ScriptedModel,
    *modes: Mode,
    tools: Sequence[Tool | Function] = (read,),
    capabilities: Sequence[Capability] = (),
    **more: Any,
) -> Harness:
    agent = Agent("tester", model=model, tools=tools, capabilities=capabilities)
    return Harness(agent, modes=modes or None, environ={}, **more)


def offered(model: ScriptedModel) -> list[list[str]]:
    """The tools of each request, by name."""
    return [[spec.name for spec in request.tools] for request in model.requests]


def notes(session: Session) -> list[str]:
    return [message.text for message in said(session) if isinstance(message, Note)]


@tool(name="read")
async def other_read() -> str:
    """Read something else."""
    return "else"


class Readers(Capability):
    """Brings a tool that the agent has already."""

    def tools(self) -> Sequence[Tool]:
        return (other_read,)


@pytest.mark.parametrize(
    ("modes", "culprit"),
    [
        ([], "at least one"),
        ([Mode("a"), Mode("b"), Mode("a")], "'a'"),
        ([Mode("a"), Mode("")], "number 2"),
        ([Mode(""), Mode("")], "number 1"),
        ([Mode("a", tools=[read], additional_tools=[deploy])], "'a'.*additional_tools"),
        ([Mode("a", tools=[], additional_tools=[])], "'a'.*additional_tools"),
        ([Mode("a", transitions_to="bild"), Mode("build")], "'bild'.*build"),
        ([Mode("a", visible=["read", "reed"])], "'a'.*'reed'.*read"),
        ([Mode("a", tools=[deploy], visible=["read"])], "'a'.*'read'.*deploy"),
        ([Mode("a", default=True), Mode("b"), Mode("c", default=True)], "'a' and 'c'"),
        ([Mode("a", additional_tools=[other_read])], "'read'"),
        ([Mode("a", tools=[deploy, deploy, write, other_read, read])], "'read'"),
    ],
)
def test_modes_that_cannot_be_are_refused_by_name(modes: list[Mode], culprit: str) -> None:
    with pytest.raises(UsageError, match=culprit):
        Harness(Agent("tester", model=saying(), tools=[read]), modes=modes, environ={})


@pytest.mark.parametrize(
    ("capabilities", "culprit"),
    [([Todos(), Todos()], "'todos'"), ([Readers()], "'read'"), ([Todos], "not a capability")],
)
def test_capabilities_that_cannot_be_are_refused_by_name(
    capabilities: list[Capability], culprit: str
) -> None:
    with pytest.raises(UsageError, match=culprit):
        hosting(saying(), capabilities=capabilities)


def test_what_can_be_found_wrong_only_with_dependencies_is_found_when_a_session_opens() -> None:
    async def body() -> None:
        agent = Agent("tester", model=saying(), tools=lambda deps: [])
        async with Harness(agent, modes=[Mode("a", visible=["read"])], environ={}) as made:
            with pytest.raises(UsageError, match="'read'"):
                await made.session("ada")
            assert made.sessions == []

    run(body())


@pytest.mark.parametrize(
    ("modes", "begins_in"),
    [
        ((), "default"),
        ((PLAN, BUILD), "plan"),
        ((PLAN, Mode("build", default=True)), "build"),
    ],
)
def test_a_new_thread_begins_in_the_default_mode_or_the_first(
    modes: tuple[Mode, ...], begins_in: str
) -> None:
    async def body(session: Session) -> None:
        await (await session.send("hi"))
        assert session.folded.mode == session.display.mode == begins_in

    with_session(hosting(saying(), *modes), body)


def test_the_modes_of_a_harness_are_listed_in_their_order() -> None:
    made = hosting(saying(), PLAN, BUILD)
    assert [mode.id for mode in made.modes] == ["plan", "build"]
    assert [mode.id for mode in hosting(saying()).modes] == ["default"]


BROUGHT = ["write_todos", "update_todos"]


@pytest.mark.parametrize(
    ("mode", "shown"),
    [
        (Mode("m"), ["read", "write", *BROUGHT]),
        (Mode("m", tools=[deploy]), ["deploy", *BROUGHT]),
        (Mode("m", tools=[]), BROUGHT),
        (Mode("m", additional_tools=[deploy]), ["read", "write", "deploy", *BROUGHT]),
        (Mode("m", visible=[]), []),
        (Mode("m", visible=["write_todos", "read"]), ["read", "write_todos"]),
        (Mode("m", additional_tools=[deploy], visible=["deploy"]), ["deploy"]),
        (Mode("m", visible=["read"], rules=[Rule("deny", tool="read")]), []),
        (Mode("m", rules=[Rule("deny", category="edit")]), ["read", *BROUGHT]),
        (Mode("m", rules=[Rule("deny")]), []),
        (Mode("m", rules=[Rule("deny", tool="read", path="/etc/**")]), ["read", "write", *BROUGHT]),
    ],
)
def test_a_mode_replaces_adds_or_hides_tools(mode: Mode, shown: list[str]) -> None:
    model = saying()

    async def body(session: Session) -> None:
        await (await session.send("hi"))
        assert offered(model) == [shown]

    with_session(hosting(model, mode, tools=[read, write], capabilities=[Todos()]), body)


def test_a_model_that_calls_an_unknown_tool_is_told_only_of_the_tools_on_offer() -> None:
    model = ScriptedModel(Script([call("reed"), say("ok")]))

    async def body(session: Session) -> None:
        await session.add_rule(Rule("deny", tool="deploy"))
        assert await (await session.send("go")) == Finished("ok")
        (result,) = [m for m in said(session) if isinstance(m, ToolResult)]
        assert result.status == "error"
        assert "`read`" in result.text
        assert "deploy" not in result.text
        assert "write" not in result.text

    mode = Mode("m", visible=["read", "deploy"])
    with_session(hosting(model, mode, tools=[read, write, deploy]), body)


def test_a_switch_to_a_mode_that_is_not_there_names_those_that_are() -> None:
    async def body(session: Session) -> None:
        with pytest.raises(UsageError, match=r"'bild'.*plan, build"):
            await session.switch_mode("bild")
        assert session.folded.mode in ("", "plan")

    with_session(hosting(saying(), PLAN, BUILD), body)


def test_a_switch_keeps_thread_state_and_conversation_and_tells_the_model_once() -> None:
    model = saying("one", "two", "three")

    async def body(session: Session) -> None:
        await (await session.send("first"))
        await session.update({"done": 1})
        assert (await session.switch_mode("build")).status == "applied"
        await (await session.send("second"))
        await (await session.send("third"))
        assert session.state == {"done": 1}
        assert notes(session) == ["Only plan.", "Build it."]
        assert offered(model) == [["read"], ["read", "deploy"], ["read", "deploy"]]
        (changed,) = await of(session, e.ModeChanged)
        assert (changed.mode, changed.previous) == ("build", "plan")
        prefixes = await of(session, e.PrefixStarted)
        assert [event.reason for event in prefixes] == ["first", "tools"]

    with_session(hosting(model, PLAN, BUILD), body)


def test_a_mode_without_instructions_takes_those_of_the_one_before_back() -> None:
    async def body(session: Session) -> None:
        await (await session.send("first"))
        await session.switch_mode("free")
        await (await session.send("second"))
        assert notes(session) == ["Only plan.", "You are in the mode free now."]

    with_session(hosting(saying(), PLAN, Mode("free")), body)


def test_a_switch_to_the_mode_in_use_changes_nothing() -> None:
    async def body(session: Session) -> None:
        await (await session.send("first"))
        assert (await session.switch_mode("plan", abort=True)).status == "applied"
        assert await of(session, e.ModeChanged) == []
        assert await of(session, e.Interrupted) == []

    with_session(hosting(saying(), PLAN, BUILD), body)


def test_a_switch_while_tools_run_lets_them_finish_and_holds_from_the_next_step_on() -> None:
    gate = Gate()
    model = ScriptedModel(Script([call("work", name="slow"), say("ok")]))

    async def body(session: Session) -> None:
        handle = await session.send("go")
        await until(lambda: gate.inside == ["slow"])
        await session.switch_mode("bare")
        gate.open("slow")
        assert await handle == Finished("ok")
        (result,) = [m for m in said(session) if isinstance(m, ToolResult)]
        assert (result.status, result.text) == ("ok", "slow done")
        assert offered(model)[1] == []

    with_session(hosting(model, PLAN, Mode("bare", tools=[]), tools=gate.tools()), body)


def test_of_two_switches_at_once_the_newest_wins_and_the_other_is_never_told() -> None:
    model = saying()

    async def body(session: Session) -> None:
        await (await session.send("first"))
        await asyncio.gather(session.switch_mode("build"), session.switch_mode("review"))
        await (await session.send("second"))
        changed = [event.mode for event in await of(session, e.ModeChanged)]
        assert changed == ["build", "review"]
        assert session.folded.mode == "review"
        assert notes(session) == ["Only plan.", "Review it."]

    review = Mode("review", instructions="Review it.")
    with_session(hosting(model, PLAN, BUILD, review), body)


def test_a_switch_with_abort_ends_the_run_and_the_next_one_is_in_the_new_mode() -> None:
    model = ScriptedModel(Script([reply(say("I think"), pause()), say("built")]))

    async def body(session: Session) -> None:
        handle = await session.send("go")
        await until(lambda: model.open == 1)
        await session.queue("later")
        await session.switch_mode("build", abort=True)
        assert await handle == Aborted("switched to the mode build")
        assert [i.text for i in session.display.queue] == ["later"]
        assert offered(model) == [["read"]]
        assert await (await session.send("again")) == Finished("built")
        assert offered(model)[1] == ["read", "deploy"]

    with_session(hosting(model, PLAN, BUILD), body)


def test_a_switch_with_abort_declines_what_waits_for_a_person() -> None:
    model = ScriptedModel(Script([call("deploy", target="x"), say("planned")]))

    async def body(session: Session) -> None:
        handle = await session.send("go")
        await waiting(handle)
        await session.switch_mode("plan", abort=True)
        assert isinstance(await handle, Aborted)
        assert session.display.approvals == ()
        assert [m.status for m in said(session) if isinstance(m, ToolResult)] == ["declined"]
        assert await (await session.send("again")) == Finished("planned")

    with_session(hosting(model, BUILD, PLAN), body)


def test_code_sees_the_mode_it_runs_in_and_can_leave_it() -> None:
    seen: list[Any] = []

    @tool
    async def leave(ctx: Context) -> str:
        """Go to the next mode."""
        seen.append(ctx.mode)
        with pytest.raises(UsageError, match=r"'nowhere'.*plan, build"):
            ctx.switch_mode("nowhere")
        ctx.switch_mode("build")
        return "left"

    model = ScriptedModel(Script([call("leave"), say("ok")]))

    async def body(session: Session) -> None:
        assert await (await session.send("go")) == Finished("ok")
        (mode,) = seen
        assert (mode.id, mode.name, mode.metadata["colour"]) == ("plan", "Planning", "blue")
        assert session.folded.mode == "build"
        assert offered(model) == [["leave"], ["leave", "deploy"]]

    plan = Mode("plan", name="Planning", metadata={"colour": "blue"})
    with_session(hosting(model, plan, BUILD, tools=[leave]), body)


def test_a_mode_that_is_no_more_gives_way_to_the_default_one_with_an_event(tmp_path: Path) -> None:
    store, model = f"sqlite:{tmp_path / 'a.db'}", saying()

    async def before() -> None:
        async with hosting(model, PLAN, BUILD, store=store) as made:
            session = await made.session("ada")
            await session.switch_mode("build")
            await (await session.send("one"))

    async def after() -> None:
        async with hosting(model, PLAN, store=store) as made:
            session = await made.session("ada")
            await (await session.send("two"))
            assert session.folded.mode == "plan"
            changed = (await of(session, e.ModeChanged))[-1]
            assert (changed.mode, changed.previous) == ("plan", "build")
            assert offered(model)[-1] == ["read"]
            assert notes(session)[-1] == "Only plan."

    run(before())
    run(after())


def test_each_session_has_a_mode_of_its_own() -> None:
    model = saying()

    async def body() -> None:
        async with hosting(model, PLAN, BUILD) as made:
            ada, bob = await made.session("ada"), await made.session("bob")
            await ada.switch_mode("build")
            await asyncio.gather(*[await s.send("hi") for s in (ada, bob)])
            assert (ada.folded.mode, bob.folded.mode) == ("build", "plan")

    run(body())


def test_a_mode_for_which_nobody_names_a_model_takes_the_one_in_use_along() -> None:
    async def body() -> None:
        modes = (Mode("build"), Mode("review", model="openai:critic"), Mode("plan"))
        key = {"OPENAI_API_KEY": "sk-some-key"}
        async with Harness(Agent("tester"), modes=modes, environ=key) as made:
            session = await made.session()
            await session.switch_model("openai:thinker", effort="high")
            used: list[tuple[str, str]] = []
            for mode in ("plan", "review", "build", "plan"):
                await session.switch_mode(mode)
                used.append((session.display.model, session.display.effort))
            thinker = ("openai:thinker", "high")
            assert used == [thinker, ("openai:critic", ""), thinker, thinker]

    run(body())


def test_also_the_one_that_the_mode_left_is_configured_with() -> None:
    async def body() -> None:
        modes = (Mode("review", model="openai:critic"), Mode("plan"))
        key = {"OPENAI_API_KEY": "sk-some-key"}
        async with Harness(Agent("tester"), modes=modes, environ=key) as made:
            session = await made.session()
            await session.switch_mode("plan")
            assert session.display.model == "openai:critic"

    run(body())
