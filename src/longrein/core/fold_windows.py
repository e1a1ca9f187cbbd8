"""The part of `evolve` about what is left out of requests."""

from collections.abc import Iterator

from msgspec.structs import replace

from longrein.core import events as e
from longrein.core.messages import User
from longrein.core.state import State
from longrein.core.usage import Usage
from longrein.core.window import MOST_WINDOWS, Compacting, Window, Wish


def fold_compaction(
    state: State,
    event: e.CompactionAsked | e.CompactionStarted | e.Compacted | e.CompactionFailed,
) -> State:
    match event:
        case e.CompactionAsked(focus=focus):
            return replace(state, wish=Wish(focus))
        case e.CompactionStarted():
            compaction = Compacting(
                event.compaction,
                event.trigger,
                event.model,
                event.start,
                event.before,
                event.reserved,
                event.focus,
            )
            wish = None if event.trigger == "asked" else state.wish
            return replace(state, compaction=compaction, wish=wish)
        case e.Compacted():
            return _compacted(_paid(state, event), event)
        case e.CompactionFailed():
            return _failed(_paid(state, event), event)


def _compacted(state: State, event: e.Compacted) -> State:
    return replace(
        state,
        windows=(*_past(state), window_of(state, event))[-MOST_WINDOWS:],
        # Until a provider has counted the new beginning, what was estimated counts.
        last=Usage(input=event.after),
        heard=len(state.messages),
        run=state.run and replace(state.run, overflow=0),
        # What the mode says may be among what was left out: it is told again.
        told=state.told if event.how in ("cleared", "pinned") else "",
        wish=None if event.trigger == "asked" else state.wish,
    )


def _past(state: State) -> tuple[Window, ...]:
    """The windows that a rewind can lead to: those that were in use when something was said."""
    used = bool(state.marks and state.window and state.marks[-1].window == state.window.seq)
    return state.windows if used else state.windows[:-1]


def _failed(state: State, event: e.CompactionFailed) -> State:
    run = state.run and replace(state.run, unsummarised=True)
    # Without an id it never began: what a person asked for cannot be done.
    return replace(state, run=run, wish=state.wish if event.compaction else None)


def _paid(state: State, event: e.Compacted | e.CompactionFailed) -> State:
    """The compaction is over; what it cost counts for the run and the thread."""
    going = state.compaction
    if going is None or going.id != event.compaction:
        return state
    state = replace(state, compaction=None)
    if event.usage.total or event.cost is not None:
        return _spend(state, event.usage, event.cost)
    # Nobody said what the call used: it counts as it was reserved.
    return _spend(state, Usage(), going.reserved) if going.reserved else state


def _spend(state: State, usage: Usage, cost: int | None) -> State:
    run = state.run and replace(state.run, spent=state.run.spent.add(usage, cost, steps=0))
    return replace(state, run=run, spent=state.spent.add(usage, cost, steps=0))


def drop_compaction(state: State) -> State:
    """Nobody makes the summary any more: it is decided on again, and counts as it was reserved."""
    going = state.compaction
    if going is None:
        return state
    wish = Wish(going.focus) if going.trigger == "asked" and not going.stop else state.wish
    state = replace(state, compaction=None, wish=wish)
    return _spend(state, Usage(), going.reserved) if going.reserved else state


def fold_pinned(state: State, event: e.InputPinned | e.InputUnpinned) -> State:
    others = tuple(id for id in state.pinned if id != event.input)
    pinned = (*others, event.input) if isinstance(event, e.InputPinned) else others
    return replace(state, pinned=pinned)


def window_of(state: State, event: e.Compacted) -> Window:
    """The window that the event tells of. Whatever it says, it begins no earlier than the one
    before, and what is only named stays so."""
    before = state.window or Window(0, 0, 0)
    length = len(state.messages)
    start = min(max(event.start, before.start), length)
    pinned = tuple(pinned_places(state, start))
    ends = {one for one in (_first(state, start), _last(state, start)) if one is not None}
    return Window(
        event.seq,
        start,
        min(max(event.whole, before.whole, start), length),
        event.summary or before.summary,
        gap=not event.summary and (start > before.start or before.gap),
        kept=event.kept,
        pinned=pinned,
        asked=tuple(sorted(ends.difference(pinned))),
        most=event.asked,
        readable=event.readable,
    )


def pinned_places(state: State, upto: int) -> Iterator[int]:
    """Which of the first messages are pinned."""
    wanted = set(state.pinned)
    if wanted:
        for place, message in enumerate(state.messages[:upto]):
            if isinstance(message, User) and message.input in wanted:
                yield place


def pinned_late(state: State) -> bool:
    """Whether something was pinned that requests had left out, or in part, by then."""
    window, wanted = state.window, set(state.pinned)
    if window is None or not wanted:
        return False
    places = (mark.length for mark in state.marks if mark.input in wanted)
    left = (state.messages[n] for n in places if n < window.start and n not in window.pinned)
    return any(isinstance(message, User) and message.input in wanted for message in left)


def _first(state: State, start: int) -> int | None:
    return next((n for n in range(start) if isinstance(state.messages[n], User)), None)


def _last(state: State, start: int) -> int | None:
    places = (mark.length for mark in reversed(state.marks) if mark.length < start)
    return next((n for n in places if isinstance(state.messages[n], User)), None)
