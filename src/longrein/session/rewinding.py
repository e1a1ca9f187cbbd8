"""Going back in a thread: its points, what a rewind would do, the rewind, and its undoing."""

from collections.abc import Sequence

from msgspec.structs import replace

from longrein.capabilities.base import Capability
from longrein.capabilities.contexts import HookContext
from longrein.core import commands as c
from longrein.core import events as e
from longrein.core.commands import Answer
from longrein.core.errors import LongreinError, NotFound, SessionClosed, UsageError
from longrein.core.evolve import evolve
from longrein.core.restored import RestoreReport, in_all
from longrein.core.rewinds import RewindPoint, RewindPreview, find_mark, points
from longrein.core.state import State
from longrein.session.children.delegating import Delegating, with_children
from longrein.session.children.driving import REWOUND
from longrein.session.conductor import CLOSED
from longrein.session.desk import Applied, Restored
from longrein.session.given import text_of, texts_of
from longrein.session.rewound import ELSEWHERE, find_target
from longrein.session.voice import Voice
from longrein.tools.reach import Effect

NO_FILES = (
    "Nothing here can put files back: give the agent a workspace, or rewind with files=False."
)


class Rewinding(Voice):
    """The part of a session that goes back."""

    def points(self) -> list[RewindPoint]:
        """Every input that the thread can be rewound to, the newest first."""
        return points(self.folded)

    async def rewind(
        self,
        to: str | RewindPoint,
        *,
        files: bool = True,
        conversation: bool = True,
        overwrite: Sequence[str] = (),
        command: str = "",
    ) -> Answer:
        """Go back to before an input: the conversation, files that the agent changed, or both.

        `to` is a point, the id of an input, or that of a run for the input that started it. What
        others changed in files is kept and reported, unless its path is in `overwrite`; the report
        is in the event `rewound`. Nothing is removed from the log, and until the next input
        `undo()` takes it back. A run that waits for people is ended; the queue stays.

        Raises `UsageError` while something runs, and where another process works on the files.
        """
        id = to.input if isinstance(to, RewindPoint) else text_of("A point to rewind to", to)
        files = files and self._has_files
        if not files and not conversation:
            raise UsageError(NO_FILES)
        return await self._rewind(c.Rewind(id, files, conversation, id=command), overwrite)

    async def undo(self, *, overwrite: Sequence[str] = (), command: str = "") -> Answer:
        """Take the last rewind back, if no input came before the model since; also an undo."""
        return await self._rewind(c.Rewind(undo=True, id=command), overwrite)

    async def preview_rewind(
        self, to: str | RewindPoint, *, overwrite: Sequence[str] = ()
    ) -> RewindPreview:
        """What `rewind` would do. Raises `NotFound` for what is no point to go back to."""
        await self.inbox.attend()
        await self.conductor.refresh()
        id = to.input if isinstance(to, RewindPoint) else to
        mark = find_mark(self.folded, id)
        if mark is None:
            raise NotFound(f"There is no input or run {id!r} that the thread can be rewound to.")
        point = next(one for one in self.points() if one.input == mark.input)
        files = None
        if self.conductor.owns:
            files = (await self._put_back(self.folded, mark.seq, overwrite, dry=True)).report
        return RewindPreview(point, len(self.folded.messages) - mark.length, files)

    @property
    def _has_files(self) -> bool:
        """Whether there is anything that goes back with files."""
        slices = self._services.folding.installed(self.folded).values()
        return bool(self._restoring) or any(kept.rewinds == "files" for kept in slices)

    @property
    def _restoring(self) -> list[Capability]:
        """The capabilities that can put something back."""
        every = self._services.capabilities
        return [one for one in every if type(one).restore is not Capability.restore]

    async def _rewind(self, command: c.Rewind, overwrite: Sequence[str]) -> Answer:
        paths = texts_of("overwrite", overwrite)
        c.checked(command)
        numbered = self._numbered(command)
        await self.conductor.refresh()
        files, undo = command.files, self.folded.undo
        if command.undo:
            # What there is to undo may change until the owner gets to it.
            files = self.conductor.owns or (undo is not None and undo.files)
        if not files:
            return await self.submit(numbered)
        return await self.inbox.submit_after(numbered, lambda: self._restored(numbered, paths))

    async def _restored(self, command: c.Rewind, overwrite: Sequence[str]) -> Restored | None:
        """Files, put back; None where there is nothing to go back to.

        Raises `UsageError`, before any file is changed, where the thread would not be rewound.
        """
        if self.conductor.closed:
            raise SessionClosed(CLOSED)
        state = self._as_opened
        if command.id in state.commands:
            return None
        target = find_target(state, command)
        if isinstance(target, Applied) or not target.files:
            return None
        if not await self._services.host.confirm(self.thread):
            await self.conductor.recheck()
            raise UsageError(ELSEWHERE)
        # Nobody of those who are dropped may be at files while these are put back.
        await self.conductor.driving.stop_all(REWOUND, target.before)
        return await self._put_back(self._as_opened, target.since, overwrite, dry=False)

    @property
    def _as_opened(self) -> State:
        """The state that the next write finds: what earlier processes left open runs no more."""
        state, lease = self.folded, self.conductor.journal.lease
        if lease is None or lease.epoch == state.epoch:
            return state
        return evolve(state, e.Opened("", seq=state.seq + 1, epoch=lease.epoch))

    async def _put_back(
        self, state: State, since: int, overwrite: Sequence[str], *, dry: bool
    ) -> Restored:
        newest = self.folded.seq
        reports, effects, notes = list[RestoreReport](), list[Effect](), list[e.NoteAdded]()
        for one in self._restoring:
            reach = self._services.reach(replace(state, step=None), lambda: self.folded)
            ctx = HookContext(with_children(reach, Delegating(self.conductor.driving)))
            try:
                reports.append(await one.restore(ctx, since, frozenset(overwrite), dry=dry))
            except LongreinError:
                raise
            except Exception as error:  # the capability's fault, told to who asked for it
                raise UsageError(
                    f"The thread was not rewound: putting files back failed in {one.name} with "
                    f"{type(error).__name__}: {error}. Some may be back already; rewind again."
                ) from error
            effects += ctx.effects
            notes += [e.NoteAdded(text, f"capability:{one.name}") for text in ctx.notes]
        return Restored(newest + 1, in_all(reports), tuple(effects), tuple(notes))
