"""How a child stands when it has ended, in values and in words."""

from typing import assert_never

from longrein.core.children import Child, EndStatus
from longrein.core.messages import Text
from longrein.core.outcomes import Aborted, Ended, Failed, Finished, LimitReached
from longrein.core.state import State
from longrein.core.usage import Spent
from longrein.loop.decide import presses
from longrein.tools.bounds import bound
from longrein.tools.children import ChildEnd
from longrein.tools.output import extract

LONGEST_NEWS = 16_000
"""Characters of a result that a parent is told by itself."""

_ENDS: dict[EndStatus, str] = {
    "finished": "has finished. Its result",
    "failed": "failed",
    "stopped": "was stopped before it was done",
    "limit": "ran into a limit before it was done",
}


def outcome_of(state: State, task: str) -> Ended | None:
    """How a child's work ended; None while it goes on, also in a run that those below it woke.

    `task` is the command that told it what to do, in a run of its own or in one that somebody had
    started before.
    """
    told = state.commands.get(task)
    if told is None or told.run not in state.outcomes or state.run is not None:
        return None
    if not state.held and any(map(presses, state.queue)):
        return None
    last = list(state.outcomes.values())[-1]
    waits = isinstance(last, Finished) and any(child.open for child in state.children)
    return None if waits else last


def end_of(thread: str, outcome: Ended, said: str, spent: Spent, *, valued: bool) -> ChildEnd:
    """The end of a child, in words for whoever delegated. `said` is what it said last."""
    had = f" The last that it said: {said}" if said.strip() else ""
    match outcome:
        case Finished(text=text):
            value = extract(text) if valued else ""
            return ChildEnd(thread, "finished", text, value, spent)
        case Aborted(reason=reason):
            why = f"Stopped: {reason}." if reason else "Stopped."
            return ChildEnd(thread, "stopped", why + had, "", spent)
        case Failed(problem=problem):
            return ChildEnd(thread, "failed", problem.message + had, "", spent)
        case LimitReached(message=message):
            return ChildEnd(thread, "limit", message + had, "", spent)
        case _:
            assert_never(outcome)


def news(child: Child, end: ChildEnd) -> str:
    """What a parent is told of the end of a child that it did not wait for."""
    title = f" ({child.title})" if child.title else ""
    said = (end.value or end.text).strip() or "(It ended without a word.)"
    shown = bound((Text(said),), LONGEST_NEWS).parts[0]
    text = shown.text if isinstance(shown, Text) else said
    return f"The subagent {child.agent}{title}, task {child.thread}, {_ENDS[end.status]}:\n{text}"
