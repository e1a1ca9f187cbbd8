"""The conductor: takes a thread over, starts what its log says has started, and lets go again."""

import asyncio
import contextlib
from collections.abc import Coroutine, Sequence
from functools import partial
from typing import Any

from longrein.core import events as e
from longrein.core.display import Display, display
from longrein.core.errors import NotFound, SessionClosed, StoreError, UsageError
from longrein.core.live import SignalKind
from longrein.core.state import State
from longrein.loop.advance import Resting
from longrein.loop.limits import limited
from longrein.loop.setup import Shared
from longrein.session.backstage import Backstage
from longrein.session.bus import Bus
from longrein.session.children.driving import Driving
from longrein.session.children.nursery import Nursery
from longrein.session.children.seen import below
from longrein.session.compactions import Compactions
from longrein.session.ending import Opened, given_up, stop_since
from longrein.session.extras import Extras
from longrein.session.hook_calls import HookCalls
from longrein.session.journal import PAGE, Journal
from longrein.session.model_calls import ModelCalls
from longrein.session.recorder import Recorder
from longrein.session.services import Services
from longrein.session.side_calls import SideCalls
from longrein.session.slice_news import SliceNews
from longrein.session.spawning import spawn
from longrein.session.streams import Streams
from longrein.session.switching import enter_mode, used
from longrein.session.tasks import Tasks
from longrein.session.timer import Timer, rung
from longrein.session.tool_calls import ToolCalls
from longrein.session.waiters import Waiters
from longrein.session.watchdog import Watchdog
from longrein.storage.base import Store, ThreadRow
from longrein.tools.output import misfit_of
from longrein.tools.shapes import Shape

CLOSED = "The session was closed; open it again with harness.session()."


class Conductor:
    """One thread in this process: its journal, its listeners, and what is in flight.

    Without a lease it only follows what another process writes. With one it is the thread's single
    writer and starts whatever the log says has started.
    """

    def __init__(self, services: Services, row: ThreadRow) -> None:
        self.row = row
        above = services.parent
        self.bus = Bus(above.nursery.ear(row.id) if above else None)
        self.streams = Streams()
        self.journal = Journal(
            services.store,
            services.loop,
            services.folding,
            services.clock,
            services.redactor,
            self._adopted,
            self._lost,
        )
        self._services = services
        self.slices = SliceNews(services.folding, self.bus, self._now)
        self._waiters = Waiters()
        self._tasks = Tasks(self._abandoned)
        recorder = Recorder(self.journal, self.bus)
        self._recorder = recorder
        owns, means = lambda: self.owns, (self._waiters.wake, self.aside, self.may_begin)
        self.nursery = Nursery(services, row, recorder, self.bus, self._now, owns, *means)
        self.driving = Driving(self.nursery, self.journal)
        side = SideCalls(services, recorder, self._now)
        hooks = HookCalls(services, recorder, self._tasks, self._now, side)
        self._hooks = hooks
        self._models = ModelCalls(
            services, recorder, self.bus, self.streams, self._tasks, hooks, self._misfit, self._now
        )
        self._tools = ToolCalls(
            services, recorder, self.bus, self.streams, self._tasks, hooks, self._now, self.driving
        )
        self._compactions = Compactions(services, recorder, self._tasks)
        self._extras = Extras(services, self._hooks, recorder, self._now)
        self._watchdog = Watchdog(services.loop.setup.unattended, self.bus, self._now)
        stage = Backstage(services, recorder, side, self._now, self.aside, lambda: self.owns)
        services.backdoor.begin(stage.spawn, self._now)
        self.still = asyncio.Lock()
        """Held while the thread is rewound: nothing begins on files that are half put back."""
        self.gone = asyncio.Event()
        """Set once nothing of this session is left: another may take its place."""
        self.refused: dict[str, str] = {}
        """Commands that another process took up late and refused, with its reasons."""
        self.outputs: dict[str, Shape[Any]] = {}
        """The types that the answers of runs have to fit, where they were asked for here."""
        self._drawn: Display | None = None
        self._shown: tuple[object, ...] = ()
        self._timer = Timer(services.clock, lambda timer: self.aside(self._ring(timer)))
        self._asides: set[asyncio.Task[None]] = set()
        self.closed = False
        """Nothing begins here any more, though what is under way is still written."""
        self._turn = asyncio.Lock()

    @property
    def state(self) -> State:
        return self.journal.state

    def _now(self) -> State:
        return self.journal.state

    @property
    def store(self) -> Store:
        return self._services.store

    @property
    def _shared(self) -> Shared:
        return self._services.loop.setup.shared

    @property
    def owns(self) -> bool:
        """Whether this process is the writer of the thread."""
        return self.journal.lease is not None

    @property
    def beside(self) -> bool:
        """Whether something is under way here beside the run, such as a title being made."""
        return bool(self._asides)

    def tell(self, kind: SignalKind, message: str) -> None:
        """Tell the listeners something that is not about the thread itself."""
        self.bus.tell(kind, message, self.state.seq)

    def display(self) -> Display:
        """Everything a user interface needs to draw the thread now."""
        state, streams = self.state, self.streams
        setup = self._services.loop.setup
        mode, model, trust = setup.mode(state).id, used(state, setup), setup.trust(state)
        shown = (state.seq, streams.mark, mode, model, trust, self.nursery.pulse)
        if self._drawn is None or self._shown != shown:
            window = self._services.window(state.step.model if state.step else model)
            texts = streams.output_texts
            self._drawn = display(
                state,
                slices=self._services.folding.installed(state),
                mode=mode,
                model=model,
                window=window,
                writing=streams.writing,
                outputs=texts,
                # Once the thread is written here, its log says so itself.
                invalid="" if self.owns else self._services.kept.problem(state),
                trust=trust,
                below=below(self.nursery),
            )
            self._shown = shown
        return self._drawn

    async def load(self) -> None:
        """Read the thread: its newest snapshot and what came after. Starts nothing."""
        await self.journal.load(self.row)
        await self._follow(self.row.rewrites)
        self.slices.tell()

    async def catch_up(self) -> None:
        """Follow what another process wrote, and forget what it erased."""
        row = await self.store.thread(self.row.id)
        await self._follow(row.rewrites if row else 0)

    async def _follow(self, rewrites: int) -> None:
        if await self.journal.fold_again(self.row.id, rewrites):
            self._drawn = None
            self.tell("thread_rewritten", "Events of this thread were erased.")
        while True:
            page = await self._services.store.read(self.row.id, self.state.seq, PAGE)
            fresh = [stored.data for stored in page if stored.seq > self.state.seq]
            if not fresh:
                return
            followed = self.journal.follow(fresh)
            for event in followed:
                self.bus.publish(event)
            self.nursery.follow(followed)
            self.slices.tell()
            self._waiters.wake()

    async def refresh(self) -> None:
        """Know the newest state, of which only the owner of the thread hears by itself."""
        if not self.owns and not self.closed:
            await self.catch_up()

    async def own(self) -> bool:
        """Become the writer. False while another process that lives is."""
        async with self._turn:
            if self.closed:
                raise SessionClosed(CLOSED)
            if self.owns:
                return True
            lease = await self._services.host.take(self.row.id)
            if lease is None:
                return False
            try:
                await self._follow(lease.rewrites)
                if limited(self.state, self._services.loop.setup):
                    await self._services.load_prices()
                await self._services.resources.enter(self._shared, self.row.id)
            except BaseException:
                # Nobody would give back, or even know of, a lease that is held without a writer.
                await asyncio.shield(self.store.release(lease))
                raise
            self.journal.begin(lease, self._opening)
            self._shared.watchers[self.row.id] = self.nursery.review
            return True

    def _opening(self, state: State) -> list[e.Event]:
        """The first events of an epoch, and of a thread that has none yet."""
        setup = self._services.loop.setup
        opening: list[e.Event] = []
        row, above = self.row, setup.above
        if row.parent and state.thread != row.id:
            forked = e.Forked(row.id, row.parent, row.fork_at, bool(row.under), row.call)
            opening.append(forked)
        elif state.seq == 0:
            trust = above.trust() if above else "ask"
            opening.append(e.ThreadCreated(row.id, row.resource, setup.default_mode, trust))
        if above and row.title and state.thread != row.id:
            opening.append(e.ThreadRenamed(row.title))
        opening.append(e.Opened(self._services.host.name))
        if state.seq and state.mode not in setup.modes:
            opening += enter_mode(state, setup.default_mode, setup)
        opening += self._services.kept.opening(state)
        return opening

    def _adopted(self, events: Sequence[e.Event], resting: Resting) -> None:
        """A write is durable: tell everybody, then start what it says has started."""
        for event in events:
            self.bus.publish(event)
        state = self.state
        for event in events if self.owns else ():
            if isinstance(event, e.StepStarted):
                self._tasks.start(event.step, self._models.run(state, event))
            elif isinstance(event, e.ToolStarted):
                self._tasks.start(event.call, self._tools.run(state, event))
            elif isinstance(event, e.HookStarted):
                self._tasks.start(event.hook, self._hooks.run(state, event))
            elif isinstance(event, e.CompactionStarted):
                self._tasks.start(event.compaction, self._compactions.run(state, event))
            elif isinstance(event, e.RunEnded):
                self._tasks.drop("hook_", "the run is over")
                self.outputs.pop(event.run, None)
        for cancel in resting.cancel:
            for id in cancel.ids:
                self._tasks.cancel(id, cancel.why)
        self._timer.set(resting.wait)
        self._shared.hear(events)
        self.nursery.ruled(events)
        # What is written while the session closes has nobody left to see it through.
        if self.owns and not self.closed:
            for work in (self._extras.after(events), self._watchdog.wanted()):
                if work is not None:
                    self.aside(work)
            self.driving.adopted(events)
        self.slices.tell()
        self._waiters.wake()

    def _misfit(self, state: State, text: str) -> str:
        """Why an answer does not fit the output that its run has to give; empty: it does.

        Only whoever asked for it knows its type; the schema in the log is all that others have.
        """
        run = state.run
        if run is None or not run.output:
            return ""
        if misfit := self._services.check(text, run.output):
            return misfit
        return misfit_of(text, self.outputs[run.id]) if run.id in self.outputs else ""

    async def _ring(self, timer: str) -> None:
        await self.may_begin()
        await self._recorder.record(partial(rung, timer=timer))

    async def may_begin(self) -> None:
        """Come back when something may begin; it has to be asked for before anything is awaited."""
        async with self.still:
            return

    def aside(self, work: Coroutine[None, None, None]) -> asyncio.Task[None]:
        """Do something beside the run, for as long as the session is open."""
        task = spawn(work)
        self._asides.add(task)
        task.add_done_callback(self._aside_over)
        return task

    def _aside_over(self, task: asyncio.Task[None]) -> None:
        self._asides.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            self.tell("store_failed", f"{type(error).__name__}: {error}")

    def _abandoned(self, id: str) -> None:
        """Something that should end does not, or is gone without a word: write its end for it."""
        hooks = self._hooks.given_up(id)
        if not self.owns or self.closed:
            return
        spoken, output = self.streams.spoken(id), self.streams.outputs.pop(id, None)
        said = output.text if output else ""
        ended = partial(given_up, id=id, spoken=spoken, output=said)
        self.aside(self._recorder.record(hooks or ended))

    @property
    def followed(self) -> bool:
        """Whether anybody here wants to hear what another process writes."""
        watched = (above := self._services.parent) is not None and above.followed
        return self.bus.heard or bool(self._waiters) or watched or self.nursery.working

    def refuse(self, command: str, why: str) -> None:
        """A command that was accepted came to nothing: whoever waits for its run must hear it."""
        self.refused[command] = why
        self._waiters.wake()

    async def moved(self) -> None:
        """Come back after the next event. Raises `SessionClosed` where there will be none."""
        if self.closed:
            raise SessionClosed(CLOSED)
        await self._waiters.wait()

    async def recheck(self) -> None:
        """Let go of the thread if another process took it while this one stood still."""
        if self.owns and await self.store.owner(self.row.id) != self._services.host.owner:
            self._lost()

    def _lost(self) -> None:
        """Another process writes the thread now: stop everything here and only follow."""
        if self.journal.end() is None:
            return
        self._shared.leave(self.row.id)
        self.tell("lease_lost", "Another process took this thread over; this one follows it now.")
        self.aside(self._let_go())

    async def _let_go(self) -> None:
        # Whatever begins once the thread is ours again is not to end with this.
        async with self._turn:
            self.driving.leave()
            await self._tasks.end("close")
            await self.stop_since(0)
        self.streams.clear()
        try:
            await self.catch_up()
        except NotFound:  # it was not taken over but deleted: nobody need wait for it any more
            self._end()
        except StoreError:
            return

    async def stop_since(self, since: int) -> None:
        """End what runs in the background of the thread and was begun since an event."""
        for problem in await stop_since(self._services.capabilities, self.row.id, since):
            self.tell("listener_failed", problem)

    async def close(self, opened: Opened) -> None:
        """End what is in flight, write down how, close capabilities, and give the lease back.

        Raises `UsageError` for what went wrong with capabilities where nobody listens.
        """
        async with self._turn:
            self.closed = True
            self.driving.hurry()
            problems = await self._close(opened)
        if problems and not self.bus.heard:
            raise UsageError(" ".join(problems))

    async def _close(self, opened: Opened) -> list[str]:
        await self.may_begin()
        self._recorder.hurry()
        self.journal.stop()
        # What is being written may still start something.
        await self.journal.settled()
        await self._tasks.end("close")
        self._timer.stop()
        self.driving.close()
        for task in list(self._asides):
            task.cancel()
        await self.nursery.close()
        await self.journal.settled()
        # What still works on files must not do so beside the next owner of the thread.
        problems = await opened.close()
        for problem in problems:
            self.tell("listener_failed", problem)
        lease = self.journal.end()
        self._shared.leave(self.row.id)
        if lease is not None:
            with contextlib.suppress(StoreError):
                await self._services.store.release(lease)
        self._end()
        return problems

    def _end(self) -> None:
        self.closed = True
        self.bus.close()
        self.gone.set()
        self._waiters.wake()
