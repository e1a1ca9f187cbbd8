"""The part of `evolve` about what waits for people and has a deadline."""

from typing import TypeVar

from msgspec.structs import replace

from longrein.core import events as e
from longrein.core.records import Approval, Question
from longrein.core.state import State

T = TypeVar("T", Approval, Question)
_TIMER = "deadline:"


def deadline_timer(id: str) -> str:
    """The timer of the deadline of an approval or a question."""
    return f"{_TIMER}{id}"


def fold_due(state: State, timer: str) -> State:
    """Somebody had until now to answer."""
    if not timer.startswith(_TIMER):
        return state
    id = timer.removeprefix(_TIMER)
    return replace(state, approvals=_due(state.approvals, id), questions=_due(state.questions, id))


def _due(asked: tuple[T, ...], id: str) -> tuple[T, ...]:
    return tuple(replace(one, due=True) if one.id == id else one for one in asked)


def fold_parked(state: State, event: e.Parked) -> State:
    """The run is left waiting: nothing more happens until somebody answers."""
    return replace(state, run=replace(state.run, parked=event.on)) if state.run else state
