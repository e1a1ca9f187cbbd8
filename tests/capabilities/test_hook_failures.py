"""Hooks that fail, hang, say nonsense, or are caught by an interrupt, a steer, a close or a crash.

None of it ends a run; a call that a failed hook was asked about does not run.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeAlias

import pytest

from longrein.capabilities.base import AskedCall, CallResult, Capability, GoOn, NewArguments, Refuse
from longrein.capabilities.contexts import HookContext
from longrein.core import events as e
from longrein.core.outcomes import Aborted, Finished
from longrein.core.records import Point
from longrein.loop.agent import Mode
from longrein.session.session import Session
from longrein.testing import Script, ScriptedModel, call, calls, say
from tests.capabilities.kit import (
    Latch,
    failures,
    hook_log,
    hosting,
    results,
    scripted,
    words,
)
from tests.session.kit import of, said, until, with_session
from tests.session.tools import Gate, deploy, read

Does: TypeAlias = Callable[[HookContext], Awaitable[Any]]
POINTS: tuple[Point, ...] = (
    "before_run", "before_model", "after_model", "before_tool", "after_tool", "before_finish"
)  # fmt: skip
SCRIPT = [call("read", path="/a"), say("ok")]


class Brittle(Capability):
    """Does at one point what it is told to do, and nothing at the others."""

    timeout = 0.05

    def __init__(self, point: Point, does: Does) -> None:
        self._point = point
        self._does = does
        self.asked = 0

    async def _at(self, point: Point, ctx: HookContext) -> Any:
        if point != self._point:
            return None
        self.asked += 1
        return await self._does(ctx)

    async def before_run(self, ctx: HookContext) -> None:
        return await self._at("before_run", ctx)

    async def before_model(self, ctx: HookContext) -> None:
        return await self._at("before_model", ctx)

    async def after_model(self, ctx: HookContext, said: object) -> None:
        return await self._at("after_model", ctx)

    async def before_tool(self, ctx: HookContext, call: AskedCall) -> Any:
        return await self._at("before_tool", ctx)

    async def after_tool(self, ctx: HookContext, call: AskedCall, result: CallResult) -> Any:
        return await self._at("after_tool", ctx)

    async def before_finish(self, ctx: HookContext, answer: str) -> Any:
        return await self._at("before_finish", ctx)

    async def on_event(self, ctx: HookContext, event: e.Event) -> None:
        return await self._at("on_event", ctx)


class Patient(Brittle):
    """The same with all the time of the world."""

    timeout = 60.0


class Sound(Capability):
    """Notes that it was asked after the others."""

    async def before_run(self, ctx: HookContext) -> None:
        ctx.note("still here")


async def raises(ctx: HookContext) -> None:
    raise RuntimeError("broken")


async def raises_what_cannot_be_said(ctx: HookContext) -> None:
    class Mute(Exception):
        def __str__(self) -> str:
            raise ValueError

    raise Mute


async def hangs(ctx: HookContext) -> None:
    await asyncio.Event().wait()


async def cancels_itself(ctx: HookContext) -> None:
    raise asyncio.CancelledError


async def leaves(ctx: HookContext) -> None:
    raise SystemExit(1)


async def says_nonsense(ctx: HookContext) -> object:
    return object()


async def records_what_json_cannot_hold(ctx: HookContext) -> None:
    ctx.record("brittle", object())


async def names_an_unknown_mode(ctx: HookContext) -> None:
    ctx.switch_mode("nowhere")


async def breaks_the_state(ctx: HookContext) -> None:
    ctx.update(lambda state: state["missing"])


async def notes_a_number(ctx: HookContext) -> None:
    number: Any = 7
    ctx.note(number)


WAYS: Sequence[tuple[Does, str]] = (
    (raises, "RuntimeError: broken"),
    (raises_what_cannot_be_said, "Mute"),
    (hangs, "longer than 0.05 s"),
    (cancels_itself, "CancelledError"),
    (leaves, "SystemExit: 1"),
    (says_nonsense, "returned object"),
    (records_what_json_cannot_hold, "cannot be kept"),
    (names_an_unknown_mode, "no mode 'nowhere'"),
    (breaks_the_state, "KeyError"),
    (notes_a_number, "A note is a text"),
)


def nonsense(value: Any) -> Does:
    async def says(ctx: HookContext) -> Any:
        return value

    return says


@pytest.mark.parametrize("point", POINTS)
@pytest.mark.parametrize(("does", "why"), WAYS, ids=[does.__name__ for does, _ in WAYS])
def test_a_hook_that_fails_is_reported_and_the_run_goes_on(
    point: Point, does: Does, why: str
) -> None:
    brittle = Brittle(point, does)

    async def body(session: Session) -> None:
        assert await (await session.send("go")) == Finished("ok")
        reported = await failures(session)
        assert len(reported) == brittle.asked > 0
        for who, where, message in reported:
            assert (who, where) == ("brittle", point)
            assert why in message
        assert session.display.warnings
        (result,) = results(session)
        assert result.startswith("refused: " if point == "before_tool" else "ok: content")

    with_session(hosting(SCRIPT, brittle, tools=[read]), body)


@pytest.mark.parametrize(
    ("point", "value"),
    [
        ("before_tool", GoOn("no")),
        ("before_tool", Refuse(" ")),
        ("before_tool", Refuse(7)),  # pyright: ignore[reportArgumentType]
        ("before_tool", NewArguments({"path": object()})),
        ("before_tool", NewArguments(["path"])),  # pyright: ignore[reportArgumentType]
        ("after_tool", "text"),
        ("after_tool", CallResult("fine", ())),  # pyright: ignore[reportArgumentType]
        ("after_tool", CallResult("ok", ("text",))),  # pyright: ignore[reportArgumentType]
        ("before_finish", "more"),
        ("before_finish", GoOn("")),
        ("before_finish", GoOn(None)),  # pyright: ignore[reportArgumentType]
        ("before_run", "a note?"),
    ],
)
def test_an_answer_that_is_none_is_a_failure(point: Point, value: Any) -> None:
    async def body(session: Session) -> None:
        assert await (await session.send("go")) == Finished("ok")
        assert [(who, where) for who, where, _ in await failures(session)] == [("brittle", point)]

    with_session(hosting(SCRIPT, Brittle(point, nonsense(value)), tools=[read]), body)


def test_the_next_capability_is_asked_after_one_that_failed() -> None:
    model = scripted(*SCRIPT)

    async def body(session: Session) -> None:
        await (await session.send("go"))
        assert words(model.requests[0].messages) == ["user: go", "sound: still here"]

    with_session(hosting(model, Brittle("before_run", raises), Sound(), tools=[read]), body)


def test_a_hook_that_fails_brings_nothing_about() -> None:
    async def half(ctx: HookContext) -> None:
        ctx.note("half")
        ctx.record("half")
        ctx.switch_mode("build")
        ctx.update({"n": object()})

    async def body(session: Session) -> None:
        assert await (await session.send("go")) == Finished("ok")
        assert len(await failures(session)) == 1
        assert await of(session, e.Recorded) == []
        assert session.folded.mode == "plan"
        assert words(said(session))[:2] == ["user: go", "model: "]

    modes = [Mode("plan", default=True), Mode("build")]
    made = hosting(SCRIPT, Brittle("before_run", half), tools=[read], modes=modes)
    with_session(made, body)


def test_a_change_that_fails_only_when_it_is_written_refuses_the_call() -> None:
    """The state changed after the hook was asked: its change was good and is not any more."""
    latch = Latch()
    tried: list[int] = []

    async def change(ctx: HookContext) -> None:
        def once(state: dict[str, Any]) -> dict[str, Any]:
            tried.append(1)
            if len(tried) > 1:
                raise LookupError("too late")
            return {**state, "n": 1}

        ctx.update(once)
        latch.open()

    async def body(session: Session) -> None:
        assert await (await session.send("go")) == Finished("ok")
        ((_, _, why),) = await failures(session)
        assert "too late" in why
        assert results(session)[0].startswith("refused: ")
        assert session.state == {}

    with_session(hosting(SCRIPT, Brittle("before_tool", change), tools=[read]), body)


def test_the_failure_of_a_listener_is_reported_once_until_it_hears_again() -> None:
    async def body(session: Session) -> None:
        await (await session.send("go"))
        await until(lambda: brittle.asked > 8)
        assert len(await failures(session)) == 1

    brittle = Brittle("on_event", raises)
    with_session(hosting(SCRIPT, brittle, tools=[read]), body)


def test_nothing_can_be_brought_about_from_on_event() -> None:
    async def body(session: Session) -> None:
        await (await session.send("go"))
        await until(lambda: bool(session.display.warnings))
        assert "on_event" in session.display.warnings[0].message
        assert await of(session, e.Recorded) == []

    brittle = Brittle("on_event", lambda ctx: _recorded(ctx))
    with_session(hosting(SCRIPT, brittle, tools=[read]), body)


async def _recorded(ctx: HookContext) -> None:
    ctx.record("brittle")


@pytest.mark.parametrize("point", POINTS)
def test_an_interrupt_ends_the_run_while_a_hook_is_asked(point: Point) -> None:
    latch = Latch()

    async def body(session: Session) -> None:
        handle = await session.send("go")
        await until(lambda: latch.asked == 1)
        await session.interrupt("enough")
        assert await handle == Aborted("enough")
        latch.open()
        assert await (await session.send("again")) == Finished("ok")

    async def wait(ctx: HookContext) -> None:
        await latch.wait()

    script = Script([call("read", path="/a"), say("ok")], otherwise=say("ok"))
    with_session(hosting(ScriptedModel(script), Patient(point, wait), tools=[read]), body)


@pytest.mark.parametrize("point", POINTS)
def test_a_steer_joins_the_run_while_a_hook_is_asked(point: Point) -> None:
    latch, model = Latch(), ScriptedModel(Script(SCRIPT, otherwise=say("turned")))

    async def body(session: Session) -> None:
        handle = await session.send("go")
        await until(lambda: latch.asked == 1)
        await session.steer("left")
        latch.open()
        assert isinstance(await handle, Finished)
        assert "user: left" in words(model.requests[-1].messages)

    async def wait(ctx: HookContext) -> None:
        await latch.wait()

    with_session(hosting(model, Patient(point, wait), tools=[read]), body)


def test_a_result_is_not_lost_when_the_run_is_stopped_while_after_tool_is_asked() -> None:
    async def body(session: Session) -> None:
        handle = await session.send("go")
        await until(lambda: brittle.asked == 1)
        await session.interrupt()
        assert isinstance(await handle, Aborted)
        assert results(session) == ["ok: content of /a"]
        assert (await hook_log(session))[-1] == "failed after_tool"

    brittle = Patient("after_tool", hangs)
    with_session(hosting(SCRIPT, brittle, tools=[read]), body)


def test_a_reply_is_not_lost_when_the_run_is_stopped_while_after_model_is_asked() -> None:
    async def body(session: Session) -> None:
        handle = await session.send("go")
        await until(lambda: brittle.asked == 1)
        await session.interrupt()
        assert isinstance(await handle, Aborted)
        assert words(said(session)) == ["user: go", "model: a long answer"]
        assert len(await of(session, e.StepEnded)) == 1

    brittle = Patient("after_model", hangs)
    with_session(hosting([say("a long answer")], brittle), body)


def test_what_a_hook_says_of_a_call_that_gave_way_is_not_heard() -> None:
    latch, gate = Latch(), Gate()

    class Slow(Capability):
        async def before_tool(self, ctx: HookContext, call: AskedCall) -> None:
            if call.arguments.get("target") == "moon":
                await latch.wait()
                ctx.record("slow")

    async def body(session: Session) -> None:
        handle = await session.send("go")
        await until(lambda: bool(session.display.approvals) and gate.inside == ["a"])
        (approval,) = session.display.approvals
        await session.approve(approval.id, arguments={"target": "moon"})
        await until(lambda: latch.asked == 1)
        await session.steer("left")
        latch.open()
        await asyncio.sleep(0.01)
        gate.open("a")
        assert await handle == Finished("ok")
        assert results(session)[1].startswith("not_run: ")
        assert await of(session, e.Recorded) == []

    script = [calls(call("work", name="a"), call("deploy", target="prod")), say("ok")]
    with_session(hosting(script, Slow(), tools=[*gate.tools(), deploy]), body)


def test_an_input_that_joins_while_before_finish_is_asked_is_answered_first() -> None:
    latch, answers = Latch(), list[str]()

    class Judge(Capability):
        async def before_finish(self, ctx: HookContext, answer: str) -> None:
            answers.append(answer)
            await latch.wait()

    async def body(session: Session) -> None:
        handle = await session.send("go")
        await until(lambda: latch.asked == 1)
        await session.send("and this")
        latch.open()
        assert await handle == Finished("b")
        assert answers == ["a", "b"]
        assert words(said(session)) == ["user: go", "model: a", "user: and this", "model: b"]

    with_session(hosting([say("a"), say("b")], Judge()), body)
