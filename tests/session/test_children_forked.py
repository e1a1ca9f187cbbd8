"""Forked children: they go on with the conversation of their parent, and with its cached prefix."""

import json
from typing import Any

import pytest

from longrein.capabilities.subagents.capability import Subagents
from longrein.capabilities.subagents.spec import Subagent
from longrein.capabilities.todos import Todos
from longrein.core import events as e
from longrein.core.outcomes import Finished
from longrein.core.policy import Rule
from longrein.harness import Harness
from longrein.loop.agent import Agent, Mode
from longrein.models.catalog import ProviderSettings, Wire
from longrein.session.session import Session
from longrein.storage.memory import MemoryStore
from longrein.testing import Script, ScriptedModel, ScriptedServer, call, calls, say
from longrein.testing.scripted import when
from tests.session.families import child_of, family, look, results, task, write
from tests.session.kit import of, with_session
from tests.support import run

DONE = say("Done.")
FORK = Subagent(
    "fork",
    "Goes on with what is known.",
    "Be quick.",
    forked=True,
    permissions=[Rule("deny", tool="write")],
)
_BOTH = calls(task("the branch", "fork"), call("look", at="b"))
RULES = [
    when("the branch", call("write", text="x"), say("From the fork.")),
    when(
        "begin", call("look", at="a"), calls(task("the branch", "fork"), call("look", at="b")), DONE
    ),
]
PATHS: dict[Wire, str] = {"openai_chat": "/v1", "anthropic": "", "openai_responses": "/v1"}


def test_a_forked_child_knows_the_conversation_and_copies_nothing() -> None:
    async def body(session: Session) -> None:
        assert await (await session.send("begin")) == Finished("Done.")
        assert results(session)[1] == "From the fork."
        child = await child_of(session)
        assert results(child)[0] == "saw a"
        row = await session.services.store.thread(child.thread)
        assert row is not None
        assert (row.parent, row.under) == (session.thread, session.thread)
        (forked,) = await of(child, e.Forked)
        assert forked.child
        assert forked.seq == row.fork_at + 1
        assert await of(session, e.Forked) == []

    with_session(family(RULES, FORK), body)


def test_a_forked_child_reads_which_call_made_it_and_which_go_on_elsewhere() -> None:
    async def body(session: Session) -> None:
        await (await session.send("begin"))
        made, other = results(await child_of(session))[1:3]
        assert made == "This is the call that made you: you are the fork, and its task comes next."
        assert "goes on in the conversation that you were forked from" in other

    with_session(family(RULES, FORK), body)


def test_a_forked_child_is_offered_what_its_parent_is_and_refused_what_it_may_not_use() -> None:
    model = ScriptedModel(Script(rules=RULES))

    async def body(session: Session) -> None:
        await (await session.send("begin"))
        child = await child_of(session)
        offered = [[spec.name for spec in request.tools] for request in model.requests]
        assert all(one == offered[0] for one in offered)
        assert "write" in offered[0]
        assert "not allowed" in results(child)[-1]
        assert len(await of(child, e.PrefixStarted)) == 1

    with_session(family(model, FORK, modes=[Mode("work", instructions="Work.")]), body)


def test_what_the_parent_spent_before_is_not_the_forks() -> None:
    async def body(session: Session) -> None:
        await (await session.send("begin"))
        (child,) = session.folded.children
        assert child.spent.steps == 2

    with_session(family(RULES, FORK), body)


def test_what_is_erased_in_a_thread_is_erased_in_its_forked_children() -> None:
    async def test() -> None:
        async with family(RULES, FORK) as host:
            session = await host.session("tester")
            await (await session.send("begin"))
            child, thread = session.folded.children[0].thread, session.thread
            (said,) = await of(session, e.InputAdmitted)
            await host.erase("tester", thread, said.seq)
            for id in (thread, child):
                texts = [one.data for one in await host.store.read(id)]
                assert not any(b'"begin"' in data for data in texts)

    run(test())


def _parts(wire: Wire, posted: bytes) -> tuple[Any, Any, list[Any]]:
    """Tools, system and messages of a request, without marks for the provider's cache."""
    body = json.loads(posted, object_hook=_unmarked)
    messages = body["input"] if wire == "openai_responses" else body["messages"]
    return body.get("tools"), body.get("system") or body.get("instructions"), messages


def _unmarked(found: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in found.items() if key != "cache_control"}


@pytest.mark.parametrize("wire", PATHS)
def test_requests_of_a_fork_begin_with_the_last_one_of_its_parent(wire: Wire) -> None:
    async def test() -> None:
        script = Script(rules=RULES)
        async with ScriptedServer(script, bodies=True) as server:
            house = ProviderSettings(base_url=server.url + PATHS[wire], key="sk-1", wire=wire)
            agent = Agent(
                "root",
                instructions="Delegate.",
                model="house:large",
                tools=[write, look],
                capabilities=[Subagents([FORK]), Todos()],
            )
            host = Harness(agent, store=MemoryStore(), providers={"house": house}, environ={})
            async with host:
                session = await host.session("tester")
                assert await (await session.send("begin")) == Finished("Done.")
            assert not server.refused
            bodies = [_parts(wire, posted.body) for posted in server.requests]
        first, delegated, *forks = (one for one in bodies if "From the fork" not in str(one))
        tools, system, before = delegated
        assert before[: len(first[2])] == first[2]
        for fork in forks:
            assert fork[0] == tools
            assert fork[1] == system
            assert fork[2][: len(before)] == before
            assert len(fork[2]) > len(before)
        assert len(forks) == 2

    run(test())
