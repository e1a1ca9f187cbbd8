"""`Workspace`: a place to work in. Files, a shell, and a way back from what was done there."""

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack
from typing import Any, cast

from longrein.capabilities.base import (
    Capability,
    CommandContext,
    HookContext,
    Opening,
    SlashCommand,
)
from longrein.capabilities.file_tools.place import Place
from longrein.capabilities.file_tools.seen import SEEN
from longrein.capabilities.file_tools.tools import file_tools
from longrein.capabilities.rewinding import Rewinding
from longrein.capabilities.session_rules import session_rules, store_in
from longrein.capabilities.shelf import Shelf
from longrein.capabilities.shell_tools.news import settle
from longrein.capabilities.shell_tools.records import JOBS, JobRecord
from longrein.capabilities.shell_tools.shell import Shell
from longrein.capabilities.shell_tools.tools import shell_tools
from longrein.capabilities.shelling import ShellChoice, Shelling, forget_outputs, shell_settings
from longrein.capabilities.sources import (
    Disk,
    InThread,
    Mounted,
    Source,
    check_source,
    disk_files,
    folder_of,
    has_thread_files,
    open_files,
)
from longrein.core.errors import UsageError
from longrein.core.records import Point
from longrein.core.restored import RestoreReport, Untouched
from longrein.core.slices import Slice
from longrein.core.state import Kept
from longrein.permissions.patterns import literal
from longrein.storage.base import Store
from longrein.tools.define import Tool
from longrein.tools.within import Within
from longrein.workspace.base import FileSystem
from longrein.workspace.carrying import put_files, take_files
from longrein.workspace.checkpoints.facts import CHANGED, CHANGED_AT
from longrein.workspace.checkpoints.values import FileChange, Keeping
from longrein.workspace.paths import canonical, is_below
from longrein.workspace.protected import REPOSITORY, protected_in
from longrein.workspace.rules import FileRule, resolved
from longrein.workspace.thread import THREAD_FILES

KEEPING = Keeping()


class Workspace(Capability):
    """A place for an agent to work in.

    `files` is where the files are: a folder of the disk, `InThread()`, `InStore()`, `Mounted(...)`,
    or a file system of your own. `rules` are file rules: the first that is about a path decides;
    they bind the file tools, what searches find, and the shell. `shell` is where commands run:
    `"sandbox"`, `"host"`, a function that makes a sandbox, `ShellSettings` for more than that, or
    None for nowhere. Files that are not on the disk have a shell only by a function, and `folder`
    as the working folder. `checkpoints` keep what is changed, so that it can be rewound, within the
    bounds of `keeping`.

    >>> from longrein import Agent, FileRule, InThread, Workspace
    >>> scratch = Workspace(InThread(), rules=[FileRule("deny", ("/private/**",))])
    >>> [tool.name for tool in scratch.tools()]
    ['ls', 'read_file', 'write_file', 'edit_file', 'delete', 'move', 'glob', 'grep']
    """

    def __init__(
        self,
        files: str | os.PathLike[str] | Source,
        *,
        rules: Sequence[FileRule] = (),
        shell: ShellChoice = "sandbox",
        folder: str = "",
        checkpoints: bool = True,
        keeping: Keeping = KEEPING,
    ) -> None:
        self._source: Source = Disk(files) if isinstance(files, str | os.PathLike) else files
        check_source(self._source)
        _check_rules(rules)
        disk = folder_of(self._source)
        self._folder = disk or (canonical(folder) if folder else "")
        given = resolved(rules, disk) if disk else tuple(rules)
        # After those of the user: the first that is about a path decides.
        self._rules = (*given, *_guards(self._source))
        self._disk = disk_files(disk) if disk else None
        settings = shell_settings(shell)
        self._shelling = None
        if settings is not None and (disk or callable(settings.where)):
            if not self._folder:
                raise UsageError("A shell needs a working folder: give Workspace(..., folder=...).")
            self._shelling = Shelling(settings, self._folder, self._disk, given)
        self._shelf = Shelf(keeping) if checkpoints else None

    @property
    def name(self) -> str:
        return "workspace"

    def not_kept(self) -> RestoreReport:
        """What a rewind comes to where files are not kept: those of the thread go back anyway."""
        if isinstance(self._source, InThread):
            return RestoreReport()
        where = Untouched(self._folder or "/", "what files were is not kept: checkpoints=False")
        return RestoreReport(unrestorable=(where,))

    def slices(self) -> Sequence[Slice[Any]]:
        own: list[Slice[Any]] = [SEEN]
        own += [THREAD_FILES] if has_thread_files(self._source) else []
        own += [JOBS] if self._shelling else []
        own += [CHANGED, CHANGED_AT] if self._shelf else []
        return own

    async def open(self, opening: Opening) -> "OpenWorkspace":
        async with AsyncExitStack() as stack:
            files = open_files(self._source, opening, self._disk)
            first = session_rules(opening, self._folder)
            rewinding = None
            if self._shelf is not None:
                checkpoints = await stack.enter_async_context(self._shelf.lend(opening.store))
                rewinding = Rewinding(
                    checkpoints,
                    opening.thread,
                    files,
                    self._source,
                    (*first, *self._rules),
                    store_in(opening.store, self._folder),
                )
                await rewinding.tidy()
            shell = None
            if self._shelling is not None:
                shell = await self._shelling.open(stack, opening, rewinding, first)
                files = self._shelling.with_outputs(files, opening)
            rules = (*first, *self._rules)
            place = Place(files, self._folder or "/", rules, rewinding, shell is not None)
            return OpenWorkspace(self, place, shell, rewinding, stack.pop_all())

    async def forget(self, store: Store, thread: str) -> None:
        if self._shelf is not None:
            await self._shelf.forget(store, thread)
        await forget_outputs(store, thread)

    def tools(self) -> list[Tool]:
        # Only their names and schemas count: those that are called belong to a session.
        tools = file_tools(Place(_closed))
        return [*tools, *shell_tools(self._shelling.closed)] if self._shelling else tools

    def has(self, point: Point) -> bool:
        return point == "before_run" and self._shelling is not None

    def due(self, slices: Mapping[str, Kept]) -> bool:
        return has_open_jobs(slices)

    def context(self, opening: Opening) -> str:
        told = [f"Your working folder is {self._folder}."] if self._folder else []
        if isinstance(self._source, Mounted):
            others = ", ".join(self._source.mounts)
            hidden = " Commands do not see them." if self._shelling else ""
            told.append(f"Other files are in {others}.{hidden}")
        told += [self._shelling.said] if self._shelling else []
        return " ".join(one for one in told if one)


class OpenWorkspace(Capability):
    """A workspace as one session has it: `session.capability(OpenWorkspace)`.

    >>> from longrein import OpenWorkspace, Session
    >>> async def give(session: Session) -> None:
    ...     workspace = session.capability(OpenWorkspace)
    ...     await session.perform(lambda ctx: workspace.put(ctx, {"/data.csv": b"1,2"}))
    """

    def __init__(
        self,
        made: Workspace,
        place: Place,
        shell: Shell | None,
        rewinding: Rewinding | None,
        stack: AsyncExitStack,
    ) -> None:
        self._made = made
        self._place = place
        self._shell = shell
        self._rewinding = rewinding
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

    def context(self, opening: Opening) -> str:
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
            return self._made.not_kept()
        return await self._rewinding.restore(ctx, since, overwrite, dry=dry)

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
        """The files below a folder, by path; see `take_files` for those that are too many."""
        files = self.files(ctx)
        return {path: content.data async for path, content in take_files(files, under)}

    @property
    def file_rules(self) -> tuple[FileRule, ...]:
        """Every file rule that holds, the first to be asked first."""
        return self._place.rules

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


def _check_rules(rules: object) -> None:
    if not isinstance(rules, Sequence) or not all(
        isinstance(one, FileRule) for one in cast("Sequence[object]", rules)
    ):
        raise UsageError(f"rules are a list of FileRule, not {rules!r}.")


def has_open_jobs(slices: Mapping[str, Kept]) -> bool:
    """Whether there is a job of which nobody has said that it ended."""
    jobs: tuple[JobRecord, ...] = slices[JOBS.name].value if JOBS.name in slices else ()
    return any(job.ended is None for job in jobs)


def _guards(source: Source, at: str = "", *, mounted: bool = False) -> Iterator[FileRule]:
    """The rules that ask before anything changes that runs, or rules, outside of the workspace."""
    match source:
        case Disk(folder=folder):
            # A folder that is mounted has the path of its mount, and not its own below that.
            yield _guard(folder, at if mounted else at + folder)
        case Mounted(base=base, mounts=mounts):
            yield from _guards(base, at)
            for path, one in mounts.items():
                yield from _guards(one, at + canonical(path).rstrip("/"), mounted=True)
        case _:
            pass


def _guard(folder: str, at: str) -> FileRule:
    # Where `.git` is a link, its repository has a path of its own as well.
    repository = os.path.realpath(f"{folder}/{REPOSITORY}")
    linked = repository != f"{folder}/{REPOSITORY}" and is_below(repository, folder)
    there = (literal(at + repository[len(folder) :]),) if linked else ()
    return FileRule("ask", (*protected_in(at), *there), ("write",), always=True)


def _closed(ctx: Within[Any, Any]) -> FileSystem:
    raise UsageError("A workspace works only in a session.")
