"""The part of `evolve` about what goes on beside the conversation."""

from msgspec.structs import replace

from longrein.core import events as e
from longrein.core.outcomes import Problem
from longrein.core.state import State
from longrein.core.usage import Usage

MOST_WARNINGS = 10


def fold_side_call(state: State, event: e.SideCallStarted | e.SideCallEnded) -> State:
    """A model is called beside the conversation, or has answered: that costs money too."""
    if isinstance(event, e.SideCallStarted):
        return replace(state, side_calls={**state.side_calls, event.call: event.reserved})
    if event.call in state.side_calls:
        left = {id: cost for id, cost in state.side_calls.items() if id != event.call}
        state = replace(state, side_calls=left)
    if event.usage.total or event.cost:
        state = _spend(state, event.usage, event.cost)
    state = replace(state, titled=state.titled + (event.purpose == "title"))
    return warn(state, event.problem) if event.problem else state


def drop_side_calls(state: State) -> State:
    """The process that made them is gone: they count as they were reserved."""
    if not state.side_calls:
        return state
    return replace(_spend(state, Usage(), sum(state.side_calls.values())), side_calls={})


def _spend(state: State, usage: Usage, cost: int | None) -> State:
    run = state.run
    if run is not None:
        run = replace(run, spent=run.spent.add(usage, cost, steps=0))
    return replace(state, run=run, spent=state.spent.add(usage, cost, steps=0))


def warn(state: State, problem: Problem) -> State:
    """Something went wrong that hurts no run."""
    return replace(
        state,
        warnings=(*state.warnings, problem)[-MOST_WARNINGS:],
        warned=(*state.warned, len(state.messages))[-MOST_WARNINGS:],
    )
