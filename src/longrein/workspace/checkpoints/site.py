"""What keeping and restoring have in common for one thread: where its files are, what is noted."""

import os
from collections.abc import Callable, Collection, Mapping

import msgspec

from longrein.storage.tables.database import Database
from longrein.storage.writer import Writer
from longrein.workspace.base import FileSystem
from longrein.workspace.checkpoints import changes, counting, objects
from longrein.workspace.checkpoints.counting import Net, nets
from longrein.workspace.checkpoints.facts import (
    KIND,
    MOST_IN_THREAD,
    MOST_NOTED,
    ChangedFiles,
    Facts,
    Noted,
)
from longrein.workspace.checkpoints.in_port import PortPlace
from longrein.workspace.checkpoints.on_disk import DiskPlace
from longrein.workspace.checkpoints.places import Place
from longrein.workspace.checkpoints.store import Checkpoints, thread_name
from longrein.workspace.checkpoints.trees import Tree
from longrein.workspace.checkpoints.values import FileChange, Moment, Standing, When, Whose, shown
from longrein.workspace.paths import is_below


class Site:
    """A thread, its file system, and the folder of the disk that its commands run in.

    `files` is what restores what is not in that folder. The folder's files have the path `at` in
    it, except below `mounts`; with those `besides` nobody has anything to do. Without a folder
    there are no commands. `above` tells where those stand that a child works for.
    """

    def __init__(
        self,
        checkpoints: Checkpoints,
        thread: str,
        files: FileSystem,
        folder: str = "",
        at: str = "/",
        mounts: Collection[str] = (),
        besides: Collection[str] = (),
        above: Callable[[], tuple[Standing, ...]] = tuple,
    ) -> None:
        self._thread = thread
        self._above = above
        self._root = above()[-1].thread if above() else thread
        self._name = thread_name(thread)
        self.checkpoints = checkpoints
        self.files = files
        self._mounts = tuple(mounts)
        self._besides = tuple(besides)
        self.at = os.fsencode(at).rstrip(b"/")
        self.tree: Tree | None = self._tree(folder) if folder else None
        self._disk = DiskPlace(self.tree.root, self.at, checkpoints.keeping) if self.tree else None

    @property
    def writer(self) -> Writer:
        return self.checkpoints.writer

    def owner(self, db: Database) -> Whose:
        """The thread, to write with."""
        return Whose(objects.owner(db, self._name), self._thread, self._root)

    def known(self, db: Database) -> Whose:
        """The thread, to read with; its key is 0 where nothing was written."""
        return Whose(objects.known(db, self._name) or 0, self._thread, self._root)

    def when(self, ctx: Moment, call: str = "") -> When:
        """A moment as rows keep it."""
        return When(ctx.seq, ctx.run, call, self._above())

    def place(self, path: bytes, files: FileSystem | None = None) -> Place:
        """Where a path is."""
        name = os.fsdecode(path)
        elsewhere = any(is_below(name, one) for one in self._mounts)
        if self._disk is not None and is_below(name, os.fsdecode(self.at) or "/") and not elsewhere:
            return self._disk
        return PortPlace(files or self.files, self.checkpoints.keeping)

    def is_beside(self, path: bytes) -> bool:
        """Whether a path is never looked at, kept or restored."""
        return any(is_below(os.fsdecode(path), one) for one in self._besides)

    async def note(self, ctx: Moment, paths: list[bytes], run: str) -> None:
        """Record what these paths are now, all in all, for the slice of changed files."""
        if paths:
            first = sorted(paths)[:MOST_NOTED]
            await self._record(ctx, first, run, len(paths) - len(first))

    async def note_child(self, ctx: Moment, child: str) -> None:
        """The same of what a child, and those below it, did since it began."""
        rows = await self.writer.read(lambda db: changes.of_child(db, self.known(db), child))
        first, last = dict[bytes, int](), dict[bytes, int]()
        for row in rows:
            if row.origin != "foreign" and row.after is not None:
                first.setdefault(row.path, row.seq)
                last[row.path] = row.seq
        paths = sorted(first)
        if paths:
            seqs = {shown(path): (first[path], last[path]) for path in paths}
            more = max(len(paths) - MOST_NOTED, 0)
            await self._record(ctx, paths[:MOST_NOTED], rows[-1].run, more, seqs)

    async def note_rewind(self, ctx: Moment, paths: list[bytes], known: ChangedFiles) -> None:
        """The same of what a rewind put back; of those files, all that are on the list."""
        if not paths:
            return
        listed = {one.path for one in known.files}
        first = sorted(paths, key=lambda path: (shown(path) not in listed, path))[:MOST_IN_THREAD]
        rows = await self.writer.read(lambda db: changes.since(db, self.known(db), 0))
        named = listed.union(map(shown, first))
        await self._record(ctx, first, "", sum(shown(net.path) not in named for net in nets(rows)))

    async def _record(
        self,
        ctx: Moment,
        paths: list[bytes],
        run: str,
        more: int,
        seqs: Mapping[str, tuple[int, int]] | None = None,
    ) -> None:
        by_thread, by_run = await self.writer.read(lambda db: self._nets(db, paths, run))
        in_thread, in_run = await self._count(by_thread), await self._count(by_run)
        noted = tuple(
            Noted(path, in_run.get(path), in_thread.get(path), *(seqs or {}).get(path, ()))
            for path in map(shown, paths)
        )
        ctx.record(KIND, msgspec.to_builtins(Facts(noted, run, more)))

    def _tree(self, folder: str) -> Tree:
        left = map(os.fsencode, (*self._mounts, *self._besides))
        inner = (path[len(self.at) :] for path in left if path.startswith(self.at + b"/"))
        return self.checkpoints.tree(folder, inner)

    def _nets(self, db: Database, paths: list[bytes], run: str) -> tuple[list[Net], list[Net]]:
        rows = [changes.of_path(db, self.known(db), path) for path in paths]
        return (
            [net for one in rows for net in nets(one)],
            [net for one in rows for net in nets(row for row in one if run and row.run == run)],
        )

    async def _count(self, found: list[Net]) -> dict[str, FileChange]:
        return {one.path: one for one in await counting.count(self.writer, found)}
