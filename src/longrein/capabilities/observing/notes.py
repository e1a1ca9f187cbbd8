"""What was observed of a thread: dated notes on ranges of its messages, folded from facts.

The slice takes care of rewinds itself instead of being one that `rewinds`: of those every value
before an input is kept, and notes are too long for that. It also need not forget what was written
down late about something early: what counts is what was looked at, not when.
"""

from typing import Literal, TypeAlias

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from longrein.core.events import Event, InputPromoted, Recorded, Rewound, RunStarted
from longrein.core.slices import Slice

NAME = "observational_memory"
OBSERVING = f"{NAME}.observing"
OBSERVED = f"{NAME}.observed"
REFLECTED = f"{NAME}.reflected"
FAILED = f"{NAME}.observing_failed"

Priority: TypeAlias = Literal["high", "medium", "low"]
Role: TypeAlias = Literal["observer", "reflector"]


class Noted(Struct, frozen=True):
    """One thing that happened; when, such as on `2026-11-16` at `14:05` UTC, may be empty.

    >>> from longrein import Noted
    >>> Noted("high", "2026-11-16", "14:05", "The user wants no sugar.").priority
    'high'
    """

    priority: Priority
    date: str
    time: str
    text: str


class Span(Struct, frozen=True):
    """The messages from `start` up to `end`, that one left out, which an observation was about."""

    id: str
    start: int
    end: int


class Observation(Struct, frozen=True, omit_defaults=True):
    """Notes on the messages from `start` up to `end`, that one left out.

    `seen` is the thread's newest event when they were looked at, `tokens` what the notes take.
    `work` says how far the work was, `next` what was to be done then. One that a reflector wrote is
    made `of` others.

    >>> from longrein import Noted, Observation
    >>> notes = (Noted("high", "2026-11-16", "14:05", "The user wants no sugar."),)
    >>> Observation("o1", 0, 40, seen=120, notes=notes, next="Bake.").spans
    (Span(id='o1', start=0, end=40),)
    """

    id: str
    start: int
    end: int
    seen: int
    notes: tuple[Noted, ...]
    work: str = ""
    next: str = ""
    tokens: int = 0
    of: tuple[Span, ...] = ()

    @property
    def spans(self) -> tuple[Span, ...]:
        """The ranges that it stands for, by the ids of those who looked at them."""
        return self.of or (Span(self.id, self.start, self.end),)


class Left(Struct, frozen=True):
    """The notes on another conversation, which undoing the rewind, event `seq`, leads to."""

    seq: int
    observations: tuple[Observation, ...]


class Observations(Struct, frozen=True, omit_defaults=True):
    """All that is known by observing a thread.

    `count` numbers what was written, also what is gone. `failed`: so many tokens were unobserved
    when the observer last failed. `settled`: so many tokens the notes took when a reflector was
    last through with them. `rewound` is the newest rewind, as the first event that it took back and
    its own number; `left` the way back from it.

    >>> from longrein import Observation, Observations
    >>> Observations((Observation("o1", 0, 40, seen=120, notes=()),)).upto
    40
    """

    observations: tuple[Observation, ...] = ()
    count: int = 0
    failed: int = 0
    settled: int = 0
    rewound: tuple[int, int] = (0, 0)
    left: Left | None = None

    @property
    def upto(self) -> int:
        """How many messages of the thread the notes stand for."""
        return self.observations[-1].end if self.observations else 0

    @property
    def tokens(self) -> int:
        """What the notes take."""
        return sum(one.tokens for one in self.observations)

    def span(self, id: str) -> Span | None:
        """The messages that an observation was about."""
        for one in self.observations:
            if one.id == id:
                return Span(id, one.start, one.end)
            if found := next((span for span in one.of if span.id == id), None):
                return found
        return None


class Observing(Struct, frozen=True, omit_defaults=True):
    """The fact that somebody began to look, at messages or at notes, of so many tokens."""

    role: Role
    start: int
    end: int
    tokens: int = 0


class Failed(Struct, frozen=True, omit_defaults=True):
    """The fact that nothing came of it, and why; `tokens` as in `Observations`."""

    role: Role
    start: int
    end: int
    tokens: int
    why: str


def fold(known: Observations, event: Event) -> Observations:
    """What is known after an event. A fact that cannot be read changes nothing."""
    match event:
        case Recorded(kind=str(kind)) if kind.startswith(NAME):
            try:
                return _recorded(known, event)
            except msgspec.ValidationError:
                return known
        case Rewound(conversation=True):
            return _rewound(known, event)
        case RunStarted() | InputPromoted() if known.left is not None:
            return replace(known, left=None)
        case _:
            return known


def _recorded(known: Observations, event: Recorded) -> Observations:
    if event.kind == OBSERVED:
        return _observed(known, msgspec.convert(event.data, Observation))
    if event.kind == REFLECTED:
        return _reflected(known, msgspec.convert(event.data, Observation))
    if event.kind == FAILED:
        failed = msgspec.convert(event.data, Failed)
        if failed.role == "observer":
            return replace(known, failed=failed.tokens)
        return replace(known, settled=failed.tokens)
    return known


def _observed(known: Observations, new: Observation) -> Observations:
    first, last = known.rewound
    gone = first <= new.seen < last
    if gone or new.start != known.upto or new.end <= new.start:
        return known
    count = known.count + 1
    return replace(known, observations=(*known.observations, new), count=count, failed=0)


def _reflected(known: Observations, new: Observation) -> Observations:
    """The notes with one observation in the place of the oldest, if these are still there."""
    covered = [one for one in known.observations if one.end <= new.end]
    spans = tuple(span for one in covered for span in one.spans)
    if not covered or covered[-1].end != new.end or spans != new.of:
        return known
    rest = known.observations[len(covered) :]
    after = replace(known, observations=(new, *rest), count=known.count + 1)
    return replace(after, settled=after.tokens)


def _rewound(known: Observations, event: Rewound) -> Observations:
    here = Left(event.seq, known.observations)
    if event.undo:
        there = known.left
        if there is None or there.seq != event.before:
            return known
        return replace(known, observations=there.observations, rewound=(0, 0), left=here)
    kept = tuple(one for one in known.observations if one.seen < event.before)
    return replace(
        known, observations=kept, failed=0, settled=0, rewound=(event.before, event.seq), left=here
    )


OBSERVATIONS: Slice[Observations] = Slice(NAME, Observations, Observations(), fold)
"""The notes on a thread: `session.read(OBSERVATIONS)`, or `ctx.read(OBSERVATIONS)`."""
