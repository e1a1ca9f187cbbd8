"""From what a tool or a hook brought about to the events that say so."""

from collections.abc import Sequence
from typing import assert_never

from msgspec.structs import replace

from longrein.core import events as e
from longrein.core.errors import UsageError
from longrein.core.state import State
from longrein.loop.setup import Setup
from longrein.session.switching import enter_mode
from longrein.session.user_state import UserState
from longrein.tools.reach import Change, ChangeState, Effect, EnterMode, Fact, Tell, Wake


def events_of(
    effects: Sequence[Effect], state: State, setup: Setup, kept: UserState, call: str = ""
) -> list[e.Event]:
    """The events of effects, each on top of the ones before.

    Raises `UsageError`, whatever the code of the user raises.
    """
    return bring_about(effects, state, setup, kept, call)[0]


def bring_about(
    effects: Sequence[Effect], state: State, setup: Setup, kept: UserState, call: str = ""
) -> tuple[list[e.Event], State]:
    """The same, and the state in which the next effects are brought about."""
    found: list[e.Event] = []
    for effect in effects:
        match effect:
            case Fact(kind=kind, data=data, blobs=blobs):
                found.append(e.Recorded(kind, data, call, blobs))
            case EnterMode(mode=mode):
                found += enter_mode(state, mode, setup)
                state = replace(state, mode=mode, model=state.models.get(mode, ""))
            case ChangeState(change=change):
                changed = _changed(state, change, kept)
                found += changed
                state = _after(state, changed)
            case Tell():
                raise UsageError("Only commands can say something to the agent.")
            case Wake():
                raise UsageError("Only work beside a run can wake the agent.")
            case _:
                assert_never(effect)
    return found, state


def _changed(state: State, change: Change, kept: UserState) -> list[e.Event]:
    try:
        return kept.apply(state, change)
    except UsageError:
        raise
    except Exception as error:  # the function is the user's: whoever gave it hears of it
        text = f"The state was not changed: the function raised {type(error).__name__}: {error}"
        raise UsageError(text) from error


def _after(state: State, changed: Sequence[e.Event]) -> State:
    """The state in which the next change is made."""
    for event in changed:
        if isinstance(event, e.StateChanged):
            merged = {**state.data, **event.changes}
            data = {key: value for key, value in merged.items() if key not in event.removed}
            # Not the revision of any event: what was read before must not be taken for this.
            state = replace(state, data=data, revision=-1 - abs(state.revision))
    return state
