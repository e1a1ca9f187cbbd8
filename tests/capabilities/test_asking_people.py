"""`AskPerson` from `before_tool`: somebody is asked, whatever rules, grants and trust allow."""

from collections.abc import Mapping
from typing import Any

from longrein.capabilities.base import AskedCall, AskPerson, Capability, NewArguments
from longrein.capabilities.contexts import HookContext
from longrein.core import events as e
from longrein.core.outcomes import Finished
from longrein.core.policy import Rule, Touches
from longrein.session.session import Session
from longrein.testing import call, say
from longrein.tools.context import Context
from longrein.tools.define import tool
from tests.capabilities.kit import hosting, results
from tests.session.kit import of, waiting, with_session
from tests.session.tools import read

READ = [call("read", path="/a"), say("ok")]


class Wary(Capability):
    """Wants a person to look at every call."""

    async def before_tool(self, ctx: HookContext, call: AskedCall) -> AskPerson:
        return AskPerson("Look at\nthis.")


class Changing(Capability):
    """Gives calls another path."""

    async def before_tool(self, ctx: HookContext, call: AskedCall) -> NewArguments:
        return NewArguments({"path": "/b"})


def test_a_person_is_asked_with_the_reason_and_a_yes_lets_the_call_run() -> None:
    async def body(session: Session) -> None:
        await session.set_trust("yolo")
        run = await session.send("go")
        await waiting(run)
        (approval,) = session.display.approvals
        assert approval.rule == "hook:wary: Look at this."
        await session.approve(approval.id)
        assert await run == Finished("ok")
        assert results(session) == ["ok: content of /a"]

    with_session(hosting(READ, Wary(), tools=[read]), body)


def test_a_no_is_a_no() -> None:
    async def body(session: Session) -> None:
        run = await session.send("go")
        (approval,) = (await waiting(run)).approvals
        await session.decline(approval, reason="Not now.")
        await run
        assert results(session)[0].startswith("declined: ")

    with_session(hosting(READ, Wary(), tools=[read]), body)


def test_a_deny_holds_and_nobody_is_asked() -> None:
    async def body(session: Session) -> None:
        assert await (await session.send("go")) == Finished("ok")
        assert results(session)[0].startswith("refused: ")
        assert await of(session, e.ApprovalRequested) == []

    rules = [Rule("deny", tool="read")]
    with_session(hosting(READ, Wary(), tools=[read], rules=rules), body)


def test_it_is_about_the_arguments_that_other_hooks_leave() -> None:
    async def body(session: Session) -> None:
        run = await session.send("go")
        await waiting(run)
        (approval,) = session.display.approvals
        assert approval.arguments == '{"path":"/b"}'
        await session.approve(approval.id)
        await run
        assert results(session) == ["ok: content of /b"]

    with_session(hosting(READ, Wary(), Changing(), tools=[read]), body)


def test_it_is_asked_again_where_the_call_touches_something_else_by_then() -> None:
    places = ["/project/a"]

    async def touched(arguments: Mapping[str, Any], ctx: Context) -> Touches:
        return Touches(paths=(places[-1],))

    @tool(category="read", touches=touched)
    async def look() -> str:
        return f"looked at {places[-1]}"

    async def body(session: Session) -> None:
        run = await session.send("go")
        (first,) = (await waiting(run)).approvals
        places.append("/project/b")
        await session.approve(first)
        (second,) = (await waiting(run)).approvals
        assert second != first
        await session.approve(second)
        await run
        assert results(session) == ["ok: looked at /project/b"]

    with_session(hosting([call("look"), say("ok")], Wary(), tools=[look]), body)
