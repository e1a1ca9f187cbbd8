"""From the wish to rewind a thread to the events that do it. Pure."""

from collections.abc import Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from longrein.core import commands as c
from longrein.core import events as e
from longrein.core.commands import Answer
from longrein.core.errors import UsageError
from longrein.core.evolve import evolve
from longrein.core.messages import Text
from longrein.core.outcomes import Aborted
from longrein.core.restored import REWIND, RestoreReport
from longrein.core.rewinds import files_changed, find_mark
from longrein.core.state import State
from longrein.loop.advance import LOST
from longrein.loop.calls import abandon
from longrein.session.desk import Applied, Desk, missing
from longrein.session.effects import events_of

UNDER_WAY = "The run is under way: interrupt it or wait for its end, then rewind."
ELSEWHERE = (
    "Files are put back by the process that works on this thread: rewind there, or rewind only the "
    "conversation, with files=False."
)
NOTHING = "Rewind the conversation, files, or both; this says neither."
NO_REWIND = "There is no rewind to undo: an input came before the model since, or there was none."
WAITS = "It still waits in the queue: withdraw it."
TOO_OLD = "The thread cannot be rewound to it any more."
REASON = "the thread was rewound"
KEPT_IN_THREAD = "what the thread itself keeps of files went back; no file elsewhere has changed"

FILES_BACK = (
    "The user has put files back as they were earlier in this conversation. What you know of them "
    "from later does not hold any more: read them again before you rely on it."
)
FILES_STAY = (
    "The user took back what came after this point of the conversation, but not what it did to "
    "files: they hold changes that you do not see here. Read them before you rely on anything that "
    "was said of them."
)
FILES_LEFT = "The user has rewound this conversation and its files, but not all files went back."
MOST_TOLD = 20


class Target(Struct, frozen=True):
    """Where a rewind goes: the input, the event that it goes back before, and what goes back.

    What was changed in files since event `since` is put back.
    """

    to: str
    before: int
    files: bool
    conversation: bool
    since: int


def rewind(state: State, command: c.Rewind, desk: Desk) -> Applied:
    """Go back. Raises `UsageError` while something runs, and for files that nobody put back."""
    target = find_target(state, command)
    if isinstance(target, Applied):
        return target
    if target.files and desk.restored is None:
        raise UsageError(ELSEWHERE)
    restored = desk.restored if target.files else None
    rewound = e.Rewound(target.to, target.before, target.files, target.conversation, command.undo)
    if restored is not None:
        rewound = replace(rewound, since=restored.since, report=restored.report)
    events = [*_ended(state), rewound]
    if restored is not None:
        after = _after(state, events)
        events += events_of(restored.effects, after, desk.setup, desk.kept)
        events += restored.notes
    if text := _told(state, rewound):
        events.append(e.NoteAdded(text, REWIND))
    message = _message(state, rewound) if target.files else ""
    return Applied(events, Answer("applied", message=message))


def _message(state: State, rewound: e.Rewound) -> str:
    """What became of files, in words for people."""
    # Files that live in the thread go back with its slices: nobody reports them.
    kept = not rewound.report and files_changed(state, rewound.before)
    return KEPT_IN_THREAD if kept else str(rewound.report)


def find_target(state: State, command: c.Rewind) -> Target | Applied:
    """Where to go, or the answer that there is no such place. Raises `UsageError` as `rewind`."""
    if command.undo:
        if (undo := state.undo) is None:
            return Applied(answer=Answer("stale", message=NO_REWIND))
        target = Target(undo.to, undo.seq, undo.files, undo.conversation, undo.since)
    else:
        if not command.files and not command.conversation:
            raise UsageError(NOTHING)
        if (mark := find_mark(state, command.to)) is None:
            return _no_mark(state, command.to)
        target = Target(mark.input, mark.seq, command.files, command.conversation, mark.seq)
    if _in_flight(state):
        raise UsageError(UNDER_WAY)
    return target


def _no_mark(state: State, to: str) -> Applied:
    if any(to in (input.id, input.run) for input in state.queue):
        return Applied(answer=Answer("stale", message=WAITS))
    if to in state.commands or to in state.outcomes:
        return Applied(answer=Answer("stale", message=TOO_OLD))
    return missing("input or run", to)


def _in_flight(state: State) -> bool:
    """Whether something was started that has not ended; a run that only waits has nothing."""
    if state.compaction is not None:
        return True
    if state.run is None:
        return False
    step = state.step
    if step is None:
        return bool(state.run.hook)
    working = (call.phase == "started" or call.hook == "asked" for call in step.calls)
    return step.phase == "model" or bool(state.run.hook) or any(working)


def _ended(state: State) -> list[e.Event]:
    """The end of a run that only waits, as an interrupt brings it about."""
    if state.run is None:
        return []
    events: list[e.Event] = [e.Interrupted(REASON)]
    events += [
        e.ApprovalAnswered(a.id, "declined", "interrupt", reason=REASON) for a in state.approvals
    ]
    events += [e.QuestionAnswered(q.id, None, "interrupt", REASON) for q in state.questions]
    step = _after(state, events).step
    if step is not None and step.phase == "lost":
        events.append(e.StepFailed(step.id, LOST, retry_at=1))
    elif step is not None:
        settled, _ = abandon(step)
        events += [e.ToolEnded(one.call, one.status, (Text(one.text),)) for one in settled]
    return [*events, e.RunEnded(Aborted(REASON))]


def _after(state: State, events: Iterable[e.Event]) -> State:
    for event in events:
        state = evolve(state, replace(event, seq=state.seq + 1))
    return state


def _told(state: State, rewound: e.Rewound) -> str:
    """What the model has to know of files, which is nothing where they fit what was said."""
    report = rewound.report
    if rewound.files and not rewound.conversation and not rewound.undo:
        return f"{FILES_BACK}{_listed(report)}"
    if rewound.files:
        return f"{FILES_LEFT}{_listed(report)}" if report.foreign or report.unrestorable else ""
    changed = not rewound.undo and files_changed(state, rewound.before)
    return FILES_STAY if changed else ""


def _listed(report: RestoreReport) -> str:
    kept = [f"{one.path} ({one.reason})" for one in report.foreign]
    lost = [f"{one.path} ({one.reason})" for one in report.unrestorable]
    kinds: Sequence[tuple[str, Sequence[str]]] = (
        ("Put back", report.restored),
        ("Removed", report.removed),
        ("Changed by others and kept", kept),
        ("Not rewindable", lost),
    )
    return "".join(f"\n{what}: {_some(paths)}" for what, paths in kinds if paths)


def _some(paths: Sequence[str]) -> str:
    more = len(paths) - MOST_TOLD
    return ", ".join(paths[:MOST_TOLD]) + (f" and {more} more" if more > 0 else "")
