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
from longrein.core.messages import Reasoning, Text
from longrein.core.outcomes import Problem
from longrein.core.slices import standing_still
from longrein.core.state import Kept, State
from longrein.loop.advance import Resting
from longrein.loop.limits import limited
from longrein.loop.next import Wait
from longrein.loop.setup import Shared
from longrein.session.bus import Bus
from longrein.session.extras import Extras
from longrein.session.hook_calls import HookCalls
from longrein.session.journal import PAGE, Journal
from longrein.session.model_calls import ModelCalls
from longrein.session.recorder import Recorder
from longrein.session.services import Services
from longrein.session.streams import Streams
from longrein.session.switching import enter_mode, used
from longrein.session.tasks import Tasks
from longrein.session.tool_calls import ToolCalls
from longrein.storage.base import Store, ThreadRow
from longrein.tools.output import misfit_of
from longrein.tools.shapes import Shape

GIVEN_UP = "This call was given up: it did not end when told to, and may still be running."
BROKE_OFF = "The model call ended without an answer and without an error; this is a defect."
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
            services, recorder, self.bus, self.streams, self._tasks, hooks, self._misfit
        )
        self._tools = ToolCalls(
            services, recorder, self.bus, self.streams, self._tasks, hooks, self._now
        )
        self._extras = Extras(services, self._hooks, recorder, self._now)
        self.gone = asyncio.Event()
        """Set once nothing of this session is left: another may take its place."""
        self.refused: dict[str, str] = {}
        """Commands that another process took up late and refused, with its reasons."""
        self.outputs: dict[str, Shape[Any]] = {}
        """The types that the answers of runs have to fit, where they were asked for here."""
        self._drawn: Display | None = None
        self._shown: tuple[int, tuple[int, ...], str] = (-1, (), "")
        self._timer: asyncio.TimerHandle | None = None
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
        self._set_timer(resting.wait)
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

    def _set_timer(self, wait: Wait) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if wait.timer:
            pause = max(wait.until - self._services.clock.now(), 0) / 1_000_000
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(pause, self._due, wait.timer)

    def _due(self, timer: str) -> None:
        self.aside(self._recorder.record(lambda _: [e.TimerDue(timer)]))

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
        given_up = partial(_given_up, id=id, spoken=spoken, output=said)
        self.aside(self._recorder.record(hooks or given_up))

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
        await self._tasks.end("close")
        self.streams.clear()
        try:
            await self.catch_up()
        except NotFound:  # it was not taken over but deleted: nobody need wait for it any more
            self._end()
        except StoreError:
            return

    async def close(self) -> None:
        """End what is in flight, write down how, and give the lease back."""
        async with self._turn:
            self._closed = True
        self._recorder.hurry()
        self.journal.stop()
        # What is being written may still start something.
        await self.journal.settled()
        await self._tasks.end("close")
        if self._timer is not None:
            self._timer.cancel()
        for task in list(self._asides):
            task.cancel()
        await self.journal.settled()
        lease = self.journal.end()
        self._shared.leave(self.row.id)
        if lease is not None:
            with contextlib.suppress(StoreError):
                await self._services.store.release(lease)
        self._end()

    def _end(self) -> None:
        self._closed = True
        self.bus.close()
        self.gone.set()
        self._wake()


def _given_up(
    state: State, id: str, spoken: tuple[Text | Reasoning, ...], output: str
) -> list[e.Event]:
    call, step, run = state.call(id), state.step, state.run
    if call is not None and call.phase == "started":
        text = f"{GIVEN_UP} Its output so far:\n{output}" if output else GIVEN_UP
        return [e.ToolEnded(id, "interrupted", (Text(text),))]
    if step is None or step.id != id or step.phase != "model":
        return []
    if (run and run.stop) or any(i.kind == "steer" for i in state.queue):
        return [e.StepInterrupted(id, spoken, "given up")]
    # Nobody stopped it: the same again would end the same way, so the run ends.
    return [e.StepFailed(id, Problem("internal", BROKE_OFF))]
