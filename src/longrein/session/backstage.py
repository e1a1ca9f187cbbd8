"""Work of capabilities beside the runs of a session."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from functools import partial

from msgspec.structs import replace

from longrein.capabilities.contexts import HookContext
from longrein.core import commands as c
from longrein.core import events as e
from longrein.core.errors import UsageError
from longrein.core.messages import Text
from longrein.core.outcomes import Problem
from longrein.core.state import State
from longrein.session.apply import say
from longrein.session.backdoor import Work
from longrein.session.effects import events_of
from longrein.session.recorder import Recorder
from longrein.session.services import Services
from longrein.session.side_calls import SideCalls
from longrein.tools.reach import Effect, Reach, Wake


class Backstage:
    """Carries out what capabilities do beside the runs of one session, and writes what it brings
    about."""

    def __init__(
        self,
        services: Services,
        recorder: Recorder,
        side: SideCalls,
        folded: Callable[[], State],
        aside: Callable[[Coroutine[None, None, None]], object],
        owns: Callable[[], bool],
    ) -> None:
        self._services = services
        self._recorder = recorder
        self._side = side
        self._folded = folded
        self._aside = aside
        self._owns = owns

    def spawn(self, work: Work, by: str) -> None:
        """Do something beside the run, unless another process writes the thread."""
        if self._owns():
            self._aside(self._work(work, by))

    async def _work(self, work: Work, by: str) -> None:
        ctx = HookContext(self._reach(by))
        try:
            await work(ctx)
            notes = [e.NoteAdded(note, f"capability:{by}") for note in ctx.notes]
            await self._write(by, ctx.effects, notes)
        except asyncio.CancelledError:
            raise
        except Exception as error:  # protects the session from the capability
            text = self._services.redactor.text(f"{type(error).__name__}: {error}")
            failed = e.HookFailed(by, "on_event", Problem("hook", text))
            await self._recorder.record(lambda _: [failed])

    def _reach(self, by: str) -> Reach:
        reach = self._services.reach(self._folded(), self._folded)
        return replace(reach, ask_model=self._side.ask, write=partial(self._write, by))

    async def _write(
        self, by: str, effects: Sequence[Effect], notes: Sequence[e.Event] = ()
    ) -> None:
        """Write what was brought about. Raises `UsageError` for what cannot be."""
        if not effects and not notes:
            return
        wakes = [self._waking(one.text, by) for one in effects if isinstance(one, Wake)]
        effects = [one for one in effects if not isinstance(one, Wake)]
        setup, kept = self._services.loop.setup, self._services.kept
        problems: list[UsageError] = []

        def build(now: State) -> Sequence[e.Event]:
            problems.clear()
            try:
                said = [event for one in wakes for event in say(now, one).events]
                return [*events_of(effects, now, setup, kept), *notes, *said]
            except UsageError as error:
                problems.append(error)
                return []

        await self._recorder.record(build)
        if problems:
            raise problems[0]

    def _waking(self, text: str, by: str) -> c.Say:
        ids, source = self._services.ids, f"capability:{by}"
        return c.Say("signal", ids.new("run"), (Text(text),), source, wake=True, id=ids.new("cmd"))
