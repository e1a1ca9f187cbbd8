"""`Setup`: the frozen facts from code and settings that decisions are made with."""

from collections.abc import Callable, Collection, Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, cast

import msgspec
from msgspec import Struct, field

from longrein.context.summary import Compaction
from longrein.context.tuning import Tuning, untuned
from longrein.core.events import Event, GrantAdded, GrantRevoked
from longrein.core.policy import Category, Grant, Rule, Trust
from longrein.core.records import Point
from longrein.core.state import Call, Run, State
from longrein.core.usage import Limits
from longrein.core.window import Digest
from longrein.loop.deadlines import Unattended
from longrein.loop.tree import Above, Ledger, handed_down, stricter, strictest
from longrein.permissions.evaluate import Action, Deny, Verdict, evaluate
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

    __slots__ = ("asides", "costs", "elsewhere", "grants", "model", "watchers")

    def __init__(self) -> None:
        self.grants: tuple[Grant, ...] = ()
        self.model = ""
        self.costs: dict[str, int] = {}
        """What the threads that are written here have cost, with what is reserved for them."""
        self.asides: dict[str, int] = {}
        """What is reserved for calls beside the runs of threads, such as the one for a title."""
        self.elsewhere = 0
        """What all other threads of the resource have cost, as of the last look at the store."""
        self.watchers: dict[str, Callable[[], None]] = {}
        """What the threads that are written here do when the grants are others."""

    def cost_beside(self, thread: str) -> int:
        """What the other threads of the resource have cost, with what is reserved for them."""
        held = (*self.costs.items(), *self.asides.items())
        return self.elsewhere + sum(cost for other, cost in held if other != thread)

    @contextmanager
    def aside(self, thread: str, cost: int) -> Generator[None]:
        """Something is reserved for a call beside the run of a thread, for as long as it takes."""
        self.asides[thread] = self.asides.get(thread, 0) + cost
        try:
            yield
        finally:
            self.asides[thread] -= cost

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
        self.watchers.pop(thread, None)

    def know(self, grants: tuple[Grant, ...]) -> None:
        """These are the grants of the resource now."""
        changed, self.grants = grants != self.grants, grants
        for look in tuple(self.watchers.values()) if changed else ():
            look()

    def hear(self, events: Sequence[Event]) -> None:
        """Know of the grants that these durable events give to the resource or take from it."""
        for event in events:
            if isinstance(event, GrantAdded) and event.grant.scope == "resource":
                # A look at the store may have found it already.
                others = (one for one in self.grants if one.id != event.grant.id)
                self.know((*others, event.grant))
            elif isinstance(event, GrantRevoked):
                self.know(tuple(one for one in self.grants if one.id != event.grant))


class Setup(Struct, frozen=True):
    """Everything that is fixed while a session lives.

    `models` is the chain of the agent: the first is used, the others take over when it fails.
    `rules` are those of the harness, `extension_rules` those of capabilities by their names.
    `known` are all tools, hidden ones too; None where they depend on who opens a session.
    `hooks` are the points at which some capability wants to be asked, `due` tells whether one has
    something to say at the start of a run, `refusal` why one does not let an action happen at
    present. `repairs` is how often a model is told that its answer does not fit the output that was
    asked for. `tuning` is what profiles change for a model, `unattended` what becomes of questions
    that nobody answers.

    `compaction` is when requests become shorter, and how; `summaries` is the model that writes
    summaries, if that is not the one in use. Of a model, `window` is how many tokens
    it can hold and `most_output` what its answer is held to, where that is known; `opening` are the
    tokens that its requests take before the first message. `keeps` is what capabilities want to be
    said again where it was left out, `digest` the notes of one that stand for the beginning.
    `mounts` are the paths below which capabilities show files; `readable` tells whether the model
    can read there what was left out.

    `above` is the session that a child works for, `ledger` what it and its children have used;
    `own` are tools that a child does not have from its parent, and a `forked` one is offered
    exactly what its parent is.
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
    unattended: Unattended | None = None
    hooks: frozenset[Point] = frozenset()
    due: Callable[[State], bool] = lambda state: True
    refusal: Callable[[State, Action], str] = lambda state, action: ""
    known: frozenset[str] | None = None
    shared: Shared = field(default_factory=Shared)
    tuning: Callable[[str], Tuning] = untuned
    compaction: Compaction = Compaction()
    summaries: str = ""
    window: Callable[[str], int | None] = lambda model: None
    most_output: Callable[[str], int | None] = lambda model: None
    opening: Callable[[State, str], int] = lambda state, model: 0
    keeps: Callable[[State], str] = lambda state: ""
    mounts: frozenset[str] = frozenset()
    readable: Callable[[State], bool] = lambda state: False
    digest: Callable[[State], Digest | None] = lambda state: None
    above: Above | None = None
    ledger: Ledger = field(default_factory=Ledger)
    own: frozenset[str] = frozenset()
    forked: bool = False

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
        if self.above is not None:
            # What is chosen for the whole resource is for those who begin with nobody above them.
            configured, chosen = configured or self.above.chain(), state.model
        else:
            chosen = state.model or self.shared.model
        if chosen:
            return (chosen, *(m for m in configured if m != chosen))
        return configured

    def model(self, state: State, run: Run) -> str:
        """The model of the chain whose turn it is."""
        chain = self.chain(state)
        left = (model for model in chain if model not in run.failed)
        return next(left, chain[-1] if chain else "")

    def in_use(self, state: State) -> str:
        """The model of the open step; without one, the model whose turn it is."""
        if state.step:
            return state.step.model
        return self.model(state, state.run) if state.run else next(iter(self.chain(state)), "")

    def next_model(self, state: State) -> str:
        """The model that would be called next."""
        if state.run is not None:
            return self.model(state, state.run)
        return next(iter(self.chain(state)), "")

    def excluded(self, state: State) -> frozenset[str]:
        """The tools that the model in use does not have."""
        return self.tuning(self.in_use(state)).excluded_tools

    def sourced_rules(self, state: State) -> tuple[tuple[str, Rule], ...]:
        """Every rule that holds now, with where it comes from."""
        above = self.above.rules() if self.above else ()
        return (
            *((f"parent's {source}", rule) for source, rule in above),
            *(("agent" if self.above else "harness", rule) for rule in self.rules),
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
        above = tuple(rule for _, rule in self.above.rules()) if self.above else ()
        return (*above, *self._lasting, *self._mode_rules(state), *state.rules)

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
        """Every remembered yes that holds now: of the thread, those above it and the resource."""
        shared = (g for g in self.shared.grants if g.id not in state.revoked)
        return (*self.thread_grants(state), *shared)

    def thread_grants(self, state: State) -> tuple[Grant, ...]:
        """Those of the thread and of the ones above it."""
        return (*state.grants, *self.above.grants()) if self.above else state.grants

    def trust(self, state: State) -> Trust:
        """How much is left to the agent: what was chosen in the thread, and all above it."""
        if self.above is None:
            return state.trust
        above = self.above.trust()
        return strictest(state.trust, above) if state.trust_chosen else above

    def verdict(
        self,
        state: State,
        action: Action,
        answered: Collection[str] = (),
        below: Sequence[Grant] = (),
    ) -> Verdict:
        """Whether an action may happen, here and above.

        `answered` are the rules that a person said yes to for this very action, `below` is every
        yes that is remembered in the threads below that it comes from.
        """
        if refused := self.refusal(state, action):
            return Deny("", refused)
        rules, grants = self.all_rules(state), (*self.all_grants(state), *below)
        here = evaluate(action, rules, grants, self.trust(state), answered)
        if self.above is None:
            return here
        above = self.above.verdict(action, answered, (*state.grants, *below))
        return stricter(handed_down(above), here)

    def hidden(self, state: State) -> frozenset[str]:
        """The tools that are not shown because those above do not show them at present."""
        if self.above is None:
            return frozenset()
        shown = self.above.shows
        tools = self.step_mode(state).tools
        return frozenset(name for name in tools if name not in self.own and not shown(name))

    def shows(self, state: State, tool: str) -> bool:
        """Whether the mode in use, and those above, show a tool."""
        if tool not in self.mode(state).tools:
            return False
        return tool in self.own or self.above is None or self.above.shows(tool)

    def action(self, state: State, call: Call) -> Action | None:
        """The action of a call; None where the mode does not show its tool, or a profile excludes
        it."""
        facts = self.step_mode(state).tools.get(call.name)
        if facts is None or call.name in self.excluded(state):
            return None
        if self.above and call.name not in self.own and not self.above.shows(call.name):
            return None
        return Action(facts.name, facts.category, read_arguments(call.arguments), call.touches)


def read_arguments(text: str) -> Mapping[str, Any]:
    """The arguments of a call as rules look at them; none where they cannot be read."""
    try:
        read = msgspec.json.decode(text or "{}")
    except msgspec.DecodeError:
        return {}
    return cast("dict[str, Any]", read) if isinstance(read, dict) else {}
