"""`Workspace`: a place to work in. Files, a shell, and a way back from what was done there."""

import os
from collections.abc import Collection, Mapping, Sequence
from contextlib import AsyncExitStack
from typing import Any

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
from longrein.capabilities.shelf import Shelf
from longrein.capabilities.shell_tools.news import settle
from longrein.capabilities.shell_tools.records import JOBS
from longrein.capabilities.shell_tools.shell import Shell
from longrein.capabilities.shell_tools.tools import shell_tools
from longrein.capabilities.shelling import Network, ShellChoice, Shelling
from longrein.capabilities.sources import (
    Disk,
    Source,
    check_source,
    folder_of,
    has_thread_files,
    open_files,
)
from longrein.core.errors import UsageError
from longrein.core.records import Point
from longrein.core.restored import RestoreReport
from longrein.core.slices import Slice
from longrein.storage.base import Store
from longrein.tools.define import Tool
from longrein.tools.within import Within
from longrein.workspace.base import FileSystem
from longrein.workspace.carrying import put_files
from longrein.workspace.checkpoints.facts import CHANGED, CHANGED_AT
from longrein.workspace.checkpoints.values import FileChange, Keeping
from longrein.workspace.rules import FileRule
from longrein.workspace.sandbox.base import Bounds
from longrein.workspace.thread import THREAD_FILES

BOUNDS = Bounds()
WEB = (80, 443)
KEEPING = Keeping()
GUARDED = (".git/hooks/**", ".git/config", ".longrein/**", ".agents/**")
"""What is in these runs, or rules, outside of the workspace later: changing them is asked about."""


class Workspace(Capability):
    """A place for an agent to work in.

    `files` is where the files are: a folder of the disk, `InThread()`, `InStore()`, `Mounted(...)`,
    or a file system of your own. `rules` are file rules: the first that is about a path decides;
    they bind the file tools, what searches find, and the shell. `shell` is where commands run:
    `"sandbox"` isolated as well as it can be had here, `"host"` not isolated, None nowhere, or a
    function that makes a sandbox; files that are not on the disk have no shell. `network` is what
    commands can reach: hosts that rules allow, on `ports`; `"on"` everything, `"off"` nothing.
    `bounds` hold for each command.
    `checkpoints` keep what is changed, so that it can be rewound, within the bounds of `keeping`.

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
        network: Network = "rules",
        ports: Sequence[int] = WEB,
        bounds: Bounds = BOUNDS,
        checkpoints: bool = True,
        keeping: Keeping = KEEPING,
    ) -> None:
        self._source: Source = Disk(files) if isinstance(files, str | os.PathLike) else files
        check_source(self._source)
        if wrong := next((one for one in rules if not isinstance(one, FileRule)), None):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise UsageError(f"rules are a list of FileRule; {wrong!r} is none.")
        self._folder = folder_of(self._source)
        guarded = tuple(f"{self._folder}/{path}" for path in GUARDED) if self._folder else ()
        asking = (FileRule("ask", guarded, ("write",)),) if guarded else ()
        # After those of the user: the first that is about a path decides.
        self._rules = (*rules, *asking)
        self._shelling = Shelling(self._folder, tuple(rules), shell, network, tuple(ports), bounds)
        self._shelf = Shelf(keeping) if checkpoints else None

    @property
    def name(self) -> str:
        return "workspace"

    def slices(self) -> Sequence[Slice[Any]]:
        own: list[Slice[Any]] = [SEEN]
        own += [THREAD_FILES] if has_thread_files(self._source) else []
        own += [JOBS] if self._shelling.wanted else []
        own += [CHANGED, CHANGED_AT] if self._shelf else []
        return own

    async def open(self, opening: Opening) -> "OpenWorkspace":
        async with AsyncExitStack() as stack:
            files = open_files(self._source, opening)
            rewinding = None
            if self._shelf is not None:
                checkpoints = await stack.enter_async_context(self._shelf.lend(opening.store))
                rewinding = Rewinding(checkpoints, opening.thread, files, self._source, self._rules)
            shell = None
            if self._shelling.wanted:
                shell = await self._shelling.open(stack, opening, rewinding)
                files = self._shelling.with_outputs(files, opening)
            rules = (*self._shelling.rules_for(opening), *self._rules)
            place = Place(files, self._folder or "/", rules, rewinding)
            return OpenWorkspace(self, place, shell, rewinding, stack.pop_all())

    async def forget(self, store: Store, thread: str) -> None:
        if self._shelf is not None:
            await self._shelf.forget(store, thread)
        await self._shelling.forget(store, thread)

    def tools(self) -> list[Tool]:
        # Only their names and schemas count: those that are called belong to a session.
        tools = file_tools(Place(_closed))
        return [*tools, *shell_tools(self._shelling.closed)] if self._shelling.wanted else tools

    def has(self, point: Point) -> bool:
        return point == "before_run" and self._shelling.wanted

    def context(self, opening: Opening) -> str:
        where = f"Your working folder is {self._folder}. " if self._folder else ""
        return f"{where}{self._shelling.said}".strip()


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

    async def before_run(self, ctx: HookContext) -> None:
        if self._shell is not None:
            await settle(self._shell, ctx)

    async def restore(
        self, ctx: HookContext, since: int, overwrite: Collection[str], *, dry: bool
    ) -> RestoreReport:
        if self._shell is not None and not dry:
            await self._shell.jobs.stop_since(since)
        if self._rewinding is None:
            return RestoreReport()
        return await self._rewinding.restore(ctx, since, overwrite, dry=dry)

    async def close(self) -> None:
        await self._stack.aclose()

    def files(self, ctx: Within[Any, Any]) -> FileSystem:
        """The file system, without rules around it: for the application, not for a model."""
        return self._place.files(ctx)

    async def put(self, ctx: Within[Any, Any], contents: Mapping[str, bytes]) -> None:
        """Write files by path; what is there is replaced."""
        await put_files(self.files(ctx), contents)

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


def _closed(ctx: Within[Any, Any]) -> FileSystem:
    raise UsageError("A workspace works only in a session.")
