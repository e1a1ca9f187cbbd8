"""Which process works on a thread."""

from longrein.session.alive import surely_dead
from longrein.storage.base import Store


async def living_owner(store: Store, thread: str) -> str | None:
    """The owner of a thread; None where nobody has it, or whoever had it was killed."""
    owner = await store.owner(thread)
    return None if owner is None or surely_dead(owner.partition("@")[2]) else owner
