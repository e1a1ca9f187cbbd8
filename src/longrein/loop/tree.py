"""The tree that a session belongs to: who is above it, and what those below it have used.

Both change while the session lives. They are filled in by the sessions of this process; decisions
only read them.
"""

from collections.abc import Collection, Sequence
from typing import Protocol

from msgspec.structs import replace

from longrein.context.prompt import Offer
from longrein.core.children import Account
from longrein.core.outcomes import LimitReached
from longrein.core.policy import Grant, Rule, Trust
from longrein.core.state import Run, State
from longrein.core.usage import Spent
from longrein.permissions.evaluate import Action, Allow, Ask, Deny, Verdict

ABOVE = "This holds for the agent that you work for, and so for you, whatever you do:"

_LOOSER: tuple[Trust, ...] = ("plan", "ask", "edits", "yolo")


class Above(Protocol):
    """The session that a child works for, as it is now: a child never may do more."""

    def rules(self) -> tuple[tuple[str, Rule], ...]:
        """Every rule that holds there, with where it comes from."""
        ...

    def grants(self) -> tuple[Grant, ...]:
        """Every yes that is remembered there and above, but for those of the whole resource."""
        ...

    def trust(self) -> Trust: ...

    def chain(self) -> tuple[str, ...]:
        """The models in use there, those that failed in its run last."""
        ...

    def shows(self, tool: str) -> bool:
        """Whether its mode, and those above, show a tool at present."""
        ...

    def verdict(
        self, action: Action, answered: Collection[str], grants: Sequence[Grant]
    ) -> Verdict:
        """Whether an action may happen there; `grants` is what people said yes to below."""
        ...

    def offer(self) -> Offer:
        """The tools that its model is offered."""
        ...

    def left(self) -> int | None:
        """The money that is left for the child, its siblings counted; None: any amount."""
        ...

    def over(self) -> LimitReached | None:
        """The limit there, or above, that forbids the child another step."""
        ...


class Ledger:
    """What a thread and all below it have used, with what is reserved for calls in flight.

    `state` is the newest that is planned to be written: what one session reserves counts for the
    others before it is durable.
    """

    __slots__ = ("children", "state", "thread")

    def __init__(self, thread: str = "") -> None:
        self.thread = thread
        self.state = State()
        self.children: dict[str, Ledger] = {}

    def whole(self, state: State | None = None) -> Spent:
        """What the thread and all below it have used; `state` is newer than the one kept here."""
        state = self.state if state is None else state
        # Until a fork has begun, what is known is its parent's.
        if self.thread and state.thread != self.thread:
            return Spent()
        return counted(state) + self.beneath(state)

    def beneath(self, state: State, run: str = "") -> Spent:
        """What children have used, ended ones included; only those of a run, if it is named.

        What an ended one uses when it works again is for no run, and in the log only once it rests.
        """
        account = account_of(state, run) if run else None
        used = state.below if not run else account.below if account else Spent()
        for child in state.children:
            known = self.children.get(child.thread)
            if known is not None and (not run or (child.open and child.run == run)):
                used += known.whole() - child.spent
        return used

    def run(self, state: State, run: Run) -> Run:
        """A run that has used what it and its children did; steps are its own."""
        if not state.children:
            return run
        used = run.spent + self.beneath(state, run.id)
        return replace(run, spent=replace(used, steps=run.spent.steps))


def account_of(state: State, run: str) -> Account | None:
    """What a run may spend and has spent: the one under way, or one whose children still work."""
    if state.run is not None and state.run.id == run:
        return Account(run, state.run.limits, state.run.spent, state.run.below)
    return next((one for one in state.accounts if one.run == run), None)


def counted(state: State) -> Spent:
    """What the thread cost, with what is reserved for calls in flight."""
    held = reserved(state)
    return replace(state.spent, cost=state.spent.cost + held) if held else state.spent


def reserved(state: State) -> int:
    """What is reserved for calls of the thread that are in flight: of a step, for a summary, and
    beside the conversation."""
    step, summary = state.step, state.compaction
    held = sum(state.side_calls.values()) + (summary.reserved if summary else 0)
    return held + step.reserved if step and step.phase != "tools" else held


def handed_down(verdict: Verdict) -> Verdict:
    """The verdict of a parent in words for its child, who cannot do what the parent is told to.

    >>> handed_down(Deny("", "No.")).reason.partition(", and so for you")[0]
    'This holds for the agent that you work for'
    """
    if not isinstance(verdict, Deny) or verdict.rule or verdict.reason.startswith(ABOVE):
        return verdict
    return replace(verdict, reason=f"{ABOVE} {verdict.reason}")


def stricter(one: Verdict, other: Verdict) -> Verdict:
    """The verdict that lets less happen; where both ask, a yes has to answer both.

    >>> stricter(Allow("a"), Ask("b", "why", ("b",))).rule
    'b'
    """
    match one, other:
        case (Deny(), _) | (Ask(), Allow()):
            return one
        case (_, Deny()) | (Allow(), _):
            return other
        case Ask() as first, Ask() as second:
            rules = tuple(dict.fromkeys((*first.rules, *second.rules)))
            return replace(first, rules=rules, always=first.always or second.always)


def strictest(one: Trust, other: Trust) -> Trust:
    """The trust that leaves less to the agent.

    >>> strictest("yolo", "ask"), strictest("edits", "plan")
    ('ask', 'plan')
    """
    return one if _LOOSER.index(one) < _LOOSER.index(other) else other
