"""Before and after a shell command: a look at the tree, and what differs is the command's."""

import os
from collections.abc import Callable, Collection, Sequence

from msgspec.structs import replace

from longrein.core.points import reached
from longrein.storage.tables.database import Database
from longrein.workspace.checkpoints import changes, counting, trees
from longrein.workspace.checkpoints.counting import Net
from longrein.workspace.checkpoints.site import Site
from longrein.workspace.checkpoints.snapshot import Snapshot, appeared, differences
from longrein.workspace.checkpoints.trees import Begun, Tree
from longrein.workspace.checkpoints.values import ABSENT, Calling, FileChange, Row, Version, shown
from longrein.workspace.rules import FileRule, decide


class ByCommands:
    """Keeps what commands change in the tree that they run in, for one thread."""

    def __init__(
        self, site: Site, tree: Tree, rules: Sequence[FileRule], jobs_run: Callable[[], bool]
    ) -> None:
        self._site = site
        self._tree = tree
        self._rules = tuple(rules)
        self._jobs_run = jobs_run
        self._newest: Begun | None = None
        self._with_jobs = False
        """Whether jobs ran at the last look: what changed since then may be theirs."""

    async def before(self, ctx: Calling) -> None:
        """Know what the tree is now: whatever others did so far is not the command's.

        Where jobs ran since the last look, what changed is taken for theirs.
        """
        cut_off, left = await self._open(), self._left_to_jobs()
        at, with_jobs = self._site.when(ctx, ctx.call), self._jobs_run()

        def write(db: Database, tree: int, now: Snapshot) -> tuple[list[Net], tuple[int, int]]:
            self._settle(db, cut_off, now)
            by_jobs = self._add(db, replace(left, when=at), now, sure=False) if left else []
            return by_jobs, trees.begin(db, self._site.owner(db), tree, at)

        now, (by_jobs, (command, mark)) = await self._tree.look(write)
        self._newest, self._with_jobs = Begun(command, at, mark, now), with_jobs
        await self._site.note(ctx, [net.path for net in by_jobs], ctx.run)
        reached("files.looked")

    async def not_run(self, ctx: Calling) -> None:
        """Nothing came of the command that this call began."""
        last = self._newest
        if last is not None and last.id and last.when.call == ctx.call:
            await self._site.writer.write(lambda db: trees.end(db, last.id))
            self._newest = replace(last, id=0)

    async def after(self, ctx: Calling) -> tuple[FileChange, ...]:
        """What the command changed, and against which rules.

        In a call that began no command: what jobs in the background changed since the last look.
        Somebody else may have done so as well, so nobody can be sure.
        """
        last = self._newest
        if last is None:
            return ()
        at, sure = self._site.when(ctx, ctx.call), last.when.call == ctx.call and last.id > 0
        begun, with_jobs = last if sure else replace(last, when=at), self._jobs_run()

        def write(db: Database, tree: int, now: Snapshot) -> tuple[list[Net], int]:
            made = self._add(db, begun, now, sure=sure)
            trees.end(db, begun.id)
            return made, changes.mark(db)

        now, (made, mark) = await self._tree.look(write)
        self._newest, self._with_jobs = Begun(0, at, mark, now), with_jobs
        await self._site.note(ctx, [net.path for net in made], ctx.run)
        told = [*made, *self._left_out(begun.then, now)]
        against = {shown(net.path): self._against(net.path) for net in told}
        counted = await counting.count(self._site.writer, told)
        return tuple(replace(one, denied=against[one.path]) for one in counted)

    async def settle(self, *, at_rest: bool, besides: Collection[str] = ()) -> None:
        """Write down what commands changed that were cut off, and jobs: they, or somebody else.

        Unless all is `at_rest`, the newest command may run still, and is left to itself; so are
        those of all below the thread, and always those of threads `besides`.
        """
        own = 0 if at_rest or self._newest is None else self._newest.id
        begun = [one for one in await self._open(besides if at_rest else None) if one.id != own]
        if at_rest and (left := self._left_to_jobs()):
            begun.append(left)
        if begun:
            await self._tree.look(lambda db, tree, now: self._settle(db, begun, now))

    def _left_to_jobs(self) -> Begun | None:
        """How the tree was at the last look, if only jobs have run since."""
        last = self._newest
        return last if last is not None and not last.id and self._with_jobs else None

    async def _open(self, besides: Collection[str] | None = None) -> list[Begun]:
        name = self._tree.name
        return await self._site.writer.read(
            lambda db: trees.open_commands(db, self._site.known(db), name, besides)
        )

    def _settle(self, db: Database, every: list[Begun], now: Snapshot) -> None:
        for begun in every:
            self._add(db, begun, now, sure=False)
            trees.end(db, begun.id)

    def _add(self, db: Database, begun: Begun, now: Snapshot, *, sure: bool) -> list[Net]:
        """Write down what differs since a command began; gives the files that it changed."""
        thread = self._site.owner(db)
        others = changes.of_others(db, thread, begun.mark)
        made: list[Net] = []
        for path, before, after in differences(begun.then, now):
            net = Net(self._site.at + path, before, after)
            if self._is_hidden(net.path):
                changes.by_others(db, thread, begun.when, net.path, after)
                continue
            added = self._add_one(db, begun, net, others.get(net.path, ()), sure=sure)
            if added and net.is_change():
                made.append(net)
        return made

    def _add_one(
        self, db: Database, begun: Begun, net: Net, theirs: Sequence[Row], *, sure: bool
    ) -> bool:
        """Write down what the command did to a path, beside changes that others told of."""
        thread, at = self._site.owner(db), begun.when

        def add(before: Version, after: Version, *, sure: bool) -> bool:
            return changes.add(db, thread, at, net.path, before, after, mark=begun.mark, sure=sure)

        if not theirs:
            return add(net.before, net.after, sure=sure)
        last = theirs[-1].after
        if last is None:  # they are at it just now
            return add(net.before, net.after, sure=False)
        earlier = add(net.before, theirs[0].before, sure=sure)
        changes.by_others(db, thread, at, net.path, last)
        return add(last, net.after, sure=sure) or earlier

    def _is_hidden(self, path: bytes) -> bool:
        """Whether this was not there for the command, as all that is denied or asked about."""
        return decide(self._rules, os.fsdecode(path), "read").effect != "allow"

    def _against(self, path: bytes) -> str:
        """The rule by which this may not be written; "" for none."""
        verdict = decide(self._rules, os.fsdecode(path), "write")
        return str(verdict.rule) if verdict.effect == "deny" else ""

    def _left_out(self, then: Snapshot, now: Snapshot) -> list[Net]:
        """What is new, forbidden, and not kept: a .gitignore file names it, or it is no file."""
        found = [
            Net(self._site.at + path, ABSENT, Version("unkept", reason=reason))
            for path, reason in appeared(then, now)
        ]
        return [net for net in found if self._against(net.path) and not self._is_hidden(net.path)]
