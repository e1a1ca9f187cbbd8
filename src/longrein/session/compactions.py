"""Carrying out summaries: from a durable `CompactionStarted` to a durable end."""

import asyncio
from collections.abc import Sequence
from typing import assert_never

from msgspec import Struct
from msgspec.structs import replace

from longrein.context.compaction import Crowd
from longrein.context.estimate import estimate_input
from longrein.context.history import conversation
from longrein.context.summary import MOST_SUMMARY, ByModel, SummaryTask
from longrein.core import events as e
from longrein.core.errors import Filtered, LongreinError, ModelError, Network
from longrein.core.outcomes import Problem
from longrein.core.state import State
from longrein.core.usage import Usage
from longrein.loop.crowding import crowd_of, room
from longrein.models.base import CallDelta, Delta, ReasoningDelta, Request, Stopped, TextDelta
from longrein.models.whole import whole_answer
from longrein.session.recorder import Recorder
from longrein.session.services import Services
from longrein.session.tasks import Tasks, being_cancelled

STOPPED = "The compaction was stopped; nothing has changed."
EMPTY = "the summary is empty."
NO_USE = "the summary does not make requests short enough: it takes {after:,} of {before:,} tokens."


class _Call(Struct):
    """A model call for a summary: how much was `heard` of its answer, in characters, and what the
    provider said that it used; None: nobody said."""

    request: Request
    heard: int = 0
    usage: Usage | None = None

    def hear(self, delta: Delta) -> None:
        match delta:
            case TextDelta(text=text) | ReasoningDelta(text=text) | CallDelta(arguments=text):
                self.heard += len(text)
            case Stopped(usage=usage):
                self.usage = usage
            case _:
                assert_never(delta)

    def estimate(self) -> Usage:
        asked = self.request
        input = estimate_input(asked.messages, asked.system, asked.tools, Usage(), 0)
        return Usage(input, self.heard // 4 + 1)


class Compactions:
    """Makes the summaries of one session. Whatever goes wrong is an event; no run ends with it."""

    def __init__(self, services: Services, recorder: Recorder, tasks: Tasks) -> None:
        self._services = services
        self._recorder = recorder
        self._tasks = tasks

    async def run(self, state: State, started: e.CompactionStarted) -> None:
        """Have a summary written and write what came of it."""
        ending = await self._ending(state, started)
        if not self._tasks.ending(started.compaction):
            return
        await self._recorder.record(
            lambda now: [ending] if _going(now, started.compaction) else [],
            lambda now: [_given_up(ending)] if _going(now, started.compaction) else [],
        )

    async def _ending(
        self, state: State, started: e.CompactionStarted
    ) -> e.Compacted | e.CompactionFailed:
        calls: list[_Call] = []
        try:
            said = await self._in_time(state, started, calls)
        except asyncio.CancelledError as error:
            why = self._tasks.why(started.compaction)
            if being_cancelled(error) and (not why or why == "close"):
                raise
            said = Problem("stopped", STOPPED)
        except LongreinError as error:
            said = self._problem(str(error))
        except Exception as error:  # protects the run from whoever writes summaries
            said = self._problem(f"it failed with {type(error).__name__}: {error}")
        id, model = started.compaction, started.model
        usage, cost = await self._used(started, calls)
        ended = said if isinstance(said, Problem) else self._useful(state, started, said)
        if isinstance(ended, Problem):
            return e.CompactionFailed(id, ended, model, usage, cost)
        return replace(ended, compaction=id, model=model, usage=usage, cost=cost)

    async def _used(
        self, started: e.CompactionStarted, calls: Sequence[_Call]
    ) -> tuple[Usage, int | None]:
        """What the calls used and cost. One of which nobody said it counts as it was reserved, with
        no cost here, or else as it is estimated."""
        if started.reserved and any(call.usage is None for call in calls):
            return Usage(), None
        usage = sum((call.usage or call.estimate() for call in calls), Usage())
        return usage, await self._services.price(started.model, usage) if usage.total else 0

    def _problem(self, why: str) -> Problem:
        text = f"No summary could be made: {self._services.redactor.text(why)}"
        return Problem("compaction", text)

    def _useful(
        self, state: State, started: e.CompactionStarted, said: str
    ) -> e.Compacted | Problem:
        """What a summary comes to, or why it is of no use."""
        if not said.strip():
            return self._problem(EMPTY)
        crowd = self._crowd(state, started)
        if cut := crowd.summarise(said):
            return cut
        after = crowd.summarised(said).after
        return self._problem(NO_USE.format(after=after, before=started.before))

    def _crowd(self, state: State, started: e.CompactionStarted) -> Crowd:
        setup = self._services.loop.setup
        model = setup.next_model(state)
        return crowd_of(state, setup, model, started.trigger, started.before)

    async def _in_time(
        self, state: State, started: e.CompactionStarted, calls: list[_Call]
    ) -> str | Problem:
        settings = self._services.loop.setup.compaction
        writer = settings.summariser or ByModel()
        if not await self._services.host.confirm(state.thread):
            return Problem("stopped", STOPPED)
        task = asyncio.ensure_future(writer.summarise(self._task(state, started, calls)))
        try:
            # Not a timeout, which would wait for whatever does not listen to being cancelled.
            done, _ = await asyncio.wait([task], timeout=settings.timeout)
        finally:
            task.cancel()
            task.add_done_callback(_heard)
        if not done:
            return self._problem(f"it took longer than {settings.timeout:g} s.")
        said = task.result()
        if not isinstance(said, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            return self._problem(f"a summary is a text, not {type(said).__name__}.")
        return said

    def _task(self, state: State, started: e.CompactionStarted, calls: list[_Call]) -> SummaryTask:
        services, setup, name = self._services, self._services.loop.setup, started.model
        request = Request(
            model=name,
            system=state.prefix.system if state.prefix else services.loop.prompt.system,
            tools=services.loop.offer(state).specs,
            messages=conversation(state),
            load=services.load_blob,
            settings=services.model_settings(state, name),
            prefix=state.prefix.id if state.prefix else "",
        )
        limit = room(state, setup, name)
        # Of a model that refused a request nobody knows whether one question more fits.
        same = name == setup.next_model(state) and name not in state.ceilings
        fits = started.trigger != "overflow" and (limit is None or started.before <= limit)
        left = len(request.messages) - (len(state.messages) - started.start)
        most = started.max_output or MOST_SUMMARY
        return SummaryTask(
            request=request,
            messages=request.messages[:left],
            fits=same and fits,
            focus=started.focus,
            most=min(most, limit // 4) if limit else most,
            room=limit // 2 if limit else started.before // 2,
            ask=lambda request: self._ask(request, calls),
        )

    async def _ask(self, request: Request, calls: list[_Call]) -> str:
        model, call = await self._services.model(request.model), _Call(request)
        calls.append(call)
        try:
            said, stopped = await whole_answer(model, request, call.hear)
        except ModelError as error:
            if not call.heard and not isinstance(error, Network):
                # What was refused costs nothing; what broke off may have been paid for.
                call.usage = Usage()
            raise
        if stopped.reason == "filtered":
            raise Filtered(stopped.detail or "the provider's content filter stopped it.")
        return said


def _given_up(ending: e.Compacted | e.CompactionFailed) -> e.CompactionFailed:
    problem = Problem("compaction", "The summary cannot be kept: it is no text.")
    paid = (ending.model, ending.usage, ending.cost)
    return e.CompactionFailed(ending.compaction, problem, *paid)


def _going(state: State, id: str) -> bool:
    return state.compaction is not None and state.compaction.id == id


def _heard(task: "asyncio.Future[str]") -> None:
    """What a task that nobody waits for any more raises is of no interest."""
    if not task.cancelled():
        task.exception()
