"""Putting files back: what is there is kept first, so that a rewind can itself be undone.

A rewind is written down before it begins. One that was cut off is found by `settle`, which drops
what it did not get to; planning the same again then gives what is left to do. What it did belongs
to the rewind that is done in its place, so that undoing that one undoes all of it.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from msgspec import Struct

from longrein.core.points import reached
from longrein.storage.tables.database import Database
from longrein.workspace.checkpoints import changes, objects
from longrein.workspace.checkpoints.looking import BATCH
from longrein.workspace.checkpoints.objects import Piece, packed
from longrein.workspace.checkpoints.places import Found
from longrein.workspace.checkpoints.planning import Foreign, RestorePlan, Step, needs_removing
from longrein.workspace.checkpoints.site import Site
from longrein.workspace.checkpoints.values import ABSENT, FOLDER, Version, When
from longrein.workspace.problems import Changed, FileProblem


class Failed(Struct, frozen=True):
    """A path that could not be put back, and why, in words."""

    path: str
    says: str


class Restored(Struct, frozen=True):
    """What a rewind did. To undo it, rewind to `seq`.

    `foreign` are files that were left alone, those included that changed while it ran.
    """

    since: int
    seq: int
    done: tuple[Step, ...] = ()
    foreign: tuple[Foreign, ...] = ()
    failed: tuple[Failed, ...] = ()


class Last(NamedTuple):
    """The last rewind of a thread: its number, the change before it, and whether it ended."""

    seq: int
    mark: int
    done: bool


class Restoring:
    """Carries out plans for one thread."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._writer = site.writer
        self._place = site.place

    async def restore(self, plan: RestorePlan, when: When, logged: int) -> Restored:
        """Do what was planned; each path on its own, in an order in which it can be done.

        `logged` is the number of the last rewind that the thread knows of.
        """
        found, problems = await self.keep(plan.steps)
        steps = [step for step in plan.steps if step.raw in found]
        versions = {step.raw: (step.now, step.target) for step in steps}
        begun = await self._writer.write(
            lambda db: self._begin(db, plan.since, when, logged, versions)
        )
        reached("restore.begun")
        problems |= await self._perform(steps, found)
        undone = {step.raw for step in steps if step.path in problems}
        await self._writer.write(lambda db: self._end(db, begun, undone))
        raced = [path for path, one in problems.items() if isinstance(one, Changed)]
        return Restored(
            plan.since,
            when.seq,
            tuple(step for step in steps if step.path not in problems),
            (*plan.foreign, *(Foreign(path, "changed") for path in raced)),
            tuple(
                Failed(path, one.says)
                for path, one in problems.items()
                if not isinstance(one, Changed) and not _is_only_in_use(path, steps)
            ),
        )

    async def keep(
        self, steps: Sequence[Step]
    ) -> tuple[dict[bytes, Found], dict[str, FileProblem]]:
        """What is at each path, its bytes in the store; and what is not as it was planned."""
        found: dict[bytes, Found] = {}
        problems: dict[str, FileProblem] = {}
        pieces: list[Piece] = []
        size = 0
        for step in steps:
            now = await self._place(step.raw).find(step.raw)
            if now.version != step.now:
                problems[step.path] = Changed(step.path, "It was changed just now.")
                continue
            found[step.raw] = now._replace(data=None)
            if now.data is not None:
                pieces.append(await packed(now.data, now.version.digest))
                size += len(now.data)
            if size > BATCH:
                await self._put_away(pieces)
                pieces, size = [], 0
        await self._put_away(pieces)
        return found, problems

    async def _put_away(self, pieces: list[Piece]) -> None:
        await self._writer.write(lambda db: objects.put(db, self._site.owner(db).key, pieces))

    async def _perform(
        self, steps: Sequence[Step], found: dict[bytes, Found]
    ) -> dict[str, FileProblem]:
        problems: dict[str, FileProblem] = {}
        by_path = sorted(steps, key=lambda step: step.raw)
        for step in reversed(by_path):
            if needs_removing(step):
                try:
                    await self._place(step.raw).remove(step.raw, found[step.raw])
                    found[step.raw] = Found(ABSENT)
                except FileProblem as problem:
                    problems[step.path] = problem
                reached("restore.step")
        for step in by_path:
            if step.target != ABSENT and step.path not in problems:
                try:
                    await self._put(step, found[step.raw])
                except FileProblem as problem:
                    problems[step.path] = problem
                reached("restore.step")
        return problems

    async def _put(self, step: Step, now: Found) -> None:
        data = b""
        if step.target != FOLDER:
            kept = await self._writer.read(lambda db: objects.load(db, step.target.digest))
            if kept is None:
                raise FileProblem(step.path, "Its bytes are not in the store any more.")
            data = kept
        await self._place(step.raw).put(step.raw, step.target, data, now)

    def _begin(
        self,
        db: Database,
        since: int,
        when: When,
        logged: int,
        versions: Mapping[bytes, tuple[Version, Version]],
    ) -> int:
        """Write down what is about to be done; gives the newest change before that."""
        thread = self._site.owner(db)
        begun = changes.mark(db)
        last = _last(db, thread.key)
        mark = begun
        if last is not None and last.seq != logged and since <= last.seq:
            rows = changes.seen_after(db, thread, last.mark)
            if {row.origin for row in rows} <= {"restore", "foreign"}:
                # The thread knows nothing of that one, and has changed nothing since.
                mark = last.mark
                changes.renumber(db, thread, mark, when.seq)
        changes.restored(db, thread, when, versions)
        db.execute(
            "INSERT OR REPLACE INTO restores VALUES (?, ?, ?, 0)", (thread.key, when.seq, mark)
        )
        return begun

    def _end(self, db: Database, begun: int, undone: set[bytes]) -> None:
        thread = self._site.owner(db)
        rows = changes.after_mark(db, thread, begun)
        changes.remove(
            db, [row.id for row in rows if row.origin == "restore" and row.path in undone]
        )
        db.execute("UPDATE restores SET done = 1 WHERE thread = ?", (thread.key,))

    def begun(self, db: Database) -> list[changes.Row]:
        """What was written down since a rewind began that was cut off."""
        thread = self._site.known(db)
        last = _last(db, thread.key)
        return [] if last is None or last.done else changes.after_mark(db, thread, last.mark)

    async def settle(self) -> None:
        """Drop what a rewind that was cut off wrote down and did not do."""
        rows = await self._writer.read(self.begun)
        newest = {row.path: row for row in rows}
        not_done = [
            row.id
            for row in newest.values()
            if row.origin == "restore"
            and (await self._place(row.path).find(row.path)).version == row.before
        ]
        if not_done:
            await self._writer.write(lambda db: changes.remove(db, not_done))


def _last(db: Database, thread: int) -> Last | None:
    row = db.execute("SELECT seq, mark, done FROM restores WHERE thread = ?", (thread,)).fetchone()
    return row and Last(*row)


def _is_only_in_use(path: str, steps: Sequence[Step]) -> bool:
    """Whether this is a folder that stays because something else is in it."""
    return any(one.path == path and one.now == FOLDER and one.target == ABSENT for one in steps)
