"""Before and after a shell command: a look at the tree, and what differs is the command's."""

import os
from collections.abc import Sequence
from typing import NamedTuple

from msgspec.structs import replace

from longrein.core.points import reached
from longrein.storage.tables.database import Database
from longrein.workspace.checkpoints import changes, counting, objects, trees
from longrein.workspace.checkpoints.counting import Net
from longrein.workspace.checkpoints.desk import Desk, when
from longrein.workspace.checkpoints.objects import packed
from longrein.workspace.checkpoints.planning import RestorePlan, Step
from longrein.workspace.checkpoints.restoring import Restoring
from longrein.workspace.checkpoints.snapshot import Snapshot, appeared, differences
from longrein.workspace.checkpoints.trees import Begun, Tree
from longrein.workspace.checkpoints.values import (
    ABSENT,
    Calling,
    FileChange,
    When,
    shown,
)
from longrein.workspace.rules import FileRule, decide


class _Denied(NamedTuple):
    net: Net
    rule: str


class ByCommands:
    """Keeps what commands change in the tree that they run in, for one thread."""

    def __init__(
        self, desk: Desk, tree: Tree, restoring: Restoring, rules: Sequence[FileRule]
    ) -> None:
        self._desk = desk
        self._tree = tree
        self._restoring = restoring
        self._rules = tuple(rules)
        self._newest: Begun | None = None

    async def before(self, ctx: Calling) -> None:
        """Know what the tree is now: whatever others did so far is not the command's."""
        cut_off = await self._open()
        at = when(ctx, ctx.call)

        def write(db: Database, tree: int, now: Snapshot) -> tuple[int, int]:
            self._settle(db, cut_off, now)
            return trees.begin(db, self._desk.owner(db), tree, at)

        now, (command, mark) = await self._tree.look(write)
        self._newest = Begun(command, at, mark, now)
        reached("files.looked")

    async def after(self, ctx: Calling) -> tuple[FileChange, ...]:
        """What the command changed; what it may not write is put back, and said to be.

        In a call that began no command: what jobs in the background changed since the last look.
        Somebody else may have done so as well, so nobody can be sure.
        """
        last = self._newest
        if last is None:
            return ()
        at, sure = when(ctx, ctx.call), last.when.call == ctx.call and last.id > 0
        begun = last if sure else replace(last, when=at)

        def write(db: Database, tree: int, now: Snapshot) -> tuple[list[Net], int]:
            made = self._add(db, begun, now, sure=sure)
            trees.end(db, begun.id)
            return made, changes.mark(db)

        now, (made, mark) = await self._tree.look(write)
        self._newest = Begun(0, at, mark, now)
        denied = [one for net in made if (one := self._denied(net))]
        denied += await self._hidden(begun, now)
        undone = await self._put_back(begun.when, denied)
        await self._desk.note(ctx, [net.path for net in made], ctx.run)
        said = {shown(one.net.path): one.rule for one in denied}
        return tuple(
            replace(one, denied=said.get(one.path, ""), undone=one.path in undone)
            for one in await counting.count(
                self._desk.writer, list({*made, *(one.net for one in denied)})
            )
        )

    async def settle(self) -> None:
        """Write down what commands changed that were cut off: they, or somebody else."""
        if cut_off := await self._open():
            await self._tree.look(lambda db, tree, now: self._settle(db, cut_off, now))

    async def _open(self) -> list[Begun]:
        return await self._desk.writer.read(
            lambda db: trees.open_commands(db, self._desk.name, self._tree.name)
        )

    def _settle(self, db: Database, cut_off: list[Begun], now: Snapshot) -> None:
        for begun in cut_off:
            self._add(db, begun, now, sure=False)
            trees.end(db, begun.id)

    def _add(self, db: Database, begun: Begun, now: Snapshot, *, sure: bool) -> list[Net]:
        """Write down what differs since a command began; gives the files among it."""
        thread = self._desk.owner(db)
        made: list[Net] = []
        for path, before, after in differences(begun.then, now):
            net = Net(self._desk.at + path, before, after)
            added = changes.add(db, thread, begun.when, *net, mark=begun.mark, sure=sure)
            if added and net.is_change():
                made.append(net)
        return made

    def _denied(self, net: Net) -> _Denied | None:
        verdict = decide(self._rules, os.fsdecode(net.path), "write")
        return _Denied(net, str(verdict.rule)) if verdict.effect == "deny" else None

    async def _hidden(self, begun: Begun, now: Snapshot) -> list[_Denied]:
        """New files that a look leaves out (.gitignore files name them) and a rule forbids."""
        if not self._rules:
            return []
        found: list[_Denied] = []
        for inner, _ in appeared(begun.then, now):
            path = self._desk.at + inner
            verdict = decide(self._rules, os.fsdecode(path), "write")
            if verdict.effect == "deny":
                found.append(_Denied(await self._keep_hidden(begun, path), str(verdict.rule)))
        return found

    async def _keep_hidden(self, begun: Begun, path: bytes) -> Net:
        found = await self._desk.place(path).find(path)
        net = Net(path, ABSENT, found.version)
        if found.data is None:  # a folder, or too large: there is nothing to bring it back from
            return net
        kept = await packed(found.data, found.version.digest)

        def write(db: Database) -> None:
            thread = self._desk.owner(db)
            objects.put(db, thread, [kept])
            changes.add(db, thread, begun.when, *net, mark=begun.mark)

        await self._desk.writer.write(write)
        return net

    async def _put_back(self, at: When, denied: list[_Denied]) -> set[str]:
        """Undo what no rule allows; gives the paths that are as they were."""
        steps: list[Step] = []
        for path, before, _ in (one.net for one in denied):
            here = (await self._desk.place(path).find(path)).version
            if "unkept" not in (here.kind, before.kind):
                action = "remove" if before == ABSENT else "write"
                steps.append(Step(shown(path), action, path, here, before))
        if not steps:
            return set()
        done = await self._restoring.restore(RestorePlan(at.seq, tuple(steps)), at)
        return {step.path for step in done.done}
