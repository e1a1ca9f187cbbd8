"""What people say about what requests hold: that they be shorter, and what is never left out."""

from longrein.context.estimate import estimate_messages
from longrein.core import commands as c
from longrein.core import events as e
from longrein.core.commands import Answer
from longrein.core.errors import UsageError
from longrein.core.fold_windows import fold_pinned, pinned_places
from longrein.core.messages import User
from longrein.core.rewinds import find_mark
from longrein.core.state import State
from longrein.loop.crowding import NOTHING, room, wished
from longrein.session.desk import Applied, Desk, missing

NO_MODEL = "No model is configured: give the agent one, which can write the summary."
UNDER_WAY = Answer("stale", message="A summary is being made already.")
MOST_PINNED = 20
SHARE_PINNED = 0.25
"""The share of what a model has room for that pinned inputs may take."""
TOO_MUCH = (
    "Pinned inputs would take about {tokens:,} tokens of every request, and at most {most:,} can "
    "be spared with {model}: unpin one first, or say what matters in fewer words and pin that."
)


def shorten(state: State, command: c.Compact | c.Pin, desk: Desk) -> Applied:
    """Carry it out. Raises `UsageError` where there is nothing to leave out, or too much pinned."""
    if isinstance(command, c.Pin):
        return _pin(state, command, desk)
    if state.compaction is not None or state.wish is not None:
        return Applied(answer=UNDER_WAY)
    model = desk.setup.next_model(state)
    if not model:
        raise UsageError(NO_MODEL)
    if wished(state, desk.setup, model) is None:
        raise UsageError(NOTHING)
    run = state.run.id if state.run else ""
    return Applied([e.CompactionAsked(command.focus.strip())], Answer("applied", run))


def _pin(state: State, command: c.Pin, desk: Desk) -> Applied:
    id = command.input
    if not command.pinned:
        return Applied([e.InputUnpinned(id)]) if id in state.pinned else missing("pinned input", id)
    if id in state.pinned:
        return Applied()
    mark = find_mark(state, id)
    if mark is None and not any(id == input.id for input in state.queue):
        return missing("input", id)
    if len(state.pinned) >= MOST_PINNED:
        raise UsageError(f"{MOST_PINNED} inputs are pinned already; unpin one first.")
    pinned = e.InputPinned(mark.input if mark else id)
    _check_room(fold_pinned(state, pinned), desk)
    return Applied([pinned])


def _check_room(state: State, desk: Desk) -> None:
    """Raises `UsageError` where too little room would be left beside what is pinned."""
    model = desk.setup.next_model(state)
    limit = room(state, desk.setup, model)
    queued = (User(input.parts) for input in state.queue if input.id in state.pinned)
    said = (state.messages[place] for place in pinned_places(state, len(state.messages)))
    tokens, most = estimate_messages((*said, *queued)), int((limit or 0) * SHARE_PINNED)
    if limit is not None and tokens > most:
        raise UsageError(TOO_MUCH.format(tokens=tokens, most=most, model=model))
