"""The journal: the only writer of a thread's log. "What if it dies here?" is answered in this file.

The order is fixed: compute the next state, append to the store, adopt the state, publish, start.
An event that does not fold is never appended, nobody sees what a crash can lose, and nothing is
started before its started event is durable. What is asked for while an append is under way goes
into the next one, together with all that `decide` makes of it: one transaction, one sync.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from longrein.core import events as e
from longrein.core.blobs import referred
from longrein.core.codec import STATE_VERSION, decode_event, decode_state, encode_state, settled
from longrein.core.display import activity
from longrein.core.errors import InternalError, LeaseLost, LongreinError
from longrein.core.ids import Clock
from longrein.core.messages import Text, User
from longrein.core.points import reached
from longrein.core.redact import Redactor
from longrein.core.slices import Folding
from longrein.core.state import State
from longrein.loop.advance import Loop, Resting
from longrein.loop.tree import counted, reserved
from longrein.session.resources import Pairs
from longrein.session.spawning import spawn
from longrein.storage.base import Append, Facts, Lease, Snapshot, Store, ThreadRow

FOREIGN = (
    e.RunStarted, e.StepEnded, e.StepFailed, e.StepInterrupted, e.ToolEnded, e.QuestionAsked,
    e.Compacted,
)  # fmt: skip
LABELS = (e.Opened, e.ThreadRenamed, e.ThreadTagged, e.CommandNoted)
"""What is written about a thread, and is nothing that happened in it."""

SMALLEST_SNAPSHOT = 256 * 1024
PAGE = 1000

T = TypeVar("T")


class Draft(Struct, Generic[T], frozen=True):
    """What somebody wants to write, given the state, and what they get when it is durable."""

    events: Sequence[e.Event]
    value: T
    answered: tuple[str, bytes] | None = None
    """The inbox command that these events settle, and its answer."""
    pairs: Pairs = ()
    """What is kept beside the thread, written in one piece with the events."""


class _Waiting(Struct, Generic[T], frozen=True):
    build: Callable[[State], Draft[T]]
    cause: str
    done: asyncio.Future[T]


class _Plan:
    """The next write, as far as it is thought out."""

    __slots__ = ("answered", "data", "events", "pairs", "resting", "state")

    def __init__(self, state: State) -> None:
        self.state = state
        self.events: list[e.Event] = []
        self.data: list[bytes] = []
        self.answered: list[tuple[str, bytes]] = []
        self.pairs: list[tuple[str, bytes | None]] = []
        self.resting = Resting()


class Journal:
    """One thread's log and the state that it folds to.

    `adopted` is called after each write with the events and what is to be waited for; `lost` when
    the store says that another process writes the thread now.
    """

    def __init__(
        self,
        store: Store,
        loop: Loop,
        fold: Folding,
        clock: Clock,
        redactor: Redactor,
        adopted: Callable[[Sequence[e.Event], Resting], None],
        lost: Callable[[], None],
    ) -> None:
        self.state = fold.begun(State())
        self.lease: Lease | None = None
        self.rewrites = 0
        """How often events of the thread had been rewritten when they were read."""
        self._opening: Callable[[State], Sequence[e.Event]] | None = None
        self._driven = False
        self._store = store
        self._loop = loop
        self._fold = fold
        self._clock = clock
        self._redactor = redactor
        self._adopted = adopted
        self._lost = lost
        self._waiting: list[_Waiting[object]] = []
        self._draining: asyncio.Task[None] | None = None
        self._facts: Facts | None = None
        self._used = 0
        self._log_bytes = 0
        self._snapshot_due = SMALLEST_SNAPSHOT

    def begin(self, lease: Lease, opening: Callable[[State], Sequence[e.Event]]) -> None:
        """Be the writer under this lease; `opening` goes before whatever is written first."""
        self.lease = lease
        self._opening = opening
        self._driven = True

    def stop(self) -> None:
        """Still write, but start nothing any more."""
        self._driven = False

    def end(self) -> Lease | None:
        """Be the writer no more; returns the lease."""
        lease, self.lease, self._driven = self.lease, None, False
        return lease

    async def write(self, build: Callable[[State], Draft[T]], cause: str = "") -> T:
        """Write what `build` makes of the newest state, and all that follows from it.

        Returns the draft's value once everything is durable. Raises what `build` raises, or
        `StoreError`; then nothing was written. A caller that is cancelled only stops waiting.
        """
        done: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._waiting.append(_Waiting(build, cause, done))  # pyright: ignore[reportArgumentType]
        if self._draining is None:
            self._draining = spawn(self._drain())
        return await done

    async def settled(self) -> None:
        """Come back when nothing is left to write."""
        while self._draining is not None:
            await asyncio.wait([self._draining])

    async def _drain(self) -> None:
        try:
            while self._waiting:
                batch, self._waiting = self._waiting, []
                await self._flush(batch)
        finally:
            self._draining = None

    async def _flush(self, batch: "list[_Waiting[object]]") -> None:
        values: list[tuple[_Waiting[object], object]] = []
        try:
            plan = self._plan(batch, values)
            if plan.events:
                await self._append(plan)
                self._adopt(plan)
        except Exception as error:  # whoever waits for this write must hear that it failed
            self._count(self.state)
            await self._refused(batch, error)
            return
        for waiting, value in values:
            if not waiting.done.done():
                waiting.done.set_result(value)
        await self._keep_snapshot()

    async def _refused(self, batch: "list[_Waiting[object]]", error: Exception) -> None:
        """Tell who waited. Where several did, each tries again alone: one may have spoilt it."""
        if isinstance(error, LeaseLost):
            self._lost()
        elif len(batch) > 1:
            for waiting in batch:
                if not waiting.done.done():
                    await self._flush([waiting])
            return
        known = isinstance(error, LongreinError)
        for waiting in batch:
            _fail(waiting, error if known else InternalError(f"the write failed: {error!r}"))

    def _plan(
        self, batch: "list[_Waiting[object]]", values: "list[tuple[_Waiting[object], object]]"
    ) -> _Plan:
        """What all who wait come to, and what follows from it.

        Nothing is decided between two of them: a no that came together with a yes is heard.
        """
        plan = _Plan(self.state)
        if self._opening is not None and self.lease is not None:
            self._add(plan, self._opening(plan.state))
        for waiting in batch:
            try:
                draft = waiting.build(plan.state)
                self._add(plan, draft.events, waiting.cause)
            except Exception as error:  # its own fault: only its author hears of it
                _fail(waiting, error)
                continue
            if draft.answered and draft.events:
                plan.answered.append(draft.answered)
            plan.pairs += [(key, data and self._redactor.data(data)) for key, data in draft.pairs]
            values.append((waiting, draft.value))
        # Also where nobody writes anything: what holds above or for the resource may have changed.
        if self._driven:
            plan.resting = self._loop.advance(plan.state, lambda _, new: self._add(plan, new))
        return plan

    def _add(self, plan: _Plan, events: Sequence[e.Event], cause: str = "") -> State:
        """Stamp, encode and fold events, all of them or none."""
        state, made, data = plan.state, list[e.Event](), list[bytes]()
        for event in events:
            stamped, encoded = self._stamp(state, event, cause)
            state = self._fold(state, stamped)
            made.append(stamped)
            data.append(encoded)
        # What is reserved counts for the other sessions from the moment it is planned.
        self._count(state)
        plan.state = state
        plan.events += made
        plan.data += data
        return state

    def _stamp(self, state: State, event: e.Event, cause: str) -> tuple[e.Event, bytes]:
        if self.lease is None:
            raise LeaseLost("this process does not own the thread")
        event = replace(
            event,
            seq=state.seq + 1,
            time=self._clock.now(),
            run=event.run or (state.run.id if state.run else ""),
            epoch=self.lease.epoch,
            cause=cause,
        )
        event, data = settled(event)
        clean = self._redactor.data(data)
        if clean is data and not isinstance(event, FOREIGN):
            return event, data
        # Structs do not look at what they are made of: what a model or a tool gave is read back.
        return decode_event(clean), clean

    async def _append(self, plan: _Plan) -> None:
        if self.lease is None:
            raise LeaseLost("this process does not own the thread")
        facts = self._changed_facts(plan)
        reached("journal.append")
        await self._store.append(
            Append(
                self.lease,
                self.state.seq,
                plan.data,
                facts,
                tuple(blob for event in plan.events for blob in referred(event)),
                plan.answered,
                plan.pairs,
            )
        )
        reached("journal.durable")
        self._facts = facts or self._facts
        self._used = self._last_used(plan.events)
        self._log_bytes += sum(map(len, plan.data))

    def _adopt(self, plan: _Plan) -> None:
        self.state = plan.state
        self._opening = None
        self._adopted(plan.events, plan.resting)

    def _count(self, state: State) -> None:
        """Let the other sessions of the tree and of the resource know what this thread costs."""
        self._loop.setup.ledger.state = state
        if self.lease is None:
            return
        thread = self.lease.thread
        # Until a fork has begun, what is known is its parent's.
        cost = state.spent.cost + reserved(state) if state.thread == thread else 0
        self._loop.setup.shared.count(thread, cost)

    def _changed_facts(self, plan: _Plan) -> Facts | None:
        """What the index should say of the thread, if that is not what it says already."""
        state, old = plan.state, self._facts
        title = state.title or first_words(state) or (old.title if old else "")
        status, spent = activity(state), counted(state)
        # What it cost meanwhile is told when it rests; at once only where that is limited.
        limited = self._loop.setup.budgets.resource is not None
        told = old.spent if old and (limited or state.run is None) else spent
        now = (title, status, state.tags, spent)
        if old is not None and (old.title, old.status, old.tags, told) == now:
            return None
        return Facts(title, status, self._last_used(plan.events), state.tags, spent)

    def _last_used(self, events: Sequence[e.Event]) -> int:
        """When something was done in the thread last, these events included."""
        done = (event.time for event in reversed(events) if not isinstance(event, LABELS))
        return next(done, self._used)

    async def _keep_snapshot(self) -> None:
        """Snapshots come as often as the log doubles, so that writing them stays a small share."""
        if self._log_bytes < self._snapshot_due or self.lease is None:
            return
        try:
            await self.snapshot()
        except LongreinError:
            # A snapshot only saves time later: try again once as much more was written.
            self._snapshot_due = self._log_bytes + SMALLEST_SNAPSHOT

    async def snapshot(self) -> None:
        """Keep the state as it is now: opening the thread need not fold what came before."""
        state = self.state
        data = encode_state(self._fold.stamped(state))
        kept = Snapshot(state.seq, STATE_VERSION, data, self._log_bytes)
        reached("snapshot.save")
        await self._store.save_snapshot(state.thread, kept, self.rewrites)
        reached("snapshot.saved")
        self._snapshot_due = self._log_bytes + max(len(data), SMALLEST_SNAPSHOT)

    async def load(self, row: ThreadRow) -> None:
        """Begin with the newest snapshot of a thread; `follow` brings what comes after."""
        # From before anything was read: what is rewritten from here on is found out later.
        self.rewrites, self._used = row.rewrites, row.updated
        snapshot = await self._store.snapshot(row.id, STATE_VERSION)
        if snapshot is not None:
            self.state = await self._caught_up(row.id, decode_state(snapshot.data))
            self._log_bytes = snapshot.log_bytes
            self._snapshot_due = self._log_bytes + max(len(snapshot.data), SMALLEST_SNAPSHOT)

    async def _caught_up(self, thread: str, state: State) -> State:
        """A state whose slices are up to date, also those that were not there when it was kept."""
        state = self._fold.begun(state)
        while (after := self._fold.behind(state)) is not None:
            page = await self._store.read(thread, after, PAGE)
            before = state
            state = self._fold.catch_up(state, [decode_event(stored.data) for stored in page])
            if state is before:
                break
        return state

    async def fold_again(self, thread: str, rewrites: int) -> bool:
        """Know nothing any more of what was rewritten since it was read. False: nothing was.

        The state stays where it is in the log; no snapshot is asked, which may be further on.
        """
        if rewrites <= self.rewrites:
            return False
        state = self._fold.begun(State())
        while state.seq < self.state.seq:
            limit = min(PAGE, self.state.seq - state.seq)
            for stored in await self._store.read(thread, state.seq, limit):
                state = self._fold(state, decode_event(stored.data))
        self.state, self.rewrites = state, rewrites
        # What the index said may be from before, too.
        self._facts = None
        return True

    def follow(self, data: Sequence[bytes]) -> list[e.Event]:
        """Adopt events that are in the store already."""
        state, followed = self.state, list[e.Event]()
        for encoded in data:
            event = decode_event(encoded)
            state = self._fold(state, event)
            followed.append(event)
            self._log_bytes += len(encoded)
        self.state = state
        self._used = self._last_used(followed)
        self._count(state)
        return followed


def first_words(state: State) -> str:
    """A title for a thread that has none: the first words that a person said."""
    for message in state.messages[:20]:
        if isinstance(message, User):
            text = " ".join(part.text[:500] for part in message.parts if isinstance(part, Text))
            return " ".join(text.split())[:80]
    return ""


def _fail(waiting: "_Waiting[object]", error: Exception) -> None:
    if not waiting.done.done():
        waiting.done.set_exception(error)
