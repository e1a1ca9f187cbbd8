"""The store that lives as long as its process: for tests, and for sessions nobody wants to keep."""

from asyncio import AbstractEventLoop, get_running_loop
from bisect import bisect_right
from collections.abc import Callable, Iterator
from hashlib import sha256

from msgspec import Struct, structs

from longrein.core.errors import LeaseLost, NotFound, UsageError
from longrein.core.ids import Clock, SystemClock
from longrein.storage.base import Append, Lease, Posted, Snapshot, Store, Stored, ThreadRow

_HOUR = 3600.0


class _Thread(Struct, eq=False):
    """A thread and all that is its own. `gone`: deleted, and kept for its forks up to there."""

    row: ThreadRow
    parent: "_Thread | None"
    events: list[bytes] = []
    snapshots: list[Snapshot] = []
    blobs: list[tuple[int, str]] = []
    inbox: dict[str, Posted] = {}
    owner: str | None = None
    epoch: int = 0
    gone: int | None = None

    @property
    def head(self) -> int:
        return self.row.fork_at + len(self.events)

    @property
    def needed(self) -> int:
        """How far this thread reads its parent."""
        return self.row.fork_at if self.gone is None else min(self.row.fork_at, self.gone)

    def line(self) -> "Iterator[tuple[_Thread, int]]":
        """What a thread reads: itself, then its parents, each with how far."""
        thread, upto = self, self.head
        while True:
            yield thread, upto
            upto = min(upto, thread.row.fork_at)
            if thread.parent is None:
                return
            thread = thread.parent


class _Blob(Struct):
    """Kept bytes. `loose`: since when they wait for a first reference; None once they had one."""

    data: bytes
    loose: float | None


class _Watcher(Struct, eq=False):
    """Who wants to hear of writes, once for all writes until it was told."""

    loop: AbstractEventLoop
    changed: Callable[[], None]
    due: bool = False

    def tell(self) -> None:
        if not self.due and not self.loop.is_closed():
            self.due = True
            self.loop.call_soon(self._tell)

    def _tell(self) -> None:
        self.due = False
        self.changed()


class MemoryStore:
    """Threads in memory. Harnesses that are given one object share what it holds.

        store = MemoryStore()
        await store.put("greeting", b"hello")

    Closing it loses nothing: whoever still has the object can go on using it.
    """

    def __init__(self, clock: Clock | None = None) -> None:
        self._clock = clock or SystemClock()
        self._threads: dict[str, _Thread] = {}
        self._current: dict[tuple[str, str], str] = {}
        self._blobs: dict[str, _Blob] = {}
        self._alive: dict[str, float] = {}
        self._pairs: dict[str, bytes] = {}
        self._watchers: list[_Watcher] = []

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
        self._threads[row.id] = _Thread(row, parent)

    def _living(self, thread: str) -> _Thread:
        found = self._threads.get(thread)
        if found is None or found.gone is not None:
            raise NotFound(f"There is no thread {thread}.")
        return found

    def _find(self, thread: str) -> _Thread | None:
        found = self._threads.get(thread)
        return None if found is None or found.gone is not None else found

    async def thread(self, thread: str) -> ThreadRow | None:
        found = self._find(thread)
        return found and found.row

    async def threads(
        self, resource: str, *, before: tuple[int, str] | None = None, limit: int = 50
    ) -> list[ThreadRow]:
        rows = [
            each.row
            for each in self._threads.values()
            if each.row.resource == resource and each.gone is None
            if before is None or (each.row.updated, each.row.id) < before
        ]
        rows.sort(key=lambda row: (row.updated, row.id), reverse=True)
        return rows[:limit]

    async def delete(self, thread: str) -> bool:
        found = self._find(thread)
        if found is None:
            return False
        found.gone = found.head
        found.owner = None
        found.inbox.clear()
        self._current = {at: id for at, id in self._current.items() if id != thread}
        self._trim(found)
        self._wrote()
        return True

    def _trim(self, thread: _Thread | None) -> None:
        """Remove what nobody reads of a deleted thread and then, if deleted, of its parents."""
        while thread is not None and thread.gone is not None:
            read = [each.needed for each in self._threads.values() if each.parent is thread]
            thread.gone = max(read, default=0)
            if not read:
                del self._threads[thread.row.id]
            self._cut(thread, thread.gone if read else -1)
            thread = thread.parent

    def _cut(self, thread: _Thread, upto: int) -> None:
        del thread.events[max(0, upto - thread.row.fork_at) :]
        thread.snapshots = [each for each in thread.snapshots if each.seq <= upto]
        dropped = {digest for seq, digest in thread.blobs if seq > upto}
        thread.blobs = [ref for ref in thread.blobs if ref[0] <= upto]
        for digest in dropped - self._referred():
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
        thread = self._fitting(write.lease, write.after)
        for digest in write.blobs:
            if digest not in self._blobs:
                raise UsageError(f"There is no blob {digest}: put it before an event refers to it.")
        thread.events += write.events
        for digest in write.blobs:
            thread.blobs.append((write.after + 1, digest))
            self._blobs[digest].loose = None
        if write.facts is not None:
            facts = write.facts
            thread.row = structs.replace(
                thread.row, title=facts.title, status=facts.status, updated=facts.updated
            )
        for id, answer in write.answered:
            self._answer(thread, id, answer)
        self._wrote()
        return thread.head

    def _fitting(self, lease: Lease, after: int) -> _Thread:
        thread = self._find(lease.thread)
        if thread is None:
            raise LeaseLost(f"Thread {lease.thread} was deleted.")
        if thread.owner != lease.owner or thread.epoch != lease.epoch:
            raise LeaseLost(
                f"Thread {lease.thread} is written by somebody else now: epoch {lease.epoch} of "
                f"{lease.owner} is not its newest lease."
            )
        if thread.head != after:
            raise LeaseLost(f"Thread {lease.thread} ends at event {thread.head}, not at {after}.")
        return thread

    async def read(self, thread: str, after: int = 0, limit: int = 1000) -> list[Stored]:
        found: list[Stored] = []
        for part, upto in reversed(list(self._living(thread).line())):
            first = max(after, part.row.fork_at)
            data = part.events[first - part.row.fork_at : max(0, upto - part.row.fork_at)]
            found += map(Stored, range(first + 1, first + 1 + len(data)), data)
        return found[:limit]

    async def head(self, thread: str) -> int:
        return self._living(thread).head

    async def save_snapshot(self, thread: str, snapshot: Snapshot) -> None:
        found = self._living(thread)
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
        self._blobs[digest] = _Blob(data, now)
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
        return Lease(thread, owner, found.epoch)

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

    def _answer(self, thread: _Thread, id: str, answer: bytes) -> None:
        command = thread.inbox.get(id)
        if command is not None and command.answer is None:
            thread.inbox[id] = structs.replace(command, answer=answer, data=b"")

    async def get(self, key: str) -> bytes | None:
        return self._pairs.get(key)

    async def put(self, key: str, value: bytes) -> None:
        self._pairs[key] = value
        self._wrote()

    async def remove(self, key: str) -> None:
        self._pairs.pop(key, None)
        self._wrote()

    async def keys(self, prefix: str) -> list[str]:
        return sorted(key for key in self._pairs if key.startswith(prefix))

    def watch(self, changed: Callable[[], None]) -> Callable[[], None]:
        watcher = _Watcher(get_running_loop(), changed)
        self._watchers.append(watcher)

        def end() -> None:
            if watcher in self._watchers:
                self._watchers.remove(watcher)

        return end

    def _wrote(self) -> None:
        for watcher in self._watchers:
            watcher.tell()

    async def close(self) -> None:
        pass


_fits: type[Store] = MemoryStore
