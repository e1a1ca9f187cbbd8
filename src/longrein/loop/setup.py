"""`Setup`: the frozen facts from code and settings that decisions are made with."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

import msgspec
from msgspec import Struct, field

from longrein.core.events import Event, GrantAdded, GrantRevoked
from longrein.core.policy import Category, Grant, Rule
from longrein.core.records import Point
from longrein.core.state import Call, Run, State
from longrein.core.usage import Limits
from longrein.permissions.evaluate import Action
from longrein.tools.reach import ModeInfo


class ToolFacts(Struct, frozen=True):
    """What a decision needs to know of a tool."""

    name: str
    category: Category = "other"
    idempotent: bool = False
    asks: bool = False


class ModeFacts(Struct, frozen=True):
    """What a decision needs to know of a mode. `tools` are the ones that it shows."""

    id: str
    tools: Mapping[str, ToolFacts]
    instructions: str = ""
    model: tuple[str, ...] = ()
    rules: tuple[Rule, ...] = ()
    info: ModeInfo = ModeInfo()


class Budgets(Struct, frozen=True, omit_defaults=True):
    """What whole threads and resources may cost, in billionths of a dollar. None is no limit.

    >>> from longrein import Budgets
    >>> Budgets(thread=5_000_000_000).resource is None
    True
    """

    thread: int | None = None
    resource: int | None = None


class Shared:
    """What all sessions of a resource share, as of now: grants, and what each thread has cost.

    It is filled in from the store and by the sessions of this process; decisions only read it.
    """

    __slots__ = ("asides", "costs", "elsewhere", "grants", "model")

    def __init__(self) -> None:
        self.grants: tuple[Grant, ...] = ()
        self.model = ""
        self.costs: dict[str, int] = {}
        """What the threads that are written here have cost, with what is reserved for them."""
        self.asides: dict[str, int] = {}
        """What is reserved for calls beside the runs of threads, such as the one for a title."""
        self.elsewhere = 0
        """What all other threads of the resource have cost, as of the last look at the store."""

    def cost_beside(self, thread: str) -> int:
        """What the other threads of the resource have cost, with what is reserved for them."""
        held = (*self.costs.items(), *self.asides.items())
        return self.elsewhere + sum(cost for other, cost in held if other != thread)

    def enter(self, thread: str, cost: int) -> None:
        """A thread is written here from now on; `cost` is its part of what is elsewhere."""
        self.elsewhere -= cost
        self.costs[thread] = cost

    def count(self, thread: str, cost: int) -> None:
        """What a thread that is written here has cost by now."""
        if thread in self.costs:
            self.costs[thread] = cost

    def leave(self, thread: str) -> None:
        """A thread is not written here any more; what it has cost still counts."""
        self.elsewhere += self.costs.pop(thread, 0)

    def hear(self, events: Sequence[Event]) -> None:
        """Know of the grants that these durable events give to the resource or take from it."""
        for event in events:
            if isinstance(event, GrantAdded) and event.grant.scope == "resource":
                # A look at the store may have found it already.
                others = (one for one in self.grants if one.id != event.grant.id)
                self.grants = (*others, event.grant)
            elif isinstance(event, GrantRevoked):
                self.grants = tuple(one for one in self.grants if one.id != event.grant)


class Setup(Struct, frozen=True):
    """Everything that is fixed while a session lives.

    `models` is the chain of the agent: the first is used, the others take over when it fails.
    `rules` are those of the harness, `extension_rules` those of capabilities by their names.
    `known` are all tools, hidden ones too; None where they depend on who opens a session.
    `hooks` are the points at which some capability wants to be asked, `due` tells whether one has
    something to say at the start of a run. `repairs` is how often a model is told that its answer
    does not fit the output that was asked for.
    """

    modes: Mapping[str, ModeFacts]
    default_mode: str
    models: tuple[str, ...] = ()
    rules: tuple[Rule, ...] = ()
    extension_rules: Mapping[str, tuple[Rule, ...]] = {}
    limits: Limits = Limits()
    budgets: Budgets = Budgets()
    parallel: int = 8
    repairs: int = 3
    hooks: frozenset[Point] = frozenset()
    due: Callable[[State], bool] = lambda state: True
    known: frozenset[str] | None = None
    shared: Shared = field(default_factory=Shared)

    def mode(self, state: State) -> ModeFacts:
        """The mode in use; the default one where the thread names one that is no more."""
        return self.modes.get(state.mode) or self.modes[self.default_mode]

    def step_mode(self, state: State) -> ModeFacts:
        """The mode that the calls of the open step were asked for in; without a step, the one in
        use. A call means what the model was offered, whatever is switched to meanwhile."""
        step = state.step
        return (self.modes.get(step.mode) if step else None) or self.mode(state)

    def chain(self, state: State) -> tuple[str, ...]:
        """The models in use: chosen in the thread, for the resource, by the mode, or by the agent.

        A model that was chosen has the configured ones behind it.
        """
        configured = self.mode(state).model or self.models
        if chosen := state.model or self.shared.model:
            return (chosen, *(m for m in configured if m != chosen))
        return configured

    def model(self, state: State, run: Run) -> str:
        """The model of the chain whose turn it is."""
        chain = self.chain(state)
        left = (model for model in chain if model not in run.failed)
        return next(left, chain[-1] if chain else "")

    def sourced_rules(self, state: State) -> tuple[tuple[str, Rule], ...]:
        """Every rule that holds now, with where it comes from."""
        return (
            *(("harness", rule) for rule in self.rules),
            *(
                (f"capability:{name}", rule)
                for name, rules in self.extension_rules.items()
                for rule in rules
            ),
            *(("mode", rule) for rule in self._mode_rules(state)),
            *(("thread", rule) for rule in state.rules),
        )

    def all_rules(self, state: State) -> tuple[Rule, ...]:
        """Every rule that holds now, from whatever source."""
        return (*self._lasting, *self._mode_rules(state), *state.rules)

    def _mode_rules(self, state: State) -> tuple[Rule, ...]:
        """The rules of the mode in use, and of the one that the open step began in."""
        now, begun = self.mode(state), self.step_mode(state)
        # What the mode that was left allowed is not allowed by it any more.
        kept = () if begun is now else (rule for rule in begun.rules if rule.effect != "allow")
        return (*kept, *now.rules)

    @property
    def _lasting(self) -> tuple[Rule, ...]:
        if not self.extension_rules:
            return self.rules
        return (*self.rules, *(rule for found in self.extension_rules.values() for rule in found))

    def all_grants(self, state: State) -> tuple[Grant, ...]:
        """Every remembered yes that holds now: of the thread and of the resource."""
        return (*state.grants, *(g for g in self.shared.grants if g.id not in state.revoked))

    def action(self, state: State, call: Call) -> Action | None:
        """The action of a call; None where the mode does not show its tool."""
        facts = self.step_mode(state).tools.get(call.name)
        if facts is None:
            return None
        return Action(facts.name, facts.category, read_arguments(call.arguments), call.touches)


def read_arguments(text: str) -> Mapping[str, Any]:
    """The arguments of a call as rules look at them; none where they cannot be read."""
    try:
        read = msgspec.json.decode(text or "{}")
    except msgspec.DecodeError:
        return {}
    return cast("dict[str, Any]", read) if isinstance(read, dict) else {}
