"""The live sessions of a harness: one per thread, opened once, looked after while they live."""

import asyncio
import contextlib
from collections.abc import Callable

from longrein.core.errors import NotFound, StoreError
from longrein.session.services import Services
from longrein.session.session import Session
from longrein.storage.base import ThreadRow


class Sessions:
    """Every live session by its thread."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._live: dict[str, Session] = {}
        self._opening: dict[str, asyncio.Task[Session]] = {}
        self._unwatch: Callable[[], None] | None = None
        self._looking: asyncio.Task[None] | None = None
        self._look_again = False
        self._lapses = 0

    def __iter__(self):
        return iter([session for session in self._live.values() if not session.closed])

    async def open(self, row: ThreadRow) -> Session:
        """The live session of a thread; whoever asks at the same time gets the same one."""
        live = self._live.get(row.id)
        if live is not None and not live.closed:
            return live
        if live is not None:
            # Two sessions of one thread would both run what is open in it.
            await live.conductor.gone.wait()
        if row.id not in self._opening:
            self._opening[row.id] = asyncio.create_task(self._open(row))
        # Another caller may wait for the same opening: one that is cancelled must not end it.
        return await asyncio.shield(self._opening[row.id])

    async def _open(self, row: ThreadRow) -> Session:
        try:
            if self._unwatch is None:
                self._unwatch = self._services.store.watch(self._changed)
            session = Session(self._services, row, self._forget)
            await session.conductor.load()
            self._live[row.id] = session
            return session
        finally:
            del self._opening[row.id]

    def _forget(self, thread: str) -> None:
        if thread in self._live and self._live[thread].closed:
            del self._live[thread]

    async def close(self, thread: str) -> None:
        """Close the session of a thread, if it is live."""
        session = self._live.get(thread)
        if session is not None:
            await session.close()

    async def close_all(self) -> None:
        """Close every session; what they wrote last is durable when this returns."""
        if self._unwatch is not None:
            self._unwatch()
        if self._looking is not None:
            self._looking.cancel()
        await asyncio.gather(*(self.close(thread) for thread in list(self._live)))

    def _changed(self) -> None:
        """Another process wrote something: it may be a command for us, or a thread we follow."""
        self._look_again = True
        if self._looking is None:
            self._looking = asyncio.create_task(self._look())
            self._looking.add_done_callback(self._looked)

    def _looked(self, _: "asyncio.Task[None]") -> None:
        self._looking = None

    async def _look(self) -> None:
        while self._look_again:
            self._look_again = False
            # A store that cannot be read now is asked again at the next change.
            with contextlib.suppress(StoreError):
                await self._look_once()

    async def _look_once(self) -> None:
        store, host = self._services.store, self._services.host
        await host.catch_up()
        if host.lapses != self._lapses:
            self._lapses = host.lapses
            for session in self:
                await session.conductor.recheck()
        for thread in await store.inboxes(host.owner):
            if thread in self._live:
                await self._attend(self._live[thread], ours=True)
        for session in self:
            if not session.conductor.owns and session.conductor.followed:
                await self._attend(session)

    async def _attend(self, session: Session, *, ours: bool = False) -> None:
        """Take up what is new for one session; whatever is wrong with it, the others go on."""
        try:
            if ours or session.conductor.owns:
                await session.inbox.attend()
            else:
                await session.conductor.catch_up()
        except NotFound:  # another process deleted the thread
            await session.close()
        except Exception as error:  # the other sessions must not suffer from this one
            session.conductor.tell("store_failed", f"{type(error).__name__}: {error}")
