"""What the cases begin with: threads that somebody may write, and what they then hold."""

from collections.abc import Coroutine
from typing import Any

from longrein.storage.base import Append, Lease, Store, ThreadRow


async def new_thread(
    store: Store, id: str, *, parent: str = "", fork_at: int = 0, updated: int = 0
) -> ThreadRow:
    """A thread of resource `res`, just created."""
    row = ThreadRow(
        id, "res", created=updated, updated=updated, parent=parent, fork_at=fork_at
    )  # fmt: skip
    await store.create(row)
    return row


async def lease_on(store: Store, thread: str, owner: str = "me") -> Lease:
    """The lease of an owner who lives long enough for any case."""
    await store.beat(owner, 60)
    lease = await store.take(thread, owner)
    assert lease is not None
    return lease


async def written(
    store: Store, id: str, *events: bytes, parent: str = "", fork_at: int = 0
) -> Lease:
    """A new thread with these events, and the lease on it."""
    await new_thread(store, id, parent=parent, fork_at=fork_at)
    lease = await lease_on(store, id)
    await store.append(Append(lease, fork_at, events))
    return lease


async def contents(store: Store, thread: str) -> list[tuple[int, bytes]]:
    """The events of a thread, with their numbers."""
    return [(event.seq, event.data) for event in await store.read(thread)]


async def raised(call: Coroutine[Any, Any, object], kind: type[Exception]) -> str:
    """The text of the error that `call` must end in."""
    try:
        await call
    except kind as error:
        return str(error)
    raise AssertionError(f"{kind.__name__} was not raised")
