"""The conductor: takes a thread over, starts what its log says has started, and lets go again."""

import asyncio
import contextlib
from collections.abc import Coroutine, Mapping, Sequence
from functools import partial
from typing import Any

from longrein.core import events as e
from longrein.core.display import Display, display
from longrein.core.errors import NotFound, StoreError, UsageError
from longrein.core.live import SignalKind, Signalled
from longrein.core.slices import standing_still
from longrein.core.state import Kept, State
from longrein.loop.advance import Resting
from longrein.loop.limits import limited
from longrein.loop.setup import Shared
from longrein.session.bus import Bus
from longrein.session.ending import Opened, given_up, stop_since
from longrein.session.extras import Extras
from longrein.session.hook_calls import HookCalls
from longrein.session.journal import PAGE, Journal
from longrein.session.model_calls import ModelCalls
from longrein.session.recorder import Recorder
from longrein.session.services import Services
from longrein.session.streams import Streams
from longrein.session.switching import enter_mode, used
from longrein.session.tasks import Tasks
from longrein.session.timer import Timer, rung
from longrein.session.tool_calls import ToolCalls
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
        self.bus = Bus()
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
        self._tasks = Tasks(self._abandoned)
        recorder = Recorder(self.journal, self.bus)
        self._recorder = recorder
        hooks = HookCalls(services, recorder, self._tasks, self._now)
        self._hooks = hooks
        self._models = ModelCalls(
            services, recorder, self.bus, self.streams, self._tasks, hooks, self._misfit, self._now
        )
        self._tools = ToolCalls(
            services, recorder, self.bus, self.streams, self._tasks, hooks, self._now
        )
        self._extras = Extras(services, self._hooks, recorder, self._now)
        self.still = asyncio.Lock()
        """Held while the thread is rewound: nothing begins on files that are half put back."""
        self.gone = asyncio.Event()
        """Set once nothing of this session is left: another may take its place."""
        self.refused: dict[str, str] = {}
        """Commands that another process took up late and refused, with its reasons."""
        self.outputs: dict[str, Shape[Any]] = {}
        """The types that the answers of runs have to fit, where they were asked for here."""
        self._drawn: Display | None = None
        self._shown: tuple[int, tuple[int, ...], str] = (-1, (), "")
        self._timer = Timer(services.clock, lambda timer: self.aside(self._ring(timer)))
        self._asides: set[asyncio.Task[None]] = set()
        self._slices: Mapping[str, Kept] = {}
        self._closed = False
        self._moved: list[asyncio.Future[None]] = []
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
    def closed(self) -> bool:
        return self._closed

    def tell(self, kind: SignalKind, message: str) -> None:
        """Tell the listeners something that is not about the thread itself."""
        self.bus.publish(Signalled(kind, message, after=self.state.seq, stream="", offset=0))

    def failed_slices(self) -> list[Signalled]:
        """The slices that stand still, for whoever begins to listen."""
        found = standing_still(self._services.folding.installed(self.state))
        after = self.state.seq
        return [Signalled("slice_failed", text, after=after, stream="", offset=0) for text in found]

    def _tell_of_slices(self) -> None:
        """Tell of each slice that has come to stand still since."""
        if self.state.slices is self._slices:
            return
        before = standing_still(self._slices)
        self._slices = self.state.slices
        for signal in self.failed_slices():
            if signal.message not in before:
                self.bus.publish(signal)

    def display(self) -> Display:
        """Everything a user interface needs to draw the thread now."""
        state, streams = self.state, self.streams
        model = used(state, self._services.loop.setup)
        shown = (state.seq, streams.mark, model)
        if self._drawn is None or self._shown != shown:
            window = self._services.window(state.step.model if state.step else model)
            texts = streams.output_texts
            self._drawn = display(
                state,
                slices=self._services.folding.installed(state),
                model=model,
                window=window,
                writing=streams.writing,
                outputs=texts,
                # Once the thread is written here, its log says so itself.
                invalid="" if self.owns else self._services.kept.problem(state),
            )
            self._shown = shown
        return self._drawn

    async def load(self) -> None:
        """Read the thread: its newest snapshot and what came after. Starts nothing."""
        await self.journal.load(self.row)
        await self._follow(self.row.rewrites)
        self._tell_of_slices()

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
            for event in self.journal.follow(fresh):
                self.bus.publish(event)
            self._tell_of_slices()
            self._wake()

    async def refresh(self) -> None:
        """Know the newest state, of which only the owner of the thread hears by itself."""
        if not self.owns and not self._closed:
            await self.catch_up()

    async def own(self) -> bool:
        """Become the writer. False while another process that lives is."""
        async with self._turn:
            if self._closed:
                raise UsageError(CLOSED)
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
            return True

    def _opening(self, state: State) -> list[e.Event]:
        """The first events of an epoch, and of a thread that has none yet."""
        setup = self._services.loop.setup
        opening: list[e.Event] = []
        if self.row.parent and state.thread != self.row.id:
            opening.append(e.Forked(self.row.id, self.row.parent, self.row.fork_at))
        elif state.seq == 0:
            created = e.ThreadCreated(self.row.id, self.row.resource, setup.default_mode)
            opening.append(created)
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
            elif isinstance(event, e.RunEnded):
                self._tasks.drop("hook_", "the run is over")
                self.outputs.pop(event.run, None)
        for cancel in resting.cancel:
            for id in cancel.ids:
                self._tasks.cancel(id, cancel.why)
        self._timer.set(resting.wait)
        self._shared.hear(events)
        # What is written while the session closes has nobody left to see it through.
        if self.owns and not self._closed and (work := self._extras.after(events)):
            self.aside(work)
        self._tell_of_slices()
        self._wake()

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
        task = asyncio.create_task(work)
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
        if not self.owns or self._closed:
            return
        spoken, output = self.streams.spoken(id), self.streams.outputs.pop(id, None)
        said = output.text if output else ""
        ended = partial(given_up, id=id, spoken=spoken, output=said)
        self.aside(self._recorder.record(hooks or ended))

    @property
    def followed(self) -> bool:
        """Whether anybody here wants to hear what another process writes."""
        return self.bus.heard or bool(self._moved)

    def refuse(self, command: str, why: str) -> None:
        """A command that was accepted came to nothing: whoever waits for its run must hear it."""
        self.refused[command] = why
        self._wake()

    async def moved(self) -> None:
        """Come back after the next event. Raises `UsageError` where there will be none."""
        if self._closed:
            raise UsageError(CLOSED)
        waiter = asyncio.get_running_loop().create_future()
        self._moved.append(waiter)
        try:
            await waiter
        finally:
            if waiter in self._moved:
                self._moved.remove(waiter)

    def _wake(self) -> None:
        waiters, self._moved = self._moved, []
        for waiter in waiters:
            if not waiter.done():
                waiter.set_result(None)

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
            self._closed = True
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
        for task in list(self._asides):
            task.cancel()
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
        self._closed = True
        self.bus.close()
        self.gone.set()
        self._wake()
