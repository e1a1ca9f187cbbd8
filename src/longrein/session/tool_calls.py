"""Carrying out tool calls: from a durable `ToolStarted` to a durable end."""

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeAlias

from msgspec.structs import replace

from longrein.capabilities.base import CallResult
from longrein.core import events as e
from longrein.core.errors import StoreError, UsageError
from longrein.core.live import ToolOutputFragment
from longrein.core.messages import Text, ToolCall
from longrein.core.points import reached
from longrein.core.records import Question
from longrein.core.state import Call, State
from longrein.loop.calls import judge
from longrein.loop.deadlines import patience
from longrein.loop.setup import Shared
from longrein.permissions.evaluate import Allow
from longrein.session.bus import Bus
from longrein.session.children.delegating import Delegating, with_children
from longrein.session.children.driving import Driving
from longrein.session.effects import bring_about
from longrein.session.examine import examine, hook_rules
from longrein.session.hook_calls import Heard, HookCalls
from longrein.session.offloading import Offload
from longrein.session.recorder import Recorder
from longrein.session.services import Services
from longrein.session.streams import Output, Streams
from longrein.session.tasks import Tasks
from longrein.tools.bounds import bound
from longrein.tools.call import Output as Returned
from longrein.tools.call import call as call_tool
from longrein.tools.context import Asked, Context
from longrein.tools.define import Tool
from longrein.tools.reach import Effect, Fact

NOT_OURS = "This call was not run: another process took the thread over."
NOT_SURE = "This call was not run: it is not known whether the thread is still ours."
Ending: TypeAlias = e.ToolEnded | e.QuestionAsked | e.CallReexamined
UNWRITABLE = "The tool ran, but what it returned cannot be kept. Look at what it did."


class ToolCalls:
    """Runs the tool calls of one session."""

    def __init__(
        self,
        services: Services,
        recorder: Recorder,
        bus: Bus,
        streams: Streams,
        tasks: Tasks,
        hooks: HookCalls,
        folded: Callable[[], State],
        driving: Driving,
    ) -> None:
        self._services = services
        self._driving = driving
        self._offload = Offload(services)
        self._hooks = hooks
        self._folded = folded
        self._recorder = recorder
        self._bus = bus
        self._streams = streams
        self._tasks = tasks

    async def run(self, state: State, started: e.ToolStarted) -> None:
        """Run one call and write how it ended: settled, or with a question."""
        id, began = started.call, self._services.clock.now()
        output = self._streams.outputs[id] = Output(self._services.redactor)
        heard, effects = Heard(), list[Effect]()
        try:
            ending = await self._ending(state, started, output, effects, heard)
        finally:
            self._streams.outputs.pop(id, None)
        if not self._tasks.ending(id):
            return
        if isinstance(ending, e.ToolEnded):
            spent = (self._services.clock.now() - began) // 1000
            ending = replace(ending, milliseconds=max(spent, 0))
        failed = e.ToolEnded(id, "error", (Text(UNWRITABLE),))
        await self._recorder.record(
            lambda now: self._once(now, id, ending, effects, heard),
            lambda now: self._once(now, id, failed, [], Heard()),
        )

    def _once(
        self, state: State, id: str, ending: Ending, effects: list[Effect], heard: Heard
    ) -> Sequence[e.Event]:
        """Every call is settled exactly once, by whoever comes first, with what it brought about.

        What cannot be brought about after all makes the call one that failed; that it ran, and what
        it returned, is told all the same.
        """
        call = state.call(id)
        if call is None or call.phase != "started":
            return []
        setup, kept = self._services.loop.setup, self._services.kept
        try:
            brought, state = bring_about(effects, state, setup, kept, id)
        except UsageError as error:
            ending, brought = _unkept(ending, error), []
        return [ending, *brought, *self._hooks.events(state, "after_tool", heard, id)]

    async def _ending(
        self,
        state: State,
        started: e.ToolStarted,
        output: Output,
        effects: list[Effect],
        heard: Heard,
    ) -> Ending:
        call = state.call(started.call)
        tool = self._services.registry(state).get(started.name)
        if call is None or tool is None:
            return e.ToolEnded(started.call, "error", (Text("There is no such tool any more."),))
        ctx = self._context(state, call, tool)
        reached("effect.before")
        try:
            if not await self._services.host.confirm(state.thread):
                return e.ToolEnded(call.id, "not_run", (Text(NOT_OURS),))
            if tool.touches and (changed := await self._changed(state, call)):
                return changed
            if revoked := await self._revoked(state, call):
                return revoked
            returned = await call_tool(tool, call.arguments, ctx)
        except asyncio.CancelledError:
            why = self._tasks.why(call.id)
            # A call that delegates is found open after a close, and its child goes on.
            if not why or (why == "close" and self._driving.works_for(call.id)):
                raise
            # Facts say what has happened. What was to come of it, modes and state, does not.
            effects += [effect for effect in ctx.effects if isinstance(effect, Fact)]
            return e.ToolEnded(call.id, "interrupted", bound((Text(_so_far(output)),)).parts)
        except StoreError as error:  # not known whether the thread is still ours: do nothing
            return e.ToolEnded(call.id, "not_run", (Text(f"{NOT_SURE} {error}"),))
        reached("effect.after")
        if isinstance(returned, Asked):
            return e.QuestionAsked(self._question(state, call, returned))
        if returned.status == "ok":
            effects += ctx.effects
        reviewed = await self._reviewed(state, call, returned, heard)
        return await self._ended(state, call, reviewed)

    async def _changed(self, state: State, call: Call) -> e.CallReexamined | None:
        """The call touches something else by now than what was decided on: decide again."""
        asked = ToolCall(call.id, call.name, call.arguments)
        facts = await examine(self._services, state, asked, hook_rules(call))
        same = not facts.problem and facts.touches == call.touches
        return None if same else e.CallReexamined(call.id, facts)

    async def _revoked(self, state: State, call: Call) -> e.CallReexamined | None:
        """What let the call run was a yes for the whole resource, and somebody took it back."""
        setup = self._services.loop.setup
        if isinstance(judge(state, replace(setup, shared=Shared()), call), Allow):
            return None
        # Another process may have done so just now: its revoke() has returned.
        await self._services.resources.refresh(costs=False)
        if isinstance(judge(state, setup, call), Allow):
            return None
        asked = ToolCall(call.id, call.name, call.arguments)
        facts = await examine(self._services, state, asked, hook_rules(call))
        return e.CallReexamined(call.id, facts)

    async def _reviewed(
        self, state: State, call: Call, returned: Returned, heard: Heard
    ) -> Returned:
        """What the hooks make of what a tool returned."""
        if not self._hooks.at("after_tool"):
            return returned
        result = CallResult(returned.status, returned.parts)
        changed = await self._hooks.after_tool(state, call, result, heard)
        return Returned(changed.status, changed.parts)

    def _context(self, state: State, call: Call, tool: Tool) -> Context:
        show = partial(self._show, state.seq, call.id)
        port = Delegating(self._driving, call.id, partial(self._tasks.why, call.id), show)
        return Context(
            call=call.id,
            tool=call.name,
            reach=with_children(self._services.reach(state, self._folded), port),
            asks=tool.asks,
            answers=call.answers,
            redact=self._services.redactor.text,
            output=show,
        )

    def _show(self, after: int, call: str, text: str) -> None:
        output = self._streams.outputs.get(call)
        if output is None:
            return
        offset = output.length
        if shown := output.add(text):
            self._bus.publish(ToolOutputFragment(shown, after=after, stream=call, offset=offset))

    def _question(self, state: State, call: Call, asked: Asked) -> Question:
        return Question(
            self._services.ids.new("qst"),
            call.id,
            asked.text,
            asked.choices,
            asked.several,
            run=state.run.id if state.run else "",
            kind=asked.kind,
            title=asked.title,
            other=asked.other,
            patience=patience(self._services.loop.setup.unattended),
        )

    async def _ended(self, state: State, call: Call, returned: Returned) -> e.ToolEnded:
        """The result at a size that a model can take; all of it is kept, if it can be."""
        shown, whole = await self._offload.result(state, call.id, returned.parts)
        return e.ToolEnded(call.id, returned.status, shown, whole)


def _unkept(ending: Ending, error: UsageError) -> Ending:
    """The end of a call whose tool ran, but did not get what it wanted written down."""
    if not isinstance(ending, e.ToolEnded):
        return ending
    text = f"The tool ran, but what it wanted to write down was not kept: {error}"
    return replace(ending, status="error", parts=(*ending.parts, Text(text)))


def _so_far(output: Output) -> str:
    said = output.text
    text = "This call was interrupted; it may have done part of its work."
    return f"{text} Its output so far:\n{said}" if said else text
