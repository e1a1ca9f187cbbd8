"""What goes on beside a run: hooks that only listen, and titles."""

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine, Sequence

from longrein.core import events as e
from longrein.core.errors import ModelError, UsageError
from longrein.core.outcomes import Finished, Problem
from longrein.core.state import State
from longrein.core.usage import Usage
from longrein.loop.limits import dollars
from longrein.loop.setup import Budgets
from longrein.session.hook_calls import HookCalls
from longrein.session.recorder import Recorder
from longrein.session.services import Services
from longrein.session.titles import MOST_INPUT, MOST_OUTPUT, make_title

MOST_TITLES = 2
"""Attempts at a title; a model that gives none is not asked for ever."""
MOST_UNTOLD = 10_000
"""Events that hooks which only listen may be behind; then the oldest are not told."""
MISSED = e.HookFailed(
    "",
    "on_event",
    Problem("hook", f"The hooks on_event fell {MOST_UNTOLD} events behind: some were not told."),
)


class Extras:
    """Work beside the run of one session. Its failures are events; none of them ends a run."""

    def __init__(
        self,
        services: Services,
        hooks: HookCalls,
        recorder: Recorder,
        folded: Callable[[], State],
    ) -> None:
        self._services = services
        self._hooks = hooks
        self._recorder = recorder
        self._folded = folded
        self._untold: deque[e.Event] = deque(maxlen=MOST_UNTOLD)
        self._behind = False
        self._telling = False
        self._titling = False

    def after(self, events: Sequence[e.Event]) -> Coroutine[None, None, None] | None:
        """What is to be done after these events, if anything is."""
        untitled = self._titled_by_model and any(isinstance(one, e.RunEnded) for one in events)
        listening = self._hooks.at("on_event")
        if listening:
            # What hooks of this kind bring about is only failure, of which they need not hear.
            fresh = [one for one in events if not isinstance(one, e.HookFailed)]
            self._behind = self._behind or len(self._untold) + len(fresh) > MOST_UNTOLD
            self._untold += fresh
        tell = listening and not self._telling
        if not tell and not untitled:
            return None
        self._telling = self._telling or bool(tell)
        self._titling = self._titling or untitled
        return self._work(bool(tell), untitled)

    @property
    def _titled_by_model(self) -> bool:
        state = self._folded()
        wanted = self._services.titles and not self._titling
        return bool(wanted) and not state.title and state.titled < MOST_TITLES

    async def _work(self, tell: bool, title: bool) -> None:
        if tell and title:
            await asyncio.gather(self._tell(), self._title())
        else:
            await (self._tell() if tell else self._title())

    async def _tell(self) -> None:
        try:
            reported = False
            while self._untold:
                failed = await self._hooks.observe(self._folded(), self._untold.popleft())
                if self._behind and not reported:
                    failed, reported = [*failed, MISSED], True
                if failed:
                    await self._recorder.record(lambda _, failed=failed: failed)
        finally:
            self._telling = self._behind = False

    async def _title(self) -> None:
        try:
            state = self._folded()
            if not any(isinstance(one, Finished) for one in state.outcomes.values()):
                return
            events = await self._made(state)
            await self._recorder.record(lambda now: events if not now.title else events[:1])
        finally:
            self._titling = False

    async def _made(self, state: State) -> list[e.Event]:
        name = self._services.titles
        try:
            model = await self._services.model(name)
            with self._services.loop.setup.shared.aside(state.thread, await self._cost(name)):
                title, usage = await make_title(model, name, state.messages)
        except (ModelError, UsageError) as error:
            problem = _untitled(self._services.redactor.text(str(error)))
            return [e.SideCallEnded("title", name, Usage(), None, problem)]
        cost = await self._services.price(name, usage)
        if not title:
            problem = _untitled(f"{name} gave none, or the provider's filter stopped it.")
            return [e.SideCallEnded("title", name, usage, cost, problem)]
        return [e.SideCallEnded("title", name, usage, cost), e.ThreadRenamed(title, "model")]

    async def _cost(self, model: str) -> int:
        """What a title costs at worst. Raises `UsageError` where nobody pays for it."""
        loop = self._services.loop
        if loop.setup.budgets == Budgets():
            return 0
        cost = await self._services.price(model, Usage(MOST_INPUT, MOST_OUTPUT))
        if cost is None:
            raise UsageError(f"money is limited, but nobody knows what {model} costs.")
        left = loop.left(self._folded())
        if left is not None and cost > left:
            raise UsageError(f"what is left of the budget, {dollars(left)}, does not pay for it.")
        return cost


def _untitled(why: str) -> Problem:
    return Problem("title", f"No title could be made: {why}")
