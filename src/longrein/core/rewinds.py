"""Rewinding: the marks that inputs leave, and the part of `evolve` that goes back to one.

A mark is a pointer: how many messages there were, and the little else that the next request needs.
What a rewind leaves behind is kept beside the state until the next input is before the model, so a
rewind can be undone, and an undo too.
"""

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from longrein.core import events as e
from longrein.core.messages import Message, Note, Text, User
from longrein.core.records import Input
from longrein.core.restored import RestoreReport
from longrein.core.state import Kept, Mark, Stand, State, Then, Undo
from longrein.core.usage import Usage

MOST_MARKS = 1000
"""How many inputs back a thread can be rewound."""

LONGEST_TEXT = 80


class RewindPoint(Struct, frozen=True):
    """An input that a thread can be rewound to: to before it was said.

    `seq` is the event that put it before the model, `text` its first words. `files_changed`:
    something that can be rewound has changed in files since.

    >>> from longrein import RewindPoint
    >>> RewindPoint("cmd_1", 4, 0, "Bake bread", "run_1").text
    'Bake bread'
    """

    input: str
    seq: int
    time: int
    text: str
    run: str
    files_changed: bool = False


class RewindPreview(Struct, frozen=True):
    """What a rewind to `point` would do: how many `messages` would go, and what would happen to
    files. `files` is None where another process works on them.

    Files that live in the thread itself go back with its slices and are in no report; that they
    changed is in `point.files_changed`.

    >>> from longrein import RestoreReport, RewindPoint, RewindPreview
    >>> point = RewindPoint("cmd_1", 4, 0, "Bake bread", "run_1")
    >>> RewindPreview(point, 2, RestoreReport(removed=("/project/loaf.md",))).messages
    2
    """

    point: RewindPoint
    messages: int
    files: RestoreReport | None


def mark(
    state: State, event: e.RunStarted | e.InputPromoted, input: Input, said: Sequence[Message]
) -> Mark:
    """Where the thread stands before an input, with what the same event says before it."""
    return Mark(
        input.id,
        event.seq,
        event.run,
        event.time,
        input.kind,
        len(state.messages) + len(said),
        state.told,
        state.heard,
        state.last,
        state.window.seq if state.window else 0,
    )


def fold_rewound(state: State, event: e.Rewound) -> State:
    """The state with another conversation in it, and the way back to this one."""
    there = _stand(state, event)
    if there is None:
        return state
    here = replace(
        _here(state, there.length, there.count),
        messages=tuple(state.messages[there.length :]),
        marks=state.marks[there.count :],
    )
    return replace(
        state,
        messages=state.messages.first(there.length).append(*there.messages),
        marks=(*state.marks[: there.count], *there.marks),
        told=there.told,
        heard=there.heard,
        last=there.last,
        windows=there.windows,
        step=None,
        later=(),
        problem=there.problem,
        endings=there.endings,
        refused=(),
        warned=tuple(at if at <= there.length else -1 for at in state.warned),
        changes=there.changes,
        undo=Undo(event.seq, event.to, event.files, event.conversation, event.since, here),
    )


def _stand(state: State, event: e.Rewound) -> Stand | None:
    """Where the event leads; None: there is no such place."""
    if event.undo:
        return state.undo.stand if state.undo and state.undo.seq == event.before else None
    found = ((n, one) for n, one in enumerate(state.marks) if one.seq == event.before)
    count, mark = next(((n, one) for n, one in found if one.input == event.to), (0, None))
    if mark is None:
        return None
    if not event.conversation:
        return _here(state, len(state.messages), len(state.marks))
    # What was told of a change after the mark goes with its note, and is told again.
    changes = tuple(one for one in state.changes if one.seq < mark.seq)
    endings = tuple(one for one in state.endings if one.at <= mark.length)
    there = Stand(
        mark.length, count, mark.told, mark.heard, mark.last, changes=changes, endings=endings
    )
    windows = tuple(one for one in state.windows if one.seq <= mark.window)
    if mark.window and (not windows or windows[-1].seq != mark.window):
        # Its window is kept no more: a request begins with all there was, which nobody counted.
        return replace(there, heard=0, last=Usage())
    return replace(there, windows=windows)


def _here(state: State, length: int, count: int) -> Stand:
    return Stand(
        length,
        count,
        state.told,
        state.heard,
        state.last,
        windows=state.windows,
        changes=state.changes,
        endings=state.endings,
        problem=state.problem,
    )


def find_mark(state: State, to: str) -> Mark | None:
    """The mark of an input, or the first of a run, by its id."""
    named = (one for one in state.marks if one.input == to)
    return next(named, next((one for one in state.marks if one.run == to), None))


def points(state: State) -> list[RewindPoint]:
    """Every input that the thread can be rewound to, the newest first."""
    slices = [_differing(kept) for kept in state.slices.values() if kept.rewinds == "files"]
    return [
        RewindPoint(
            one.input,
            one.seq,
            one.time,
            _text(state, one),
            one.run,
            any(value_before(past, one.seq, False) for past in slices),
        )
        for one in reversed(state.marks)
    ]


def _differing(kept: Kept) -> list[Then]:
    """The past of a slice, as whether it was another one then."""
    return [Then(then.seq, not same(then.value, kept.value)) for then in kept.past]


def _text(state: State, mark: Mark) -> str:
    """The first words of an input; one that only asks to go on has none."""
    if mark.kind == "proceed":
        return ""
    match state.messages[mark.length : mark.length + 1]:
        case [User(parts=parts)]:
            words = " ".join(part.text[:500] for part in parts if isinstance(part, Text))
        case [Note(text=text)]:
            words = text[:500]
        case _:
            words = ""
    return " ".join(words.split())[:LONGEST_TEXT]


def files_changed(state: State, seq: int) -> bool:
    """Whether something that can be rewound has changed in files since event `seq`."""
    return any(
        not same(value_before(kept.past, seq, kept.value), kept.value)
        for kept in state.slices.values()
        if kept.rewinds == "files"
    )


def value_before(past: Sequence[Then], seq: int, otherwise: Any) -> Any:
    """What a slice was before event `seq`, as its past says; `otherwise` where it does not."""
    place = bisect_right(past, seq, key=_seq)
    return past[place - 1].value if place else otherwise


def _seq(then: Then) -> int:
    return then.seq


def same(one: Any, other: Any) -> bool:
    """Whether two values of a slice are equal. Most are one object, which need not be looked at."""
    return one is other or one == other
