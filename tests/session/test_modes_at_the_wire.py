"""Modes as a provider sees them: the tools, notes and results in real requests."""

import asyncio
import json
from collections.abc import Callable, Coroutine, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct

from longrein.capabilities.base import Capability
from longrein.capabilities.plans import PLAN, Plans
from longrein.core import events as e
from longrein.core.messages import ToolResult
from longrein.core.outcomes import Aborted, Finished
from longrein.core.planning import Plan
from longrein.core.policy import Rule
from longrein.harness import Harness
from longrein.loop.agent import Agent, Mode
from longrein.models.catalog import ProviderSettings, Wire
from longrein.session.session import Session
from longrein.testing import Reply, Script, ScriptedServer, call, pause, reply, say
from longrein.tools.define import tool
from tests.session.kit import of, said, until, waiting
from tests.session.tools import read, write
from tests.support import run

PATHS: Mapping[Wire, str] = {"openai_chat": "/v1", "anthropic": "", "openai_responses": "/v1"}
SUBMIT = call("submit_plan", title="Ship it", plan="1. Ship")
PLAN_MODE = Mode(
    "plan", instructions="Only plan.", visible=["read", "submit_plan"], transitions_to="build"
)
BUILD_MODE = Mode("build", instructions="Build it.", visible=["read", "write"])

on_every_wire = pytest.mark.parametrize("wire", PATHS)

ran: list[str] = []


@tool(category="execute")
async def deploy(target: str) -> str:
    """Deploy to a target, which the tests in this file never allow."""
    ran.append(target)
    return "deployed"


class Careful(Capability):
    """Denies a tool."""

    def rules(self) -> Sequence[Rule]:
        return (Rule("deny", tool="deploy"),)


def serving(*replies: Reply) -> ScriptedServer:
    return ScriptedServer(Script(replies, otherwise=say("ok")), bodies=True)


def hosting(
    wire: Wire,
    server: ScriptedServer,
    *modes: Mode,
    capabilities: Sequence[Capability] = (),
    store: str = "memory",
    rules: Sequence[Rule] = (),
) -> Harness:
    house = ProviderSettings(base_url=server.url + PATHS[wire], key="sk-house", wire=wire)
    agent = Agent(
        "tester", model="house:large", tools=[read, write, deploy], capabilities=capabilities
    )
    return Harness(
        agent,
        modes=modes or None,
        store=store,
        rules=rules,
        providers={"house": house},
        prices={},
        environ={},
    )


def bodies(server: ScriptedServer) -> list[dict[str, Any]]:
    return [json.loads(request.body) for request in server.requests]


def offered(server: ScriptedServer) -> list[list[str]]:
    """The names of the tools in each request, whatever the wire."""
    return [
        [entry.get("function", entry)["name"] for entry in body.get("tools", ())]
        for body in bodies(server)
        if body.get("tool_choice") != {"type": "none"}
    ]


def heard(server: ScriptedServer) -> list[str]:
    """What was said in each request, instructions and results included, as one text."""
    return [json.dumps([body.get("messages"), body.get("input")]) for body in bodies(server)]


def speaking(session: Session) -> bool:
    return session.display.writing is not None and session.display.writing.text != ""


def results(session: Session) -> list[tuple[str, str]]:
    return [(m.status, m.text) for m in said(session) if isinstance(m, ToolResult)]


class Hiding(Struct, frozen=True):
    """A way to keep the model from a tool: in what is configured, or by what is said."""

    modes: tuple[Mode, ...] = ()
    rules: tuple[Rule, ...] = ()
    capabilities: tuple[Capability, ...] = ()
    tell: Callable[[Session], Coroutine[Any, Any, Any]] | None = None


HIDING = {
    "not visible": Hiding(modes=(Mode("m", visible=["read"]),)),
    "rule of the harness": Hiding(rules=(Rule("deny", tool="deploy"),)),
    "rule of the mode": Hiding(modes=(Mode("m", rules=[Rule("deny", tool="deploy")]),)),
    "rule of a capability": Hiding(capabilities=(Careful(),)),
    "rule of the thread": Hiding(tell=lambda s: s.add_rule(Rule("deny", tool="deploy"))),
    "denied category": Hiding(rules=(Rule("deny", category="execute"),)),
    "denied though visible": Hiding(
        modes=(Mode("m", visible=["read", "deploy"]),), rules=(Rule("deny", tool="deploy"),)
    ),
    "trust": Hiding(tell=lambda s: s.set_trust("plan")),
    "denied under yolo": Hiding(
        rules=(Rule("deny", category="execute"),), tell=lambda s: s.set_trust("yolo")
    ),
}


@on_every_wire
@pytest.mark.parametrize("hiding", HIDING.values(), ids=list(HIDING))
def test_a_hidden_tool_is_never_offered_and_never_runs(
    wire: Wire, hiding: Hiding, tmp_path: Path
) -> None:
    """Also when the thread was opened again by another harness, and in a fork of it."""
    store = f"sqlite:{tmp_path / 'a.db'}"
    ran.clear()

    def host(server: ScriptedServer) -> Harness:
        return hosting(
            wire,
            server,
            *hiding.modes,
            rules=hiding.rules,
            capabilities=hiding.capabilities,
            store=store,
        )

    async def body() -> None:
        async with serving(*(call("deploy", target="x"), say("ok")) * 3) as server:
            async with host(server) as made:
                session = await made.session("ada")
                if hiding.tell is not None:
                    await hiding.tell(session)
                assert await (await session.send("one")) == Finished("ok")
            async with host(server) as made:
                session = await made.session("ada")
                assert await (await session.send("two")) == Finished("ok")
                fork = await made.fork("ada", session.thread)
                assert await (await fork.send("three")) == Finished("ok")
            assert {status for status, _ in results(fork)} <= {"refused", "error"}
            assert len(results(fork)) == 3
            assert len(offered(server)) == 6
            assert all("read" in names and "deploy" not in names for names in offered(server))
            assert ran == []

    run(body())


@on_every_wire
def test_a_mode_that_shows_nothing_offers_nothing(wire: Wire) -> None:
    async def body() -> None:
        async with serving(call("read"), say("ok")) as server:
            bare = Mode("bare", visible=[])
            async with hosting(wire, server, bare, capabilities=[Plans()]) as made:
                session = await made.session("ada")
                assert await (await session.send("go")) == Finished("ok")
                assert offered(server)[0] == []
                assert "no tools are offered" in heard(server)[1]
                assert [status for status, _ in results(session)] == ["error"]

    run(body())


@on_every_wire
def test_a_switch_during_a_step_holds_for_the_next_one(wire: Wire) -> None:
    async def body() -> None:
        async with serving(reply(say("Let me see"), pause(), call("read")), say("ok")) as server:
            async with hosting(wire, server, PLAN_MODE, BUILD_MODE, capabilities=[Plans()]) as made:
                session = await made.session("ada")
                handle = await session.send("go")
                await until(lambda: speaking(session))
                await session.switch_mode("build")
                server.release()
                assert await handle == Finished("ok")
            assert offered(server) == [["read", "submit_plan"], ["read", "write"]]
            assert "Build it." not in heard(server)[0]
            assert "Build it." in heard(server)[1]
            assert results(session) == [("ok", "content of /")]

    run(body())


@on_every_wire
def test_of_two_switches_during_a_step_the_model_hears_of_the_newest_alone(wire: Wire) -> None:
    review = Mode("review", instructions="Review it.", visible=["read"])

    async def body() -> None:
        async with serving(reply(say("Hm"), pause(), call("read")), say("ok")) as server:
            modes = (PLAN_MODE, BUILD_MODE, review)
            async with hosting(wire, server, *modes, capabilities=[Plans()]) as made:
                session = await made.session("ada")
                handle = await session.send("go")
                await until(lambda: speaking(session))
                await asyncio.gather(session.switch_mode("build"), session.switch_mode("review"))
                server.release()
                assert await handle == Finished("ok")
            assert offered(server)[1] == ["read"]
            assert "Review it." in heard(server)[1]
            assert "Build it." not in heard(server)[1]

    run(body())


@on_every_wire
def test_a_switch_with_abort_is_at_the_wire_with_the_next_run(wire: Wire) -> None:
    async def body() -> None:
        async with serving(reply(say("I think"), pause()), say("ok")) as server:
            modes = (PLAN_MODE, BUILD_MODE)
            async with hosting(wire, server, *modes, capabilities=[Plans()]) as made:
                session = await made.session("ada")
                handle = await session.send("go")
                await until(lambda: speaking(session))
                await session.switch_mode("build", abort=True)
                assert isinstance(await handle, Aborted)
                assert await (await session.send("go on")) == Finished("ok")
            assert offered(server)[1] == ["read", "write"]
            assert "Build it." in heard(server)[1]

    run(body())


@on_every_wire
def test_a_plan_is_approved_after_a_restart_and_built_with_the_tools_for_it(
    wire: Wire, tmp_path: Path
) -> None:
    store = f"sqlite:{tmp_path / 'a.db'}"

    def host(server: ScriptedServer) -> Harness:
        return hosting(wire, server, PLAN_MODE, BUILD_MODE, capabilities=[Plans()], store=store)

    async def body() -> None:
        async with serving(SUBMIT, call("write", path="/a"), say("shipped")) as server:
            async with host(server) as made:
                handle = await (await made.session("ada")).send("go")
                await waiting(handle)
            async with host(server) as made:
                session = await made.session("ada")
                (question,) = session.display.questions
                await session.approve_plan(question.id)
                again = session.run(handle.id)
                (approval,) = (await waiting(again)).approvals
                await session.approve(approval)
                assert await again == Finished("shipped")
                assert session.folded.mode == "build"
                assert results(session)[-1] == ("ok", "wrote /a")
            plan, build = ["read", "submit_plan"], ["read", "write"]
            assert offered(server) == [plan, build, build]
            assert "The plan is approved." in heard(server)[1]
            assert "Build it." in heard(server)[1]

    run(body())


@on_every_wire
def test_the_model_builds_the_plan_as_it_was_edited(wire: Wire) -> None:
    async def body() -> None:
        async with serving(SUBMIT, say("shipped")) as server:
            modes = (PLAN_MODE, BUILD_MODE)
            async with hosting(wire, server, *modes, capabilities=[Plans()]) as made:
                session = await made.session("ada")
                handle = await session.send("go")
                (question,) = (await waiting(handle)).questions
                await session.approve_plan(question, "1. Test\n2. Ship")
                assert await handle == Finished("shipped")
                edited = Plan("Ship it", "1. Test\n2. Ship", "approved", edited=True)
                assert session.read(PLAN) == edited
            assert "approved with changes" in heard(server)[1]
            assert "1. Test" in heard(server)[1]
            assert offered(server)[1] == ["read", "write"]

    run(body())


@on_every_wire
def test_a_rejected_plan_stays_with_the_feedback_and_the_second_one_leads_on(wire: Wire) -> None:
    second = call("submit_plan", title="Better", plan="1. Test")

    async def body() -> None:
        async with serving(SUBMIT, second, say("shipped")) as server:
            modes = (PLAN_MODE, BUILD_MODE)
            async with hosting(wire, server, *modes, capabilities=[Plans()]) as made:
                session = await made.session("ada")
                handle = await session.send("go")
                await session.reject_plan((await waiting(handle)).questions[0], "Test it first.")
                (again,) = (await waiting(handle)).questions
                assert session.folded.mode == "plan"
                assert session.read(PLAN) == Plan(
                    "Ship it", "1. Ship", "rejected", feedback="Test it first."
                )
                await session.approve_plan(again)
                assert await handle == Finished("shipped")
                assert session.read(PLAN) == Plan("Better", "1. Test", "approved")
            plan = ["read", "submit_plan"]
            assert offered(server) == [plan, plan, ["read", "write"]]
            assert "Test it first." in heard(server)[1]
            assert "Build it." not in heard(server)[1]

    run(body())


@on_every_wire
def test_a_steer_takes_the_place_of_a_plan_that_waits(wire: Wire) -> None:
    async def body() -> None:
        async with serving(SUBMIT, say("never mind")) as server:
            modes = (PLAN_MODE, BUILD_MODE)
            async with hosting(wire, server, *modes, capabilities=[Plans()]) as made:
                session = await made.session("ada")
                handle = await session.send("go")
                (question,) = (await waiting(handle)).questions
                await session.steer("Do something else.")
                assert await handle == Finished("never mind")
                assert (await session.approve_plan(question)).status == "stale"
                assert session.folded.mode == "plan"
                assert session.read(PLAN) is None
            assert "Do something else." in heard(server)[1]
            assert offered(server)[1] == ["read", "submit_plan"]

    run(body())


def test_an_interrupt_ends_the_run_of_a_plan_that_waits() -> None:
    async def body() -> None:
        async with serving(SUBMIT, say("ok")) as server:
            modes = (PLAN_MODE, BUILD_MODE)
            async with hosting("anthropic", server, *modes, capabilities=[Plans()]) as made:
                session = await made.session("ada")
                handle = await session.send("go")
                (question,) = (await waiting(handle)).questions
                await session.interrupt("enough")
                assert await handle == Aborted("enough")
                assert (await session.approve_plan(question)).status == "stale"
                assert session.folded.mode == "plan"
                assert await of(session, e.Recorded) == []
                assert await (await session.send("and now?")) == Finished("ok")
                assert not server.refused

    run(body())


def test_a_repeated_yes_to_a_plan_switches_once() -> None:
    async def body() -> None:
        async with serving(SUBMIT, say("shipped")) as server:
            modes = (PLAN_MODE, BUILD_MODE)
            async with hosting("openai_chat", server, *modes, capabilities=[Plans()]) as made:
                session = await made.session("ada")
                handle = await session.send("go")
                (question,) = (await waiting(handle)).questions
                yes = [session.approve_plan(question, command="cmd_1") for _ in range(3)]
                answers = await asyncio.gather(*yes)
                assert [one.status for one in answers] == ["applied", "already", "already"]
                assert await handle == Finished("shipped")
                assert len(await of(session, e.ModeChanged)) == 1

    run(body())
