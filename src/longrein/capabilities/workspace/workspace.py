"""`Workspace`: a place to work in. Files, a shell, and a way back from what was done there."""

import os
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from typing import Any, cast

from longrein.capabilities.base import Capability
from longrein.capabilities.file_tools.place import Place
from longrein.capabilities.file_tools.seen import SEEN
from longrein.capabilities.file_tools.tools import file_tools
from longrein.capabilities.opening import Opening, Places
from longrein.capabilities.shell_tools.jobs import Jobs
from longrein.capabilities.shell_tools.records import JOBS, has_open_jobs
from longrein.capabilities.shell_tools.tools import shell_tools
from longrein.capabilities.workspace.opened import OpenWorkspace
from longrein.capabilities.workspace.places import (
    check_store,
    mounts_in,
    own_places,
    said,
    thread_rules,
    with_places,
)
from longrein.capabilities.workspace.rewinding import Rewinding
from longrein.capabilities.workspace.rules import guards, harness_rules, session_rules, store_in
from longrein.capabilities.workspace.shelf import Shelf
from longrein.capabilities.workspace.shelling import (
    ShellChoice,
    Shelling,
    forget_outputs,
    forget_outputs_of,
    shell_settings,
)
from longrein.capabilities.workspace.sources import (
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
from longrein.core.events import Event
from longrein.core.offload import OFFLOAD
from longrein.core.records import Point
from longrein.core.restored import RestoreReport, Untouched
from longrein.core.slices import Slice
from longrein.core.state import Kept
from longrein.storage.base import Store
from longrein.tools.bounds import OF_INPUT
from longrein.tools.define import Tool
from longrein.tools.within import Within
from longrein.workspace.base import FileSystem
from longrein.workspace.checkpoints.facts import CHANGED, CHANGED_AT
from longrein.workspace.checkpoints.values import Keeping
from longrein.workspace.paths import canonical
from longrein.workspace.rules import FileRule, resolved
from longrein.workspace.thread import THREAD_FILES

KEEPING = Keeping()

LONGEST_INPUT = 100_000
"""Characters of an input that a model is shown; of a longer one it is shown head and tail."""


class Workspace(Capability):
    """A place for an agent to work in.

    `files` is where the files are: a folder of the disk, `InThread()`, `InStore()`, `Mounted(...)`,
    or a file system of your own. `rules` are file rules: the first that is about a path decides;
    they bind the file tools, what searches find, and the shell. `shell` is where commands run:
    `"sandbox"`, `"host"`, a function that makes a sandbox, `ShellSettings` for more than that, or
    None for nowhere. Files that are not on the disk have a shell only by a function, and `folder`
    as the working folder. `checkpoints` keep what is changed, so that it can be rewound, within the
    bounds of `keeping`. With `history` the agent can read its whole thread: `/history` is what was
    said, `/offload` all of what it was shown in part. Inputs of over `longest_input` characters are
    shown so as well.

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
        history: bool = True,
        longest_input: int = LONGEST_INPUT,
    ) -> None:
        self._source: Source = Disk(files) if isinstance(files, str | os.PathLike) else files
        check_source(self._source)
        _check_rules(rules)
        disk = folder_of(self._source)
        self._folder = disk or (canonical(folder) if folder else "")
        given = resolved(rules, disk) if disk else tuple(rules)
        # After those of the user: the first that is about a path decides.
        self._rules = (*given, *guards(self._source))
        self._disk = disk_files(disk) if disk else None
        settings = shell_settings(shell)
        self._shelling = None
        if settings is not None and (disk or callable(settings.where)):
            if not self._folder:
                raise UsageError("A shell needs a working folder: give Workspace(..., folder=...).")
            self._shelling = Shelling(settings, self._folder, self._disk, given)
        self._shelf = Shelf(keeping) if checkpoints else None
        self._history = history
        if longest_input < OF_INPUT:
            raise UsageError(f"longest_input={longest_input!r} is too few: {OF_INPUT:,} or more.")
        self._longest_input = longest_input

    @property
    def name(self) -> str:
        return "workspace"

    def needed(self) -> str:
        return (
            "threads keep their files in it, and rewinding, skills, memory and long results go "
            "through it. Hide its tools instead, with excluded_tools."
        )

    def slices(self) -> Sequence[Slice[Any]]:
        own: list[Slice[Any]] = [SEEN]
        own += [THREAD_FILES] if has_thread_files(self._source) else []
        own += [JOBS] if self._shelling else []
        own += [CHANGED, CHANGED_AT] if self._shelf else []
        return own

    async def open(self, opening: Opening) -> "OpenWorkspace":
        async with AsyncExitStack() as stack:
            own = files = open_files(self._source, opening, self._disk)
            mounts = mounts_in(opening.places, self._source)
            await check_store(self._source, opening, list(mounts))
            bound = session_rules(opening, self._folder, self._rules)
            jobs, rewinding = Jobs(), None
            if self._shelf is not None:
                checkpoints = await stack.enter_async_context(self._shelf.lend(opening.store))
                rewinding = Rewinding(
                    checkpoints,
                    opening.thread,
                    files,
                    self._source,
                    bound,
                    store_in(opening.store, self._folder),
                    lambda: bool(jobs.running),
                    tuple(mounts),
                    opening.above,
                )
                await rewinding.tidy()
            shell = None
            if self._shelling is not None:
                shell = await self._shelling.open(stack, opening, jobs, rewinding)
                files = self._shelling.with_outputs(files, opening)
            files = with_places(files, mounts)
            rules = (*(thread_rules() if self._history else ()), *bound)
            place = Place(files, self._folder or "/", rules, rewinding, shell is not None)
            longest = self._longest_input if OFFLOAD in mounts else 0
            kept = rewinding or self._not_kept
            return OpenWorkspace(self, place, own, shell, kept, stack.pop_all(), longest)

    def places(self, opening: Opening) -> Places:
        if not self._history:
            return Places()
        return own_places((*harness_rules(opening, self._folder), *self._rules))

    @property
    def _not_kept(self) -> RestoreReport:
        """What a rewind comes to without checkpoints: the files of the thread go back anyway."""
        if isinstance(self._source, InThread):
            return RestoreReport()
        where = Untouched(self._folder or "/", "what files were is not kept: checkpoints=False")
        return RestoreReport(unrestorable=(where,))

    async def forget(self, store: Store, thread: str) -> None:
        if self._shelf is not None:
            await self._shelf.forget(store, thread)
        await forget_outputs(store, thread)

    async def erased(self, store: Store, thread: str, events: Sequence[Event]) -> None:
        await forget_outputs_of(store, thread, events)

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
        others = [", ".join(self._source.mounts)] if isinstance(self._source, Mounted) else []
        if mounts := mounts_in(opening.places, self._source):
            others.append(said(mounts))
        if others:
            hidden = " Commands do not see them." if self._shelling else ""
            told.append(f"Other files are in {', '.join(others)}.{hidden}")
        told += [self._shelling.said] if self._shelling else []
        return " ".join(one for one in told if one)


def _check_rules(rules: object) -> None:
    if not isinstance(rules, Sequence) or not all(
        isinstance(one, FileRule) for one in cast("Sequence[object]", rules)
    ):
        raise UsageError(f"rules are a list of FileRule, not {rules!r}.")


def _closed(ctx: Within[Any, Any]) -> FileSystem:
    raise UsageError("A workspace works only in a session.")
