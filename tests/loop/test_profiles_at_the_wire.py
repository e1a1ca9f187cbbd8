"""Profiles as a provider sees them: prompts, tools and settings in real requests."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from longrein.capabilities.base import Capability
from longrein.capabilities.plans import Plans
from longrein.capabilities.skills.skills import Skills
from longrein.capabilities.subagents.capability import Subagents
from longrein.capabilities.subagents.spec import Subagent
from longrein.capabilities.todos import Todos
from longrein.capabilities.workspace.workspace import Workspace
from longrein.core import events as e
from longrein.core.errors import Overloaded, UsageError
from longrein.core.messages import ToolResult
from longrein.core.outcomes import Finished
from longrein.core.policy import Rule
from longrein.harness import Harness
from longrein.loop.agent import DEFAULT_SETTINGS, Agent, Mode
from longrein.loop.profiles.profile import Profile
from longrein.loop.retry import Retry
from longrein.models.base import ModelSettings, Request
from longrein.models.catalog import ProviderSettings, Wire
from longrein.session.session import Session
from longrein.testing import Reply, Script, ScriptedServer, call, fail, say
from tests.session.kit import of
from tests.session.tools import read, write
from tests.support import run

PATHS: Mapping[Wire, str] = {"openai_chat": "/v1", "anthropic": "", "openai_responses": "/v1"}
on_every_wire = pytest.mark.parametrize("wire", PATHS)

SMALL = Profile(
    prompt="You are small.",
    base_prompt="Work slowly.",
    tool_descriptions={"read": "Read it."},
    excluded_tools=frozenset(("write",)),
    settings=ModelSettings(max_output=77, temperature=0.5),
)


def serving(*replies: Reply) -> ScriptedServer:
    return ScriptedServer(Script(replies, otherwise=say("ok")), bodies=True)


def hosting(
    server: ScriptedServer,
    profiles: Mapping[str, Profile],
    wire: Wire = "openai_chat",
    *,
    model: str | Sequence[str] = "house:small",
    capabilities: Sequence[Capability] = (),
    modes: Sequence[Mode] | None = None,
    rules: Sequence[Rule] = (),
    store: str = "memory",
    settings: ModelSettings = DEFAULT_SETTINGS,
) -> Harness:
    agent = Agent(
        "tester",
        model=model,
        instructions="Do it.",
        base_prompt="Work well.",
        tools=[read, write],
        capabilities=capabilities,
        settings=settings,
    )
    base_url = server.url + PATHS[wire]
    house = ProviderSettings(base_url=base_url, key="sk-house", wire=wire)
    return Harness(
        agent,
        modes=modes,
        rules=rules,
        store=store,
        providers={"house": house},
        prices={},
        environ={},
        profiles=profiles,
        retry=Retry(attempts=1),
    )


def bodies(server: ScriptedServer) -> list[dict[str, Any]]:
    return [json.loads(request.body) for request in server.requests]


def described(body: dict[str, Any]) -> dict[str, str]:
    """The descriptions of the tools in a request by their names, whatever the wire."""
    entries = [entry.get("function", entry) for entry in body.get("tools", ())]
    return {entry["name"]: entry["description"] for entry in entries}


def system(body: dict[str, Any]) -> str:
    found = body.get("system") or body.get("instructions") or body["messages"][0]["content"]
    return found if isinstance(found, str) else "".join(part["text"] for part in found)


async def epochs(session: Session[Any]) -> list[tuple[str, str]]:
    return [(one.reason, one.model) for one in await of(session, e.PrefixStarted)]


@on_every_wire
def test_a_request_has_the_words_the_tools_and_the_settings_of_the_profile(wire: Wire) -> None:
    async def go() -> dict[str, Any]:
        async with serving() as server, hosting(server, {"house": SMALL}, wire) as harness:
            assert await (await (await harness.session()).send("Hi")) == Finished("ok")
            return bodies(server)[0]

    body = run(go())
    assert system(body) == "Work slowly.\n\nDo it.\n\nYou are small."
    assert described(body) == {"read": "Read it."}
    limits = (
        body.get(name) for name in ("max_tokens", "max_completion_tokens", "max_output_tokens")
    )
    assert 77 in limits


@on_every_wire
def test_an_excluded_tool_that_is_called_all_the_same_does_not_run(wire: Wire) -> None:
    async def go() -> tuple[list[ToolResult], int]:
        asked = call("write", path="/a", text="b")
        async with serving(asked) as server, hosting(server, {"house": SMALL}, wire) as harness:
            session = await harness.session()
            await session.set_trust("yolo")
            assert await (await session.send("Hi")) == Finished("ok")
            results = [m for m in session.folded.messages if isinstance(m, ToolResult)]
            return results, len(await of(session, e.ToolStarted))

    results, started = run(go())
    assert started == 0
    assert "There is no tool `write`" in str(results[0].parts)
    assert "`read`" in str(results[0].parts)


def test_another_model_brings_its_own_words_and_tools_with_one_new_epoch() -> None:
    async def go() -> tuple[list[tuple[str, str]], list[dict[str, Any]], int]:
        async with serving() as server, hosting(server, {"house:small*": SMALL}) as harness:
            session = await harness.session()
            for model in ("house:large", "house:large", "house:small-2", "house:small-2"):
                await session.switch_model(model)
                await (await session.send("Hi"))
            return await epochs(session), bodies(server), len(await of(session, e.ContextChanged))

    found, sent, changes = run(go())
    assert found == [("first", "house:large"), ("model", "house:small-2")]
    assert changes == 0
    large, small = sent[0], sent[2]
    assert system(large) == "Work well.\n\nDo it."
    assert set(described(large)) == {"read", "write"}
    assert system(small) == "Work slowly.\n\nDo it.\n\nYou are small."
    assert described(small) == {"read": "Read it."}
    assert system(sent[3]) == system(small)


def test_a_model_that_takes_over_has_its_own_tools() -> None:
    async def go() -> list[list[str]]:
        def answer(request: Request) -> Reply:
            return fail(Overloaded("no")) if request.model.endswith("large") else say("ok")

        async with ScriptedServer(answer, bodies=True) as server:
            chain = ["house:large", "house:small"]
            async with hosting(server, {"house:small": SMALL}, model=chain) as harness:
                assert await (await (await harness.session()).send("Hi")) == Finished("ok")
            return [list(described(body)) for body in bodies(server)]

    assert run(go()) == [["read", "write"], ["read"]]


def test_a_restart_tells_nothing_new_and_keeps_the_epoch(tmp_path: Path) -> None:
    store = f"sqlite:{tmp_path / 'threads.db'}"

    async def go() -> tuple[list[tuple[str, str]], int, list[dict[str, Any]]]:
        async with serving() as server:
            async with hosting(server, {"house": SMALL}, store=store) as harness:
                await (await (await harness.session()).send("Hi"))
            async with hosting(server, {"house": SMALL}, store=store) as harness:
                session = await harness.session()
                await (await session.send("Hi"))
                changes = await of(session, e.ContextChanged)
                return await epochs(session), len(changes), bodies(server)

    found, changes, sent = run(go())
    assert len(found) == 1
    assert changes == 0
    assert system(sent[0]) == system(sent[1])


def test_what_the_agent_sets_is_stronger_than_what_a_profile_sets() -> None:
    async def go() -> dict[str, Any]:
        async with serving() as server:
            set_here = ModelSettings(temperature=0.1)
            async with hosting(server, {"house": SMALL}, settings=set_here) as harness:
                await (await (await harness.session()).send("Hi"))
            return bodies(server)[0]

    body = run(go())
    assert body["temperature"] == 0.1
    assert body["max_tokens"] == 77


def test_capabilities_follow_the_agents_first_model() -> None:
    async def go(profile: Profile, own: Sequence[Capability]) -> list[str]:
        async with serving() as server:
            profiles = {"house:small": profile}
            async with hosting(server, profiles, capabilities=own) as harness:
                await (await (await harness.session()).send("Hi"))
            return list(described(bodies(server)[0]))

    todos = ["read", "write", "write_todos", "update_todos"]
    assert run(go(Profile(capabilities=(Todos,)), [])) == todos
    assert run(go(Profile(capabilities=(Todos(), Todos)), [Todos()])) == todos
    assert run(go(Profile(excluded_capabilities=frozenset((Todos,))), [Todos()])) == todos[:2]


def test_rules_and_modes_may_name_the_tools_of_a_capability_that_a_profile_excludes() -> None:
    async def go() -> list[str]:
        async with serving() as server:
            without = {"house": Profile(excluded_capabilities=frozenset(("todos",)))}
            async with hosting(
                server,
                without,
                capabilities=[Todos()],
                modes=[Mode("all", visible=["read", "write_todos"])],
                rules=[Rule("ask", tool="write_todos")],
            ) as harness:
                await (await (await harness.session()).send("Hi"))
            return list(described(bodies(server)[0]))

    assert run(go()) == ["read"]


def test_a_capability_that_must_stay_says_why_and_what_to_do_instead(tmp_path: Path) -> None:
    profile = Profile(excluded_capabilities=frozenset((Workspace,)))
    agent = Agent("tester", model="house:small", capabilities=[Workspace(tmp_path)])
    with pytest.raises(UsageError) as caught:
        Harness(
            agent,
            providers={"house": ProviderSettings(base_url="http://127.0.0.1:1")},
            profiles={"house": profile},
        )
    said = str(caught.value)
    assert "house (given)" in said
    assert "'workspace' cannot be excluded" in said
    assert "excluded_tools" in said


def test_a_capability_of_a_profile_that_cannot_be_made_is_the_callers_error() -> None:
    def broken() -> Capability:
        raise OSError("no such device")

    with pytest.raises(UsageError, match="no such device"):
        Harness(
            Agent("a", model="openai:small"), profiles={"openai": Profile(capabilities=(broken,))}
        )


def test_a_capability_cannot_have_the_name_of_a_part_of_the_system_text() -> None:
    class Base(Capability):
        pass

    with pytest.raises(UsageError, match="cannot be called 'base'"):
        Harness(Agent("a", capabilities=[Base()]))


def test_a_child_has_the_profile_of_its_own_model() -> None:
    def answer(request: Request) -> Reply:
        if request.model.endswith("small") or request.messages[-1:] != request.messages[:1]:
            return say("ok")
        return call("task", agent="helper", description="Help", prompt="Help.")

    async def go() -> list[dict[str, Any]]:
        helper = Subagent("helper", "Helps.", model="house:small")
        async with ScriptedServer(answer, bodies=True) as server:
            async with hosting(
                server,
                {"house:small": SMALL},
                model="house:large",
                capabilities=[Subagents([helper])],
            ) as harness:
                assert await (await (await harness.session()).send("Hi")) == Finished("ok")
            return bodies(server)

    parent, child, _ = run(go())
    assert {"read", "write", "task"} <= set(described(parent))
    assert "write" not in described(child)
    assert system(child).startswith("Work slowly.")
    assert system(child).endswith("You are small.")


def test_subagents_that_were_given_cannot_be_excluded_and_the_general_one_can() -> None:
    without = {"openai": Profile(excluded_capabilities=frozenset((Subagents,)))}
    given = Subagents([Subagent("helper", "Helps.")])
    with pytest.raises(UsageError, match=r"somebody to delegate to \(helper\).*excluded_tools"):
        Harness(Agent("a", model="openai:small", capabilities=[given]), profiles=without)
    Harness(Agent("a", model="openai:small", capabilities=[Subagents()]), profiles=without)


def test_plans_that_a_mode_needs_cannot_be_excluded() -> None:
    modes = [Mode("plan", transitions_to="build"), Mode("build")]
    agent = Agent("a", model="openai:small", capabilities=[Plans()])
    without = {"openai": Profile(excluded_capabilities=frozenset((Plans,)))}
    with pytest.raises(
        UsageError, match="excludes the capability 'plans', which has 'submit_plan'"
    ):
        Harness(agent, modes=modes, profiles=without)


def test_where_all_tools_of_a_capability_are_excluded_it_has_nothing_to_say() -> None:
    gone = frozenset(("write_todos", "update_todos", "skill", "task"))
    profiles = {"house:small": Profile(excluded_tools=gone)}

    async def go() -> list[dict[str, Any]]:
        capabilities = [Todos(), Skills(), Subagents()]
        async with (
            serving() as server,
            hosting(server, profiles, model="house:large", capabilities=capabilities) as harness,
        ):
            session = await harness.session()
            for model in ("house:large", "house:small", "house:large"):
                await session.switch_model(model)
                await (await session.send("Hi"))
            return bodies(server)

    large, small, again = run(go())
    for named in ("write_todos", "skill-writing"):
        assert named in system(large)
        assert named not in system(small)
        assert named in system(again)
    assert "task" in described(large)
    assert "tasks" in described(large)
    assert set(described(small)) == {"read", "write"}
