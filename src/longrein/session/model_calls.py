"""Carrying out model calls: from a durable `StepStarted` to a durable end."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import aclosing
from typing import Any

from msgspec.structs import replace

from longrein.context.history import conversation
from longrein.core import events as e
from longrein.core.errors import (
    Auth,
    BadRequest,
    ContextOverflow,
    Filtered,
    ModelError,
    Network,
    UsageError,
)
from longrein.core.messages import Assistant, Reasoning, Text, ToolCall
from longrein.core.outcomes import Problem
from longrein.core.points import reached
from longrein.core.state import State
from longrein.core.usage import Usage
from longrein.loop.advance import LOST
from longrein.loop.crowding import filled, recovery
from longrein.loop.retry import Again, NextModel, after_failure
from longrein.models.base import Request
from longrein.session.bus import Bus
from longrein.session.examine import examine
from longrein.session.hook_calls import Heard, HookCalls
from longrein.session.recorder import Recorder
from longrein.session.services import Services
from longrein.session.sources import Sources
from longrein.session.speech import Speech
from longrein.session.streams import Streams
from longrein.session.tasks import Tasks, being_cancelled

UNWRITABLE = "What the model answered cannot be kept: it is not made of what it should be."


SHORTER = "Send less, or choose a model with a larger window."


class ModelCalls:
    """Makes the model calls of one session."""

    def __init__(
        self,
        services: Services,
        recorder: Recorder,
        bus: Bus,
        streams: Streams,
        tasks: Tasks,
        hooks: HookCalls,
        misfit: Callable[[State, str], str],
        folded: Callable[[], State],
    ) -> None:
        self._services = services
        self._sources = Sources(services, recorder, folded)
        self._hooks = hooks
        self._misfit = misfit
        self._folded = folded
        self._recorder = recorder
        self._bus = bus
        self._streams = streams
        self._tasks = tasks
        self._scratch: dict[str, Any] = {}
        self._scratch_of = ""

    async def run(self, state: State, started: e.StepStarted) -> None:
        """Call the model and write what came of it."""
        reply = Speech(started.step, self._bus, self._services.redactor, state.seq)
        self._streams.begin_reply(reply)
        heard = Heard()
        try:
            ending = await self._ending(state, started, reply)
            if isinstance(ending, e.StepEnded):
                said = Assistant(ending.parts, started.model, cut=ending.stop == "length")
                heard = await self._hooks.after_model(state, started.step, said)
        finally:
            self._streams.end_reply(reply)
        if not self._tasks.ending(started.step):
            return
        unwritable = e.StepFailed(started.step, Problem("internal", UNWRITABLE))
        await self._recorder.record(
            lambda now: self._once(now, started.step, ending, heard),
            lambda now: self._once(now, started.step, unwritable, Heard()),
        )

    def _once(self, state: State, step: str, ending: e.Event, heard: Heard) -> Sequence[e.Event]:
        """A step ends once, by whoever comes first."""
        now = state.step
        if now is None or now.id != step or now.phase != "model":
            return []
        return [ending, *self._hooks.events(state, "after_model", heard)]

    async def _ending(self, state: State, started: e.StepStarted, reply: Speech) -> e.Event:
        reached("model.before")
        try:
            if not await self._services.host.confirm(state.thread):
                return e.StepFailed(started.step, LOST, retry_at=1)
            state = await self._sources.look(state, started.step)
            await self._listen(state, started, reply)
            reached("model.after")
            return await self._ended(state, started, reply)
        except asyncio.CancelledError as error:
            why = self._tasks.why(started.step)
            if not why and not being_cancelled(error):
                broke = Network(f"{started.model} broke off by itself.")
                return await self._failed(state, started, reply, broke)
            if not why or why == "close":
                raise
            return await self._interrupted(state, started, reply, why)
        except ModelError as error:
            return await self._failed(state, started, reply, error)
        except UsageError as error:  # the model cannot be had: no key, no such provider
            return await self._failed(state, started, reply, Auth(str(error)))
        except Exception as error:  # protects the session from a model that breaks its contract
            name = type(error).__name__
            broken = BadRequest(f"{started.model} failed with {name}: {error}")
            return await self._failed(state, started, reply, broken)

    async def _listen(self, state: State, started: e.StepStarted, reply: Speech) -> None:
        model = await self._services.model(started.model)
        request = self._request(state, started)
        async with aclosing(model.stream(request)) as deltas:
            async for delta in deltas:
                reply.hear(delta)
        if reply.whole.stopped is None:
            raise Network(f"{started.model} ended its answer in the middle.")
        if reply.whole.stopped.reason == "filtered":
            detail = (
                reply.whole.stopped.detail or "The provider's content filter stopped the answer."
            )
            raise Filtered(detail)

    def _request(self, state: State, started: e.StepStarted) -> Request:
        services = self._services
        offer = services.loop.offer(state)
        settings = services.model_settings(state, started.model)
        if started.max_output is not None:
            settings = replace(settings, max_output=started.max_output)
        prefix = state.prefix.id if state.prefix else ""
        if prefix != self._scratch_of:
            self._scratch, self._scratch_of = {}, prefix
        return Request(
            model=started.model,
            system=state.prefix.system if state.prefix else "",
            tools=offer.specs,
            messages=conversation(state),
            load=services.load_blob,
            settings=settings,
            prefix=prefix,
            scratch=self._scratch,
        )

    async def _ended(self, state: State, started: e.StepStarted, reply: Speech) -> e.StepEnded:
        services, stopped = self._services, reply.whole.stopped
        parts = tuple(map(self._mended, reply.whole.parts(started.model, services.ids)))
        usage = _used(reply)
        calls = [part for part in parts if isinstance(part, ToolCall)]
        # What people are shown depends on rules that may have changed while the model spoke.
        facts = [await examine(services, self._folded(), call) for call in calls]
        return e.StepEnded(
            started.step,
            parts,
            stopped.reason if stopped else "other",
            usage,
            await services.price(started.model, usage),
            tuple(facts),
            "" if calls else self._misfit(state, reply.whole.text),
        )

    def _mended(self, part: Text | Reasoning | ToolCall) -> Text | Reasoning | ToolCall:
        """A call with its arguments in the form of its schema: all that follows reads this text."""
        if not isinstance(part, ToolCall):
            return part
        tool = self._services.registry(self._folded()).get(part.name)
        return replace(part, arguments=tool.arguments.mended(part.arguments)) if tool else part

    async def _interrupted(
        self, state: State, started: e.StepStarted, reply: Speech, why: str
    ) -> e.StepInterrupted:
        usage = _used(reply)
        usage = usage if usage.total else _estimate(state, reply)
        cost = await self._services.price(started.model, usage)
        return e.StepInterrupted(started.step, reply.whole.spoken(started.model), why, usage, cost)

    async def _failed(
        self, state: State, started: e.StepStarted, reply: Speech, error: ModelError
    ) -> e.StepFailed:
        services, run = self._services, state.run
        if isinstance(error, ContextOverflow) and (again := self._shorter(state, started, error)):
            return again
        failures = run.failures if run else 0
        gone = {started.model, *(run.failed if run else ())}
        left = sum(model not in gone for model in services.loop.setup.chain(state))
        then = after_failure(error, failures, left, services.retry, services.chance())
        pause = int(then.seconds * 1_000_000) if isinstance(then, Again) else 0
        usage = _used(reply)
        said = services.redactor.text(str(error))
        return e.StepFailed(
            started.step,
            Problem(error.kind, f"{said} {SHORTER}" if error.kind == "context_overflow" else said),
            retry_at=services.clock.now() + pause if isinstance(then, Again) else 0,
            next_model=isinstance(then, NextModel),
            # Thoughts that are kept secret have no size, but were paid for.
            dropped=reply.whole.size or min(reply.heard, 1),
            usage=usage,
            cost=await services.price(started.model, usage) if usage.total else None,
        )

    def _shorter(
        self, state: State, started: e.StepStarted, error: ContextOverflow
    ) -> e.StepFailed | None:
        """The end of a call whose request was too long, if it can be made again with less; once."""
        setup, run = self._services.loop.setup, state.run
        if run is None or run.recovered:
            return None
        tokens = filled(state, setup, started.model)
        if recovery(replace(state, step=None), setup, run, started.model, tokens) is None:
            return None
        problem = Problem(error.kind, self._services.redactor.text(str(error)))
        return e.StepFailed(started.step, problem, overflow=tokens)


def _used(reply: Speech) -> Usage:
    """What the provider said that the call used; nothing where it did not say."""
    stopped = reply.whole.stopped
    return (stopped.usage if stopped else None) or Usage()


def _estimate(state: State, reply: Speech) -> Usage:
    """About what a call used that was cut short: what the one before it left, and what was said.

    What was thought and written as arguments is said, too.
    """
    before = state.last.input + state.last.output
    if not before:
        # The first call of a thread: four characters to a token, which is near enough.
        system = len(state.prefix.system) if state.prefix else 0
        before = (system + sum(len(repr(message)) for message in state.messages)) // 4
    return Usage(input=before, output=reply.whole.size // 4 + 1)
