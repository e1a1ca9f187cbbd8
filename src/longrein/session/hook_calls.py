"""Asking the hooks of capabilities: from a durable `HookStarted` to what they decided."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from longrein.capabilities.base import (
    AskedCall,
    AskPerson,
    CallResult,
    Capability,
    GoOn,
    NewArguments,
    Refuse,
)
from longrein.capabilities.contexts import HookContext
from longrein.core import events as e
from longrein.core.errors import StoreError, UsageError
from longrein.core.messages import Assistant, ToolCall
from longrein.core.outcomes import Problem
from longrein.core.points import reached
from longrein.core.policy import Rule, Touches
from longrein.core.records import CallFacts, Point
from longrein.core.state import Call, State
from longrein.loop.setup import read_arguments
from longrein.session.effects import bring_about, events_of
from longrein.session.examine import examine, hook_rule
from longrein.session.recorder import Recorder
from longrein.session.services import Services
from longrein.session.side_calls import SideCalls
from longrein.session.tasks import Tasks
from longrein.tools.reach import Effect

REFUSED = "This call was not run: a check of it failed ({name}). Tell the user."
NOT_OURS = "it is not known whether the thread is still ours"
GONE = "it ended without an answer and without an error"
CUT_SHORT = "it was cut short when the run was stopped or steered"
ANSWERS: Mapping[Point, tuple[type[Struct], ...]] = {
    "before_run": (Refuse,),
    "before_model": (Refuse,),
    "before_tool": (Refuse, NewArguments, AskPerson),
    "after_tool": (CallResult,),
    "before_finish": (GoOn,),
}
"""What a hook may answer beside None."""


class Heard(Struct):
    """What hooks said so far, in the order in which they were asked.

    `effects` are what each capability brought about.
    """

    failed: list[e.HookFailed] = []
    notes: list[e.NoteAdded] = []
    effects: list[tuple[str, list[Effect]]] = []
    decided: list[e.HookEnded] = []


class HookCalls:
    """Asks the hooks of one session."""

    def __init__(
        self,
        services: Services,
        recorder: Recorder,
        tasks: Tasks,
        folded: Callable[[], State],
        side: SideCalls,
    ) -> None:
        self._side = side
        self._services = services
        self._recorder = recorder
        self._tasks = tasks
        self._folded = folded
        self._silent: set[str] = set()
        self._under_way: dict[str, e.HookStarted] = {}

    def at(self, point: Point) -> list[Capability]:
        """The capabilities that want to be asked at a point, in their order."""
        if point not in self._services.loop.setup.hooks:
            return []
        return [one for one in self._services.capabilities if one.has(point)]

    async def run(self, state: State, started: e.HookStarted) -> None:
        """Ask the hooks at a point and write what they decided."""
        self._under_way[started.hook] = started
        heard = Heard()
        try:
            if not await self._services.host.confirm(state.thread):
                raise StoreError(NOT_OURS)
            reached("hook.asked")
            ended = await self._ended(state, started, heard)
            reached("hook.answered")
        except Exception as error:  # the store's fault, or ours: no run waits for ever for it
            heard = Heard([_failure("", started.point, error, started.about)])
            ended = _unanswered(started)
        if not self._tasks.ending(started.hook):
            return
        await self._recorder.record(
            lambda now: self._once(now, started, ended, heard),
            lambda now: self._once(now, started, _unanswered(started), Heard(heard.failed)),
        )
        self._under_way.pop(started.hook, None)

    def given_up(self, hook: str) -> Callable[[State], Sequence[e.Event]] | None:
        """What writes the end of hooks that are gone without a word; None: it is not hooks."""
        started = self._under_way.pop(hook, None)
        if started is None:
            return None
        failed = _failure("", started.point, GONE, started.about)
        return lambda now: self._once(now, started, _unanswered(started), Heard([failed]))

    async def _ended(self, state: State, started: e.HookStarted, heard: Heard) -> e.HookEnded:
        match started.point:
            case "before_tool":
                return await self._before_tool(state, started, heard)
            case "before_finish":
                return await self._before_finish(state, started, heard)
            case point:
                for one in self.at(point):
                    said, _ = await self._ask(state, one, point, "", heard)
                    if said is not None:
                        return e.HookEnded(
                            started.hook, point, decision="refused", by=one.name, text=said.reason
                        )
                decision = "noted" if heard.notes else "passed"
                return e.HookEnded(started.hook, point, decision=decision, by=_by(heard))

    async def _before_tool(self, state: State, started: e.HookStarted, heard: Heard) -> e.HookEnded:
        passed = e.HookEnded(started.hook, started.point, started.about)
        call = state.call(started.about)
        if call is None:
            return passed
        arguments, by, facts, asks = call.arguments, "", None, list[Rule]()
        for one in self.at(started.point):
            asked = self._asked(state, call, arguments)
            said, failed = await self._ask(state, one, started.point, call.id, heard, asked)
            if isinstance(said, NewArguments):
                wanted = msgspec.json.encode(said.arguments)
                if wanted == msgspec.json.encode(asked.arguments):
                    continue
                arguments, by = wanted.decode(), one.name
                facts, failed = await self._fitting(state, call, arguments, one, heard)
            if failed:
                return _unanswered(started, one.name)
            if isinstance(said, Refuse):
                return replace(passed, decision="refused", by=one.name, text=said.reason)
            if isinstance(said, AskPerson):
                asks.append(hook_rule(one.name, call.name, said.reason))
        if asks:
            shown = ToolCall(call.id, call.name, arguments)
            facts = await examine(self._services, state, shown, tuple(asks))
        if not by:
            return replace(passed, facts=facts)
        return replace(passed, decision="changed", by=by, arguments=arguments, facts=facts)

    async def _fitting(
        self, state: State, call: Call, arguments: str, one: Capability, heard: Heard
    ) -> tuple[CallFacts, bool]:
        """What is found out about new arguments, and whether they do not fit: a fault of the hook.

        The model would be told of arguments that it never gave.
        """
        facts = await examine(self._services, state, ToolCall(call.id, call.name, arguments))
        if facts.problem:
            error = UsageError(f"its new arguments do not fit: {facts.problem}")
            heard.failed.append(_failure(one.name, "before_tool", error, call.id))
        return facts, bool(facts.problem)

    async def _before_finish(
        self, state: State, started: e.HookStarted, heard: Heard
    ) -> e.HookEnded:
        answer = state.run.answer or "" if state.run else ""
        for one in self.at(started.point):
            said, _ = await self._ask(state, one, started.point, "", heard, answer)
            if said is not None:
                heard.notes.append(e.NoteAdded(said.note, f"capability:{one.name}"))
                break
        decision = "go_on" if heard.notes else "passed"
        return e.HookEnded(started.hook, started.point, decision=decision, by=_by(heard))

    async def after_model(self, state: State, step: str, said: Assistant) -> Heard:
        """Tell the hooks what the model said."""
        heard = Heard()
        for one in self.at("after_model"):
            try:
                await self._ask(state, one, "after_model", "", heard, said)
            except asyncio.CancelledError:
                # At a close the call is made again, and with it the hook asked. Else the reply is
                # here and paid for: what cuts the run short must not lose it.
                if self._tasks.why(step) in ("", "close"):
                    raise
                heard.failed.append(_failure(one.name, "after_model", CUT_SHORT))
                break
        return heard

    async def after_tool(
        self, state: State, call: Call, result: CallResult, heard: Heard
    ) -> CallResult:
        """What the model hears of a call."""
        by = ""
        for one in self.at("after_tool"):
            asked = self._asked(state, call, call.arguments)
            try:
                said, _ = await self._ask(state, one, "after_tool", call.id, heard, asked, result)
            except asyncio.CancelledError:
                # The tool has run: whatever cuts the run short, its result must not be lost.
                if not self._tasks.why(call.id):
                    raise
                heard.failed.append(_failure(one.name, "after_tool", CUT_SHORT, call.id))
                break
            if said is not None:
                result, by = said, one.name
        if by:
            heard.decided.append(e.HookEnded("", "after_tool", call.id, "changed", by))
        return result

    async def observe(self, state: State, event: e.Event) -> list[e.HookFailed]:
        """Tell the hooks that an event happened; only the first of many failures is reported."""
        heard = Heard()
        for one in self.at("on_event"):
            _, failed = await self._ask(state, one, "on_event", "", heard, event)
            if not failed:
                self._silent.discard(one.name)
        fresh = [event for event in heard.failed if event.capability not in self._silent]
        self._silent |= {event.capability for event in fresh}
        return fresh

    def events(self, state: State, point: Point, heard: Heard, about: str = "") -> list[e.Event]:
        """What hooks said, as events; what they brought about included."""
        setup, kept = self._services.loop.setup, self._services.kept
        failed, brought = list(heard.failed), list[e.Event]()
        for name, effects in heard.effects:
            try:
                events, state = bring_about(effects, state, setup, kept, about)
            except UsageError as error:  # the thread has changed since the hook was asked
                failed.append(_failure(name, point, error, about))
            else:
                brought += events
        return [*heard.decided, *failed, *brought, *heard.notes]

    async def _ask(
        self,
        state: State,
        one: Capability,
        point: Point,
        about: str,
        heard: Heard,
        *given: object,
    ) -> tuple[Any, bool]:
        """What one hook says, and whether it failed: then it has said nothing."""
        reach = self._services.reach(state, self._folded)
        ctx = HookContext(replace(reach, ask_model=self._side.ask))
        scope = asyncio.timeout(one.timeout)
        try:
            async with scope:
                said = _answer(point, await getattr(one, point)(ctx, *given))
            self._check(point, ctx, heard)
        except BaseException as error:  # protects the run from the capability
            if isinstance(error, KeyboardInterrupt | GeneratorExit):
                raise
            if _cancelled():
                raise asyncio.CancelledError from error
            late = scope.expired() and isinstance(error, TimeoutError)
            why = f"it took longer than {one.timeout:g} s" if late else error
            heard.failed.append(_failure(one.name, point, why, about))
            return None, True
        heard.notes += [e.NoteAdded(text, f"capability:{one.name}") for text in ctx.notes]
        heard.effects.append((one.name, ctx.effects))
        return said, False

    def _check(self, point: Point, ctx: HookContext, heard: Heard) -> None:
        """Raise what would be raised when it is written: a hook whose effects fail has failed."""
        if point == "on_event" and (ctx.effects or ctx.notes):
            raise UsageError("nothing can be brought about from on_event")
        if ctx.effects:
            before = [effect for _, effects in heard.effects for effect in effects]
            setup, kept = self._services.loop.setup, self._services.kept
            events_of([*before, *ctx.effects], self._folded(), setup, kept)

    def _asked(self, state: State, call: Call, arguments: str) -> AskedCall:
        tool = self._services.registry(state).get(call.name)
        category = tool.category if tool else "other"
        touches = call.touches if arguments == call.arguments else Touches()
        return AskedCall(call.id, call.name, category, read_arguments(arguments), touches)

    def _once(
        self, state: State, started: e.HookStarted, ended: e.HookEnded, heard: Heard
    ) -> Sequence[e.Event]:
        """An answer counts once, and only while it is waited for."""
        if not waited_for(state, started):
            return []
        events = self.events(state, started.point, heard, started.about)
        failed = [event.capability for event in events if isinstance(event, e.HookFailed)]
        if started.point == "before_tool" and failed:
            ended = _unanswered(started, failed[-1])
        return [ended, *events]


def _answer(point: Point, said: Any) -> Any:
    """What a hook said, if that is an answer: structs do not look at what they are made of."""
    if said is None:
        return None
    kinds = ANSWERS.get(point, ())
    if not isinstance(said, kinds):
        expected = " or ".join([*(kind.__name__ for kind in kinds), "None"])
        raise UsageError(f"it returned {type(said).__name__}, not {expected}")
    return msgspec.convert(msgspec.to_builtins(said), type(said))


def _unanswered(started: e.HookStarted, name: str = "") -> e.HookEnded:
    """The end of hooks of which one failed: what it was asked about does not run."""
    ended = e.HookEnded(started.hook, started.point, started.about)
    if started.point != "before_tool":
        return ended
    return replace(ended, decision="refused", by=name, text=REFUSED.format(name=name or "hooks"))


def waited_for(state: State, started: e.HookStarted) -> bool:
    """Whether the answer of these hooks would still count."""
    if started.point == "before_tool":
        call = state.call(started.about)
        return call is not None and call.hook == "asked" and call.phase in ("new", "approved")
    return state.run is not None and state.run.hook == started.hook


def _failure(name: str, point: Point, error: BaseException | str, about: str = "") -> e.HookFailed:
    text = error if isinstance(error, str) else _words(error)
    of = f" of {name}" if name else ""
    return e.HookFailed(name, point, Problem("hook", f"The hook {point}{of} failed: {text}"), about)


def _words(error: BaseException) -> str:
    kind = type(error).__name__
    try:
        return f"{kind}: {error}".removesuffix(": ")
    except Exception:  # the error's own __str__ failed
        return kind


def _by(heard: Heard) -> str:
    return heard.notes[-1].source.removeprefix("capability:") if heard.notes else ""


def _cancelled() -> bool:
    """Whether it is us who are cancelled, whatever the hook made of that."""
    task = asyncio.current_task()
    return task is None or task.cancelling() > 0
