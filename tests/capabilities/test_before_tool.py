"""`before_tool`: let a call pass, refuse it, or change it, before rules and people decide."""

import asyncio
import json
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from longrein.capabilities.base import AskedCall, Capability, NewArguments, Refuse
from longrein.capabilities.contexts import HookContext
from longrein.core import events as e
from longrein.core.outcomes import Finished
from longrein.core.policy import Rule
from longrein.session.session import Session
from longrein.testing import call, calls, say
from longrein.tools.define import tool
from tests.capabilities.kit import Latch, failures, hook_log, hosting, results
from tests.session.kit import of, until, waiting, with_session
from tests.session.tools import deploy, read

Said: TypeAlias = Refuse | NewArguments | None
DEPLOY = [call("deploy", target="prod"), say("ok")]
READ = [call("read", path="/a"), say("ok")]


class Check(Capability):
    """Says about each call what it is told to say, and remembers what it was asked."""

    def __init__(self, says: Callable[[Mapping[str, Any]], Said] = lambda arguments: None) -> None:
        self.says = says
        self.asked: list[AskedCall] = []

    @property
    def arguments(self) -> list[Mapping[str, Any]]:
        return [asked.arguments for asked in self.asked]

    async def before_tool(self, ctx: HookContext, call: AskedCall) -> Said:
        self.asked.append(call)
        return self.says(call.arguments)


class CheckToo(Check):
    """Another one of these."""


def to(target: str) -> Check:
    return Check(lambda arguments: NewArguments({"target": target}))


def test_a_call_that_passes_runs() -> None:
    check = Check()

    async def body(session: Session) -> None:
        assert await (await session.send("go")) == Finished("ok")
        (asked,) = check.asked
        assert (asked.tool, asked.category, asked.arguments) == ("read", "read", {"path": "/a"})
        assert results(session) == ["ok: content of /a"]

    with_session(hosting(READ, check, tools=[read]), body)


def test_a_refused_call_does_not_run_and_the_model_hears_why() -> None:
    second = CheckToo()

    async def body(session: Session) -> None:
        assert await (await session.send("go")) == Finished("ok")
        assert results(session) == ["refused: Not on a Friday."]
        assert await of(session, e.ToolStarted) == []
        assert second.asked == []

    made = hosting(READ, Check(lambda arguments: Refuse("Not on a Friday.")), second, tools=[read])
    with_session(made, body)


def test_new_arguments_are_seen_by_the_next_hook_and_by_the_tool() -> None:
    second = CheckToo()

    async def body(session: Session) -> None:
        await (await session.send("go"))
        assert second.arguments == [{"path": "/b"}]
        assert results(session) == ["ok: content of /b"]

    first = Check(lambda arguments: NewArguments({"path": "/b"}))
    with_session(hosting(READ, first, second, tools=[read]), body)


def test_a_person_is_asked_about_the_new_arguments() -> None:
    async def body(session: Session) -> None:
        handle = await session.send("go")
        (pending,) = (await waiting(handle)).approvals
        assert session.display.approvals[0].arguments == '{"target":"staging"}'
        await session.approve(pending)
        assert await handle == Finished("ok")
        assert results(session) == ["ok: deployed to staging"]

    with_session(hosting(DEPLOY, to("staging"), tools=[deploy]), body)


def test_a_rule_that_denies_the_new_arguments_holds() -> None:
    async def body(session: Session) -> None:
        await (await session.send("go"))
        assert results(session)[0].startswith("refused: ")
        assert session.display.approvals == ()

    rules = [Rule("deny", tool="deploy", arguments={"target": "staging"})]
    with_session(hosting(DEPLOY, to("staging"), tools=[deploy], rules=rules), body)


def test_a_call_that_a_rule_denies_is_not_asked_about() -> None:
    check = Check()

    async def body(session: Session) -> None:
        await (await session.send("go"))
        assert results(session)[0].startswith("refused: ")
        assert check.asked == []

    rules = [Rule("deny", tool="read", arguments={"path": "/a"})]
    with_session(hosting(READ, check, tools=[read], rules=rules), body)


def test_a_call_that_does_not_fit_its_tool_is_not_asked_about() -> None:
    check = Check()

    async def body(session: Session) -> None:
        await (await session.send("go"))
        assert results(session)[0].startswith("error: ")
        assert check.asked == []

    with_session(hosting([call("read", path=7), say("ok")], check, tools=[read]), body)


def test_new_arguments_that_do_not_fit_are_a_failure_of_the_hook() -> None:
    async def body(session: Session) -> None:
        assert await (await session.send("go")) == Finished("ok")
        (result,) = results(session)
        assert result.startswith("refused: ")
        assert "check" in result
        ((who, point, why),) = await failures(session)
        assert (who, point) == ("check", "before_tool")
        assert "path" in why

    check = Check(lambda arguments: NewArguments({"path": 7}))
    with_session(hosting(READ, check, tools=[read]), body)


def test_a_call_that_a_person_edited_is_asked_about_again() -> None:
    check = Check()

    async def body(session: Session) -> None:
        handle = await session.send("go")
        (pending,) = (await waiting(handle)).approvals
        await session.approve(pending, arguments={"target": "staging"})
        assert await handle == Finished("ok")
        assert check.arguments == [{"target": "prod"}, {"target": "staging"}]
        assert results(session) == ["ok: deployed to staging"]

    with_session(hosting(DEPLOY, check, tools=[deploy]), body)


def test_a_hook_can_refuse_what_a_person_edited() -> None:
    def says(arguments: Mapping[str, Any]) -> Said:
        return Refuse("Never there.") if arguments["target"] == "moon" else None

    async def body(session: Session) -> None:
        handle = await session.send("go")
        (pending,) = (await waiting(handle)).approvals
        await session.approve(pending, arguments={"target": "moon"})
        assert await handle == Finished("ok")
        assert results(session) == ["refused: Never there."]

    with_session(hosting(DEPLOY, Check(says), tools=[deploy]), body)


def test_a_yes_does_not_count_for_arguments_that_a_hook_made_after_it() -> None:
    async def body(session: Session) -> None:
        handle = await session.send("go")
        (first,) = (await waiting(handle)).approvals
        await session.approve(first, arguments={"target": "moon"})
        (second,) = (await waiting(handle)).approvals
        assert second != first
        assert session.display.approvals[0].arguments == '{"target":"staging"}'
        await session.approve(second)
        assert await handle == Finished("ok")
        assert results(session) == ["ok: deployed to staging"]

    with_session(hosting(DEPLOY, to("staging"), tools=[deploy]), body)


def test_the_same_arguments_again_are_no_change() -> None:
    async def body(session: Session) -> None:
        handle = await session.send("go")
        (pending,) = (await waiting(handle)).approvals
        await session.approve(pending, arguments={"target": "moon"})
        assert await handle == Finished("ok")
        assert await hook_log(session) == ["started before_tool", "passed before_tool"] * 2

    with_session(hosting(DEPLOY, Check(NewArguments), tools=[deploy]), body)


def test_the_calls_of_a_step_are_asked_about_side_by_side() -> None:
    barrier = asyncio.Barrier(2)

    class Together(Capability):
        async def before_tool(self, ctx: HookContext, call: AskedCall) -> Said:
            async with asyncio.timeout(20):
                await barrier.wait()
            return Refuse("Not b.") if call.arguments["path"] == "b" else None

    async def body(session: Session) -> None:
        await (await session.send("go"))
        assert results(session) == ["ok: content of a", "refused: Not b."]
        assert await failures(session) == []

    script = [calls(call("read", path="a"), call("read", path="b")), say("ok")]
    with_session(hosting(script, Together(), tools=[read]), body)


def test_what_the_hooks_of_two_calls_change_comes_one_on_top_of_the_other() -> None:
    barrier = asyncio.Barrier(2)

    class Counting(Capability):
        async def before_tool(self, ctx: HookContext, call: AskedCall) -> None:
            await barrier.wait()
            ctx.update(lambda state: {"n": state.get("n", 0) + 1})

    async def body(session: Session) -> None:
        await (await session.send("go"))
        assert session.state == {"n": 2}

    script = [calls(call("read", path="a"), call("read", path="b")), say("ok")]
    with_session(hosting(script, Counting(), tools=[read]), body)


def test_a_call_that_passed_starts_while_another_is_still_asked_about() -> None:
    latch = Latch()

    class Slow(Capability):
        async def before_tool(self, ctx: HookContext, call: AskedCall) -> None:
            if call.arguments["path"] == "b":
                await latch.wait()

    async def body(session: Session) -> None:
        handle = await session.send("go")
        await until(lambda: latch.asked == 1 and len(_ended(session)) == 1)
        latch.open()
        assert await handle == Finished("ok")
        assert len(await of(session, e.ToolStarted)) == 2

    script = [calls(call("read", path="a"), call("read", path="b")), say("ok")]
    with_session(hosting(script, Slow(), tools=[read]), body)


def _ended(session: Session) -> list[str]:
    step = session.folded.step
    return [call.id for call in step.calls if call.phase == "settled"] if step else []


def test_a_call_in_the_lane_of_one_that_is_asked_about_waits_for_it() -> None:
    latch = Latch()

    @tool(exclusive=lambda arguments: "one")
    async def ordered(path: str) -> str:
        """Do something, in order."""
        return path

    class Slow(Capability):
        async def before_tool(self, ctx: HookContext, call: AskedCall) -> None:
            if call.arguments["path"] == "a":
                await latch.wait()

    async def body(session: Session) -> None:
        handle = await session.send("go")
        await until(lambda: latch.asked == 1 and len(_ended(session)) == 1)
        latch.open()
        assert await handle == Finished("ok")
        started = [json.loads(one.arguments)["path"] for one in await of(session, e.ToolStarted)]
        assert started == ["c", "a", "b"]

    script = [
        calls(call("ordered", path="a"), call("ordered", path="b"), call("read", path="c")),
        say("ok"),
    ]
    with_session(hosting(script, Slow(), tools=[ordered, read]), body)
