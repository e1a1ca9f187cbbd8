"""The client of a harness in this process."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Literal

from longrein.capabilities.shell_tools.records import has_open_jobs
from longrein.client.drafts import Drafts
from longrein.client.files import FileIndex
from longrein.client.jobs import jobs_here
from longrein.client.local_thread import LocalThread, anything_said, owner_of
from longrein.client.own_shell import OwnShell
from longrein.client.port import About, Attachment, Check, Client, Owner
from longrein.client.saying import said_before
from longrein.core.commands import Rename, Tag
from longrein.core.display import Display
from longrein.core.errors import NotFound, UsageError
from longrein.harness import Harness
from longrein.models.listing import ModelInfo
from longrein.session.session import Session
from longrein.storage.base import Hit, ThreadRow

SCOPE = "default"
NO_CHECKS = "Nothing is looked at here: run `longrein doctor` instead."


class LocalClient:
    """What a front end sees of a harness, as the owner `resource` of threads.

    `prepare` is called with every session before it is shown. `look` gives what `checks` shows,
    `suggest` what a person might say next; `keeping` keeps settings.
    """

    def __init__(
        self,
        harness: Harness,
        resource: str,
        about: About,
        *,
        prepare: Callable[[Session], Awaitable[None]] | None = None,
        look: Callable[[], Awaitable[Sequence[Check]]] | None = None,
        suggest: Callable[[Display], str] | None = None,
        keeping: Callable[[str, str], None] | None = None,
    ) -> None:
        self._harness = harness
        self._resource = resource
        self._about = about
        self._files = FileIndex(about.place)
        self._shell = OwnShell(about.place)
        self._prepare = prepare
        self._fresh: dict[str, Session] = {}
        """New threads in which nothing was said yet."""
        self._drafts = Drafts(harness.store, resource, self._fresh)
        self._look = look
        self._suggest = suggest
        self._keeping = keeping

    @property
    def about(self) -> About:
        return self._about

    @property
    def busy(self) -> bool:
        return self._shell.runs or any(_works(one) for one in self._harness.sessions)

    @property
    def waiting(self) -> frozenset[str]:
        ours = (one for one in self._harness.sessions if one.resource == self._resource)
        return frozenset(one.thread for one in ours if _waits(one))

    async def open(self, thread: str = "", *, new: bool = False) -> LocalThread:
        if new:
            return await self._opened(await self._unused())
        return await self._opened(await self._session(thread))

    async def _session(self, thread: str) -> Session:
        return await self._harness.session(self._resource, SCOPE, thread=thread)

    async def last(self) -> str:
        return await self._harness.store.current(self._resource, SCOPE) or ""

    async def _unused(self) -> Session:
        """A new thread, which is current only once something was said in it."""
        before = await self._harness.store.current(self._resource, SCOPE)
        session = await self._harness.session(self._resource, SCOPE, new=True)
        if before:
            await self._harness.store.set_current(self._resource, SCOPE, before)
        self._fresh[session.thread] = session
        return session

    async def _used(self, thread: str) -> None:
        """Something was said in a thread: from now on it is the last one used."""
        store = self._harness.store
        if await store.current(self._resource, SCOPE) != thread:
            await store.set_current(self._resource, SCOPE, thread)
        if self._fresh.pop(thread, None) is not None:
            await asyncio.to_thread(self._drafts.settle, thread)

    async def _opened(self, session: Session) -> LocalThread:
        if self._prepare is not None:
            await self._prepare(session)
        store, used = self._harness.store, partial(self._used, session.thread)
        return LocalThread(session, store, self._shell, used, self._drafts)

    async def let_go(self, shown: str) -> None:
        # What came of a command of the person's is told to the thread that they gave it in.
        live = () if self._shell.runs else self._harness.sessions
        left = [one for one in live if one.thread != shown and _rests(one)]
        await asyncio.gather(*(one.close() for one in left))

    async def threads(
        self, *, after: ThreadRow | None = None, limit: int = 50
    ) -> Sequence[ThreadRow]:
        said: list[ThreadRow] = []
        more = True
        # Threads in which nothing was said are left out; a page is short only at the end.
        while more and len(said) < limit:
            page = await self._harness.threads(self._resource, after=after, limit=limit)
            said += [row for row in page if row.title or row.status != "idle"]
            more, after = len(page) == limit, page[-1] if page else None
        return said[:limit]

    async def search(self, text: str, *, limit: int = 20) -> Sequence[Hit]:
        return await self._harness.search(self._resource, text, limit=limit)

    async def said(self, *, limit: int = 500) -> Sequence[str]:
        return await said_before(self._harness.store, self._resource, limit)

    async def owner(self, thread: str) -> Owner:
        live = (one for one in self._harness.sessions if one.thread == thread)
        if any(one.conductor.owns for one in live):
            return "here"
        return await owner_of(self._harness.store, thread)

    async def rename(self, thread: str, title: str) -> None:
        await self._label(thread, Rename(title))

    async def tag(self, thread: str, tags: Sequence[str]) -> None:
        await self._label(thread, Tag(tuple(tags)))

    async def _label(self, thread: str, label: Rename | Tag) -> None:
        """Write a title or tags; nothing goes on for that in a thread that is not open here."""
        live = any(one.thread == thread for one in self._harness.sessions)
        session = await self._session(thread)
        await (session.submit(label) if live else session.close_with(label))

    async def fork(self, thread: str) -> LocalThread:
        return await self._opened(await self._harness.fork(self._resource, thread))

    async def delete(self, thread: str) -> None:
        await self._harness.delete(self._resource, thread)

    async def export(self, thread: str, format: Literal["json", "markdown"]) -> bytes:
        pieces = self._harness.export(self._resource, thread, format=format)
        return b"".join([piece async for piece in pieces])

    async def models(self) -> Sequence[ModelInfo]:
        return await self._harness.models(ask=True)

    async def files(self, part: str, *, limit: int = 20) -> Sequence[str]:
        return await self._files.find(part, limit)

    async def attachment(self, path: str) -> Attachment:
        return await self._files.read(path)

    async def checks(self) -> Sequence[Check]:
        if self._look is None:
            raise UsageError(NO_CHECKS)
        return await self._look()

    async def keep(self, setting: str, value: str) -> None:
        if self._keeping is not None:
            await asyncio.to_thread(self._keeping, setting, value)

    def suggestion(self, shown: Display) -> str:
        return self._suggest(shown) if self._suggest else ""

    async def close(self) -> None:
        """End what runs on the person's behalf, and leave no thread in which nothing was said. The
        harness is closed by whoever opened it."""
        for thread, session in self._fresh.items():
            if not anything_said(session):
                with suppress(NotFound):  # deleted by somebody else
                    await self._harness.delete(self._resource, thread)
        await self._files.close()
        await self._shell.close()


def _works(session: Session) -> bool:
    """Whether a run goes on here, or a command in the background."""
    runs = session.display.activity == "running" and session.conductor.owns
    return runs or any(job.ending is None for job in jobs_here(session))


def _rests(session: Session) -> bool:
    """Whether nothing of a session would end with it: no run, no child, no command behind it,
    nothing beside it such as its title, and no call to a person who looks at another thread."""
    works = session.display.activity == "running" or has_open_jobs(session.folded.slices)
    works = works or session.conductor.beside
    return not (works and session.conductor.owns) and not _waits(session)


def _waits(session: Session) -> bool:
    """Whether a run that goes on here waits for the person."""
    return session.conductor.owns and session.display.activity == "waiting"


_FITS: type[Client] = LocalClient
