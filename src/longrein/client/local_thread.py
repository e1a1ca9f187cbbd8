"""A session in this process as a front end sees it."""

import asyncio
import os
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing, suppress
from typing import Any, cast

from longrein.capabilities.workspace.opened import OpenWorkspace
from longrein.client.covering import approve_for_long
from longrein.client.drafts import Drafts
from longrein.client.jobs import job_rows, output_of, stop
from longrein.client.own_shell import OwnShell
from longrein.client.own_words import SOURCE
from longrein.client.port import (
    Attachment,
    Barred,
    CommandInfo,
    JobInfo,
    Owner,
    Restored,
    ThreadClient,
    Verb,
)
from longrein.client.ruling import calls_about
from longrein.client.whole import whole_result
from longrein.context.report import ContextReport
from longrein.core import events as e
from longrein.core.commands import Answer, Approve, Command, Decision, SwitchModel
from longrein.core.display import Display
from longrein.core.errors import LongreinError, UsageError
from longrein.core.media import media_type
from longrein.core.messages import File, ToolResult
from longrein.core.policy import Grant, Rule
from longrein.core.restored import RestoreReport
from longrein.core.rewinds import RewindPoint, RewindPreview
from longrein.models.base import Effort
from longrein.permissions.explain import Explanation
from longrein.session.alive import living_owner
from longrein.session.session import Session
from longrein.storage.base import Store
from longrein.workspace.rules import FileRule


class LocalThread:
    """A session as a front end sees it."""

    def __init__(
        self,
        session: Session,
        store: Store,
        shell: OwnShell,
        used: Callable[[], Awaitable[None]],
        drafts: Drafts,
    ) -> None:
        self._session = session
        self._store = store
        self._shell = shell
        self._used = used
        self._drafts = drafts

    @property
    def thread(self) -> str:
        return self._session.thread

    @property
    def display(self) -> Display:
        return self._session.display

    def displays(self) -> AsyncGenerator[Display, None]:
        return self._session.displays()

    async def say(
        self, verb: Verb, text: str, files: Sequence[Attachment] = (), command: str = ""
    ) -> None:
        kept = [await self.keep_file(file) for file in files]
        say = {
            "send": self._session.send,
            "queue": self._session.queue,
            "steer": self._session.steer,
        }[verb]
        await say(text, files=kept, command=command)
        await self._used()

    async def keep_file(self, file: Attachment) -> File:
        if file.kept is not None:
            return file.kept
        return await kept_file(self._store, file)

    async def whole(self, call: str) -> str:
        for message in reversed(self.display.messages):
            if isinstance(message, ToolResult) and message.call == call:
                redactor = self._session.redactor
                return await whole_result(self._store, self.thread, message, redactor)
        return ""

    async def draft(self) -> bytes:
        return await asyncio.to_thread(self._drafts.read, self.thread)

    async def keep_draft(self, data: bytes) -> None:
        await asyncio.to_thread(self._drafts.write, self.thread, data)

    async def submit(self, command: Command) -> Answer:
        if isinstance(command, SwitchModel):
            # Whether there is such a model is known here, and not by the one who applies it.
            effort = cast("Effort | None", command.effort or None)
            return await self._session.switch_model(
                command.model, effort=effort, command=command.id
            )
        if isinstance(command, Approve) and command.remember and command.id:
            answer = await approve_for_long(self._session, self._store, command)
        else:
            answer = await self._session.submit(command)
        if isinstance(command, Decision):
            await self._used()
        return answer

    async def proceed(self) -> None:
        await self._session.proceed()
        await self._used()

    async def resume(self) -> None:
        await self._session.resume()
        await self._used()

    async def owner(self) -> Owner:
        if self._session.conductor.owns:
            if self.display.activity != "running" and not await self._store.thread(self.thread):
                await self._session.close()  # deleted by another process; who runs notices itself
            return "here"
        return await owner_of(self._store, self.thread)

    async def points(self) -> Sequence[RewindPoint]:
        return self._session.points()

    async def preview(self, point: str, overwrite: Sequence[str] = ()) -> RewindPreview:
        return await self._session.preview_rewind(point, overwrite=overwrite)

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

    async def file_rules(self) -> Sequence[FileRule]:
        with suppress(UsageError):  # it has no workspace
            return self._session.capability(OpenWorkspace).file_rules
        return ()

    async def unreadable(self, paths: Sequence[str]) -> Mapping[str, Barred]:
        found: dict[str, Barred] = {}
        for path in paths:
            tool, given = calls_about(_whole(path))["read"]
            with suppress(LongreinError):  # nothing is known of what it cannot be asked about
                verdict = (await self._session.explain(tool, given)).verdict
                if verdict != "allow":
                    found[path] = verdict
        return found

    async def grants(self) -> Sequence[Grant]:
        return self._session.grants()

    async def explain(self, tool: str, arguments: Mapping[str, Any]) -> Explanation:
        return await self._session.explain(tool, arguments)

    async def commands(self) -> Sequence[CommandInfo]:
        return [CommandInfo(one.name, one.description, one.hint) for one in self._session.commands]

    async def invoke(self, name: str, arguments: str = "") -> str:
        told = await self._session.invoke(name, arguments)
        if anything_said(self._session):  # many only tell the person something
            await self._used()
        return told

    async def shell(self, line: str, hear: Callable[[str], object]) -> int:
        def tell(text: str) -> Awaitable[object]:
            return self._session.signal(text, source=SOURCE, wake=False)

        await self._used()
        return await self._shell.run(line, hear, tell)

    async def child(self, thread: str) -> "LocalThread":
        child = await self._session.child(thread)
        return LocalThread(child, self._store, self._shell, self._used, self._drafts)

    async def stop_child(self, thread: str) -> bool:
        return await self._session.stop_child(thread)

    async def jobs(self) -> Sequence[JobInfo]:
        return job_rows(self._session, await self.owner())

    async def job_output(self, job: int) -> str:
        return await output_of(self._session, job)

    async def stop_job(self, job: int) -> bool:
        return await stop(self._session, job, await self.owner())


def _whole(path: str) -> str:
    """A path that the agent can be asked about, who knows nobody's home."""
    return os.path.expanduser(path) if path.startswith("~") else path


def anything_said(session: Session) -> bool:
    """Whether a thread has anything in it that somebody said."""
    return bool(session.folded.messages or session.folded.queue)


async def kept_file(store: Store, file: Attachment) -> File:
    """A file that goes along, kept in the store."""
    return File(media_type(file.data), blob=await store.put_blob(file.data), name=file.name)


async def owner_of(store: Store, thread: str) -> Owner:
    return "nobody" if await living_owner(store, thread) is None else "elsewhere"


_FITS: type[ThreadClient] = LocalThread
