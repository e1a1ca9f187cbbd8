"""A run as the application holds it: iterate it for events, await it for its outcome."""

from collections.abc import AsyncGenerator, Generator
from contextlib import aclosing
from typing import Generic

from longrein.core import events as e
from longrein.core.display import activity
from longrein.core.errors import NotFound, UsageError
from longrein.core.outcomes import Aborted, Failed, Finished, Outcome, Problem, Waiting
from longrein.core.state import State
from longrein.core.typevars import T
from longrein.session.bus import Anything
from longrein.session.children.seen import waiting
from longrein.session.conductor import Conductor
from longrein.session.listen import listen
from longrein.tools.output import read_output
from longrein.tools.shapes import Misfit, Shape


class Run(Generic[T]):
    """One run of a session, also one that has not begun or is long over.

    Awaiting it gives the outcome: at the end, or `Waiting` as soon as only people are left to wait
    for. Awaiting it again waits on. Iterating it gives its events up to its end. Both raise
    `NotFound` for a run that there never was. Where an `output` was asked for, `Finished.value` is
    it, and an answer that does not fit is `Failed`.

    >>> from longrein import Finished, Run
    >>> async def text_of(run: Run) -> str:
    ...     async for event in run:
    ...         print(type(event).__name__)
    ...     outcome = await run
    ...     return outcome.text if isinstance(outcome, Finished) else ""
    """

    def __init__(
        self,
        conductor: Conductor,
        id: str,
        after: int,
        command: str = "",
        output: Shape[T] | None = None,
    ) -> None:
        self._id = id
        self._conductor = conductor
        self._after = after
        self._command = command
        self._output = output
        self._told: Waiting | None = None

    @property
    def id(self) -> str:
        """The run's id. What another process took up later may have joined another run."""
        known = self._conductor.state.commands.get(self._command)
        return known.run if known else self._id

    @property
    def _standing(self) -> Outcome | None:
        state = self._conductor.state
        if why := self._conductor.refused.get(self._command):
            raise UsageError(why)
        if self._command and self._command not in state.commands:
            return None
        found = standing(state, self.id)
        if isinstance(found, Aborted) and not _known(state, self.id):
            raise NotFound(f"There is no run {self.id!r} in the thread {state.thread!r}.")
        return waiting(self._conductor.nursery, found) if isinstance(found, Waiting) else found

    def __await__(self) -> Generator[None, None, Outcome[T]]:
        return self._outcome().__await__()

    async def _outcome(self) -> Outcome[T]:
        await self._conductor.refresh()
        while True:
            now = self._standing
            if isinstance(now, Waiting):
                if now != self._told:
                    self._told = now
                    return now
            elif now is not None:
                return self._read(now)
            else:
                self._told = None
            await self._conductor.moved()

    def _read(self, outcome: Outcome) -> Outcome[T]:
        """The outcome with its answer as the object that was asked for."""
        if self._output is None or not isinstance(outcome, Finished):
            return outcome
        try:
            return Finished(outcome.text, read_output(outcome.text, self._output))
        except Misfit as misfit:
            return Failed(Problem("output", f"The answer does not fit: {misfit.message}"))

    def __aiter__(self) -> AsyncGenerator[Anything, None]:
        return self._events()

    async def _events(self) -> AsyncGenerator[Anything, None]:
        await self._conductor.refresh()
        if isinstance(self._standing, Aborted) and self.id not in self._conductor.state.outcomes:
            return
        async with aclosing(listen(self._conductor, self._after)) as events:
            async for event in events:
                if not isinstance(event, e.Durable):
                    if self._current:
                        yield event
                    continue
                if event.run == self.id:
                    yield event
                if self._ends(event):
                    return

    def _ends(self, event: e.Durable) -> bool:
        ended = isinstance(event, e.RunEnded) and event.run == self.id
        return ended or (isinstance(event, e.InputWithdrawn) and not self._expected)

    @property
    def _current(self) -> bool:
        run = self._conductor.state.run
        return run is not None and run.id == self.id

    @property
    def _expected(self) -> bool:
        now = self._standing
        return now is None or isinstance(now, Waiting)


def standing(state: State, run: str) -> Outcome | None:
    """How a run stands: its outcome, `Waiting`, or None while it works or has yet to begin."""
    if run in state.outcomes:
        return state.outcomes[run]
    if state.run is not None and state.run.id == run:
        if activity(state) != "waiting":
            return None
        approvals = tuple(a.id for a in state.approvals)
        questions = tuple(q.id for q in state.questions)
        asked, parked = {*approvals, *questions}, {*state.run.parked}
        return Waiting(approvals, questions, bool(asked) and asked <= parked)
    if any(i.run == run for i in state.queue):
        return None
    return Aborted("withdrawn")


def _known(state: State, run: str) -> bool:
    """Whether there ever was such a run; one that was withdrawn is known by what it was said in."""
    return run in state.outcomes or any(answer.run == run for answer in state.commands.values())
