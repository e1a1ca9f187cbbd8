"""From a task to its end: beginning children, seeing them through, stopping them.

What a child is told and what becomes of it is written once, under ids that come from the child:
whoever does the same again after a crash finds it done, or goes on with it.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import TypeVar

from longrein.capabilities.base import Capability
from longrein.capabilities.contexts import HookContext
from longrein.core import commands as c
from longrein.core import events as e
from longrein.core.children import Child
from longrein.core.errors import LongreinError, NotFound, SessionClosed, StoreError, UsageError
from longrein.core.messages import Text
from longrein.core.points import reached
from longrein.core.records import Input
from longrein.core.state import State
from longrein.session.children.ends import end_of, news, outcome_of
from longrein.session.children.kin import Kin
from longrein.session.children.nursery import Nursery
from longrein.session.children.offspring import find
from longrein.session.children.seen import said_last
from longrein.session.effects import events_of
from longrein.session.journal import Draft, Journal
from longrein.session.recorder import FIRST_PAUSE, LONGEST_PAUSE
from longrein.session.spawning import spawn
from longrein.session.tasks import being_cancelled
from longrein.tools.children import ChildEnd, Order
from longrein.tools.reach import Effect, Fact
from longrein.tools.shapes import shape_of

T = TypeVar("T")

MOST_SETTLED = 100
"""Approvals and questions of an ended child that its parent knows to be settled."""
LEFT = "Nobody here sees the child {id} through any more; it goes on with its parent."
PARENT_STOPPED = "the call that it worked for was stopped"
REWOUND = "the thread of its parent was rewound"
FORKED = (
    "You are a fork of the agent in the conversation above, made for one task of it; others go on "
    "with the rest. Do only this task, and answer with its result: your last message is all that "
    "the agent will hear.{instructions}\n\nThe task:\n{task}"
)


class Driving:
    """Sees the children of one session through."""

    def __init__(self, nursery: Nursery, journal: Journal) -> None:
        self.nursery = nursery
        self._journal = journal
        self._driven: dict[str, asyncio.Task[ChildEnd]] = {}
        self._silenced: set[str] = set()
        """Children of whose end nobody is to be told."""
        self._hurried = False
        self._closed = False

    @property
    def _state(self) -> State:
        return self.nursery.folded()

    async def begin(self, order: Order, call: str, number: int) -> Child:
        """The child that a call asked for as its so-and-so-many-th, new or already there.

        Raises `UsageError` where nobody of that name can be delegated to.
        """
        if known := _ordered(self._state, call, number):
            return known
        forked = find(self.nursery.services.capabilities, order.agent).forked
        # Whoever does this again makes no second one: the call and the number name it.
        id = f"thr_{call.partition('_')[2] or call}-{number}"
        at = await self.nursery.make(id, order, call, self._state.seq if forked else 0)
        reached("child.created")
        started = e.ChildStarted(
            id, call, order.agent, order.title, order.text, order.background, forked, at, number
        )

        def build(state: State) -> Draft[None]:
            return Draft([] if _ordered(state, call, number) else [started], None)

        await self._journal.write(build)
        reached("child.started")
        child = _ordered(self._state, call, number)
        if child is None:
            raise NotFound(f"The child {id} is not there any more.")
        return child

    def find(self, thread: str) -> "tuple[Driving, Child] | None":
        """A child of this session, or of one below it, with who sees it through."""
        if (child := self._state.child(thread)) is not None:
            return self, child
        below = (kin.driving.find(thread) for _, kin in self.nursery.kin)
        return next((found for found in below if found), None)

    def works_for(self, call: str) -> bool:
        """Whether a child that has not ended works for a call."""
        return any(child.open for child in _of(self._state, call))

    def drive(self, child: Child) -> "asyncio.Task[ChildEnd]":
        """See a child through to its end; whoever asks for it again gets the same task.

        Raises `SessionClosed`.
        """
        task = self._driven.get(child.thread)
        if task is None:
            if self._closed:
                raise SessionClosed(LEFT.format(id=child.thread))
            task = spawn(self._drive(child))
            self._driven[child.thread] = task
            task.add_done_callback(lambda done: self._over(child.thread, done))
        return task

    async def end(self, child: Child) -> ChildEnd:
        """The end of a child, once it is written.

        Raises `SessionClosed` where the session is closed, or loses its thread, before that.
        """
        task = self.drive(child)
        try:
            # Others may wait for it as well: one that is cancelled must not end it.
            return await asyncio.shield(task)
        except asyncio.CancelledError as error:
            if task.cancelled() and not being_cancelled(error):
                raise SessionClosed(LEFT.format(id=child.thread)) from None
            raise

    def _over(self, thread: str, task: "asyncio.Task[ChildEnd]") -> None:
        self._driven.pop(thread, None)
        if not task.cancelled() and (error := task.exception()) is not None:
            self.nursery.warn(f"The child {thread}: {type(error).__name__}: {error}")

    async def _drive(self, child: Child) -> ChildEnd:
        known = self._state.child(child.thread) or child
        work = self._through if known.open else self._recorded
        try:
            end = await self._patiently(known, work)
        except SessionClosed:
            raise
        except LongreinError as error:
            # A child that cannot even begin is a result, like any other that fails.
            spent = await self._patiently(known, self.nursery.used)
            end = ChildEnd(child.thread, "failed", str(error), spent=spent)
        await self._settle(known, end)
        await self.let_go(known)
        return end

    async def _patiently(self, child: Child, work: Callable[[Child], Awaitable[T]]) -> T:
        """What comes of work with a child.

        Neither a store that cannot be reached nor whoever closes the child's session ends it: it is
        tried again. Raises `SessionClosed` once this session is being closed.
        """
        pause = FIRST_PAUSE
        while True:
            try:
                return await work(child)
            except SessionClosed:
                if self._hurried:
                    raise
            except StoreError as error:
                self.nursery.warn(f"The child {child.thread} has to wait: {error}")
            await asyncio.sleep(pause)
            pause = min(pause * 2, LONGEST_PAUSE)

    async def _through(self, child: Child) -> ChildEnd:
        kin = await self._begun(child)
        while (outcome := outcome_of(kin.folded, task_of(child))) is None:
            await kin.moved()
        await kin.driving.stop_all(PARENT_STOPPED)
        said, spent = said_last(kin), kin.ledger.whole()
        return end_of(child.thread, outcome, said, spent, valued=self._valued(child))

    async def _begun(self, child: Child) -> Kin:
        """The session of a child that has its task."""
        kin = await self.nursery.open(child)
        subagent = find(self.nursery.services.capabilities, child.agent)
        run, schema, task = run_of(child), "", child.task
        if subagent.output is not None:
            shape = shape_of(subagent.output)
            schema = shape.schema
            kin.expect(run, shape)
        if child.forked:
            instructions = f"\n\n{subagent.instructions}" if subagent.instructions else ""
            task = FORKED.format(instructions=instructions, task=task)
        said = c.Say(
            "send",
            run,
            (Text(task),),
            limits=subagent.limits,
            output=schema,
            id=task_of(child),
        )
        await kin.submit(said)
        return kin

    def _valued(self, child: Child) -> bool:
        return find(self.nursery.services.capabilities, child.agent).output is not None

    async def _recorded(self, child: Child) -> ChildEnd:
        """The end of a child that had ended before."""
        kin = await self.nursery.open(child)
        outcome = outcome_of(kin.folded, task_of(child))
        if outcome is None:
            text = "It has ended, and works for somebody else by now."
            return ChildEnd(child.thread, "stopped", text, "", child.spent)
        valued = self._valued(child)
        return end_of(child.thread, outcome, said_last(kin), child.spent, valued=valued)

    async def _settle(self, child: Child, end: ChildEnd) -> None:
        run = self.nursery.services.ids.new("run")
        told = child.background and child.thread not in self._silenced
        kin = self.nursery.of(child.thread)
        settled = tuple(kin.folded.settled)[-MOST_SETTLED:] if kin else ()
        effects, services = await self._learnt(child), self.nursery.services

        def ended(state: State) -> list[e.Event]:
            events = _ended(state, child, end, settled, run, told=told)
            setup, kept = services.loop.setup, services.kept
            return [*events_of(effects, state, setup, kept), *events] if events else []

        await self.nursery.recorder.record(ended)
        self._silenced.discard(child.thread)
        reached("child.ended")

    async def _learnt(self, child: Child) -> list[Effect]:
        """What capabilities want written down of what a child did."""
        services, effects = self.nursery.services, list[Effect]()
        for one in services.capabilities:
            if type(one).child_ended is Capability.child_ended:
                continue
            ctx = HookContext(services.reach(self._state, self.nursery.folded))
            try:
                await one.child_ended(ctx, child.thread)
            except Exception as error:  # the end of a child must not fail by a capability
                self.nursery.warn(f"{one.name}: {type(error).__name__}: {error}")
            effects += [one for one in ctx.effects if isinstance(one, Fact)]
        return effects

    async def let_go(self, child: Child) -> None:
        """Nobody needs the session of a child that has ended, but who opened it."""
        known, kin = self._state.child(child.thread), self.nursery.of(child.thread)
        if known is not None and known.open:
            return
        self.nursery.forget(child.thread)
        if kin is not None and not kin.held:
            try:
                await kin.close()
            except UsageError as error:
                self.nursery.warn(f"The child {child.thread} has ended: {error}")

    async def stop(self, child: Child, reason: str) -> ChildEnd:
        """Stop a child with all below it; its end, which is written."""
        known = self._state.child(child.thread) or child
        if known.open and not await self._patiently(known, self._has_begun):
            end = ChildEnd(child.thread, "stopped", f"Stopped before it began: {reason}.")
            await self._settle(known, end)
            return end
        if known.open:
            # One that cannot be opened fails, which ends it as well.
            with contextlib.suppress(LongreinError):
                await self._patiently(known, partial(self._interrupt, reason=reason))
        return await self.end(known)

    async def _interrupt(self, child: Child, reason: str) -> None:
        kin = await self._begun(child)
        # Before those below it: what one of them had would only make it go on.
        await kin.submit(c.Interrupt(reason, id=f"{child.thread}/stop"))
        await kin.driving.stop_all(reason)

    async def _has_begun(self, child: Child) -> bool:
        """Whether there was ever anything to stop; of a thread that is gone, nobody knows."""
        store = self.nursery.services.store
        if child.thread in self._driven or await store.thread(child.thread) is None:
            return True
        return await store.head(child.thread) > child.at

    async def stop_all(self, reason: str, since: int = 0) -> None:
        """Stop all children that were begun at or after an event, without a word of their ends."""
        stopped = [one for one in self._state.children if one.open and one.seq >= since]
        self._silenced |= {one.thread for one in stopped}
        await asyncio.gather(*(self.stop(one, reason) for one in stopped))

    def adopted(self, events: Sequence[e.Event]) -> None:
        """These were written here: go on with children, or end them, as they say."""
        for event in events:
            match event:
                case e.Opened():
                    self.nursery.aside(self._go_on())
                case e.ChildStarted(child=id, background=True):
                    # Whoever asked for it may be gone already; it is there.
                    if (child := self._state.child(id)) is not None and child.open:
                        self.drive(child)
                case e.ToolEnded(call=call):
                    for child in _of(self._state, call):
                        if child.open and not child.background:
                            self.nursery.aside(self._stop_aside(child))
                case _:
                    pass

    async def _go_on(self) -> None:
        """Go on with those that an earlier process left, and end those that nobody waits for."""
        for child in [one for one in self._state.children if one.open]:
            if child.dropped or not (child.background or self._awaited(child)):
                await self._stop_aside(child)
            elif child.background:
                self.drive(child)

    def _awaited(self, child: Child) -> bool:
        call = self._state.call(child.call)
        return call is not None and call.result is None

    async def _stop_aside(self, child: Child) -> None:
        try:
            await self.stop(child, PARENT_STOPPED)
        except LongreinError as error:
            self.nursery.warn(f"The child {child.thread} was not stopped: {error}")

    def hurry(self) -> None:
        """The session is being closed: wait for no child that cannot be opened any more."""
        self._hurried = True

    def leave(self) -> None:
        """See nobody through any more; children stay where they are."""
        for task in list(self._driven.values()):
            task.cancel()

    def close(self) -> None:
        """See nobody through ever again."""
        self._hurried = self._closed = True
        self.leave()


def run_of(child: Child) -> str:
    """The run that a child's task starts, unless one is under way; the same whoever begins it."""
    return f"run_{child.thread.partition('_')[2] or child.thread}"


def task_of(child: Child) -> str:
    """The command by which a child is told its task."""
    return f"{child.thread}/task"


def _ordered(state: State, call: str, number: int) -> Child | None:
    return next((child for child in _of(state, call) if child.number == number), None)


def _of(state: State, call: str) -> list[Child]:
    return [child for child in state.children if child.call == call]


def _ended(
    state: State, child: Child, end: ChildEnd, settled: tuple[str, ...], run: str, *, told: bool
) -> list[e.Event]:
    """The end of a child, once; who did not wait for it is `told` by a signal."""
    known = state.child(child.thread)
    if known is None or not known.open:
        return []
    ended: list[e.Event] = [e.ChildEnded(child.thread, end.status, end.spent, settled)]
    if not told or known.dropped:
        return ended
    text, source = news(child, end), f"subagent:{child.agent}"
    signal = Input(f"{child.thread}/ended", "signal", run, (Text(text),), source)
    joins = state.run is not None and not state.run.stop
    return [*ended, e.InputAdmitted(signal, run=state.run.id if joins and state.run else run)]
