"""Trees of the disk that commands run in: what they were at the last look, and at whose begin."""

import asyncio
import os
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import TypeAlias, TypeVar

from msgspec import Struct

from longrein.storage.tables.database import Database
from longrein.storage.writer import Writer
from longrein.workspace.checkpoints import changes, objects
from longrein.workspace.checkpoints.looking import Look
from longrein.workspace.checkpoints.snapshot import Folder, Snapshot, decode_folder, doubted, encode
from longrein.workspace.checkpoints.values import Keeping, When, Whose
from longrein.workspace.descriptors import Root

T = TypeVar("T")


class Begun(Struct, frozen=True):
    """A command that began: when, after which change, and what the tree was. One that is over has
    the number 0, and then this is how the tree was left."""

    id: int
    when: When
    mark: int
    then: Snapshot


Then: TypeAlias = Callable[[Database, int, Snapshot], T]
"""What to write together with a look, given the key of the tree and what was seen."""


class Tree:
    """A folder of the disk with all that is in it, as this process knows it.

    Sessions of one process share it. Others may look at the same folder: what a look knows are
    facts about files, and any of them may write these down. With other paths `besides`, which are
    not looked at, it is another tree: what one never saw is not gone.
    """

    def __init__(
        self, folder: str, besides: frozenset[bytes], writer: Writer, keeping: Keeping
    ) -> None:
        self.root = Root(folder)
        path = os.fsencode(os.path.realpath(folder))
        self.name = b"tree:" + b"\0".join((path, *sorted(besides)))
        self._besides = besides
        self._writer = writer
        self._keeping = keeping
        self._newest: Snapshot | None = None
        self._looking = asyncio.Lock()

    async def look(self, then: Then[T]) -> tuple[Snapshot, T]:
        """What is there now, and what came of `then`; all of it is written in one piece."""
        async with self._looking:
            before = self._newest
            if before is None:
                before = await self._writer.read(lambda db: load(db, self.name))
            trusted = before
            while True:
                try:
                    return await self._look(before, trusted, then)
                except _Pruned:
                    trusted = doubted(before)

    async def _look(self, saved: Snapshot, trusted: Snapshot, then: Then[T]) -> tuple[Snapshot, T]:
        look = Look(self.root, trusted, self._keeping, self._besides)
        batches = look.batches()
        while batch := await asyncio.to_thread(next, batches, None):
            await self._writer.write(
                lambda db, batch=batch: objects.put(db, objects.owner(db, self.name), batch)
            )
        now = look.snapshot
        changed = _changed(saved, now)

        def write(db: Database) -> T:
            if not objects.has(db, look.relied):
                raise _Pruned
            tree = _save(db, self.name, changed, look)
            return then(db, tree, now)

        done = await self._writer.write(write)
        self._newest = now
        return now, done

    async def known(self) -> Snapshot | None:
        """What the last look saw, without another one; None if nobody ever looked."""
        if self._newest is not None:
            return self._newest
        return await self._writer.read(lambda db: load(db, self.name)) or None


class _Pruned(Exception):
    """Bytes that a look relied on are not kept any more: a thread was deleted meanwhile."""


def _save(db: Database, name: bytes, changed: Mapping[bytes, Folder | None], look: Look) -> int:
    """Write a look down; gives the key of the tree. Commands that run keep what was before."""
    tree = objects.owner(db, name)
    objects.put(db, tree, look.rest)
    for digest in look.relied:
        objects.refer(db, tree, digest)
    running = db.execute("SELECT id FROM commands WHERE tree = ?", (tree,)).fetchall()
    for path, folder in changed.items():
        for (command,) in running:
            db.execute(
                """INSERT OR IGNORE INTO folders_then VALUES
                (?1, ?2, (SELECT state FROM folders WHERE tree = ?3 AND path = ?2))""",
                (command, path, tree),
            )
        if folder is None:
            db.execute("DELETE FROM folders WHERE tree = ? AND path = ?", (tree, path))
        else:
            values = (tree, path, encode(folder))
            db.execute("INSERT OR REPLACE INTO folders VALUES (?, ?, ?)", values)
    return tree


def load(db: Database, name: bytes) -> dict[bytes, Folder]:
    """What a tree was when it was last written down; empty if nobody ever looked."""
    tree = objects.known(db, name)
    return dict(_folders(db.execute("SELECT path, state FROM folders WHERE tree = ?", (tree,))))


def begin(db: Database, thread: Whose, tree: int, when: When) -> tuple[int, int]:
    """Write down that a command begins: its number, and the newest change before it."""
    db.execute("INSERT OR IGNORE INTO users VALUES (?, ?)", (tree, thread.key))
    mark = changes.mark(db)
    made = db.execute(
        """INSERT INTO commands (tree, thread, seq, run, call, mark, root, above)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)""",
        (
            *(tree, thread.key, when.seq, when.run, when.call, mark),
            *(thread.root, changes.standings(thread, when)),
        ),
    )
    assert made.lastrowid is not None
    return made.lastrowid, mark


def end(db: Database, command: int) -> None:
    db.execute("DELETE FROM commands WHERE id = ?", (command,))
    db.execute("DELETE FROM folders_then WHERE command = ?", (command,))


def open_commands(
    db: Database, thread: Whose, name: bytes, besides: Collection[str] | None = None
) -> list[Begun]:
    """The commands of a thread that began in a tree and did not end; with `besides` also those of
    all below it but for these, numbered as the thread is."""
    found = db.execute(
        """SELECT id, thread, seq, run, call, mark, above FROM commands WHERE tree = ? AND
        (thread = ? OR root = ?) ORDER BY id""",
        (objects.known(db, name), thread.key, thread.root),
    ).fetchall()
    begun: list[Begun] = []
    for id, key, seq, run, call, mark, above in found:
        seen = changes.as_seen(thread, key, When(seq, run, call), above)
        asked = key == thread.key or (besides is not None and not changes.among(above, besides))
        if seen is not None and asked:
            begun.append(Begun(id, seen, mark, _then(db, name, id)))
    return begun


def _then(db: Database, name: bytes, command: int) -> Snapshot:
    """What a tree was when a command began."""
    then = load(db, name)
    rows = db.execute("SELECT path, state FROM folders_then WHERE command = ?", (command,))
    for path, state in rows.fetchall():
        if state is None:
            then.pop(path, None)
        else:
            then[path] = decode_folder(state)
    return then


def forget(db: Database, thread: int) -> None:
    """Remove what is kept of trees that only this thread used, and what others hold no more."""
    commands = db.execute("SELECT id FROM commands WHERE thread = ?", (thread,)).fetchall()
    for (command,) in commands:
        end(db, command)
    used = db.execute("SELECT tree FROM users WHERE thread = ?", (thread,)).fetchall()
    db.execute("DELETE FROM users WHERE thread = ?", (thread,))
    for (tree,) in used:
        if not db.execute("SELECT 1 FROM users WHERE tree = ?", (tree,)).fetchone():
            db.execute("DELETE FROM folders WHERE tree = ?", (tree,))
            objects.drop(db, tree)
    shared = db.execute(
        """SELECT DISTINCT tree FROM folders WHERE tree IN (SELECT owner FROM refs WHERE object IN
        (SELECT object FROM refs WHERE owner = ?))""",
        (thread,),
    ).fetchall()
    for (tree,) in shared:
        _prune(db, tree)


def _prune(db: Database, tree: int) -> None:
    """Remove bytes that a tree has no more and no change speaks of."""
    states = db.execute(
        """SELECT path, state FROM folders WHERE tree = ?1 UNION ALL
        SELECT path, state FROM folders_then JOIN commands ON id = command WHERE tree = ?1
        AND state IS NOT NULL""",
        (tree,),
    )
    needed = {entry.version.digest for _, folder in _folders(states) for entry in folder.entries}
    objects.drop_except(db, tree, needed)


def _folders(rows: Iterable[tuple[bytes, bytes]]) -> Iterable[tuple[bytes, Folder]]:
    return ((path, decode_folder(state)) for path, state in rows)


def _changed(before: Snapshot, now: Snapshot) -> dict[bytes, Folder | None]:
    """The folders that differ between two looks; None for those that are gone."""
    changed: dict[bytes, Folder | None] = {
        path: folder for path, folder in now.items() if before.get(path) is not folder
    }
    return changed | {path: None for path in before if path not in now}
