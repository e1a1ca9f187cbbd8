"""The events of a switch: of mode, model or trust."""

from msgspec.structs import replace

from longrein.core import events as e
from longrein.core.errors import UsageError
from longrein.core.state import State
from longrein.loop.setup import Setup


def enter_mode(state: State, mode: str, setup: Setup) -> list[e.Event]:
    """Another mode and, where it uses another model, that one; one for which nobody names a model
    takes the one in use along. Raises `UsageError`."""
    if mode not in setup.modes:
        raise UsageError(f"There is no mode {mode!r}; known: {', '.join(setup.modes)}.")
    if mode == state.mode:
        return []
    before = used(state, setup)
    kept = chosen, effort = state.models.get(mode, ""), state.efforts.get(mode, "")
    if not used(replace(state, mode=mode, model=chosen), setup):
        chosen, effort = before, state.effort
    uses = used(replace(state, mode=mode, model=chosen), setup)
    changed: list[e.Event] = [e.ModeChanged(mode, state.mode)]
    if (uses, effort) != (before, state.effort) or (chosen, effort) != kept:
        changed.append(e.ModelChanged(chosen, before, uses, effort))
    return changed


def use_model(state: State, model: str, effort: str, setup: Setup) -> list[e.Event]:
    """Another model for the mode in use, which remembers it."""
    if (model, effort) == (state.model, state.effort):
        return []
    uses = used(replace(state, model=model), setup)
    return [e.ModelChanged(model, used(state, setup), uses, effort)]


def used(state: State, setup: Setup) -> str:
    """The model that is used in this state, the others of its chain aside."""
    chain = setup.chain(state)
    return chain[0] if chain else ""
