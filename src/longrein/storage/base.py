"""The port that every event store fits. Stores keep bytes; what an event means is not theirs."""

from collections.abc import Callable, Sequence
from typing import Literal, Protocol, TypeAlias

from msgspec import Struct

Status: TypeAlias = Literal["idle", "running", "waiting"]


class ThreadRow(Struct, frozen=True):
    """One thread in the index. A fork reads `parent` up to `fork_at` and itself from there on."""

    id: str
    resource: str
    title: str = ""
    status: Status = "idle"
    created: int = 0
    updated: int = 0
    parent: str = ""
    fork_at: int = 0


class Facts(Struct, frozen=True):
    """What a write changes in the index row of its thread."""

    title: str
    status: Status
    updated: int


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
    """The right to write one thread, granted to `owner` until somebody takes a later epoch."""

    thread: str
    owner: str
    epoch: int


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


class ThreadStore(Protocol):
    """The index of threads."""

    async def create(self, row: ThreadRow) -> None:
        """Add a thread. A fork (`parent` set) is a pointer: nothing is copied."""
        ...

    async def thread(self, thread: str) -> ThreadRow | None:
        """The row of a thread that is not deleted."""
        ...

    async def threads(
        self, resource: str, *, before: tuple[int, str] | None = None, limit: int = 50
    ) -> list[ThreadRow]:
        """A resource's threads, the last updated first.

        `before`: `updated` and `id` of the last row of the page before.
        """
        ...

    async def delete(self, thread: str) -> bool:
        """Hide a thread at once and remove what no fork reads of it. False: no such thread."""
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

    async def save_snapshot(self, thread: str, snapshot: Snapshot) -> None:
        """Keep a snapshot; older ones of the same thread may go."""
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


class PairStore(Protocol):
    """Values by key."""

    async def get(self, key: str) -> bytes | None: ...
    async def put(self, key: str, value: bytes) -> None: ...
    async def remove(self, key: str) -> None: ...
    async def keys(self, prefix: str) -> list[str]: ...


class Store(ThreadStore, EventStore, BlobStore, LeaseStore, InboxStore, PairStore, Protocol):
    """Threads, events, snapshots, blobs, leases, inboxes and key-value pairs.

    Whatever a method returned is durable. Every method raises `StoreError`, or one of its kinds
    with a text for the user, and then has changed nothing; `UsageError` for what makes no sense,
    `NotFound` for a thread that is not there or was deleted. Times are the store's own clock.
    """

    def watch(self, changed: Callable[[], None]) -> Callable[[], None]:
        """Call `changed` on the caller's event loop soon (50 ms at most) after another process, or
        another store on the same data, wrote something. Returns what ends the watching."""
        ...

    async def close(self) -> None: ...
