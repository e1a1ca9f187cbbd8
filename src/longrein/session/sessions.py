"""The live sessions of a harness: one per thread, opened once, looked after while they live."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection
from typing import Literal, TypeAlias

from msgspec import Struct

from longrein.core.display import Activity, activity
from longrein.core.errors import NotFound, SessionClosed, StoreError
from longrein.core.live import SignalKind
from longrein.session.children.kin import Family, Kin
from longrein.session.ending import Opened
from longrein.session.host import Host
from longrein.session.resources import Resources
from longrein.session.services import Services
from longrein.session.session import Session
from longrein.session.spawning import spawn
from longrein.session.tasks import being_cancelled
from longrein.storage.base import Store, ThreadRow

Listener: TypeAlias = Callable[[Literal["opened", "closed"], Session], object]
"""Hears of sessions that are opened and closed."""

CLOSING = "The harness was closed before the session was open."
NOT_ABOVE = "The session that this one works for was closed before it was open."

Release: TypeAlias = Callable[[], Awaitable[None]]

Equip: TypeAlias = Callable[
    [ThreadRow, str, Family, Kin | None], Awaitable[tuple[Services, Opened, Release]]
]
"""Makes what a session works with; the last is the session that a child works for."""


class ActiveRun(Struct, frozen=True):
    """A run under way: in which thread, for whom, whether it waits for a person, since when."""

    run: str
    thread: str
    resource: str
    activity: Activity
    started: int


class Sessions:
    """Every live session by its thread."""

    def __init__(
        self,
        store: Store,
        host: Host,
        resources: Resources,
        equip: Equip,
    ) -> None:
        self._store = store
        self._host = host
        self._resources = resources
        self._equip = equip
        self._listeners: list[Listener] = []
        self._live: dict[str, Session] = {}
        self._opening: dict[str, asyncio.Task[Session]] = {}
        self._shut: dict[str, asyncio.Event] = {}
        self._shutting = asyncio.Lock()
        self._unwatch: Callable[[], None] | None = None
        self._looking: asyncio.Task[None] | None = None
        self._closing = False
        self._look_again = False
        self._lapses = 0

    def __iter__(self):
        return iter([session for session in self._live.values() if not session.closed])

    @property
    def roots(self) -> list[Session]:
        """Every live session that works for no other."""
        return [session for session in self if not session.conductor.row.under]

    def listen(self, listener: "Listener") -> Callable[[], None]:
        """Tell `listener` of sessions that are opened and closed; returns what ends it."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener) if listener in self._listeners else None

    async def open(
        self, row: ThreadRow, scope: str = "default", *, by_parent: bool = False
    ) -> Session:
        """The live session of a thread; whoever asks at the same time gets the same one.

        Raises `SessionClosed` where all are being closed, or the parent that asks for its child.
        """
        while True:
            if self._closing:
                raise SessionClosed(CLOSING)
            if by_parent:
                # One that is being closed may wait for whoever asks: it is not opened anew.
                self._above(row)
            elif row.under:
                await self._parent(row, scope)
            if (over := self._in_the_way(row.id)) is None:
                break
            await over.wait()
        live, opening = self._live.get(row.id), self._opening.get(row.id)
        if opening is None and live is not None and not live.closed:
            return live
        if opening is None:
            opening = self._opening[row.id] = spawn(self._open(row, scope))
        try:
            # Another caller may wait for the same opening: one that is cancelled must not end it.
            return await asyncio.shield(opening)
        except asyncio.CancelledError as error:
            if opening.cancelled() and not being_cancelled(error):
                raise SessionClosed(CLOSING) from None
            raise

    async def _parent(self, row: ThreadRow, scope: str) -> None:
        """Open the session that a child works for: it is bound by what holds there.

        One that is being opened will do: it opens its own children, and must not wait for itself.
        """
        live = self._live.get(row.under)
        if live is not None and not live.closed:
            return
        above = await self._store.thread(row.under)
        if above is None:
            raise NotFound(f"The thread {row.under} that {row.id} works for is gone.")
        await self.open(above, scope)

    def _above(self, row: ThreadRow) -> Session | None:
        """The session that a child works for, which closes it and without which it is not bound.

        Raises `SessionClosed` where it was closed since it was asked for.
        """
        parent = self._live.get(row.under)
        if row.under and (parent is None or parent.closed or row.under in self._shut):
            raise SessionClosed(NOT_ABOVE)
        return parent

    def _in_the_way(self, thread: str) -> asyncio.Event | None:
        """What has to be over before a thread can be opened."""
        if thread in self._shut:
            return self._shut[thread]
        live = self._live.get(thread)
        if live is None or not live.closed or live.conductor.gone.is_set():
            return None
        # Two sessions of one thread would both run what is open in it.
        return live.conductor.gone

    async def _open(self, row: ThreadRow, scope: str) -> Session:
        try:
            if self._unwatch is None:
                self._unwatch = self._store.watch(self._changed)
            parent = self._above(row)
            services, opened, release = await self._equip(row, scope, self, parent)
            try:
                session = Session(services, row, self._forget, opened, release)
                await session.conductor.load()
                self._above(row)
            except BaseException:
                await release()
                raise
            self._live[row.id] = session
            if parent is not None:
                parent.nursery.joined(session)
            await session.nursery.load()
            self._tell("opened", session)
            return session
        finally:
            del self._opening[row.id]

    async def _forget(self, session: Session) -> None:
        if self._live.get(session.thread) is not session:
            return
        del self._live[session.thread]
        if session.services.parent is not None:
            session.services.parent.nursery.left(session)
        self._tell("closed", session)

    def _tell(self, what: Literal["opened", "closed"], session: Session) -> None:
        if session.conductor.row.under:
            return
        for listener in list(self._listeners):
            try:
                listener(what, session)
            except Exception as error:  # a listener must not keep a session from opening or closing
                name = type(error).__name__
                session.conductor.tell("listener_failed", f"A listener failed: {name}: {error}")

    def runs(self) -> list[ActiveRun]:
        """Every run under way, waiting ones included."""
        return [
            ActiveRun(run.id, one.thread, one.resource, activity(one.folded), run.started)
            for one in self.roots
            if (run := one.folded.run) is not None
        ]

    async def close(self, thread: str, why: SignalKind | None = None, text: str = "") -> None:
        """Close the session of a thread, if it is live; its listeners hear why."""
        session = self._live.get(thread)
        if session is None:
            return
        if why is not None:
            session.conductor.tell(why, text)
        await session.close()

    @contextlib.asynccontextmanager
    async def shut(
        self, threads: Collection[str], why: SignalKind | None = None, text: str = ""
    ) -> AsyncGenerator[None]:
        """No session of these threads is live here, and whoever wants to open one has to wait."""
        # One at a time: two that want each other's threads would wait for ever.
        async with self._shutting:
            # Before anybody has to wait: a session that is being opened opens its children.
            while opening := [self._opening[id] for id in threads if id in self._opening]:
                await asyncio.wait(opening)
            over = asyncio.Event()
            self._shut = dict.fromkeys(threads, over)
            try:
                for thread in threads:
                    await self.close(thread, why, text)
                yield
            finally:
                self._shut = {}
                over.set()

    async def close_all(self) -> None:
        """Close every session; what they wrote last is durable when this returns."""
        if self._unwatch is not None:
            self._unwatch()
            self._unwatch = None
        if self._looking is not None:
            self._looking.cancel()
        self._closing = True
        try:
            for opening in self._opening.values():
                opening.cancel()
            await asyncio.gather(*self._opening.values(), return_exceptions=True)
            # Each closes its children, once nothing of its own waits for them any more.
            closing = [self.close(session.thread) for session in self.roots]
            ended = await asyncio.gather(*closing, return_exceptions=True)
        finally:
            self._closing = False
        if error := next((one for one in ended if isinstance(one, BaseException)), None):
            raise error

    def _changed(self) -> None:
        """Another process wrote something: it may be a command for us, or a thread we follow."""
        if self._unwatch is None:  # on its way when the watching ended; the store may be closed
            return
        self._look_again = True
        if self._looking is None:
            self._looking = spawn(self._look())
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
        store, host = self._store, self._host
        await host.catch_up()
        await self._resources.refresh()
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
