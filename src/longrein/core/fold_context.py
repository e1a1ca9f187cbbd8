"""The part of `evolve` about what requests begin with, and what the model knows of it."""

from msgspec.structs import replace

from longrein.core import events as e
from longrein.core.messages import Note
from longrein.core.state import Change, Prefix, State


def fold_prefix(state: State, event: e.PrefixStarted) -> State:
    """A new epoch: what the sources say stands in the system text."""
    prefix = Prefix(
        event.prefix,
        event.model,
        event.system,
        event.tools,
        event.digest,
        event.sources,
        state.window.seq if state.window else 0,
    )
    return replace(state, prefix=prefix, changes=())


def fold_context(state: State, event: e.ContextChanged) -> State:
    """A source says something else: a note, heard with the next request."""
    change = Change(event.seq, event.source, event.digest)
    state = replace(state, changes=(*state.changes, change))
    if not event.note:
        return state
    note = Note(event.note, f"context:{event.source}", event.time)
    if state.step is not None and state.step.phase == "tools":
        # A note cannot stand between calls and their results.
        return replace(state, later=(*state.later, note))
    return replace(state, messages=state.messages.append(note))
