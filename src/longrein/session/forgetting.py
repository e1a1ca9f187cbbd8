"""What is to be forgotten: the content of an event (`erase`), or threads by their age (`retain`).

Both need nobody else to write the threads that they touch. Who only follows them elsewhere learns
from the store, before it writes, that what it has in its memory was rewritten.
"""

from collections.abc import AsyncGenerator, Callable, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from fnmatch import fnmatchcase
from typing import TypeAlias

from msgspec import Struct

from longrein.capabilities.base import Capability
from longrein.core import events as e
from longrein.core.codec import decode_event, encode_event
from longrein.core.copies import copies, first_words_of
from longrein.core.erase import erased, in_use
from longrein.core.errors import NotFound, UsageError
from longrein.core.evolve import evolve
from longrein.core.state import State
from longrein.session.archive import log
from longrein.session.host import Host
from longrein.session.journal import first_words
from longrein.storage.base import Append, Facts, Lease, Store, ThreadRow
from longrein.storage.trees import tree_of

PAGE = 200

Shut: TypeAlias = Callable[[Collection[str]], AbstractAsyncContextManager[None]]
"""Closes the live sessions of threads in this process, and has nobody open them meanwhile.

The store gives one process its own lease again: it does not keep its sessions apart.
"""

Place: TypeAlias = tuple[str, int]
"""An event by the thread that wrote it, and its number; forks read it under the same number."""


class Erased(Struct, frozen=True):
    """What was erased: the numbers of events in the thread that was named.

    `grants` are the ids of those among them that are kept for the whole resource as well; they are
    to be revoked.
    """

    events: tuple[int, ...]
    grants: tuple[str, ...]


async def erase(
    store: Store,
    host: Host,
    row: ThreadRow,
    seq: int,
    shut: Shut,
    capabilities: Sequence[Capability] = (),
) -> Erased:
    """Erase the content of an event and of all that repeat it, here and in every fork, and have
    capabilities remove what they keep of it.

    What a fork shares is erased in the thread that wrote it. Raises `UsageError`, and changes
    nothing, where there is no such event, where a thread that shares it is at work or open in
    another process, and where the content is still in use.
    """
    before = await _at_rest(store, row)
    head = await store.head(row.id)
    if not 1 <= seq <= head:
        raise UsageError(f"The thread has the events 1 to {head}; there is no event {seq}.")
    async with shut(before), _alone(store, host, before) as leases:
        rows = await _at_rest(store, row)
        if rows.keys() != leases.keys():
            raise UsageError(
                "A thread that shares this event was made or deleted meanwhile; retry."
            )
        family = _Family(rows, {id: await _events(store, id) for id in rows})
        places = family.holding(row.id, seq)
        family.refuse_in_use(places)
        gone = [family.logs[writer][number - 1] for writer, number in sorted(places)]
        for id in rows:
            for capability in capabilities:
                await capability.erased(store, id, gone)
        for id in rows:
            # Before the events: should this process end between the two, the title is not left.
            if facts := family.facts(id, places):
                await store.append(Append(leases[id], len(family.logs[id]), (), facts))
        # The one that wrote it last: should this break off, a retry still finds every copy.
        for id in sorted(rows, key=lambda id: id == family.writer(row.id, seq)):
            if changed := family.rewritten(id, places):
                await store.rewrite(leases[id], changed)
        return family.report(row.id, places)


async def _at_rest(store: Store, row: ThreadRow) -> dict[str, ThreadRow]:
    """Every thread that shares events with this one. Raises `UsageError` if any is at work."""
    rows = await _related(store, row)
    if row.id not in rows:
        raise NotFound(f"There is no thread {row.id!r} any more.")
    for each in rows.values():
        if each.status != "idle":
            raise UsageError(f"Thread {each.id} is {each.status}; erase when its run is over.")
    return rows


async def _related(store: Store, row: ThreadRow) -> dict[str, ThreadRow]:
    """Every thread that shares events with this one, itself included."""
    rows: dict[str, ThreadRow] = {}
    before = None
    # Children, too: forked ones share what their parents said.
    while page := await store.threads(row.resource, before=before, limit=PAGE, under=None):
        rows |= {each.id: each for each in page}
        before = (page[-1].updated, page[-1].id)
    root = await _root(store, row, rows)
    return {id: each for id, each in rows.items() if await _root(store, each, rows) == root}


async def _root(store: Store, row: ThreadRow, rows: Mapping[str, ThreadRow]) -> str:
    """The thread that this one was forked from in the end."""
    while row.parent in rows:
        row = rows[row.parent]
    if not row.parent:
        return row.id
    # Its parent is deleted; what both read still says where it began.
    first = await store.read(row.id, 0, 1)
    return _writer([decode_event(stored.data) for stored in first])


@asynccontextmanager
async def _alone(
    store: Store, host: Host, threads: Mapping[str, ThreadRow]
) -> AsyncGenerator[dict[str, Lease]]:
    """The leases on some threads, all of them."""
    leases: dict[str, Lease] = {}
    try:
        for id in threads:
            lease = await host.take(id)
            if lease is None:
                raise UsageError(f"Another process has thread {id} open; close it there first.")
            leases[id] = lease
        yield leases
    finally:
        for lease in leases.values():
            await store.release(lease)


async def _events(store: Store, thread: str) -> list[e.Event]:
    return [decode_event(stored.data) async for stored in log(store, thread)]


class _Family:
    """Threads that share events, and their logs."""

    def __init__(
        self, rows: Mapping[str, ThreadRow], logs: Mapping[str, Sequence[e.Event]]
    ) -> None:
        self.rows = rows
        self.logs = logs
        self._states = {id: _folded(events) for id, events in logs.items()}

    def holding(self, thread: str, seq: int) -> set[Place]:
        """Every place, in any of the threads, that holds content of an event."""
        head = len(self.logs[thread])
        if not 1 <= seq <= head:
            raise UsageError(f"Thread {thread} has the events 1 to {head}, and no event {seq}.")
        found: set[Place] = set()
        new = {(self.writer(thread, seq), seq)}
        while new:
            found |= new
            new = {
                (self.writer(id, copy), copy)
                for id, events in self.logs.items()
                for number in self._numbers(id, new)
                for copy in copies(events, number)
            } - found
        return found

    def _numbers(self, thread: str, places: set[Place]) -> list[int]:
        """Those of the places that a thread reads."""
        head = len(self.logs[thread])
        near = sorted((seq, writer) for writer, seq in places if seq <= head)
        return [seq for seq, writer in near if self.writer(thread, seq) == writer]

    def writer(self, thread: str, seq: int) -> str:
        """The thread whose own log has an event that another reads."""
        row = self.rows[thread]
        while seq <= row.fork_at and row.parent in self.rows:
            row = self.rows[row.parent]
        return row.id if seq > row.fork_at else _writer(self.logs[thread][:seq])

    def refuse_in_use(self, places: set[Place]) -> None:
        """Raises `UsageError` where something cannot be erased now, or not here."""
        for writer, seq in sorted(places):
            if writer not in self.rows:
                raise UsageError(
                    f"Event {seq} was written by thread {writer}, which is deleted. Export this "
                    "thread, import it with copy=True, delete this one, and erase in the copy."
                )
        for id, events in self.logs.items():
            for seq in self._numbers(id, places):
                if why := in_use(self._states[id], events[seq - 1]):
                    raise UsageError(f"Event {seq} of thread {id} cannot be erased: {why}")

    def rewritten(self, thread: str, places: set[Place]) -> dict[int, bytes]:
        """What the events that a thread wrote itself become."""
        events = self.logs[thread]
        own = sorted(seq for writer, seq in places if writer == thread)
        left = {seq: erased(events[seq - 1]) for seq in own}
        return {seq: encode_event(one) for seq, one in left.items() if one != events[seq - 1]}

    def facts(self, thread: str, places: set[Place]) -> Facts | None:
        """What the index has to say of a thread instead; None where that stays the same."""
        row, before = self.rows[thread], self._states[thread]
        gone = set(self._numbers(thread, places))
        after = _folded([erased(one) if one.seq in gone else one for one in self.logs[thread]])
        old, new = (state.title or first_words(state) for state in (before, after))
        # The title may be of an input that the thread was rewound to before.
        said = {first_words_of(self.logs[thread][seq - 1]) for seq in gone} - {""}
        stale = old != new or row.title in said
        if not stale and before.tags == after.tags:
            return None
        title = new if stale else row.title
        return Facts(title, row.status, row.updated, after.tags, row.spent)

    def report(self, thread: str, places: set[Place]) -> Erased:
        numbers = self._numbers(thread, places)
        gone = [self.logs[thread][seq - 1] for seq in numbers]
        grants = [one.grant for one in gone if isinstance(one, e.GrantAdded)]
        kept = tuple(grant.id for grant in grants if grant.scope == "resource")
        return Erased(tuple(numbers), kept)


def _folded(events: Sequence[e.Event]) -> State:
    state = State()
    for event in events:
        state = evolve(state, event)
    return state


def _writer(events: Sequence[e.Event]) -> str:
    """The thread that wrote the last of these events, as the events themselves say."""
    named = (one.thread for one in reversed(events) if isinstance(one, e.ThreadCreated | e.Forked))
    return next(named, "")


async def retain(
    store: Store, host: Host, older_than: Mapping[str, float], now: int, shut: Shut
) -> list[str]:
    """Delete threads that were not used for longer than `older_than` says; returns their ids.

    It maps resources to seconds. A name may hold `*` and `?`, and the empty one is for whoever has
    no other: the name itself counts before patterns, and these in their order. Threads in which
    something runs or waits for a person stay, and so do those that another process has open.
    Raises `UsageError` for a time below zero.
    """
    for name, seconds in older_than.items():
        if not seconds >= 0:
            raise UsageError(f"Threads of {name!r} cannot be kept for {seconds} seconds.")
    deleted: list[str] = []
    for resource in await store.resources():
        seconds = _kept_for(resource, older_than)
        if seconds is not None:
            before = now - int(seconds * 1_000_000)
            deleted += await _delete_unused(store, host, resource, before, shut)
    return deleted


def _kept_for(resource: str, older_than: Mapping[str, float]) -> float | None:
    if resource in older_than:
        return older_than[resource]
    fitting = (older_than[name] for name in older_than if name and fnmatchcase(resource, name))
    return next(fitting, older_than.get(""))


async def _delete_unused(
    store: Store, host: Host, resource: str, before: int, shut: Shut
) -> list[str]:
    deleted: list[str] = []
    kept: set[str] = set()
    while True:
        page = await store.idle_since(resource, before, PAGE + len(kept))
        new = [row for row in page if row.id not in kept]
        if not new:
            return deleted
        for row in new:
            if gone := await _delete(store, host, row, before, shut):
                deleted += gone
            else:
                kept.add(row.id)


async def _delete(store: Store, host: Host, row: ThreadRow, before: int, shut: Shut) -> list[str]:
    """The threads that are gone: this one and its children, or none where one is still in use."""
    tree = {one.id: one for one in await tree_of(store, row)}
    if any(one.status != "idle" for one in tree.values()):
        return []
    try:
        async with shut(tree), _alone(store, host, tree):
            # Nobody else can begin anything now; somebody may have just before.
            newest = await store.thread(row.id)
            now = await tree_of(store, newest) if newest else []
            if not now or any(one.status != "idle" or one.updated >= before for one in now):
                return []
            return [*tree] if await store.delete(row.id) else []
    except (NotFound, UsageError):  # somebody else was quicker, or has it open
        return []
