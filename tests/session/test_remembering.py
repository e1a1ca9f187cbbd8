"""A remembered yes: what it covers, where it holds, how it is taken back."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from longrein.core import events as e
from longrein.core.errors import NotFound, StoreFull, UsageError
from longrein.core.messages import Text, ToolResult, User
from longrein.core.outcomes import Finished, Waiting
from longrein.core.policy import Grant, Rule, Scope, Touches
from longrein.harness import Harness
from longrein.models.base import Request
from longrein.permissions.remember import Remember
from longrein.session.session import Session
from longrein.testing import Reply, ScriptedModel, call, calls, say
from longrein.tools.define import tool
from tests.session.kit import harness, of, said, until, waiting, with_session
from tests.session.test_failures import Filling
from tests.session.tools import deploy
from tests.support import run

SCOPES: tuple[Scope, ...] = ("run", "thread", "resource")


@tool(category="execute", touches=lambda given, ctx: Touches((), (given["line"],)))
async def shell(line: str, seconds: int = 1) -> str:
    """Run a command."""
    return f"ran {line}"


@tool(category="edit")
async def save(path: str) -> str:
    """Save a file."""
    return f"saved {path}"


CALLS = {
    "same": call("shell", line="ls", seconds=1),
    "slower": call("shell", line="ls", seconds=9),
    "other": call("shell", line="rm"),
    "deploy": call("deploy", target="x"),
    "save": call("save", path="/a"),
}
COVERED = {
    "call": {"same"},
    "rule": {"same", "slower"},
    "tool": {"same", "slower", "other"},
    "category": {"same", "slower", "other", "deploy"},
}


def by_word(request: Request) -> Reply:
    """Calls the tools that the last words of the user name, then ends."""
    last = request.messages[-1]
    if not isinstance(last, User):
        return say("ok")
    words = [part.text for part in last.parts if isinstance(part, Text)]
    return calls(*(CALLS[word] for word in " ".join(words).split()))


def agents(**more: Any) -> Harness:
    return harness(ScriptedModel(by_word), shell, deploy, save, **more)


async def asked_about(session: Session, *words: str) -> set[str]:
    """What of these is asked about; all of it is declined, and the run is over."""
    handle = await session.send(" ".join(words))
    asked: set[str] = set()
    if isinstance(outcome := await handle, Waiting):
        arguments = {a.id: (a.tool, a.arguments) for a in session.display.approvals}
        for id in outcome.approvals:
            name, given = arguments[id]
            asked |= {w for w in words if _is(CALLS[w], name, given)}
            await session.decline(id)
        assert await handle == Finished("ok")
    return asked


def _is(wanted: Reply, name: str, arguments: str) -> bool:
    (piece,) = wanted.pieces
    return (getattr(piece, "name", ""), getattr(piece, "text", "")) == (name, arguments)


async def remembered(session: Session, remember: Remember, scope: Scope = "thread") -> Grant:
    """The grant from saying yes to the call named `same`."""
    handle = await session.send("same")
    (id,) = (await waiting(handle)).approvals
    assert (await session.approve(id, remember=remember, scope=scope)).status == "applied"
    assert await handle == Finished("ok")
    return (await of(session, e.GrantAdded))[-1].grant


@pytest.mark.parametrize("remember", ["call", "rule", "tool", "category"])
def test_a_yes_covers_exactly_what_was_chosen(remember: Remember) -> None:
    async def body(session: Session) -> None:
        await remembered(session, remember)
        assert await asked_about(session, *CALLS) == set(CALLS) - COVERED[remember]

    with_session(agents(), body)


@pytest.mark.parametrize("scope", SCOPES)
def test_a_yes_holds_for_the_rest_of_the_run(scope: Scope) -> None:
    script = [CALLS["same"], CALLS["same"], say("ok")]

    async def body(session: Session) -> None:
        handle = await session.send("go")
        (id,) = (await waiting(handle)).approvals
        await session.approve(id, remember="tool", scope=scope)
        assert await handle == Finished("ok")
        assert len(await of(session, e.ApprovalRequested)) == 1

    with_session(harness(script, shell), body)


@pytest.mark.parametrize("scope", SCOPES)
def test_a_yes_holds_in_its_scope_and_nowhere_else(scope: Scope) -> None:
    async def test() -> None:
        async with agents() as host:
            session = await host.session("ada")
            live = await host.session("ada", thread=(await host.session("ada", new=True)).thread)
            other = await host.session("bob")
            await remembered(session, "tool", scope)
            expected = {
                "later run": {"same"} if scope == "run" else set[str](),
                "live": set[str]() if scope == "resource" else {"same"},
                "new": set[str]() if scope == "resource" else {"same"},
                "other": {"same"},
            }
            new = await host.session("ada", new=True)
            assert await asked_about(session, "same") == expected["later run"]
            assert await asked_about(live, "same") == expected["live"]
            assert await asked_about(new, "same") == expected["new"]
            assert await asked_about(other, "same") == expected["other"]

    run(test())


def test_a_yes_for_the_resource_is_seen_by_another_harness_on_the_store(tmp_path: Path) -> None:
    store = f"sqlite:{tmp_path / 'shared.db'}"

    async def test() -> None:
        async with agents(store=store) as one, agents(store=store) as two:
            there = await two.session("ada", new=True)
            assert await asked_about(there, "same") == {"same"}
            grant = await remembered(await one.session("ada"), "tool", "resource")
            await until(lambda: there.grants() == [grant])
            assert await asked_about(there, "same", "deploy") == {"deploy"}
            assert await two.grants("ada") == [grant]
            await two.revoke("ada", grant.id)
            here = await one.session("ada")
            await until(lambda: here.grants() == [])
            assert await asked_about(here, "same") == {"same"}

    run(test())


def test_a_yes_for_the_resource_outlives_every_session(tmp_path: Path) -> None:
    store = f"sqlite:{tmp_path / 'kept.db'}"

    async def test() -> None:
        async with agents(store=store) as first:
            grant = await remembered(await first.session("ada"), "tool", "resource")
        async with agents(store=store) as second:
            session = await second.session("ada", new=True)
            assert session.grants() == [grant]
            assert await asked_about(session, "same") == set()

    run(test())


def test_a_yes_answers_only_the_rule_that_asked() -> None:
    async def body(session: Session) -> None:
        grant = await remembered(session, "category")
        assert grant.rule == "default:execute"
        await session.add_rule(Rule("ask", tool="shell", id="later"))
        assert await asked_about(session, "same", "deploy") == {"same"}
        assert (await session.explain("shell", {"line": "ls"})).rule == "later"
        await remembered(session, "tool")
        assert await asked_about(session, "same") == set()
        await session.add_rule(Rule("ask", command="ls", id="latest"))
        assert await asked_about(session, "same", "other") == {"same"}

    with_session(agents(), body)


@pytest.mark.parametrize("scope", ["thread", "resource"])
def test_a_yes_that_is_revoked_holds_no_more(scope: Scope) -> None:
    async def test() -> None:
        async with agents() as host:
            session = await host.session("ada")
            beside = await host.session("ada", new=True)
            grant = await remembered(session, "tool", scope)
            assert session.grants() == [grant]
            assert (await session.revoke(grant.id)).status == "applied"
            assert (session.grants(), beside.grants()) == ([], [])
            assert await host.grants("ada") == []
            assert await asked_about(session, "same") == {"same"}
            assert (await session.revoke(grant.id)).status == "missing"

    run(test())


def test_a_yes_for_the_run_is_revoked_while_it_runs() -> None:
    script = [CALLS["same"], calls(CALLS["save"], CALLS["same"]), CALLS["same"], say("ok")]

    async def body(session: Session) -> None:
        handle = await session.send("go")
        (id,) = (await waiting(handle)).approvals
        await session.approve(id, remember="tool", scope="run")
        (id,) = (await waiting(handle)).approvals
        (grant,) = session.grants()
        assert grant.scope == "run"
        await session.revoke(grant.id)
        await session.approve(id)
        await waiting(handle)
        assert session.display.approvals[0].tool == "shell"

    with_session(harness(script, shell, save), body)


def test_the_harness_revokes_what_holds_for_a_resource() -> None:
    async def test() -> None:
        async with agents() as host:
            session = await host.session("ada")
            grant = await remembered(session, "tool", "resource")
            assert await host.grants("ada") == [grant]
            assert await host.grants("bob") == []
            with pytest.raises(NotFound, match="bob"):
                await host.revoke("bob", grant.id)
            await host.revoke("ada", grant.id)
            assert session.grants() == []
            assert await asked_about(session, "same") == {"same"}

    run(test())


def test_a_yes_that_comes_too_late_is_stale_and_remembers_nothing() -> None:
    async def test() -> None:
        async with agents() as host:
            session = await host.session("ada")
            handle = await session.send("same")
            (id,) = (await waiting(handle)).approvals
            await session.decline(id, "no")
            answer = await session.approve(id, remember="category", scope="resource")
            assert answer.status == "stale"
            assert await handle == Finished("ok")
            assert session.grants() == []
            assert await host.grants("ada") == []
            assert await of(session, e.GrantAdded) == []

    run(test())


def test_of_a_yes_and_a_no_at_once_the_first_counts() -> None:
    async def test() -> None:
        async with agents() as host:
            session = await host.session("ada")
            handle = await session.send("same")
            (id,) = (await waiting(handle)).approvals
            no, yes = await asyncio.gather(
                session.decline(id), session.approve(id, remember="tool", scope="resource")
            )
            assert (no.status, yes.status) == ("applied", "stale")
            assert await host.grants("ada") == []

    run(test())


def test_the_same_command_grants_once() -> None:
    async def test() -> None:
        async with agents() as host:
            session = await host.session("ada")
            (id,) = (await waiting(await session.send("same"))).approvals
            answers = [
                await session.approve(id, remember="tool", scope="resource", command="cmd_yes")
                for _ in range(2)
            ]
            assert [answer.status for answer in answers] == ["applied", "already"]
            assert len(await host.grants("ada")) == len(session.grants()) == 1

    run(test())


def test_a_yes_for_the_resource_is_written_with_the_answer_or_not_at_all() -> None:
    store = Filling()

    async def test() -> None:
        async with agents(store=store) as host:
            session = await host.session("ada")
            (id,) = (await waiting(await session.send("same"))).approvals
            store.full = True
            with pytest.raises(StoreFull):
                await session.approve(id, remember="tool", scope="resource")
            assert await host.grants("ada") == session.grants() == []
            assert session.display.approvals[0].id == id
            store.full = False
            await session.approve(id, remember="tool", scope="resource")
            assert await host.grants("ada") == session.grants()

    run(test())


def test_bad_arguments_are_refused_and_nothing_is_remembered() -> None:
    async def body(session: Session) -> None:
        (id,) = (await waiting(await session.send("same"))).approvals
        seq = session.folded.seq
        with pytest.raises(UsageError, match="line"):
            await session.approve(id, arguments={"lines": 3}, remember="tool", scope="resource")
        with pytest.raises(UsageError):
            await session.approve(id, arguments="{", remember="tool")
        assert session.folded.seq == seq
        assert session.grants() == []

    with_session(agents(), body)


@pytest.mark.parametrize("remember", ["call", "rule"])
def test_of_an_edited_call_the_yes_is_remembered_as_it_runs(remember: Remember) -> None:
    """Nobody said yes to what the edit took out."""

    async def body(session: Session) -> None:
        handle = await session.send("other")
        (id,) = (await waiting(handle)).approvals
        edited = {"line": "ls", "seconds": 1}
        await session.approve(id, arguments=edited, remember=remember)
        assert await handle == Finished("ok")
        assert [m.text for m in said(session) if isinstance(m, ToolResult)] == ["ran ls"]
        (answered,) = await of(session, e.ApprovalAnswered)
        assert answered.arguments == '{"line":"ls","seconds":1}'
        assert await asked_about(session, "same", "other") == {"other"}

    with_session(agents(), body)


def test_an_edited_call_is_judged_by_what_it_touches_now() -> None:
    async def body(session: Session) -> None:
        handle = await session.send("other")
        (id,) = (await waiting(handle)).approvals
        await session.approve(id, arguments={"line": "halt"})
        assert await handle == Finished("ok")
        assert [m.status for m in said(session) if isinstance(m, ToolResult)] == ["refused"]

    with_session(agents(rules=[Rule("deny", command="halt")]), body)


def test_several_approvals_are_answered_in_any_order_with_grants_of_their_own() -> None:
    async def body(session: Session) -> None:
        handle = await session.send("same other deploy save")
        ids = (await waiting(handle)).approvals
        await session.approve(ids[3], remember="tool")
        await session.decline(ids[1], "no")
        await session.approve(ids[2], remember="call", scope="run")
        await session.replace(ids[0], "nothing there")
        assert await handle == Finished("ok")
        statuses = [m.status for m in said(session) if isinstance(m, ToolResult)]
        assert statuses == ["replaced", "declined", "ok", "ok"]
        (grant,) = session.grants()
        assert grant.tool == "save"

    with_session(agents(), body)


def test_a_rule_that_was_not_proposed_cannot_be_remembered() -> None:
    async def body(session: Session) -> None:
        long = {"line": "x" * 5000}
        (id,) = (await waiting(await session.send("same"))).approvals
        with pytest.raises(UsageError, match="proposes no rule"):
            await session.approve(id, arguments=long, remember="rule")
        assert session.display.approvals[0].id == id

    with_session(agents(), body)
