"""The checkpoints of one thread: what its tools call, and what rewinds its files."""

import asyncio
import os
from collections.abc import Callable, Collection, Sequence
from itertools import islice

from longrein.storage.tables.database import Database
from longrein.workspace.base import FileSystem
from longrein.workspace.checkpoints import changes
from longrein.workspace.checkpoints.by_commands import ByCommands
from longrein.workspace.checkpoints.by_tools import ByTools
from longrein.workspace.checkpoints.facts import CHANGED, ChangedFiles
from longrein.workspace.checkpoints.planning import RestorePlan, kept_elsewhere, make_plan, wanted
from longrein.workspace.checkpoints.restoring import Restored, Restoring
from longrein.workspace.checkpoints.site import Site
from longrein.workspace.checkpoints.snapshot import Snapshot, left_out
from longrein.workspace.checkpoints.store import Checkpoints
from longrein.workspace.checkpoints.values import (
    Calling,
    FileChange,
    LeftOut,
    Moment,
    NotKept,
    Reason,
    Row,
    Standing,
    shown,
)
from longrein.workspace.rules import FileRule

NOT_MEANT: frozenset[Reason] = frozenset({"git", "ignored"})
"""Why something is left out of which nobody expects that a rewind brings it back."""

MOST_LEFT_OUT = 100
"""Paths that are listed as not kept; of more only the number is told."""


class ThreadCheckpoints:
    """Keeps the files that a thread changes, and rewinds them.

    `files` is the file system to restore in, without rules around it: a rewind puts back what was
    there. `folder` is the folder of the disk that commands run in, seen in `files` at the path
    `at`; "" if no commands are run. `mounts` are paths at which other file systems are mounted;
    `besides` are files and folders that are never looked at, kept or restored. `rules` are those
    that hold for commands: what these cannot read, somebody else changed. `jobs_run` tells whether
    commands run in the background just now. `above` tells where the threads stand that a child
    works for: what it changes goes back with each of them.

    Tools call `before` and `after` around a change, and `before_command` and `after_command`
    around a command, one command at a time. Where only the first was reached, because the call
    failed, was stopped or died, the next call or plan finds out what is there.

    Plans and restores are told what the thread knows of its files (`CHANGED`): by that they find
    what was changed and is not kept here, and rewinds that were cut off.

    >>> from longrein.workspace.memory import MemoryFiles
    >>> class Now:
    ...     seq, run, call = 7, "run_1", "call_1"
    ...     def record(self, kind: str, data: object = None) -> None: ...
    >>> async def edit_and_rewind() -> bytes:
    ...     checkpoints, files = Checkpoints(None), MemoryFiles()
    ...     kept = ThreadCheckpoints(checkpoints, "thr_1", files)
    ...     await files.write("/notes.md", b"one")
    ...     await kept.before(Now(), files, ["/notes.md"])
    ...     await files.write("/notes.md", b"two")
    ...     await kept.after(Now(), files, ["/notes.md"])
    ...     await kept.restore(await kept.plan(since=7), Now())
    ...     await checkpoints.close()
    ...     return (await files.read("/notes.md")).data
    >>> asyncio.run(edit_and_rewind())
    b'one'
    """

    def __init__(
        self,
        checkpoints: Checkpoints,
        thread: str,
        files: FileSystem,
        *,
        folder: str = "",
        at: str = "/",
        mounts: Collection[str] = (),
        besides: Collection[str] = (),
        rules: Sequence[FileRule] = (),
        jobs_run: Callable[[], bool] = lambda: False,
        above: Callable[[], tuple[Standing, ...]] = tuple,
    ) -> None:
        self._site = Site(checkpoints, thread, files, folder, at, mounts, besides, above)
        self._restoring = Restoring(self._site)
        self._tools = ByTools(self._site)
        tree = self._site.tree
        self._commands = ByCommands(self._site, tree, rules, jobs_run) if tree else None

    async def before(self, ctx: Calling, files: FileSystem, paths: Sequence[str]) -> None:
        """Keep what is at these paths, and below them; it is durable when this returns."""
        await self._tools.before(ctx, files, paths)

    async def after(self, ctx: Calling, files: FileSystem, paths: Sequence[str]) -> None:
        """Write down what became of them."""
        await self._tools.after(ctx, files, paths)

    async def before_command(self, ctx: Calling) -> None:
        """Look at the tree: the first time all its files are kept, later what others changed."""
        if self._commands is not None:
            await self._commands.before(ctx)

    async def not_run(self, ctx: Calling) -> None:
        """The command that `before_command` was called for could not be run."""
        if self._commands is not None:
            await self._commands.not_run(ctx)

    async def after_command(self, ctx: Calling) -> tuple[FileChange, ...]:
        """What the command changed; in a call that began none, what changed since the last look.

        `denied` names the rule against which a file was written.
        """
        return () if self._commands is None else await self._commands.after(ctx)

    async def not_kept(self, most: int = MOST_LEFT_OUT) -> NotKept:
        """What no rewind brings back once commands run; looks at the tree if nobody has."""
        tree = self._site.tree
        if tree is None:
            return NotKept()
        snapshot = await tree.known()
        if snapshot is None:
            snapshot, _ = await tree.look(lambda db, tree, now: None)
        return await asyncio.to_thread(_not_kept, snapshot, self._site.at, most)

    async def plan(
        self,
        since: int,
        overwrite: Collection[str] = (),
        known: ChangedFiles = CHANGED.initial,
        *,
        dry: bool = False,
        besides: Collection[str] = (),
    ) -> RestorePlan:
        """What a rewind of files to just before event `since` would do; changes no file.

        `overwrite` are paths whose present content may go although it is somebody else's. `dry`:
        it is only shown, and a command of this thread may run meanwhile. What children did is taken
        back as well, but for those `besides`, which go on.
        """
        await self._settle(at_rest=not dry, besides=besides)
        rows = await self._site.writer.read(
            lambda db: changes.since(db, self._site.known(db), since, besides)
        )
        elsewhere = kept_elsewhere(since, rows, known.files)
        wants = wanted(
            row
            for row in rows
            if not self._site.is_beside(row.path) and shown(row.path) not in elsewhere
        )
        found = {
            path: (await self._site.place(path).find(path))._replace(data=None) for path in wants
        }
        return make_plan(since, wants, found, overwrite, elsewhere)

    async def tidy(self) -> None:
        """Remove what processes that are gone had been writing, and that never got its name."""
        if not await asyncio.to_thread(os.path.exists, self._site.checkpoints.path):
            return

        def cut_off(db: Database) -> list[Row]:
            return [*changes.cut_off(db, self._site.known(db)), *self._restoring.begun(db)]

        rows = await self._site.writer.read(cut_off)
        for path in {os.path.dirname(row.path): row.path for row in rows}.values():
            await self._site.place(path).sweep(path)

    async def restore(
        self, plan: RestorePlan, ctx: Moment, known: ChangedFiles = CHANGED.initial
    ) -> Restored:
        """Do what was planned. `plan(restored.seq)` undoes it, with all that a rewind did which the
        thread knows nothing of because it was cut off."""
        restored = await self._restoring.restore(plan, self._site.when(ctx), known.rewound)
        await self._site.note_rewind(ctx, [step.raw for step in restored.done], known)
        return restored

    async def note_child(self, ctx: Moment, child: str) -> None:
        """Record what a child that has ended, and all below it, did to files."""
        await self._site.note_child(ctx, child)

    async def _settle(self, *, at_rest: bool, besides: Collection[str]) -> None:
        """Find out what became of what was cut off."""
        await self._restoring.settle()
        if self._commands is not None:
            await self._commands.settle(at_rest=at_rest, besides=besides)

        def cut_off(db: Database) -> list[Row]:
            thread = self._site.known(db)
            if at_rest:
                return changes.cut_off_below(db, thread, besides)
            return changes.cut_off(db, thread)

        rows = await self._site.writer.read(cut_off)
        found = [(row, (await self._site.place(row.path).find(row.path)).version) for row in rows]
        # What did not change may be about to: a call that runs still needs to know what was.
        changed = [(row, now) for row, now in found if now != row.before]

        def write(db: Database) -> None:
            for row, now in changed:
                changes.settle(db, self._site.owner(db), row, now)

        if changed:
            await self._site.writer.write(write)


def _not_kept(snapshot: Snapshot, at: bytes, most: int) -> NotKept:
    found = (one for one in left_out(snapshot) if one[1] not in NOT_MEANT)
    first = tuple(LeftOut(shown(at + path), why) for path, why in islice(found, most))
    return NotKept(first, len(first) + sum(1 for _ in found))
