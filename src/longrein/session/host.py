"""One process as a writer of threads: it says that it lives, and takes and gives back leases."""

import asyncio
import contextlib

from longrein.core.errors import LeaseLost, StoreError
from longrein.core.ids import Clock
from longrein.core.points import reached
from longrein.session.alive import process_tag, surely_dead
from longrein.session.spawning import spawn
from longrein.storage.base import Lease, Store

MOST_TRIES = 5


class Host:
    """The owner of this harness's leases: one heartbeat for all of them.

    A lease is lost `expires` seconds after the last heartbeat, by the store's clock. Here the time
    is counted from before that heartbeat was sent, so this side always gives up first.
    """

    def __init__(
        self, store: Store, name: str, clock: Clock, *, every: float = 3.0, expires: float = 15.0
    ) -> None:
        self.name = name
        self.owner = f"{name}@{process_tag()}"
        self._store = store
        self._clock = clock
        self._every = every
        self._expires = expires
        self.lapses = 0
        """How often this process stood still for so long that its leases may have been taken."""
        self._sure: set[str] = set()
        self._beaten = float("-inf")
        self._beating: asyncio.Task[None] | None = None

    async def take(self, thread: str) -> Lease | None:
        """The lease on a thread, or None while another process that lives has it."""
        if not self.fresh:
            await self.beat()
        if self._beating is None:
            self._beating = spawn(self._beat_on())
        reached("lease.take")
        lease = await self._taken(thread)
        reached("lease.taken")
        return lease

    async def _taken(self, thread: str) -> Lease | None:
        for _ in range(MOST_TRIES):
            try:
                return await self._store.take(thread, self.owner) or await self._inherit(thread)
            except LeaseLost:
                # So busy a machine that the heartbeat was over before the store got to this.
                await self.beat()
        return await self._store.take(thread, self.owner)

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
        if self.fresh and (not self.lapses or thread in self._sure):
            return True
        while True:
            await self.beat()
            owner = await self._store.owner(thread)
            # Nobody, and our heartbeat over again: that says nothing about whose the thread is.
            if owner is not None or self.fresh:
                break
        if owner == self.owner:
            self._sure.add(thread)
        return owner == self.owner

    async def catch_up(self) -> None:
        """Beat at once if this process, which may hold leases, has stood still."""
        if self._beating is not None and not self.fresh:
            await self.beat()

    async def beat(self) -> None:
        """Say that this process lives."""
        now = self._clock.monotonic()
        lapsed = self._beating is not None and not self.fresh
        await self._store.beat(self.owner, self._expires)
        self._beaten = now
        if lapsed:
            # A heartbeat after a lapse brings no lease back: each is in doubt until asked for.
            self.lapses += 1
            self._sure.clear()

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
