"""The way back: checkpoints of what tools and commands change in a workspace."""

from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from typing import Any

from longrein.capabilities.contexts import HookContext
from longrein.capabilities.workspace.sources import (
    Files,
    Source,
    folder_of,
    lives_in_thread,
    mounts_of,
)
from longrein.core.errors import StoreError
from longrein.core.restored import RestoreReport, Untouched, in_all
from longrein.tools.context import Context
from longrein.tools.reach import Reach
from longrein.tools.within import Within
from longrein.workspace.base import FileSystem
from longrein.workspace.checkpoints.facts import CHANGED
from longrein.workspace.checkpoints.planning import Doubt, Foreign, RestorePlan, Step
from longrein.workspace.checkpoints.store import Checkpoints
from longrein.workspace.checkpoints.thread import ThreadCheckpoints
from longrein.workspace.checkpoints.values import WHY, FileChange, Standing
from longrein.workspace.paths import is_below
from longrein.workspace.rules import FileRule

DOUBTS: dict[Doubt, str] = {
    "changed": "somebody else changed it since",
    "between": "somebody else changed it in between",
    "cut off": "a call that was cut off, or a job, may not be all that changed it",
}


class Rewinding:
    """Keeps what one thread changes in its workspace, and puts it back.

    Files that live in the thread are not kept a second time: they go back with its slices.
    `jobs_run` tells whether commands run in the background. What capabilities mount `aside` is
    theirs to keep. `above` tells where the threads stand that a child works for.
    """

    def __init__(
        self,
        checkpoints: Checkpoints,
        thread: str,
        files: Files,
        source: Source,
        rules: Sequence[FileRule],
        besides: Sequence[str],
        jobs_run: Callable[[], bool],
        aside: Sequence[str] = (),
        above: Callable[[], tuple[Standing, ...]] = tuple,
    ) -> None:
        self._all = checkpoints
        self._thread = thread
        self._root = above()[-1].thread if above() else thread
        self._source = source
        self._aside = tuple(aside)
        folder = folder_of(source)
        # Nothing of this depends on a call: what does is left out above.
        fixed = files(Within(Reach()))
        self._own = ThreadCheckpoints(
            checkpoints,
            thread,
            fixed,
            folder=folder,
            at=folder or "/",
            mounts=mounts_of(source),
            besides=besides,
            rules=rules,
            jobs_run=jobs_run,
            above=above,
        )

    async def before(self, ctx: Within[Any, Any], files: FileSystem, paths: Sequence[str]) -> None:
        if isinstance(ctx, Context) and (kept := self._kept(paths)):
            await self._own.before(ctx, files, kept)

    async def after(self, ctx: Within[Any, Any], files: FileSystem, paths: Sequence[str]) -> None:
        if isinstance(ctx, Context) and (kept := self._kept(paths)):
            await self._own.after(ctx, files, kept)

    async def before_command(self, ctx: Within[Any, Any]) -> None:
        if isinstance(ctx, Context):
            await self._own.before_command(ctx)

    async def not_run(self, ctx: Within[Any, Any]) -> None:
        """The command that `before_command` was called for could not be run."""
        if isinstance(ctx, Context):
            await self._own.not_run(ctx)

    async def after_command(self, ctx: Within[Any, Any]) -> Sequence[str]:
        """What the command changed, in lines; where none was begun, what jobs did."""
        at = ctx if isinstance(ctx, Context) else _OutsideCalls(ctx)
        return [_told(change) for change in await self._own.after_command(at)]

    async def tidy(self) -> None:
        """Remove what processes that are gone had been writing; what is broken is told later."""
        with suppress(StoreError):
            await self._own.tidy()

    async def not_rewindable(self) -> str:
        """What no rewind brings back, in a line for people; empty for nothing."""
        left = await self._own.not_kept(3)
        if not left.total:
            return ""
        named = ", ".join(one.path for one in left.paths)
        more = f" and {left.total - len(left.paths)} more" if left.total > len(left.paths) else ""
        return f"Not rewindable: {named}{more}"

    async def restore(
        self, ctx: HookContext, since: int, overwrite: Collection[str], *, dry: bool
    ) -> RestoreReport:
        """Put files back to what they were before event `since`, or say what that would do.

        What children did since goes back, too. Those that were begun before and still work go on
        with it.
        """
        known = ctx.read(CHANGED)
        going = [one for one in ctx.children.children() if len(one.path) == 1 and one.open]
        older = {one.thread for one in going if one.began < since}
        plan = await self._own.plan(since, overwrite, known, dry=dry, besides=older)
        if dry:
            return _report(plan.steps, plan.foreign, plan)
        # As of the event that will tell of it, so that a rewind to that event undoes it.
        done = await self._own.restore(plan, _After(ctx), known)
        report = _report(done.done, done.foreign, plan)
        failed = tuple(Untouched(one.path, one.says) for one in done.failed)
        return in_all([report, RestoreReport(unrestorable=failed)])

    async def changed(self, run: str = "") -> tuple[FileChange, ...]:
        """What became of files, all in all, by children too: in a run, or in the thread."""
        return await self._all.changed(self._thread, run=run, root=self._root)

    async def note_child(self, ctx: HookContext, child: str) -> None:
        """Record what a child that has ended, and all below it, did to files."""
        await self._own.note_child(ctx, child)

    async def diff(self, change: FileChange) -> str:
        """What a change did, as a unified diff."""
        return await self._all.diff(change)

    def _kept(self, paths: Sequence[str]) -> list[str]:
        beside = [path for path in paths if any(is_below(path, one) for one in self._aside)]
        return [
            path for path in paths if path not in beside and not lives_in_thread(self._source, path)
        ]


class _OutsideCalls:
    """A moment in a hook, where no call is under way."""

    def __init__(self, ctx: Within[Any, Any]) -> None:
        self.run = ctx.run
        self.seq = ctx.seq
        self.call = ""
        self.record = ctx.record


class _After:
    """The moment after the newest event."""

    def __init__(self, ctx: HookContext) -> None:
        self._ctx = ctx
        self.run = ctx.run
        self.seq = ctx.seq + 1

    def record(self, kind: str, data: Any = None) -> None:
        self._ctx.record(kind, data)


def _report(steps: Sequence[Step], foreign: Sequence[Foreign], plan: RestorePlan) -> RestoreReport:
    gone = [step.path for step in steps if step.action == "remove"]
    back = [step.path for step in steps if step.action != "remove"]
    report = RestoreReport(
        tuple(back),
        tuple(gone),
        tuple(Untouched(one.path, DOUBTS[one.why]) for one in foreign),
        tuple(Untouched(one.path, WHY[one.reason]) for one in plan.lost),
    )
    return in_all([report])


def _told(change: FileChange) -> str:
    return f"{change.path} (against {change.denied})" if change.denied else change.path
