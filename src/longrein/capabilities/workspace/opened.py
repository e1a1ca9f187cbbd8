"""`OpenWorkspace`: a workspace as one session has it."""

from collections.abc import Awaitable, Collection, Mapping, Sequence
from contextlib import AsyncExitStack
from typing import Any

from longrein.capabilities.base import Capability
from longrein.capabilities.contexts import CommandContext, HookContext, SlashCommand
from longrein.capabilities.file_tools.place import Place
from longrein.capabilities.file_tools.tools import file_tools
from longrein.capabilities.opening import Opening
from longrein.capabilities.shell_tools.jobs import Job
from longrein.capabilities.shell_tools.news import settle, stop_for_person
from longrein.capabilities.shell_tools.records import has_open_jobs
from longrein.capabilities.shell_tools.shell import Shell
from longrein.capabilities.shell_tools.tools import shell_tools
from longrein.capabilities.workspace.rewinding import Rewinding
from longrein.capabilities.workspace.sources import Files
from longrein.core.errors import UsageError
from longrein.core.records import Point
from longrein.core.restored import RestoreReport
from longrein.core.slices import Slice
from longrein.core.state import Kept
from longrein.tools.define import Tool
from longrein.tools.within import Within
from longrein.workspace.base import FileSystem
from longrein.workspace.carrying import put_files, take_files
from longrein.workspace.checkpoints.values import FileChange
from longrein.workspace.rules import FileRule


class OpenWorkspace(Capability):
    """A workspace as one session has it: `session.capability(OpenWorkspace)`.

    It is made by the capability of the agent. `own` are its files without what other capabilities
    mount beside them. `rewinding` takes files back; without checkpoints it is what is said instead.
    `longest_input` is how many characters of an input a model is shown; 0: all.

    >>> from longrein import OpenWorkspace, Session
    >>> async def give(session: Session) -> None:
    ...     workspace = session.capability(OpenWorkspace)
    ...     await session.perform(lambda ctx: workspace.put(ctx, {"/data.csv": b"1,2"}))
    """

    def __init__(
        self,
        made: Capability,
        place: Place,
        own: Files,
        shell: Shell | None,
        rewinding: Rewinding | RestoreReport,
        stack: AsyncExitStack,
        longest_input: int = 0,
    ) -> None:
        self._made = made
        self._place = place
        self._own = own
        self.longest_input = longest_input
        self._shell = shell
        self._rewinding = rewinding if isinstance(rewinding, Rewinding) else None
        self._not_kept = RestoreReport() if isinstance(rewinding, Rewinding) else rewinding
        self._stack = stack

    @property
    def name(self) -> str:
        return self._made.name

    def slices(self) -> Sequence[Slice[Any]]:
        return self._made.slices()

    def tools(self) -> list[Tool]:
        tools = file_tools(self._place)
        return [*tools, *shell_tools(self._shell)] if self._shell else tools

    def commands(self) -> Sequence[SlashCommand]:
        about = "Show the files that this thread changed; with a path, how."
        return (SlashCommand("changes", about, self._changes),) if self._rewinding else ()

    def context(self, opening: Opening) -> str | Awaitable[str]:
        return self._made.context(opening)

    def has(self, point: Point) -> bool:
        return self._made.has(point)

    def due(self, slices: Mapping[str, Kept]) -> bool:
        return has_open_jobs(slices)

    async def before_run(self, ctx: HookContext) -> None:
        if self._shell is not None:
            await settle(self._shell, ctx)

    async def restore(
        self, ctx: HookContext, since: int, overwrite: Collection[str], *, dry: bool
    ) -> RestoreReport:
        if not dry:
            await self.stop_since(ctx.thread, since)
        if self._rewinding is None:
            return self._not_kept
        return await self._rewinding.restore(ctx, since, overwrite, dry=dry)

    async def child_ended(self, ctx: HookContext, child: str) -> None:
        if self._rewinding is not None:
            await self._rewinding.note_child(ctx, child)

    async def stop_since(self, thread: str, since: int) -> None:
        if self._shell is not None:
            await self._shell.jobs.stop_since(since)

    async def close(self) -> None:
        await self._stack.aclose()

    def files(self, ctx: Within[Any, Any]) -> FileSystem:
        """The file system, without rules around it: for the application, not for a model."""
        return self._place.files(ctx)

    async def put(self, ctx: Within[Any, Any], contents: Mapping[str, bytes]) -> None:
        """Write files by path; what is there is replaced."""
        await put_files(self.files(ctx), contents)

    async def take(self, ctx: Within[Any, Any], under: str = "/") -> dict[str, bytes]:
        """The workspace's own files below a folder, by path; see `take_files` for those that are
        too many."""
        found = take_files(self._own(ctx), under)
        return {path: content.data async for path, content in found}

    @property
    def file_rules(self) -> tuple[FileRule, ...]:
        """Every file rule that holds, the first to be asked first."""
        return self._place.rules

    @property
    def jobs(self) -> Sequence[Job]:
        """The commands in the background of this session that run, or have something to read."""
        return self._shell.jobs.all if self._shell else ()

    async def stop_job(self, ctx: HookContext, id: int) -> bool:
        """End a job for a person; the model hears of it when it next runs. False: it had ended."""
        return self._shell is not None and await stop_for_person(self._shell, ctx, id)

    async def changed(self, *, run: str = "") -> tuple[FileChange, ...]:
        """What became of files in this thread, or in one of its runs, all in all."""
        return await self._rewinding.changed(run) if self._rewinding else ()

    async def diff(self, change: FileChange) -> str:
        """What a change did, as a unified diff."""
        return await self._rewinding.diff(change) if self._rewinding else ""

    async def _changes(self, ctx: CommandContext, path: str) -> str:
        found = await self.changed()
        path = path.strip()
        if not path:
            lines = (f"{c.status:9} +{c.added} -{c.removed}  {c.path}" for c in found)
            return "\n".join(lines) or "This thread has changed no files."
        for change in found:
            if change.path == path or change.path.endswith(f"/{path}"):
                return await self.diff(change)
        raise UsageError(f"This thread has not changed {path!r}.")
