"""Small logs, and what they fold to."""

from collections.abc import Sequence

from msgspec.structs import replace

from longrein.core import events as e
from longrein.core.evolve import evolve
from longrein.core.state import State


def numbered(*events: e.Event) -> list[e.Event]:
    """A log of these events, of one run where they do not say of which."""
    return [
        replace(event, seq=seq, run=event.run or "run_1") for seq, event in enumerate(events, 1)
    ]


def folded(events: Sequence[e.Event]) -> State:
    """The state after these events."""
    state = State()
    for event in events:
        state = evolve(state, event)
    return state
