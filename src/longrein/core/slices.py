"""Slices: what capabilities know of a thread, folded from its events beside everything else.

A slice has a name, a version and a pure fold. The state keeps its value; a snapshot keeps it with
the version that made it. A slice that is new, or of another version, is folded again from the
first event, once; one whose capability is not installed is carried along as it is. A fold that
raises freezes its slice, is reported, and does not stop the thread.

A slice that goes back when its thread is rewound knows by itself what it was before each input: so
it goes back as well while it is folded again.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import UnionType
from typing import Any, Generic, Literal, TypeVar, overload

import msgspec
from msgspec.structs import replace

from longrein.core.errors import UsageError
from longrein.core.events import Event, InputPromoted, Recorded, Rewound, RunStarted
from longrein.core.evolve import evolve
from longrein.core.rewinds import MOST_MARKS, same, value_before
from longrein.core.state import Kept, State, Then

T = TypeVar("T")

_MARKING = (RunStarted, InputPromoted, Rewound)
"""The events that a thread can go back to."""


@dataclass(frozen=True, slots=True)
class Slice(Generic[T]):
    """A part of a thread's state that a capability brings.

    `fold` gives the value after one more durable event; it must be pure and return the very same
    object where the event means nothing to it. `kind` is the type of the value, which must be made
    of what JSON can hold; raise `version` whenever an old value would not do any more.

    `rewinds` says with what it goes back to an earlier value when its thread is rewound: with the
    conversation, with files, or not at all. Each value that it had before an input is kept, so it
    should be small.

    >>> from longrein import Slice, events
    >>> def counted(so_far: int, event: events.Event) -> int:
    ...     return so_far + 1 if isinstance(event, events.ToolEnded) else so_far
    >>> Slice("calls", int, 0, counted).version
    1
    """

    name: str
    kind: type[T] | UnionType
    initial: T
    fold: Callable[[T, Event], T]
    version: int = 1
    rewinds: Literal["", "conversation", "files"] = ""


@overload
def read_fact(event: Event, kind: str, shape: type[T]) -> T | None: ...


@overload
def read_fact(event: Event, kind: str, shape: UnionType) -> Any: ...


def read_fact(event: Event, kind: str, shape: type[T] | UnionType) -> T | Any | None:
    """What a fact of this kind says, as a value of `shape`; None for every other event, and for a
    fact that cannot be read: folds let both pass."""
    if not isinstance(event, Recorded) or event.kind != kind:
        return None
    try:
        return msgspec.convert(event.data, shape)
    except msgspec.ValidationError:
        return None


class Folding:
    """`evolve` together with the slices that are installed."""

    def __init__(self, slices: Sequence[Slice[Any]] = ()) -> None:
        names = [one.name for one in slices]
        if twice := next((name for name in names if names.count(name) > 1), ""):
            raise UsageError(f"Two capabilities have a slice called {twice!r}; rename one of them.")
        self._slices = tuple(slices)
        self.names = frozenset(names)

    def __call__(self, state: State, event: Event) -> State:
        """The state after `event`, slices included."""
        after = evolve(state, event)
        for one in self._slices:
            after = _folded(after, one, event)
        if isinstance(event, _MARKING) and _marks_went(state, after):
            for one in self._slices:
                after = _trimmed(after, one)
        return after

    def installed(self, state: State) -> dict[str, Kept]:
        """The slices whose capabilities are here; the others are only carried along."""
        return {one.name: state.slices[one.name] for one in self._slices}

    def begun(self, state: State) -> State:
        """A state in which every installed slice has a value of its own type.

        Those that cannot be read as they were kept begin anew; `behind` says which.
        """
        slices = dict(state.slices)
        for one in self._slices:
            slices[one.name] = _adopted(state.slices.get(one.name), one)
        return replace(state, slices=slices)

    def behind(self, state: State) -> int | None:
        """After which event some installed slice has to be folded; None: all are up to date."""
        marks = [state.slices[one.name].upto for one in self._slices if self._lags(state, one)]
        return min(marks, default=None)

    def catch_up(self, state: State, events: Iterable[Event]) -> State:
        """Fold events that the state has seen already, for the slices that have not."""
        for event in events:
            for one in self._slices:
                if self._lags(state, one) and state.slices[one.name].upto < event.seq <= state.seq:
                    state = _folded(state, one, event)
                    state = _marked(state, one.name, event.seq)
                    if event.seq == state.seq:
                        state = _trimmed(state, one)
        return state

    def stamped(self, state: State) -> State:
        """The state as a snapshot keeps it: with how far each slice was folded.

        A value that JSON cannot hold is left out: its slice is folded anew when the thread is
        opened.
        """
        slices = dict(state.slices)
        for one in self._slices:
            kept = slices[one.name]
            if not _can_be_kept((kept.value, kept.past)):
                del slices[one.name]
            elif not kept.problem:
                slices[one.name] = replace(kept, upto=state.seq)
        return replace(state, slices=slices)

    def _lags(self, state: State, one: Slice[Any]) -> bool:
        kept = state.slices[one.name]
        return not kept.problem and kept.upto < state.seq


def standing_still(slices: Mapping[str, Kept]) -> list[str]:
    """Which of these slices are frozen, and why, in words for people."""
    return [
        f"What the slice {name!r} knows stands still: its fold failed with {kept.problem}"
        for name, kept in slices.items()
        if kept.problem
    ]


def _folded(state: State, one: Slice[Any], event: Event) -> State:
    before = state.slices[one.name]
    if before.problem:
        return state
    kept = _rewound(before, one, event) if isinstance(event, _MARKING) else before
    try:
        value = one.fold(kept.value, event)
    except Exception as error:  # protects the thread from the capability
        text = f"{type(error).__name__} at event {event.seq}: {error}"
        changed = replace(kept, problem=text, upto=event.seq)
    else:
        changed = kept if value is kept.value else replace(kept, value=value)
        if changed is before:
            return state
    return replace(state, slices={**state.slices, one.name: changed})


def _rewound(kept: Kept, one: Slice[Any], event: RunStarted | InputPromoted | Rewound) -> Kept:
    """A slice that knows what it was before this event, and went back if the event says so."""
    if not one.rewinds:
        return kept
    past = kept.past
    if not past or not same(past[-1].value, kept.value):
        past = (*past, Then(event.seq, kept.value))
        kept = replace(kept, past=past)
    if not isinstance(event, Rewound):
        return kept
    goes = event.files if one.rewinds == "files" else event.conversation
    return replace(kept, value=value_before(past, event.before, kept.value)) if goes else kept


def _marks_went(before: State, after: State) -> bool:
    """Whether there may be marks less, or the thread went to others."""
    full = len(after.marks) == MOST_MARKS
    return full or before.undo is not None or after.undo is not None


def _trimmed(state: State, one: Slice[Any]) -> State:
    """The slice without what it was before inputs that the thread cannot go back to any more."""
    kept = state.slices[one.name]
    needed = {mark.seq for mark in state.marks}
    if state.undo is not None:
        needed |= {state.undo.seq, *(mark.seq for mark in state.undo.stand.marks)}
    begins = [then.seq for then in kept.past]
    places = {bisect_right(begins, seq) - 1 for seq in needed}
    if len(places - {-1}) == len(kept.past):
        return state
    past = tuple(then for place, then in enumerate(kept.past) if place in places)
    return replace(state, slices={**state.slices, one.name: replace(kept, past=past)})


def _marked(state: State, name: str, seq: int) -> State:
    return replace(state, slices={**state.slices, name: replace(state.slices[name], upto=seq)})


def _adopted(kept: Kept | None, one: Slice[Any]) -> Kept:
    anew = Kept(one.version, one.initial, rewinds=one.rewinds)
    if kept is None or (kept.version, kept.rewinds) != (one.version, one.rewinds):
        return anew
    try:
        past = tuple(Then(then.seq, _converted(then.value, one)) for then in kept.past)
        return replace(kept, value=_converted(kept.value, one), past=past)
    except (msgspec.ValidationError, TypeError):
        return anew


def _converted(value: Any, one: Slice[Any]) -> Any:
    return msgspec.convert(value, one.kind, str_keys=True)


def _can_be_kept(value: Any) -> bool:
    try:
        msgspec.json.encode(value)
    except UnicodeEncodeError:  # mended when the state is encoded
        return True
    except Exception:  # protects the snapshot from the capability
        return False
    return True
