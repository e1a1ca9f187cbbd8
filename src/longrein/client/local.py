"""The client of a harness in this process."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing, suppress
from typing import Any, Literal, cast

from longrein.client.files import FileIndex
from longrein.client.own_shell import OwnShell
from longrein.client.own_words import SOURCE
from longrein.client.port import (
    About,
    Attachment,
    Check,
    Client,
    CommandInfo,
    Owner,
    Restored,
    ThreadClient,
    Verb,
)
from longrein.context.report import ContextReport
from longrein.core import events as e
from longrein.core.commands import Answer, Command, SwitchModel
from longrein.core.display import Display
from longrein.core.errors import NotFound, UsageError
from longrein.core.media import media_type
from longrein.core.messages import File
from longrein.core.policy import Grant, Rule
from longrein.core.restored import RestoreReport
from longrein.core.rewinds import RewindPoint, RewindPreview
from longrein.harness import Harness
from longrein.models.base import Effort
from longrein.models.listing import ModelInfo
from longrein.permissions.explain import Explanation
from longrein.session.alive import living_owner
from longrein.session.session import Session
from longrein.storage.base import Hit, Store, ThreadRow

SCOPE = "default"
NO_CHECKS = "Nothing is looked at here: run `longrein doctor` instead."


class LocalThread:
    """A session as a front end sees it."""

    def __init__(
        self,
        session: Session,
        store: Store,
        shell: OwnShell,
        used: Callable[[str], Awaitable[None]],
    ) -> None:
        self._session = session
        self._store = store
        self._shell = shell
        self._used = used

    @property
    def thread(self) -> str:
        return self._session.thread

    @property
    def display(self) -> Display:
        return self._session.display

    def displays(self) -> AsyncGenerator[Display, None]:
        return self._session.displays()

    async def say(self, verb: Verb, text: str, files: Sequence[Attachment] = ()) -> None:
        kept = [await self._kept(file) for file in files]
        say = {
            "send": self._session.send,
            "queue": self._session.queue,
            "steer": self._session.steer,
        }[verb]
        await say(text, files=kept)
        await self._used(self.thread)

    async def _kept(self, file: Attachment) -> File:
        blob = await self._store.put_blob(file.data)
        return File(media_type(file.data), blob=blob, name=file.name)

    async def submit(self, command: Command) -> Answer:
        if isinstance(command, SwitchModel):
            # Whether there is such a model is known here, and not by the one who applies it.
            effort = cast("Effort | None", command.effort or None)
            return await self._session.switch_model(
                command.model, effort=effort, command=command.id
            )
        return await self._session.submit(command)

    async def proceed(self) -> None:
        await self._session.proceed()

    async def resume(self) -> None:
        await self._session.resume()

    async def owner(self) -> Owner:
        if self._session.conductor.owns:
            return "here"
        return await _owner(self._store, self.thread)

    async def points(self) -> Sequence[RewindPoint]:
        return self._session.points()

    async def preview(self, point: str) -> RewindPreview:
        return await self._session.preview_rewind(point)

    async def rewind(
        self, point: str, *, files: bool, conversation: bool, overwrite: Sequence[str] = ()
    ) -> Restored:
        before = self._session.folded.seq
        answer = await self._session.rewind(
            point, files=files, conversation=conversation, overwrite=overwrite
        )
        return await self._restored(before, answer)

    async def undo(self) -> Restored:
        before = self._session.folded.seq
        return await self._restored(before, await self._session.undo())

    async def _restored(self, after: int, answer: Answer) -> Restored:
        """What came of a rewind, by the first that was written after an event."""
        if answer.status == "accepted":
            return Restored(done=False)
        if answer.status != "applied":
            raise UsageError(answer.message or "There is nothing to go back to any more.")
        async with aclosing(self._session.events(after, only=e.Rewound)) as events:
            async for event in events:
                if isinstance(event, e.Rewound):
                    return Restored(str(event.report))
        return Restored(str(RestoreReport()))

    async def context(self) -> ContextReport:
        return await self._session.context()

    async def rules(self) -> Sequence[tuple[str, Rule]]:
        return self._session.rules()

    async def grants(self) -> Sequence[Grant]:
        return self._session.grants()

    async def explain(self, tool: str, arguments: Mapping[str, Any]) -> Explanation:
        return await self._session.explain(tool, arguments)

    async def commands(self) -> Sequence[CommandInfo]:
        return [CommandInfo(one.name, one.description, one.hint) for one in self._session.commands]

    async def invoke(self, name: str, arguments: str = "") -> str:
        return await self._session.invoke(name, arguments)

    async def shell(self, line: str, hear: Callable[[str], object]) -> int:
        def tell(text: str) -> Awaitable[object]:
            return self._session.signal(text, source=SOURCE, wake=False)

        await self._used(self.thread)
        return await self._shell.run(line, hear, tell)

    async def child(self, thread: str) -> "LocalThread":
        child = await self._session.child(thread)
        return LocalThread(child, self._store, self._shell, self._used)

    async def stop_child(self, thread: str) -> bool:
        return await self._session.stop_child(thread)


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
        self._look = look
        self._suggest = suggest
        self._keeping = keeping

    @property
    def about(self) -> About:
        return self._about

    @property
    def busy(self) -> bool:
        running = (one for one in self._harness.sessions if one.display.activity == "running")
        return any(one.conductor.owns for one in running)

    async def open(self, thread: str = "", *, new: bool = False) -> LocalThread:
        if thread:
            # From now on it is the last one used.
            return await self._opened(await self._harness.switch(self._resource, SCOPE, thread))
        if new:
            return await self._opened(await self._unused())
        return await self._opened(await self._harness.session(self._resource, SCOPE))

    async def _unused(self) -> Session:
        """A new thread, which is current only once something was said in it."""
        before = await self._harness.store.current(self._resource, SCOPE)
        session = await self._harness.session(self._resource, SCOPE, new=True)
        if before:
            await self._harness.store.set_current(self._resource, SCOPE, before)
        self._fresh[session.thread] = session
        return session

    async def _used(self, thread: str) -> None:
        """Something was said in a thread."""
        if self._fresh.pop(thread, None) is not None:
            await self._harness.store.set_current(self._resource, SCOPE, thread)

    async def _opened(self, session: Session) -> LocalThread:
        if self._prepare is not None:
            await self._prepare(session)
        return LocalThread(session, self._harness.store, self._shell, self._used)

    async def threads(
        self, *, after: ThreadRow | None = None, limit: int = 50
    ) -> Sequence[ThreadRow]:
        page = await self._harness.threads(self._resource, after=after, limit=limit)
        said = [row for row in page if row.title or row.status != "idle"]
        # A page of nothing but threads in which nothing was said is not the end.
        return said if said or not page else await self.threads(after=page[-1], limit=limit)

    async def search(self, text: str, *, limit: int = 20) -> Sequence[Hit]:
        return await self._harness.search(self._resource, text, limit=limit)

    async def owner(self, thread: str) -> Owner:
        live = (one for one in self._harness.sessions if one.thread == thread)
        if any(one.conductor.owns for one in live):
            return "here"
        return await _owner(self._harness.store, thread)

    async def fork(self, thread: str) -> LocalThread:
        return await self._opened(await self._harness.fork(self._resource, thread))

    async def delete(self, thread: str) -> None:
        await self._harness.delete(self._resource, thread)

    async def export(self, thread: str, format: Literal["json", "markdown"]) -> bytes:
        pieces = self._harness.export(self._resource, thread, format=format)
        return b"".join([piece async for piece in pieces])

    async def models(self) -> Sequence[ModelInfo]:
        return await self._harness.models()

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
            if not session.folded.messages and not session.folded.queue:
                with suppress(NotFound):  # deleted by somebody else
                    await self._harness.delete(self._resource, thread)
        await self._files.close()
        await self._shell.close()


async def _owner(store: Store, thread: str) -> Owner:
    return "nobody" if await living_owner(store, thread) is None else "elsewhere"


_FITS: tuple[type[Client], type[ThreadClient]] = (LocalClient, LocalThread)
