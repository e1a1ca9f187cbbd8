"""Which model is used: chosen for a mode, a thread or a resource; what is asked of it; the list."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from longrein.core import events as e
from longrein.core.errors import Overloaded, UsageError
from longrein.core.outcomes import Finished
from longrein.harness import Harness
from longrein.loop.agent import Agent, Chain, Mode
from longrein.loop.retry import Retry
from longrein.models.base import Effort, ModelSettings
from longrein.models.catalog import ProviderSettings, Wire
from longrein.models.price import Price
from longrein.session.session import Session
from longrein.testing import (
    Reply,
    Script,
    ScriptedModel,
    ScriptedServer,
    call,
    fail,
    pause,
    reply,
    say,
)
from tests.session.kit import log, of, until
from tests.session.tools import read
from tests.support import run

KEY = "sk-very-secret-0123456789"
MODES = (Mode("plan", model="house:planner"), Mode("build"), Mode("review", model="house:critic"))


def serving(*replies: Reply) -> ScriptedServer:
    return ScriptedServer(Script(replies, otherwise=say("ok")), bodies=True)


def hosting(
    server: ScriptedServer,
    *modes: Mode,
    model: Chain = "house:default",
    store: str = "memory",
    wire: Wire = "openai_chat",
    **more: Any,
) -> Harness:
    path = "" if wire == "anthropic" else "/v1"
    house = ProviderSettings(base_url=server.url + path, key=KEY, wire=wire)
    agent = Agent("tester", model=model, tools=[read])
    return Harness(
        agent,
        modes=modes or None,
        store=store,
        providers={"house": house},
        environ={},
        retry=Retry(attempts=1),
        **more,
    )


def bodies(server: ScriptedServer) -> list[dict[str, Any]]:
    return [json.loads(request.body) for request in server.requests]


def used(server: ScriptedServer) -> list[str]:
    """The models that were asked, in order."""
    return [body["model"] for body in bodies(server)]


async def say_in(session: Session, *modes: str) -> None:
    """Say something in each of these modes."""
    for mode in modes:
        await session.switch_mode(mode)
        await (await session.send("hi"))


def test_each_mode_has_its_model_and_the_agent_has_one_for_the_rest() -> None:
    async def body() -> None:
        async with serving() as server, hosting(server, *MODES) as made:
            await say_in(await made.session("ada"), "plan", "build", "review")
            assert used(server) == ["planner", "default", "critic"]

    run(body())


def test_the_model_chosen_in_a_mode_is_remembered_there_also_after_a_restart(
    tmp_path: Path,
) -> None:
    store = f"sqlite:{tmp_path / 'a.db'}"

    async def body() -> None:
        async with serving() as server:
            async with hosting(server, *MODES, store=store) as made:
                session = await made.session("ada")
                await session.switch_model("house:thinker")
                await say_in(session, "plan", "build", "plan")
                await session.switch_mode("build")
            async with hosting(server, *MODES, store=store) as made:
                session = await made.session("ada")
                assert session.display.model == "house:default"
                await say_in(session, "build", "plan")
                await session.switch_model("")
                await say_in(session, "plan")
            assert used(server) == [
                "thinker", "default", "thinker", "default", "thinker", "planner",
            ]  # fmt: skip

    run(body())


def test_a_change_of_mode_is_followed_by_the_change_of_model_that_it_comes_to() -> None:
    async def body() -> None:
        async with serving() as server, hosting(server, *MODES) as made:
            session = await made.session("ada")
            await session.switch_model("house:thinker")
            await say_in(session, "build", "plan")
            changes = [
                (event.model, event.previous, event.uses)
                if isinstance(event, e.ModelChanged)
                else event.mode
                for event in await log(session)
                if isinstance(event, e.ModeChanged | e.ModelChanged)
            ]
            assert changes == [
                ("house:thinker", "house:planner", "house:thinker"),
                "build",
                ("", "house:thinker", "house:default"),
                "plan",
                ("house:thinker", "house:default", "house:thinker"),
            ]

    run(body())


def test_between_modes_that_use_the_same_model_only_the_mode_changes() -> None:
    async def body() -> None:
        async with serving() as server, hosting(server, Mode("a"), Mode("b")) as made:
            session = await made.session("ada")
            await say_in(session, "a", "b")
            assert await of(session, e.ModelChanged) == []
            assert [event.reason for event in await of(session, e.PrefixStarted)] == ["first"]

    run(body())


def test_another_model_in_the_middle_of_a_run_is_used_from_the_next_step_on() -> None:
    async def body() -> None:
        slow = reply(say("Let me see"), pause(), call("read"))
        async with serving(slow, say("ok")) as server, hosting(server) as made:
            session = await made.session("ada")
            handle = await session.send("go")
            await until(lambda: server.count == 1)
            await session.switch_model("house:thinker")
            server.release()
            assert await handle == Finished("ok")
            assert used(server) == ["default", "thinker"]
            reasons = [event.reason for event in await of(session, e.PrefixStarted)]
            assert reasons == ["first", "model"]

    run(body())


def test_a_fork_goes_on_with_the_model_of_its_thread() -> None:
    async def body() -> None:
        async with serving() as server, hosting(server, *MODES) as made:
            session = await made.session("ada")
            await say_in(session, "build")
            await session.switch_model("house:thinker")
            fork = await made.fork("ada", session.thread)
            await (await fork.send("hi"))
            assert used(server)[-1] == "thinker"

    run(body())


def test_a_resources_model_is_used_where_the_thread_has_chosen_none() -> None:
    async def body() -> None:
        async with serving() as server, hosting(server, *MODES) as made:
            ada, own, bob = (
                await made.session("ada"),
                await made.session("ada", "other"),
                await made.session("bob"),
            )
            await own.switch_model("house:mine")
            assert ada.display.model == "house:planner"
            await made.use_model("ada", "house:shared")
            assert ada.display.model == "house:shared"
            for session in (ada, own, bob):
                await (await session.send("hi"))
            assert used(server) == ["shared", "mine", "planner"]
            await made.use_model("ada", "")
            await (await ada.send("hi"))
            assert used(server)[-1] == "planner"

    run(body())


def test_a_resources_model_is_seen_by_another_harness_on_the_store(tmp_path: Path) -> None:
    store = f"sqlite:{tmp_path / 'a.db'}"

    async def body() -> None:
        async with (
            serving() as server,
            hosting(server, store=store) as here,
            hosting(server, store=store) as there,
        ):
            live = await there.session("ada")
            await (await live.send("hi"))
            await here.use_model("ada", "house:shared")
            await until(lambda: live.display.model == "house:shared")
            await (await live.send("hi"))
            async with hosting(server, store=store) as later:
                await (await (await later.session("ada", "new")).send("hi"))
            assert used(server) == ["default", "shared", "shared"]

    run(body())


@pytest.mark.parametrize(
    ("name", "why"),
    [("nobody:x", "'nobody'"), ("x", "provider:model"), ("anthropic:x", "ANTHROPIC_API_KEY")],
)
def test_a_model_that_cannot_be_had_is_not_chosen(name: str, why: str) -> None:
    async def body() -> None:
        async with serving() as server, hosting(server) as made:
            session = await made.session("ada")
            with pytest.raises(UsageError, match=why):
                await session.switch_model(name)
            with pytest.raises(UsageError, match=why):
                await made.use_model("ada", name)
            await (await session.send("hi"))
            assert used(server) == ["default"]

    run(body())


def test_an_effort_that_there_is_not_is_refused_by_name() -> None:
    async def body() -> None:
        async with serving() as server, hosting(server) as made:
            session = await made.session("ada")
            with pytest.raises(UsageError, match=r"'extreme'.*low, medium, high"):
                await session.switch_model("", effort="extreme")  # pyright: ignore[reportArgumentType]
            assert await of(session, e.ModelChanged) == []

    run(body())


def test_a_chosen_model_that_fails_gives_way_to_those_configured_for_the_mode() -> None:
    down = ScriptedModel(lambda request: fail(Overloaded("down", status=529)))
    spare = ScriptedModel(lambda request: say("spare"))

    async def body() -> None:
        plan, other = Mode("plan", model=spare), Mode("other", model=down)
        agent = Agent("tester")
        retry = Retry(attempts=1)
        async with Harness(agent, modes=[plan, other], environ={}, retry=retry) as made:
            session = await made.session("ada")
            await session.switch_model("custom:ScriptedModel-2")
            assert await (await session.send("hi")) == Finished("spare")
            (failed,) = await of(session, e.StepFailed)
            assert failed.next_model

    run(body())


def test_a_chosen_model_that_is_no_more_gives_way_to_the_default_one_with_an_event(
    tmp_path: Path,
) -> None:
    store = f"sqlite:{tmp_path / 'a.db'}"

    async def body() -> None:
        async with serving() as server:
            async with hosting(server, store=store) as made:
                session = await made.session("ada")
                await session.switch_model("house:thinker")
                await (await session.send("hi"))
            agent = Agent("tester", model=ScriptedModel(lambda request: say("still here")))
            async with Harness(agent, store=store, environ={}) as made:
                session = await made.session("ada")
                assert await (await session.send("hi")) == Finished("still here")
                (failed,) = await of(session, e.StepFailed)
                assert failed.next_model
                assert "'house'" in failed.problem.message

    run(body())


EFFORTS: Sequence[tuple[Wire, str, Mapping[str, Any]]] = [
    ("openai_chat", "house:gpt-5", {"reasoning_effort": "high"}),
    ("openai_responses", "house:gpt-5", {"reasoning": {"effort": "high"}}),
    ("anthropic", "house:claude-opus-4-6", {"output_config": {"effort": "high"}}),
]


@pytest.mark.parametrize(("wire", "model", "sent"), EFFORTS)
def test_the_effort_of_a_thread_reaches_the_wire_in_its_mode_alone(
    wire: Wire, model: str, sent: Mapping[str, Any], tmp_path: Path
) -> None:
    store = f"sqlite:{tmp_path / 'a.db'}"
    modes = (Mode("plan"), Mode("build"))

    async def body() -> None:
        async with serving() as server:
            async with hosting(server, *modes, model=model, wire=wire, store=store) as made:
                session = await made.session("ada")
                await say_in(session, "plan")
                await session.switch_model("", effort="high")
                await say_in(session, "plan", "build")
                changed = (await of(session, e.ModelChanged))[-1]
                assert (changed.model, changed.uses, changed.effort) == ("", model, "")
            async with hosting(server, *modes, model=model, wire=wire, store=store) as made:
                session = await made.session("ada")
                await say_in(session, "plan")
            there = [_within(sent, body) for body in bodies(server)]
            assert there == [False, True, False, True]

    run(body())


def _within(wanted: Mapping[str, Any], body: Mapping[str, Any]) -> bool:
    found = {key: body.get(key, {}) for key in wanted}
    return all(
        found[key] == value or (isinstance(value, dict) and value.items() <= found[key].items())
        for key, value in wanted.items()
    )


def test_settings_by_provider_and_by_model_reach_the_wire() -> None:
    settings = {
        "house": ModelSettings(max_output=500, temperature=0.5, extra={"seed": 7}),
        "house:thinker": ModelSettings(max_output=900, effort="low"),
        "groq:default": ModelSettings(temperature=1.0),
    }

    async def body() -> None:
        async with serving() as server, hosting(server, model_settings=settings) as made:
            session = await made.session("ada")
            await (await session.send("hi"))
            await session.switch_model("house:thinker")
            await (await session.send("hi"))
            effort: Effort = "high"
            await session.switch_model("house:thinker", effort=effort)
            await (await session.send("hi"))
            keys = ("max_tokens", "temperature", "seed", "reasoning_effort")
            assert [[body.get(key) for key in keys] for body in bodies(server)] == [
                [500, 0.5, 7, None],
                [900, 0.5, 7, "low"],
                [900, 0.5, 7, "high"],
            ]

    run(body())


def test_the_list_has_given_configured_and_listed_models_and_whether_they_can_be_used() -> None:
    async def body() -> None:
        house = ProviderSettings(base_url="http://127.0.0.1:1/v1", key=KEY)
        modes = [Mode("plan", model="house:planner"), Mode("build", model="groq:some")]
        made = Harness(
            Agent("tester", instructions=lambda deps: "Hi.", model=ScriptedModel(Script([]))),
            modes=modes,
            providers={"house": house},
            prices={"house:dear": Price("1", "2")},
            environ={"OPENAI_API_KEY": KEY},
        )
        async with made:
            found = await made.models()
            known = {one.name: one for one in found}
            facts = {
                name: (known[name].source, known[name].usable)
                for name in ("custom:ScriptedModel", "house:planner", "groq:some", "house:dear")
            }
            assert facts == {
                "custom:ScriptedModel": ("given", True),
                "house:planner": ("configured", True),
                "groq:some": ("configured", False),
                "house:dear": ("configured", True),
            }
            assert "GROQ_API_KEY" in known["groq:some"].problem
            listed = [one for one in found if one.source == "listed"]
            assert {one.provider for one in listed if one.usable} >= {"openai"}
            assert {one.provider for one in listed if not one.usable} >= {"anthropic"}
            assert {one.provider for one in await made.models(provider="house")} == {"house"}
            assert all(one.usable for one in await made.models(usable_only=True))
            assert KEY.encode() not in msgspec.json.encode(found)
            assert KEY not in "".join(map(str, found)) + repr(found)

    run(body())
