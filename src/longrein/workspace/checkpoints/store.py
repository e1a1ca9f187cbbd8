"""The checkpoints of all threads of a store, in one file beside it."""

import os
import shutil
import tempfile
from collections.abc import Iterable
from weakref import WeakValueDictionary

from longrein.storage.tables.database import Database, open_database
from longrein.storage.writer import Writer
from longrein.workspace.checkpoints import changes, counting, objects, trees
from longrein.workspace.checkpoints.counting import nets
from longrein.workspace.checkpoints.database import LAYOUT
from longrein.workspace.checkpoints.trees import Tree
from longrein.workspace.checkpoints.values import FileChange, Keeping, Row, Whose
from longrein.workspace.diffs import diff

TIMEOUT = 10.0
"""Seconds to wait for another process that writes."""

_THREAD = b"thread:"


def thread_name(thread: str) -> bytes:
    """What a thread is called among those that own bytes."""
    return _THREAD + thread.encode()


class Checkpoints:
    """What files were before they were changed, by thread, in one SQLite file.

    `path` is `Store.beside("files")`; None keeps them in a temporary file until `close`. Several
    processes may use the file at once. Whatever a method returned is durable.

    >>> import asyncio
    >>> async def changed_by(thread: str) -> int:
    ...     checkpoints = Checkpoints(None)
    ...     try:
    ...         return len(await checkpoints.changed(thread))
    ...     finally:
    ...         await checkpoints.close()
    >>> asyncio.run(changed_by("thr_1"))
    0
    """

    def __init__(self, path: str | None, keeping: Keeping | None = None) -> None:
        self.keeping = keeping or Keeping()
        self._temporary = tempfile.mkdtemp(prefix="longrein-") if path is None else ""
        self.path = os.path.abspath(path or os.path.join(self._temporary, "files"))
        self.writer = Writer(self.path, lambda: open_database(self.path, "FULL", TIMEOUT, LAYOUT))
        self._trees: WeakValueDictionary[tuple[str, frozenset[bytes]], Tree] = WeakValueDictionary()

    def tree(self, folder: str, besides: Iterable[bytes] = ()) -> Tree:
        """A folder of the disk, the same object for all sessions that work in it.

        `besides` are paths below it that are not looked at.
        """
        key = os.path.realpath(folder), frozenset(besides)
        found = self._trees.get(key)
        if found is None:
            found = self._trees[key] = Tree(*key, self.writer, self.keeping)
        return found

    async def changed(
        self, thread: str, since: int = 0, run: str = "", root: str = ""
    ) -> tuple[FileChange, ...]:
        """What a thread and all below it did to files, all in all: since an event, or in one run.

        What others did to them before and after is not among it. `root` is the root of the tree
        that the thread belongs to, if that is another.
        """

        def read(db: Database) -> list[Row]:
            whose = Whose(objects.known(db, thread_name(thread)) or 0, thread, root or thread)
            return changes.of_run(db, whose, run) if run else changes.since(db, whose, since)

        return tuple(await counting.count(self.writer, nets(await self.writer.read(read))))

    async def diff(self, change: FileChange, lines: int = 200) -> str:
        """What a change did, as a unified diff of at most so many lines."""
        before, after = await self.load(change.before), await self.load(change.after)
        return diff(before, after, change.path, lines).text

    async def load(self, digest: str) -> bytes | None:
        """The bytes with this SHA-256 in hexadecimal; None for "" and for what is not kept."""
        raw = bytes.fromhex(digest)
        return await self.writer.read(lambda db: objects.load(db, raw))

    async def forget(self, thread: str) -> None:
        """Remove everything of a thread, and the bytes that only it needed."""
        await self.writer.write(lambda db: _forget(db, thread))
        await self.writer.apart(Database.empty_wal)

    async def threads(self) -> list[str]:
        """The threads of which anything is kept."""
        return await self.writer.read(_threads)

    async def close(self) -> None:
        await self.writer.close()
        if self._temporary:
            shutil.rmtree(self._temporary, ignore_errors=True)


def _threads(db: Database) -> list[str]:
    rows = db.execute("SELECT name FROM owners").fetchall()
    names: list[bytes] = [name for (name,) in rows]
    return [name[len(_THREAD) :].decode() for name in names if name.startswith(_THREAD)]


def _forget(db: Database, thread: str) -> None:
    key = objects.known(db, thread_name(thread))
    if key is None:
        return
    db.execute("DELETE FROM changes WHERE thread = ?", (key,))
    db.execute("DELETE FROM restores WHERE thread = ?", (key,))
    trees.forget(db, key)
    objects.drop(db, key)
