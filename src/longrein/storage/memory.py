"""The store that lives as long as its process: for tests, and for sessions nobody wants to keep."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Literal

from msgspec import structs

from longrein.core.errors import LeaseLost, NotFound, UsageError
from longrein.core.ids import Clock, SystemClock
from longrein.core.usage import Spent
from longrein.storage.base import (
    Append,
    Hit,
    Lease,
    Posted,
    Snapshot,
    Status,
    Store,
    Stored,
    TextOf,
    ThreadRow,
)
from longrein.storage.memory_pairs import MemoryPairs
from longrein.storage.memory_parts import Blob, Thread, Watchers, change
from longrein.storage.memory_search import best_hit
from longrein.storage.words import wanted

_HOUR = 3600.0


class MemoryStore(MemoryPairs):
    """Threads in memory. Harnesses that are given one object share what it holds.

        store = MemoryStore()
        await store.put("greeting", b"hello")

    Closing it loses nothing: whoever still has the object can go on using it.
    """

    def __init__(self, clock: Clock | None = None) -> None:
        self._clock = clock or SystemClock()
        self._threads: dict[str, Thread] = {}
        self._current: dict[tuple[str, str], str] = {}
        self._blobs: dict[str, Blob] = {}
        self._alive: dict[str, float] = {}
        self._spent: dict[str, Spent] = {}
        self._watchers = Watchers()
        super().__init__(self._watchers.tell)

    def beside(self, name: str) -> str | None:
        return None

    async def create(self, row: ThreadRow) -> None:
        self._create(row)
        self._wrote()

    def _create(self, row: ThreadRow) -> None:
        if row.id in self._threads:
            raise UsageError(f"There is a thread {row.id} already.")
        parent = self._living(row.parent) if row.parent else None
        if row.fork_at > (parent.head if parent else 0):
            raise UsageError(
                f"Thread {row.parent or row.id} has no event {row.fork_at} to fork at."
            )
        if row.under:
            self._living(row.under)
        self._threads[row.id] = Thread(row, parent)

    def _living(self, thread: str) -> Thread:
        found = self._threads.get(thread)
        if found is None or found.gone is not None:
            raise NotFound(f"There is no thread {thread}.")
        return found

    def _find(self, thread: str) -> Thread | None:
        found = self._threads.get(thread)
        return None if found is None or found.gone is not None else found

    async def thread(self, thread: str) -> ThreadRow | None:
        found = self._find(thread)
        return found and found.row

    async def threads(
        self,
        resource: str,
        *,
        before: tuple[int, str] | None = None,
        limit: int = 50,
        tag: str = "",
        status: Status | Literal[""] = "",
        under: str | None = "",
    ) -> list[ThreadRow]:
        rows = [
            row
            for row in self._rows(resource)
            if under is None or row.under == under
            if before is None or (row.updated, row.id) < before
            if not tag or tag in row.tags
            if not status or row.status == status
        ]
        return rows[::-1][:limit]

    def _rows(self, resource: str) -> list[ThreadRow]:
        """The rows of a resource, the last updated last."""
        rows = [each.row for each in self._of(resource)]
        return sorted(rows, key=lambda row: (row.updated, row.id))

    def _of(self, resource: str) -> list[Thread]:
        living = (each for each in self._threads.values() if each.gone is None)
        return [each for each in living if each.row.resource == resource]

    async def search(
        self, resource: str, query: str, text_of: TextOf, *, limit: int = 20, offset: int = 0
    ) -> list[Hit]:
        sought = wanted(query)
        if not sought:
            return []
        listed = [each for each in self._of(resource) if not each.row.under]
        found = [best_hit(thread, sought, text_of) for thread in listed]
        hits = sorted((each for each in found if each), key=lambda each: each.order, reverse=True)
        return [each.hit for each in hits[offset : offset + limit]]

    async def idle_since(
        self, resource: str, updated_before: int, limit: int = 100
    ) -> list[ThreadRow]:
        rows = [row for row in self._rows(resource) if not row.under]
        return [row for row in rows if row.updated < updated_before][:limit]

    async def resources(self) -> list[str]:
        living = (each for each in self._threads.values() if each.gone is None)
        return sorted({each.row.resource for each in living})

    async def spent(self, resource: str) -> Spent:
        gone = self._spent.get(resource, Spent())
        return sum((each.row.spent for each in self._of(resource)), gone)

    async def delete(self, thread: str) -> bool:
        found = self._find(thread)
        if found is None:
            return False
        for child in [each.row.id for each in self._threads.values() if each.row.under == thread]:
            await self.delete(child)
        gone = self._spent.get(found.row.resource, Spent())
        self._spent[found.row.resource] = gone + found.row.spent
        found.gone = found.head
        found.owner = None
        found.inbox.clear()
        self._current = {at: id for at, id in self._current.items() if id != thread}
        self._trim(found)
        self._wrote()
        return True

    def _trim(self, thread: Thread | None) -> None:
        """Remove what nobody reads of a deleted thread and then, if deleted, of its parents."""
        while thread is not None and thread.gone is not None:
            read = [each.needed for each in self._threads.values() if each.parent is thread]
            thread.gone = max(read, default=0)
            if not read:
                del self._threads[thread.row.id]
            self._cut(thread, thread.gone if read else -1)
            thread = thread.parent

    def _cut(self, thread: Thread, upto: int) -> None:
        del thread.events[max(0, upto - thread.row.fork_at) :]
        thread.snapshots = [each for each in thread.snapshots if each.seq <= upto]
        dropped = {digest for seq, digest in thread.blobs if seq > upto}
        thread.blobs = [ref for ref in thread.blobs if ref[0] <= upto]
        self._drop(dropped)

    def _drop(self, blobs: set[str]) -> None:
        for digest in blobs - self._referred():
            if self._blobs[digest].loose is None:
                del self._blobs[digest]

    def _referred(self) -> set[str]:
        return {digest for thread in self._threads.values() for _, digest in thread.blobs}

    async def current(self, resource: str, scope: str) -> str | None:
        return self._current.get((resource, scope))

    async def set_current(self, resource: str, scope: str, thread: str) -> None:
        self._current[resource, scope] = self._living(thread).row.id
        self._wrote()

    async def claim_current(self, resource: str, scope: str, row: ThreadRow) -> str:
        found = self._current.get((resource, scope))
        if found is not None:
            return found
        self._create(row)
        self._current[resource, scope] = row.id
        self._wrote()
        return row.id

    async def append(self, write: Append) -> int:
        thread = self._leased(write.lease)
        if thread.head != write.after:
            raise LeaseLost(
                f"Thread {write.lease.thread} ends at event {thread.head}, not at {write.after}: "
                "somebody else wrote it."
            )
        self._refuse_missing(write.blobs)
        thread.events += write.events
        self._refer(thread, dict(enumerate(write.events, write.after + 1)), write.blobs)
        if write.facts is not None:
            thread.row = structs.replace(thread.row, **structs.asdict(write.facts))
        for id, answer in write.answered:
            self._answer(thread, id, answer)
        change(self._pairs, write.pairs)
        self._wrote()
        return thread.head

    def _refuse_missing(self, blobs: Iterable[str]) -> None:
        for digest in blobs:
            if digest not in self._blobs:
                raise UsageError(f"There is no blob {digest}: put it before an event refers to it.")

    def _refer(self, thread: Thread, events: Mapping[int, bytes], blobs: Iterable[str]) -> None:
        """Keep blobs for the events that name them; those that none names, for the first."""
        for digest in blobs:
            named = [seq for seq, data in events.items() if digest.encode() in data]
            thread.blobs += [
                (seq, digest) for seq in named or [min(events, default=thread.head + 1)]
            ]
            self._blobs[digest].loose = None

    def _leased(self, lease: Lease) -> Thread:
        thread = self._find(lease.thread)
        if thread is None:
            raise LeaseLost(f"Thread {lease.thread} was deleted.")
        if thread.owner != lease.owner or thread.epoch != lease.epoch:
            raise LeaseLost(
                f"Thread {lease.thread} is written by somebody else now: epoch {lease.epoch} of "
                f"{lease.owner} is not its newest lease."
            )
        return thread

    async def rewrite(
        self, lease: Lease, events: Mapping[int, bytes], blobs: Sequence[str] = ()
    ) -> None:
        thread = self._leased(lease)
        for seq in events:
            thread.refuse_unless_own(seq)
        self._refuse_missing(blobs)
        if not events:
            return
        for seq, data in events.items():
            thread.events[seq - thread.row.fork_at - 1] = data
        dropped = {digest for seq, digest in thread.blobs if seq in events}
        thread.blobs = [ref for ref in thread.blobs if ref[0] not in events]
        self._refer(thread, events, blobs)
        self._drop(dropped)
        self._count(thread, min(events))
        self._wrote()

    def _count(self, thread: Thread, seq: int) -> None:
        """Whoever has read an event has read what it was: let the rows say so, and no snapshot."""
        thread.row = structs.replace(thread.row, rewrites=thread.row.rewrites + 1)
        thread.snapshots = [each for each in thread.snapshots if each.seq < seq]
        for fork in self._threads.values():
            if fork.parent is thread and fork.row.fork_at >= seq:
                self._count(fork, seq)

    async def read(self, thread: str, after: int = 0, limit: int = 1000) -> list[Stored]:
        found: list[Stored] = []
        for part, upto in reversed(list(self._living(thread).line())):
            first = max(after, part.row.fork_at)
            data = part.events[first - part.row.fork_at : max(0, upto - part.row.fork_at)]
            found += map(Stored, range(first + 1, first + 1 + len(data)), data)
        return found[:limit]

    async def head(self, thread: str) -> int:
        return self._living(thread).head

    async def save_snapshot(
        self, thread: str, snapshot: Snapshot, rewrites: int | None = None
    ) -> None:
        found = self._living(thread)
        if rewrites not in (None, found.row.rewrites):
            return
        forks = [each.row.fork_at for each in self._threads.values() if each.parent is found]
        found.snapshots = [
            each
            for each in found.snapshots
            if each.seq > snapshot.seq or each.seq <= max(forks, default=0)
            if each.seq != snapshot.seq
        ]
        at = bisect_right(found.snapshots, snapshot.seq, key=lambda each: each.seq)
        found.snapshots.insert(at, snapshot)

    async def snapshot(self, thread: str, version: str) -> Snapshot | None:
        for part, upto in self._living(thread).line():
            for each in reversed(part.snapshots):
                if each.seq <= upto and each.version == version:
                    return each
        return None

    async def put_blob(self, data: bytes) -> str:
        now = self._clock.monotonic()
        referred = self._referred()
        for digest, blob in list(self._blobs.items()):
            if blob.loose is not None and blob.loose < now - _HOUR and digest not in referred:
                del self._blobs[digest]
        digest = sha256(data).hexdigest()
        self._blobs[digest] = Blob(data, now)
        return digest

    async def blob(self, digest: str) -> bytes | None:
        found = self._blobs.get(digest)
        return found and found.data

    async def beat(self, owner: str, seconds: float) -> None:
        self._alive[owner] = self._clock.monotonic() + seconds

    async def take(self, thread: str, owner: str) -> Lease | None:
        found = self._living(thread)
        if not self._lives(owner):
            raise LeaseLost(f"{owner} did not say in time that it lives; it must before it writes.")
        if found.owner not in (None, owner) and self._lives(found.owner):
            return None
        found.owner = owner
        found.epoch += 1
        self._wrote()
        return Lease(thread, owner, found.epoch, found.row.rewrites)

    def _lives(self, owner: str | None) -> bool:
        return owner is not None and self._alive.get(owner, 0) > self._clock.monotonic()

    async def release(self, lease: Lease) -> None:
        found = self._find(lease.thread)
        if found is not None and (found.owner, found.epoch) == (lease.owner, lease.epoch):
            found.owner = None
            self._wrote()

    async def owner(self, thread: str) -> str | None:
        found = self._find(thread)
        return found.owner if found is not None and self._lives(found.owner) else None

    async def retire(self, owner: str) -> None:
        self._alive.pop(owner, None)
        for thread in self._threads.values():
            if thread.owner == owner:
                thread.owner = None
        self._wrote()

    async def post(self, command: Posted) -> Posted:
        inbox = self._living(command.thread).inbox
        found = inbox.setdefault(command.id, command)
        self._wrote()
        return found

    async def pending(self, thread: str) -> list[Posted]:
        found = self._find(thread)
        return [each for each in found.inbox.values() if each.answer is None] if found else []

    async def inboxes(self, owner: str) -> list[str]:
        return [
            id
            for id, thread in self._threads.items()
            if thread.owner == owner
            if any(command.answer is None for command in thread.inbox.values())
        ]

    async def posted(self, thread: str, id: str) -> Posted | None:
        found = self._find(thread)
        return found and found.inbox.get(id)

    async def answer(self, thread: str, id: str, answer: bytes) -> None:
        self._answer(self._living(thread), id, answer)
        self._wrote()

    def _answer(self, thread: Thread, id: str, answer: bytes) -> None:
        command = thread.inbox.get(id)
        if command is not None and command.answer is None:
            thread.inbox[id] = structs.replace(command, answer=answer, data=b"")

    def watch(self, changed: Callable[[], None]) -> Callable[[], None]:
        return self._watchers.add(changed)

    async def vacuum(self) -> None:
        pass

    async def close(self) -> None:
        pass


_fits: type[Store] = MemoryStore
