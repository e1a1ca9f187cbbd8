"""One process as a writer of threads: it says that it lives, and takes and gives back leases."""

import asyncio
import contextlib

from longrein.core.errors import StoreError
from longrein.core.ids import Clock
from longrein.core.points import reached
from longrein.session.alive import process_tag, surely_dead
from longrein.storage.base import Lease, Store


class Host:
    """The owner of this harness's leases: one heartbeat for all of them.

    A lease is lost `expires` seconds after the last heartbeat, by the store's clock. Here the time
    is counted from before that heartbeat was sent, so this side always gives up first.
    """

    def __init__(
        self, store: Store, name: str, clock: Clock, *, every: float = 3.0, expires: float = 15.0
    ) -> None:
        self.owner = f"{name}@{process_tag()}"
        self._store = store
        self._clock = clock
        self._every = every
        self._expires = expires
        self._beaten = float("-inf")
        self._beating: asyncio.Task[None] | None = None

    async def take(self, thread: str) -> Lease | None:
        """The lease on a thread, or None while another process that lives has it."""
        if not self.fresh:
            await self.beat()
        if self._beating is None:
            self._beating = asyncio.create_task(self._beat_on())
        reached("lease.take")
        lease = await self._store.take(thread, self.owner) or await self._inherit(thread)
        reached("lease.taken")
        return lease

    async def _inherit(self, thread: str) -> Lease | None:
        """The lease of a process that was killed on this machine: nobody need wait for its end."""
        owner = await self._store.owner(thread)
        if owner is None or not surely_dead(owner.partition("@")[2]):
            return None
        await self._store.retire(owner)
        return await self._store.take(thread, self.owner)

    @property
    def fresh(self) -> bool:
        """Whether the leases taken are surely still ours."""
        return self._clock.monotonic() - self._beaten < self._expires * 0.9

    async def confirm(self, thread: str) -> bool:
        """Whether a thread is still ours; asks the store where the process stood still for long."""
        if self.fresh:
            return True
        await self.beat()
        return await self._store.owner(thread) == self.owner

    async def beat(self) -> None:
        """Say that this process lives."""
        now = self._clock.monotonic()
        await self._store.beat(self.owner, self._expires)
        self._beaten = now

    async def _beat_on(self) -> None:
        while True:
            await asyncio.sleep(self._every)
            # A store that cannot be written now may be again later; until then nothing starts.
            with contextlib.suppress(StoreError):
                await self.beat()

    async def close(self) -> None:
        """Give everything back."""
        if self._beating is None:
            return
        self._beating.cancel()
        await asyncio.wait([self._beating])
        with contextlib.suppress(StoreError):
            await self._store.retire(self.owner)
