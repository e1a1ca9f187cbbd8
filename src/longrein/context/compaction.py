"""How requests become shorter: what of a conversation is left out, and what is kept whole.

Everything here is a plan, made of estimates; nothing is called and nothing changed. A plan never
splits a call from its results and never touches the newest step.
"""

from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import accumulate

from msgspec import Struct
from msgspec.structs import replace

from longrein.context.clearing import stub
from longrein.context.estimate import estimate_messages
from longrein.core.events import Compacted
from longrein.core.fold_windows import window_of
from longrein.core.lead import lead_of
from longrein.core.messages import Message, Note, ToolResult, User
from longrein.core.state import State
from longrein.core.window import MOST_ASKED, Digest, How, Trigger

WORTH = 0.3
"""The share of the limit that has to come free where no model is asked: each change of the window
costs the provider's cache, so it should not come often."""

SUMMARY = 1_000
"""Tokens of a summary, for as long as there is none."""


class Need(Struct, frozen=True):
    """Why requests have to be shorter, and by how much, in tokens as a provider counts them.

    `before` is what a request takes, `opening` the part of it that is not messages, `limit` what
    there is room for. At most `aim` is short enough. Where that cannot be reached, to free `least`
    is worth it or, where the request would be refused (`must`), to free anything. `keep` is how
    much of the newest steps stays whole.
    """

    trigger: Trigger
    before: int
    opening: int
    limit: int
    aim: int
    least: int
    keep: int
    must: bool = False


class Crowd:
    """A conversation that has become too long, with what a plan for it has to reach.

    A plan is a `Compacted` that has no id yet. `kept` is what capabilities want to be said again.
    `readable`: the model has tools to read what is left out; what it cannot read is no stub.
    """

    def __init__(self, state: State, need: Need, kept: str = "", readable: bool = True) -> None:
        self.state = state
        self.need = need
        self._kept = kept
        self._readable = readable
        window = state.window
        self._start = window.start if window else 0
        self._whole = window.whole if window else 0
        self._messages = state.messages[self._start :]
        self._newest = max(self._start + newest_step(self._messages), _current(state))

    def clear(self) -> Compacted | None:
        """Old results and arguments become stubs; only where that frees enough."""
        if not self._readable:
            return None
        return self._worth(self._cut("cleared", self._start))

    def digest(self, digest: Digest | None) -> Compacted | None:
        """The notes of a capability stand for what they are about; only where that is enough."""
        if digest is None or not digest.text.strip():
            return None
        start = self._boundary(min(digest.upto, self._tail))
        if start <= self._start:
            return None
        return self._worth(self._cut("digest", start, digest.text))

    def summarise(self, summary: str = "") -> Compacted | None:
        """A summary stands for all but the newest steps; None where that would not be enough.

        Until there is a `summary` one of usual length is assumed.
        """
        cut = self.summarised(summary)
        return cut if cut.start > self._start and self._enough(cut) else None

    def summarised(self, summary: str = "") -> Compacted:
        """What a summary comes to, be it enough or not."""
        cut = self._cut("summary", self._tail, summary)
        return cut if summary else replace(cut, after=cut.after + SUMMARY)

    def leave_out(self) -> Compacted | None:
        """The oldest steps are left out, as few as will do; None where it is not worth it."""
        lead = self._lead_of(self._event("left_out", self._newest))
        for start in self._boundaries():
            cut = self._measured(self._event("left_out", start), lead)
            if cut.after <= self.need.aim or start == self._newest:
                any_will_do = self.need.must and self._freed(cut) > 0
                return cut if any_will_do or self._enough(cut) else None
        return None

    def pin(self) -> Compacted:
        """What was pinned since is said again; all else stays as it is."""
        cut = replace(self._event("pinned", self._start), whole=self._whole)
        return self._measured(cut, self._lead_of(cut))

    def _enough(self, cut: Compacted) -> bool:
        return cut.after <= self.need.aim or self._freed(cut) >= self.need.least

    def _worth(self, cut: Compacted) -> Compacted | None:
        enough = self._freed(cut) >= WORTH * self.need.limit and cut.after <= self.need.aim
        return cut if enough else None

    def _freed(self, cut: Compacted) -> int:
        """What comes free, by the same measure on both sides: a provider may have counted what is
        in no message."""
        return self._after(self._start, self._whole, self._lead) - cut.after

    def _cut(self, how: How, start: int, summary: str = "") -> Compacted:
        cut = self._event(how, start, summary)
        return self._measured(cut, self._lead_of(cut))

    def _event(self, how: How, start: int, summary: str = "") -> Compacted:
        return Compacted(
            "",
            self.need.trigger,
            how,
            start,
            max(start, self._tail) if self._readable else start,
            summary,
            self._kept,
            self.need.before,
            # In a small window two things that were asked for must not take all the room.
            asked=min(MOST_ASKED, self.need.limit // 2),
            readable=self._readable,
        )

    def _measured(self, cut: Compacted, lead: Sequence[Message]) -> Compacted:
        return replace(cut, after=self._after(cut.start, cut.whole, lead))

    def _boundaries(self) -> list[int]:
        """Every place after the start, up to the newest step, where a request can begin."""
        return [
            self._start + n
            for n, message in enumerate(self._messages)
            if 0 < n <= self._newest - self._start and not isinstance(message, ToolResult)
        ]

    def _boundary(self, upto: int) -> int:
        """The last place up to `upto` where a request can begin."""
        wanted = min(upto, self._newest)
        return max((one for one in self._boundaries() if one <= wanted), default=self._start)

    @cached_property
    def _tail(self) -> int:
        """Where the newest steps begin that stay whole; at least one does."""
        place, taken = len(self._messages), 0
        while place > 0 and taken + self._sizes[place - 1] <= self.need.keep:
            place -= 1
            taken += self._sizes[place]
        while place < len(self._messages) and isinstance(self._messages[place], ToolResult):
            place += 1
        return min(self._start + place, self._newest)

    def _after(self, start: int, whole: int, lead: Sequence[Message]) -> int:
        """What a request takes that begins so, in tokens as the provider counts them."""
        left, middle = start - self._start, whole - self._start
        stubs, sizes = self._sums
        short = stubs[middle] - stubs[left] + sizes[-1] - sizes[middle]
        return self.need.opening + self._counted(estimate_messages(lead)) + short

    def _lead_of(self, cut: Compacted) -> tuple[Message, ...]:
        return lead_of(self.state.messages, window_of(self.state, cut))

    @cached_property
    def _lead(self) -> tuple[Message, ...]:
        window = self.state.window
        return lead_of(self.state.messages, window) if window else ()

    @cached_property
    def _sizes(self) -> list[int]:
        """The tokens of each message, as requests hold it at present."""
        at = self._whole - self._start
        return [self._stubs[n] if n < at else self._size(m) for n, m in enumerate(self._messages)]

    @cached_property
    def _sums(self) -> tuple[list[int], list[int]]:
        """What the first messages take together, as stubs and as they are held at present."""
        return (
            list(accumulate(self._stubs, initial=0)),
            list(accumulate(self._sizes, initial=0)),
        )

    @cached_property
    def _stubs(self) -> list[int]:
        """The tokens of each message without what is large in it."""
        return [self._size(stub(message)) for message in self._messages]

    def _size(self, message: Message) -> int:
        return self._counted(estimate_messages((message,)))

    def _counted(self, estimate: int) -> int:
        return round(estimate * self._scale)

    @cached_property
    def _scale(self) -> float:
        """How a provider counts, against the estimate."""
        at = self._whole - self._start
        held = [stub(m) if n < at else m for n, m in enumerate(self._messages)]
        estimate = estimate_messages(self._lead) + estimate_messages(held)
        counted = self.need.before - self.need.opening
        return min(max(counted / max(estimate, 1), 0.3), 2.0)


def _current(state: State) -> int:
    """Where what is to be answered now begins. What was said in a run that is over and was never
    answered need not be: it may be the very thing that does not fit."""
    run = state.run
    if run is None:
        spoken = bool(state.messages) and isinstance(state.messages[-1], User)
        return len(state.messages) if spoken else 0
    said = (mark for mark in state.marks if mark.run == run.id and mark.kind != "proceed")
    return next((mark.length for mark in said), 0)


def newest_step(messages: Sequence[Message]) -> int:
    """Where the newest step begins: with what the user said since the model last spoke, or else
    with the model's own last message.

    >>> from longrein.core.messages import Assistant, Text
    >>> newest_step([User((Text("Hi"),)), Assistant((Text("Hello"),)), User((Text("Bye"),))])
    2
    """
    place, said = len(messages), -1
    while place and isinstance(messages[place - 1], User | Note):
        place -= 1
        said = place if isinstance(messages[place], User) else said
    if said >= 0:
        return said
    while place and isinstance(messages[place - 1], ToolResult):
        place -= 1
    return max(place - 1, 0)


Means = Callable[[], Compacted | None]


def first_of(*means: Means) -> Compacted | None:
    """What the first of these comes to that comes to something; the others are not asked."""
    for each in means:
        if (cut := each()) is not None:
            return cut
    return None
