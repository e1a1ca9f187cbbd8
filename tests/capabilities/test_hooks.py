"""Hooks in whole runs: when each is asked, what it can do, and where the model hears of it."""

from itertools import pairwise
from typing import Any

from longrein.capabilities.base import AskedCall, CallResult, Capability, GoOn
from longrein.capabilities.contexts import HookContext
from longrein.core import events as e
from longrein.core.errors import Overloaded
from longrein.core.messages import Assistant, Text
from longrein.core.outcomes import Finished, LimitReached
from longrein.core.slices import Slice
from longrein.core.usage import Limits
from longrein.loop.agent import Mode
from longrein.models.base import Request
from longrein.session.session import Session
from longrein.testing import call, calls, fail, say
from longrein.testing.scripted import ScriptedModel, spoken
from longrein.tools.context import Context
from longrein.tools.define import tool
from tests.capabilities.kit import following, hook_log, hosting, results, scripted, words
from tests.session.kit import log, of, until, with_session
from tests.session.tools import fail as fail_tool
from tests.session.tools import read

READ = call("read", path="/a")


class First(Capability):
    """Says at each point that it was there."""

    async def before_run(self, ctx: HookContext) -> None:
        ctx.note("before run")

    async def before_model(self, ctx: HookContext) -> None:
        ctx.note("before model")


class Second(First):
    """The same again."""


class Later(Capability):
    """Says something after the model has."""

    def __init__(self) -> None:
        self.heard: list[str] = []

    async def after_model(self, ctx: HookContext, said: Assistant) -> None:
        self.heard.append(said.text or said.calls[0].name)
        if len(self.heard) < 3:
            ctx.note(f"heard {len(self.heard)}")


class Again(Capability):
    """Sends a run on a number of times."""

    def __init__(self, times: int) -> None:
        self.left = times
        self.answers: list[str] = []

    async def before_finish(self, ctx: HookContext, answer: str) -> GoOn | None:
        self.answers.append(answer)
        self.left -= 1
        return GoOn("more") if self.left >= 0 else None


class AgainToo(Again):
    """Another one of these."""


class Marked(Capability):
    """Puts a mark on every result."""

    async def after_tool(self, ctx: HookContext, call: AskedCall, result: CallResult) -> CallResult:
        text = "".join(part.text for part in result.parts if isinstance(part, Text))
        return CallResult(result.status, (Text(f"{text} [{self.name}]"),))


class MarkedToo(Marked):
    """Puts another mark there."""


class Turned(Capability):
    """Gives every result another status."""

    def __init__(self, status: Any) -> None:
        self.status = status

    async def after_tool(self, ctx: HookContext, call: AskedCall, result: CallResult) -> CallResult:
        return CallResult(self.status, result.parts)


class Busy(Capability):
    """Brings about all that a hook can."""

    async def before_run(self, ctx: HookContext) -> None:
        ctx.note("told")
        ctx.record("busy.began", {"run": ctx.run})
        ctx.update({"runs": 1})
        ctx.switch_mode("build")


class Listener(Capability):
    """Hears every event."""

    def __init__(self) -> None:
        self.events: list[e.Event] = []

    async def on_event(self, ctx: HookContext, event: e.Event) -> None:
        self.events.append(event)


def counted(so_far: int, event: e.Event) -> int:
    return so_far + 1 if isinstance(event, e.Recorded) and event.kind == "counted" else so_far


COUNTED = Slice("counted", int, 0, counted)


class Counting(Capability):
    """A slice of the facts that tools recorded."""

    slice = COUNTED


@tool
async def count(ctx: Context) -> str:
    """Count, in the thread and in the application's state."""
    ctx.record("counted")
    ctx.update(_one_more)
    return "counted"


@tool
async def miscount(ctx: Context) -> str:
    """Count, and then fail."""
    ctx.record("counted")
    raise RuntimeError("miscounted")


def _one_more(state: dict[str, Any]) -> dict[str, Any]:
    return {"n": state.get("n", 0) + 1}


class OneMore(Capability):
    """Counts in the application's state as well."""

    async def after_tool(self, ctx: HookContext, call: AskedCall, result: CallResult) -> None:
        ctx.update(_one_more)


def grows(model: ScriptedModel) -> bool:
    """Whether each request of a prefix begins with all of the one before."""
    requests = list(model.requests)
    return all(
        list(after.messages)[: len(before.messages)] == list(before.messages)
        for before, after in pairwise(requests)
        if before.prefix == after.prefix
    )


def test_hooks_are_asked_in_the_order_of_the_list() -> None:
    model = scripted(say("ok"))

    async def body(session: Session) -> None:
        assert await (await session.send("go")) == Finished("ok")
        assert words(model.requests[0].messages) == [
            "user: go",
            "first: before run",
            "second: before run",
            "first: before model",
            "second: before model",
        ]

    with_session(hosting(model, First(), Second()), body)


def test_before_run_is_asked_once_and_before_model_before_each_step() -> None:
    model = scripted(READ, say("ok"))

    async def body(session: Session) -> None:
        await (await session.send("go"))
        assert words(model.requests[1].messages)[2:] == [
            "first: before model",
            "model: ",
            "ok: content of /a",
            "first: before model",
        ]
        assert (await hook_log(session)).count("started before_run") == 1

    with_session(hosting(model, First(), tools=[read]), body)


def test_notes_of_every_point_leave_the_prefix_as_it_is() -> None:
    model = scripted(READ, READ, say("a"), say("b"), say("c"))

    async def body(session: Session) -> None:
        await (await session.send("go"))
        await (await session.send("again"))
        assert len(model.requests) > 4
        assert len({request.prefix for request in model.requests}) == 1
        assert grows(model)

    with_session(hosting(model, First(), Later(), Marked(), Again(1), tools=[read]), body)


def test_after_model_hears_the_reply_and_its_note_comes_after_the_results() -> None:
    model, later = scripted(READ, say("done?"), say("done")), Later()

    async def body(session: Session) -> None:
        assert await (await session.send("go")) == Finished("done")
        assert later.heard == ["read", "done?", "done"]
        assert words(model.requests[2].messages)[1:] == [
            "model: ",
            "ok: content of /a",
            "later: heard 1",
            "model: done?",
            "later: heard 2",
        ]

    with_session(hosting(model, later, tools=[read]), body)


def test_a_retry_of_a_model_call_does_not_ask_before_model_again() -> None:
    failed: list[int] = []

    def script(request: Request) -> Any:
        if not failed:
            failed.append(1)
            return fail(Overloaded("busy", retry_after=0.001))
        return say("ok")

    async def body(session: Session) -> None:
        assert await (await session.send("go")) == Finished("ok")
        assert len(await of(session, e.StepFailed)) == 1
        assert await hook_log(session) == [
            "started before_run",
            "noted before_run",
            "started before_model",
            "noted before_model",
        ]

    made = hosting(ScriptedModel(script), First())
    with_session(made, body)


def test_after_tool_changes_the_result_one_hook_after_the_other() -> None:
    async def body(session: Session) -> None:
        await (await session.send("go"))
        assert results(session) == ["ok: content of /a [marked] [marked_too]"]
        (ended,) = await of(session, e.HookEnded)
        assert (ended.point, ended.decision, ended.by) == ("after_tool", "changed", "marked_too")

    with_session(hosting([READ, say("ok")], Marked(), MarkedToo(), tools=[read]), body)


def test_after_tool_hears_of_a_call_that_failed() -> None:
    async def body(session: Session) -> None:
        await (await session.send("go"))
        assert results(session) == [
            "error: `fail` failed with RuntimeError: the disk is on fire [marked]"
        ]

    with_session(hosting([call("fail"), say("ok")], Marked(), tools=[fail_tool]), body)


def test_what_a_tool_brought_about_stays_when_a_hook_calls_its_result_an_error() -> None:
    async def body(session: Session) -> None:
        await (await session.send("go"))
        assert results(session) == ["error: counted"]
        assert session.read(COUNTED) == 1

    made = hosting([call("count"), say("ok")], Turned("error"), Counting(), tools=[count])
    with_session(made, body)


def test_a_tool_that_failed_brought_nothing_about_whatever_a_hook_makes_of_it() -> None:
    async def body(session: Session) -> None:
        await (await session.send("go"))
        assert results(session)[0].startswith("ok: ")
        assert session.read(COUNTED) == 0

    made = hosting([call("miscount"), say("ok")], Turned("ok"), Counting(), tools=[miscount])
    with_session(made, body)


def test_a_hook_changes_the_state_on_top_of_what_its_tool_changed() -> None:
    async def body(session: Session) -> None:
        await (await session.send("go"))
        assert session.state == {"n": 2}

    with_session(hosting([call("count"), say("ok")], OneMore(), tools=[count]), body)


def test_before_finish_sends_the_run_on_with_a_note() -> None:
    model, again = scripted(say("a"), say("b")), Again(1)

    async def body(session: Session) -> None:
        assert await (await session.send("go")) == Finished("b")
        assert again.answers == ["a", "b"]
        assert words(model.requests[1].messages) == ["user: go", "model: a", "again: more"]
        assert await hook_log(session) == [
            "started before_finish",
            "go_on before_finish",
            "started before_finish",
            "passed before_finish",
        ]

    with_session(hosting(model, again), body)


def test_the_limit_of_steps_ends_a_run_that_is_always_sent_on() -> None:
    def script(request: Request) -> Any:
        return say(str(spoken(request.messages)))

    async def body(session: Session) -> None:
        outcome = await (await session.send("go"))
        assert isinstance(outcome, LimitReached)
        assert outcome.limit == "steps"
        assert len(await of(session, e.StepEnded)) == 3

    with_session(hosting(ScriptedModel(script), Again(99), limits=Limits(steps=3)), body)


def test_the_run_ends_only_when_every_capability_lets_it() -> None:
    first, second = Again(1), AgainToo(1)

    async def body(session: Session) -> None:
        assert await (await session.send("go")) == Finished("c")
        assert first.answers == ["a", "b", "c"]
        assert second.answers == ["b", "c"]

    with_session(hosting([say("a"), say("b"), say("c")], first, second), body)


def test_what_a_hook_brings_about_is_written_right_after_its_answer() -> None:
    async def body(session: Session) -> None:
        await (await session.send("go"))
        assert await following(session, e.HookEnded, 4) == [
            "Recorded",
            "StateChanged",
            "ModeChanged",
            "NoteAdded",
        ]
        assert session.state == {"runs": 1}
        assert session.folded.mode == "build"

    modes = [Mode("plan", default=True), Mode("build")]
    with_session(hosting([say("ok")], Busy(), modes=modes), body)


def test_a_mode_that_before_run_switches_to_is_the_one_that_is_used() -> None:
    model = scripted(say("ok"))

    async def body(session: Session) -> None:
        await (await session.send("go"))
        assert {spec.name for spec in model.requests[0].tools} == {"read"}

    modes = [Mode("plan", default=True), Mode("build", additional_tools=[read])]
    with_session(hosting(model, Busy(), modes=modes), body)


def test_on_event_hears_every_durable_event_in_order() -> None:
    listener = Listener()

    async def body(session: Session) -> None:
        await (await session.send("go"))
        await session.rename("done")
        events = await log(session)
        await until(lambda: len(listener.events) == len(events))
        assert listener.events == events

    with_session(hosting([READ, say("ok")], listener, tools=[read]), body)


def test_hooks_leave_no_trace_where_there_are_none() -> None:
    async def body(session: Session) -> None:
        await (await session.send("go"))
        assert await hook_log(session) == []

    with_session(hosting([calls(READ, READ), say("ok")], Counting(), tools=[read]), body)
