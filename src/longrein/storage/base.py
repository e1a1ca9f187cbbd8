"""The port that every event store fits. Stores keep bytes; what an event means is not theirs."""

from collections.abc import Callable, Mapping, Sequence
from typing import Literal, Protocol, TypeAlias

from msgspec import Struct

from longrein.core.usage import Spent

Status: TypeAlias = Literal["idle", "running", "waiting"]

TextOf: TypeAlias = Callable[[bytes], str]
"""What there is to search in an encoded event, as one text; "" for nothing.

A store may call it on a thread of its own, and keeps what it said until the event is rewritten.
"""


class ThreadRow(Struct, frozen=True):
    """One thread in the index. A fork reads `parent` up to `fork_at` and itself from there on.

    `spent` is what the thread itself used: that of a fork does not hold its parent's. `rewrites` is
    how often events that it reads were rewritten: whoever knew it at another number knows too much.
    A child works `under` another thread, for one of its calls, as the `agent` of that name; lists
    and searches leave it out, and it is deleted with that thread.
    """

    id: str
    resource: str
    title: str = ""
    status: Status = "idle"
    created: int = 0
    updated: int = 0
    parent: str = ""
    fork_at: int = 0
    tags: tuple[str, ...] = ()
    spent: Spent = Spent()
    rewrites: int = 0
    under: str = ""
    agent: str = ""
    call: str = ""


class Facts(Struct, frozen=True):
    """What the index row of a thread says after a write."""

    title: str
    status: Status
    updated: int
    tags: tuple[str, ...] = ()
    spent: Spent = Spent()


class Hit(Struct, frozen=True):
    """A thread in which a search found something: in event `seq`, or (0) in its title.

    `snippet` is what stands around the words that were found.
    """

    row: ThreadRow
    seq: int
    snippet: str


class Stored(Struct, frozen=True):
    """One event as it lies in the store."""

    seq: int
    data: bytes


class Snapshot(Struct, frozen=True):
    """A folded state at `seq`. `version` names the code that wrote it; others fold again.

    `log_bytes` is how much log had been written up to `seq`, so that whoever goes on from here
    knows when the next snapshot is due.
    """

    seq: int
    version: str
    data: bytes
    log_bytes: int


class Lease(Struct, frozen=True):
    """The right to write one thread, granted to `owner` until somebody takes a later epoch.

    `rewrites` is what the row of the thread said when it was taken.
    """

    thread: str
    owner: str
    epoch: int
    rewrites: int = 0


class Posted(Struct, frozen=True):
    """A command in the inbox of a thread that another process owns; `answer` is None until then."""

    id: str
    thread: str
    data: bytes
    answer: bytes | None = None


class Append(Struct, frozen=True):
    """One write of one thread: all of it or nothing.

    `after` is the sequence number that the writer saw last; `events` get the numbers that follow.
    `blobs` are the hashes that the events refer to: each must be in the store, and stays as long
    as a thread that refers to it.
    """

    lease: Lease
    after: int
    events: Sequence[bytes]
    facts: Facts | None = None
    blobs: Sequence[str] = ()
    answered: Sequence[tuple[str, bytes]] = ()
    """Inbox commands that these events settle: their ids and answers, in the same transaction."""
    pairs: Sequence[tuple[str, bytes | None]] = ()
    """Key-value pairs to put, or (None) to remove, in the same transaction."""


class ThreadStore(Protocol):
    """The index of threads."""

    async def create(self, row: ThreadRow) -> None:
        """Add a thread. A fork (`parent` set) is a pointer: nothing is copied."""
        ...

    async def thread(self, thread: str) -> ThreadRow | None:
        """The row of a thread that is not deleted."""
        ...

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
        """A resource's threads, the last updated first; only those with `tag`, only in `status`.

        `before`: `updated` and `id` of the last row of the page before. `under`: the children of
        that thread instead; None: children and all others.
        """
        ...

    async def search(
        self, resource: str, query: str, text_of: TextOf, *, limit: int = 20, offset: int = 0
    ) -> list[Hit]:
        """A resource's threads, without children, that have all words of the query, each with its
        best place.

        Words are letters and digits, whatever their case and diacritics; each must begin a word
        of one and the same event, or of the title. A query without a word finds nothing. A fork
        has what it shares with its parents. First come titles, then events; of each first those
        that have the words as they are, then those that have words which begin so; of equals the
        thread that was updated last. Of a thread's events that are equally good it is the newest.
        """
        ...

    async def idle_since(
        self, resource: str, updated_before: int, limit: int = 100
    ) -> list[ThreadRow]:
        """A resource's threads, without children, that were last updated before a time, the oldest
        first."""
        ...

    async def resources(self) -> list[str]:
        """Everybody who has threads, in order."""
        ...

    async def spent(self, resource: str) -> Spent:
        """What all threads of a resource have used, deleted ones included."""
        ...

    async def delete(self, thread: str) -> bool:
        """Hide a thread at once and remove what no fork reads of it, with all its children. False:
        no such thread.

        What they spent still counts for their resource.
        """
        ...

    async def current(self, resource: str, scope: str) -> str | None:
        """The thread that (resource, scope) has open, unless it was deleted."""
        ...

    async def set_current(self, resource: str, scope: str, thread: str) -> None: ...

    async def claim_current(self, resource: str, scope: str, row: ThreadRow) -> str:
        """The current thread of (resource, scope); without one, `row` is created and is it."""
        ...


class EventStore(Protocol):
    """The logs, and snapshots of what they fold to."""

    async def append(self, write: Append) -> int:
        """Write events; returns the last sequence number.

        `LeaseLost` if the epoch is not the newest, `after` is not the head, or the thread was
        deleted.
        """
        ...

    async def read(self, thread: str, after: int = 0, limit: int = 1000) -> list[Stored]:
        """Events after a position, in order, those of the parents of a fork included."""
        ...

    async def head(self, thread: str) -> int:
        """The last sequence number; 0 for an empty thread."""
        ...

    async def rewrite(
        self, lease: Lease, events: Mapping[int, bytes], blobs: Sequence[str] = ()
    ) -> None:
        """Put other bytes in the place of events: the one way in which a log changes.

        What the old bytes left goes with them: blobs that nothing else refers to, snapshots of
        this thread and of its forks that could hold them, and what a search would find. The rows
        of this thread and of those forks count it in `rewrites`, so that whoever has read the old
        bytes finds out. `blobs` are the hashes that the new bytes refer to. An event refers to the
        blobs of its `append` whose hashes stand in its bytes; those that stand in none are the
        first event's.

        `LeaseLost` as for `append`; `UsageError` for a number that this thread's own log does not
        have: what a fork shares is rewritten in the thread that wrote it.
        """
        ...

    async def save_snapshot(
        self, thread: str, snapshot: Snapshot, rewrites: int | None = None
    ) -> None:
        """Keep a snapshot; older ones of the same thread may go.

        With `rewrites` only while the row of the thread says the same: what was folded before a
        rewriting must not come back by it.
        """
        ...

    async def snapshot(self, thread: str, version: str) -> Snapshot | None:
        """The newest snapshot of this version; for a fork also a parent's, up to the fork."""
        ...


class BlobStore(Protocol):
    """Bytes under their hash."""

    async def put_blob(self, data: bytes) -> str:
        """Keep bytes under their SHA-256, in hexadecimal.

        Blobs that no event refers to may go after an hour.
        """
        ...

    async def blob(self, digest: str) -> bytes | None: ...


class LeaseStore(Protocol):
    """Who may write a thread."""

    async def beat(self, owner: str, seconds: float) -> None:
        """Say that `owner` lives for `seconds` from now."""
        ...

    async def take(self, thread: str, owner: str) -> Lease | None:
        """The lease with a new epoch, if nobody alive has it; None if somebody else does.

        Taken again by its own owner it gets a new epoch as well. `LeaseLost` if the owner has not
        said, by `beat`, that it lives.
        """
        ...

    async def release(self, lease: Lease) -> None:
        """Give a lease back; nothing happens if it is lost already."""
        ...

    async def owner(self, thread: str) -> str | None:
        """Who has a live lease on the thread."""
        ...

    async def retire(self, owner: str) -> None:
        """The owner is gone: all its leases are free at once."""
        ...


class InboxStore(Protocol):
    """Commands from one process to another."""

    async def post(self, command: Posted) -> Posted:
        """Put a command into a thread's inbox; a second one with the same id changes nothing.
        Returns what is there now, with its answer if it has one."""
        ...

    async def pending(self, thread: str) -> list[Posted]:
        """Commands without an answer, oldest first."""
        ...

    async def inboxes(self, owner: str) -> list[str]:
        """The threads under live leases of `owner` that have commands without an answer."""
        ...

    async def posted(self, thread: str, id: str) -> Posted | None: ...

    async def answer(self, thread: str, id: str, answer: bytes) -> None:
        """Answer a command that caused no event (others are answered by `append`)."""
        ...


Pairs: TypeAlias = Sequence[tuple[str, bytes | None]]
"""Keys with their values; None: there is none, or shall be none."""


class PairStore(Protocol):
    """Values by key."""

    async def get(self, key: str) -> bytes | None: ...
    async def put(self, key: str, value: bytes) -> None: ...
    async def remove(self, key: str) -> None: ...

    async def change(self, pairs: Pairs) -> None:
        """Put several, or (None) remove them: all of it or nothing."""
        ...

    async def swap(self, seen: Pairs, pairs: Pairs) -> bool:
        """Change pairs if those that were `seen` still are as they were (None: not there).

        False: one of them is not, and nothing was changed.
        """
        ...

    async def keys(self, prefix: str) -> list[str]: ...


class Store(ThreadStore, EventStore, BlobStore, LeaseStore, InboxStore, PairStore, Protocol):
    """Threads, events, snapshots, blobs, leases, inboxes and key-value pairs.

    What is deleted or rewritten can be read no more and is overwritten on disk; see `vacuum`.

    Whatever a method returned is durable. Every method raises `StoreError`, or one of its kinds
    with a text for the user, and then has changed nothing; `UsageError` for what makes no sense,
    `NotFound` for a thread that is not there or was deleted. Times are the store's own clock.
    """

    def watch(self, changed: Callable[[], None]) -> Callable[[], None]:
        """Call `changed` on the caller's event loop soon (50 ms at most) after another process, or
        another store on the same data, wrote something. Returns what ends the watching."""
        ...

    def beside(self, name: str) -> str | None:
        """The path for a file of somebody else's that belongs to this store, is moved and removed
        with it; None for a store that has no place on disk."""
        ...

    async def vacuum(self) -> None:
        """Write everything anew, so that what was deleted or rewritten is nowhere on disk.

        Without it a piece may be left in a part of a file that is not used, where only somebody
        finds it who reads the bare file. Writers wait for as long as copying the data takes.
        """
        ...

    async def close(self) -> None: ...
