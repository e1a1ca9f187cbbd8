"""Carrying out tool calls: from a durable `ToolStarted` to a durable end."""

import asyncio
from collections.abc import Sequence

from msgspec.structs import replace

from longrein.core import events as e
from longrein.core.errors import StoreError
from longrein.core.live import ToolOutputFragment
from longrein.core.messages import Text, ToolCall
from longrein.core.points import reached
from longrein.core.records import CallFacts, Question
from longrein.core.state import Call, State
from longrein.session.bus import Bus
from longrein.session.recorder import Recorder
from longrein.session.services import Services
from longrein.session.streams import Output, Streams
from longrein.session.tasks import Tasks
from longrein.tools.bounds import bound
from longrein.tools.call import Output as Returned
from longrein.tools.call import call as call_tool
from longrein.tools.context import Asked, Context
from longrein.tools.define import Tool
from longrein.tools.registry import Registry

NOT_OURS = "This call was not run: another process took the thread over."
NOT_SURE = "This call was not run: it is not known whether the thread is still ours."
UNWRITABLE = "The tool ran, but what it returned cannot be kept. Look at what it did."


def registry(services: Services, state: State) -> Registry:
    """The tools of the mode in use."""
    return services.registries[services.loop.setup.mode(state).id]


def examine(services: Services, state: State, call: ToolCall) -> CallFacts:
    """What can be said of a call before it runs: whether it can, and beside which others."""
    tools = registry(services, state)
    tool = tools.get(call.name)
    if tool is None:
        return CallFacts(call.id, problem=tools.unknown(call.name))
    if problem := tool.check(call.arguments):
        return CallFacts(call.id, problem=problem)
    alone, lane = tool.lane(call.arguments)
    return CallFacts(call.id, alone=alone, lane=lane)


class ToolCalls:
    """Runs the tool calls of one session."""

    def __init__(
        self, services: Services, recorder: Recorder, bus: Bus, streams: Streams, tasks: Tasks
    ) -> None:
        self._services = services
        self._recorder = recorder
        self._bus = bus
        self._streams = streams
        self._tasks = tasks

    async def run(self, state: State, started: e.ToolStarted) -> None:
        """Run one call and write how it ended: settled, or with a question."""
        id, began = started.call, self._services.clock.now()
        output = self._streams.outputs[id] = Output(self._services.redactor)
        try:
            ending = await self._ending(state, started, output)
        finally:
            self._streams.outputs.pop(id, None)
        if not self._tasks.ending(id):
            return
        if isinstance(ending, e.ToolEnded):
            spent = (self._services.clock.now() - began) // 1000
            ending = replace(ending, milliseconds=max(spent, 0))
        failed = e.ToolEnded(id, "error", (Text(UNWRITABLE),))
        await self._recorder.record(
            lambda now: _once(now, id, ending), lambda now: _once(now, id, failed)
        )

    async def _ending(
        self, state: State, started: e.ToolStarted, output: Output
    ) -> e.ToolEnded | e.QuestionAsked:
        call = state.call(started.call)
        tool = registry(self._services, state).get(started.name)
        if call is None or tool is None:
            return e.ToolEnded(started.call, "error", (Text("There is no such tool any more."),))
        reached("effect.before")
        try:
            if not await self._services.host.confirm(state.thread):
                return e.ToolEnded(call.id, "not_run", (Text(NOT_OURS),))
            returned = await call_tool(tool, call.arguments, self._context(state, call, tool))
        except asyncio.CancelledError:
            if not self._tasks.why(call.id):
                raise
            return e.ToolEnded(call.id, "interrupted", (Text(_so_far(output)),))
        except StoreError as error:  # not known whether the thread is still ours: do nothing
            return e.ToolEnded(call.id, "not_run", (Text(f"{NOT_SURE} {error}"),))
        reached("effect.after")
        if isinstance(returned, Asked):
            return e.QuestionAsked(self._question(state, call, returned))
        return await self._ended(call, returned)

    def _context(self, state: State, call: Call, tool: Tool) -> Context:
        return Context(
            call=call.id,
            tool=call.name,
            thread=state.thread,
            resource=state.resource,
            run=state.run.id if state.run else "",
            asks=tool.asks,
            answers=call.answers,
            redact=self._services.redactor.text,
            output=lambda text: self._show(state.seq, call.id, text),
            keep=self._services.store.put_blob,
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
        )

    async def _ended(self, call: Call, returned: Returned) -> e.ToolEnded:
        """The result at a size that a model can take; all of it is kept, if it can be."""
        shown = bound(returned.parts)
        whole = ""
        if shown.whole:
            text = self._services.redactor.text(shown.whole)
            try:
                whole = await self._services.store.put_blob(text.encode("utf-8", "replace"))
            except (StoreError, asyncio.CancelledError):
                # The tool has run: what the model is shown of it must not be lost with the rest.
                whole = ""
        return e.ToolEnded(call.id, returned.status, shown.parts, whole)


def _once(state: State, id: str, ending: e.ToolEnded | e.QuestionAsked) -> Sequence[e.Event]:
    """Every call is settled exactly once, by whoever comes first."""
    call = state.call(id)
    return [ending] if call is not None and call.phase == "started" else []


def _so_far(output: Output) -> str:
    said = output.text
    text = "This call was interrupted; it may have done part of its work."
    return f"{text} Its output so far:\n{said}" if said else text
