"""The children of one session: who they are, and what they have used."""

import contextlib
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Sequence
from functools import partial
from typing import Any

from longrein.core import commands as c
from longrein.core import events as e
from longrein.core.children import Child
from longrein.core.display import activity
from longrein.core.errors import LongreinError, NotFound, SessionClosed, StoreError, UsageError
from longrein.core.live import FromChild
from longrein.core.state import State
from longrein.core.usage import Spent
from longrein.loop.tree import Ledger, reserved
from longrein.session.bus import Anything, Bus
from longrein.session.children.kin import Kin
from longrein.session.recorder import Recorder
from longrein.session.services import Services
from longrein.storage.base import ThreadRow
from longrein.storage.trees import tree_of
from longrein.tools.children import Order

GONE = "The thread {id} of this child is not there any more."
RULING = (
    e.RuleAdded, e.RuleRemoved, e.GrantAdded, e.GrantRevoked, e.TrustChanged, e.ModeChanged,
)  # fmt: skip
"""What changes what children may do."""
NOT_OURS = "The child {id} belongs to another thread: this one was copied from there."


class Ear:
    """A child's listeners in its parent."""

    __slots__ = ("_child", "_nursery")

    def __init__(self, nursery: "Nursery", child: str) -> None:
        self._nursery = nursery
        self._child = child

    @property
    def reaches(self) -> bool:
        return self._nursery.bus.reaches

    def hear(self, event: Anything) -> None:
        self._nursery.hear(self._child, event)


class Nursery:
    """The children of one session, in this process.

    Every child that has not ended has a session here, also where another process writes it: what
    it asks can be seen and answered at the root.
    """

    def __init__(
        self,
        services: Services,
        row: ThreadRow,
        recorder: Recorder,
        bus: Bus,
        folded: Callable[[], State],
        owns: Callable[[], bool],
        wake: Callable[[], None],
        aside: Callable[[Coroutine[Any, Any, None]], object],
        may_begin: Callable[[], Awaitable[None]],
    ) -> None:
        self.services = services
        self.row = row
        self.recorder = recorder
        self.folded = folded
        self.owns = owns
        self.aside = aside
        self._may_begin = may_begin
        self._mark = 0
        self.bus = bus
        self._wake = wake
        self._live: dict[str, Kin] = {}

    @property
    def ledger(self) -> Ledger:
        return self.services.loop.setup.ledger

    def ear(self, child: str) -> Ear:
        """The listeners of a child here."""
        return Ear(self, child)

    @property
    def pulse(self) -> tuple[object, ...]:
        """What changes whenever there is more to show of those below."""
        return (self._mark, *(kin.pulse for _, kin in self.kin))

    def of(self, child: str) -> Kin | None:
        """The session of a child, where it is open."""
        kin = self._live.get(child)
        return None if kin is None or kin.closed else kin

    def joined(self, kin: Kin) -> None:
        """The session of a child is open."""
        self._live[kin.thread] = kin
        self.ledger.children[kin.thread] = kin.ledger
        self._mark += 1

    def left(self, kin: Kin) -> None:
        """The session of a child is closed."""
        if self._live.get(kin.thread) is kin:
            del self._live[kin.thread]
            self.forget(kin.thread)

    async def make(self, id: str, order: Order, call: str, at: int) -> int:
        """Make the thread of a child, if it is not there yet; the event up to which it reads this
        thread, for a forked one."""
        store, now = self.services.store, self.services.clock.now()
        if (row := await store.thread(id)) is not None:
            return row.fork_at
        row = ThreadRow(
            id,
            self.row.resource,
            order.title,
            created=now,
            updated=now,
            parent=self.row.id if at else "",
            fork_at=at,
            under=self.row.id,
            agent=order.agent,
            call=call,
        )
        await store.create(row)
        return at

    async def open(self, child: Child) -> Kin:
        """The session of a child.

        Raises `NotFound`, `UsageError` where it cannot work as things are, and `SessionClosed`
        once this session is being closed.
        """
        if (kin := self.of(child.thread)) is not None:
            return kin
        row = await self.services.store.thread(child.thread)
        if row is None:
            raise NotFound(GONE.format(id=child.thread))
        if row.under != self.row.id:
            raise UsageError(NOT_OURS.format(id=child.thread))
        return await self.services.family.open(row, self.services.scope, by_parent=True)

    async def load(self) -> None:
        """Know how those children stand that have not ended, and what the others used since."""
        await self._meet()
        try:
            await self._catch_up()
        except StoreError as error:
            self.warn(f"What subagents used after they had ended may not count: {error}")
        if self.services.parent is not None:
            # Not before: what those below this one used is a part of it.
            self.services.parent.nursery._count(self.row.id)

    async def _meet(self) -> None:
        """Open the children that have not ended. What cannot be opened is told of."""
        for child in self.folded().children:
            if child.open and self.of(child.thread) is None:
                try:
                    await self.open(child)
                except NotFound:  # it was deleted: that is how it ends, once somebody goes on here
                    continue
                except LongreinError as error:
                    self.warn(f"The subagent {child.agent} ({child.thread}): {error}")
                    with contextlib.suppress(StoreError):
                        self._stand_in(child, await self.used(child))

    async def _catch_up(self) -> None:
        """Count what ended children used that worked again, and left before they rested."""
        if all(child.open for child in self.folded().children):
            return
        used: dict[str, Spent] = {}
        top: dict[str, str] = {}
        for row in (await tree_of(self.services.store, self.row))[1:]:
            child = top[row.id] = top.get(row.under, row.id)
            used[child] = used.get(child, Spent()) + row.spent
        for child in self.folded().children:
            spent = used.get(child.thread, Spent())
            # Less than was known is no news: threads below it were deleted.
            if not child.open and _more(spent, child.spent):
                self._stand_in(child, spent)

    def _stand_in(self, child: Child, spent: Spent) -> None:
        """Count what a child used of which no session is here."""
        ledger = Ledger(child.thread)
        ledger.state = State(thread=child.thread, spent=spent)
        self.ledger.children.setdefault(child.thread, ledger)

    def warn(self, text: str) -> None:
        """Tell the listeners of something that is wrong with a child."""
        self.bus.tell("listener_failed", text, self.folded().seq)

    def follow(self, events: Sequence[e.Event]) -> None:
        """Another process wrote these: children may have begun, or ended."""
        if any(isinstance(event, e.ChildStarted | e.ChildChanged) for event in events):
            self.aside(self._meet())
        self.ruled(events)
        for event in events:
            if isinstance(event, e.ChildSpent) and self.of(event.child) is None:
                self.ledger.children.pop(event.child, None)  # the log is newer
            kin = self.of(event.child) if isinstance(event, e.ChildEnded) else None
            if kin is not None:
                self.forget(kin.thread)
                if not kin.held:
                    self.aside(kin.close())

    def ruled(self, events: Sequence[e.Event]) -> None:
        """Let those below decide again, where these change what holds for them."""
        if any(isinstance(event, RULING) for event in events):
            for _, kin in self.kin:
                kin.nursery.review()

    def review(self) -> None:
        """Decide again on what waits for a yes, here and below: what holds above has changed."""
        if self.owns() and self.folded().approvals:
            self.aside(self._decide_again())
        for _, kin in self.kin:
            kin.nursery.review()

    async def _decide_again(self) -> None:
        await self._may_begin()
        await self.recorder.record(lambda state: ())

    def forget(self, child: str) -> None:
        """A child has ended: what it used is in the log, unless it works again."""
        known, ledger = self.folded().child(child), self.ledger.children.get(child)
        over = known is None or (not known.open and self.of(child) is None)
        if over and ledger and (known is None or ledger.whole() == known.spent):
            del self.ledger.children[child]

    async def used(self, child: Child) -> Spent:
        """What a child and all below it have used, where no session of it can tell."""
        store = self.services.store
        if (row := await store.thread(child.thread)) is not None:
            return sum((one.spent for one in await tree_of(store, row)), Spent())
        ledger = self.ledger.children.get(child.thread)
        return ledger.whole() if ledger else Spent()

    def _count(self, child: str) -> None:
        """Write down what a child that had ended uses, whenever it rests again."""
        known, kin = self.folded().child(child), self.of(child)
        if known is None or known.open or kin is None or kin.services.parent is None:
            return
        spent, state = kin.ledger.whole(), kin.folded
        if spent != known.spent and state.run is None and not reserved(state):
            id = f"{child}/{state.seq}/spent"
            counted = c.CountChild(child, spent, id=id, chosen=False)
            self.aside(_submitted(kin.services.parent, counted))

    def hear(self, child: str, event: Anything) -> None:
        """Something happened in a child, or below it."""
        self._mark += 1
        path, inner = (child,), event
        if isinstance(event, FromChild):
            path, inner = (child, *event.path), event.event
        if self.bus.reaches and not isinstance(inner, FromChild):
            after = self.folded().seq
            self.bus.publish(FromChild(path, inner, after=after, stream="", offset=0))
        if isinstance(inner, e.Durable):
            self._look(child)
            self._count(child)
            self._wake()

    def _look(self, child: str) -> None:
        """Write down whether a child works or waits, where that has changed."""
        if self.owns() and _changed(self.folded(), child, self._live.get(child)):
            self.aside(self.recorder.record(partial(self._standing, child)))

    def _standing(self, child: str, state: State) -> list[e.Event]:
        return _changed(state, child, self._live.get(child))

    @property
    def kin(self) -> Iterator[tuple[Child, Kin]]:
        """The children that have not ended, with their sessions."""
        for child in self.folded().children:
            if child.open and (kin := self.of(child.thread)) is not None:
                yield child, kin

    @property
    def working(self) -> bool:
        """Whether a child, or one below it, is written by this process."""
        return any(kin.nursery.owns() or kin.nursery.working for _, kin in self.kin)

    async def close(self) -> None:
        """Close the sessions of all children, which stay where they are."""
        for kin in list(self._live.values()):
            if not kin.closed:
                try:
                    await kin.close()
                except UsageError as error:  # of its capabilities; all else has to be closed, too
                    self.warn(str(error))


def _more(spent: Spent, known: Spent) -> bool:
    return spent.cost > known.cost or spent.usage.total > known.usage.total


async def _submitted(parent: Kin, command: c.Command) -> None:
    with contextlib.suppress(SessionClosed):
        await parent.submit(command)


def _changed(state: State, child: str, kin: Kin | None) -> list[e.Event]:
    known = state.child(child)
    if known is None or not known.open or kin is None:
        return []
    status = "waiting" if activity(kin.folded) == "waiting" else "running"
    return [e.ChildChanged(child, status)] if status != known.state else []
