"""From agents and modes to the frozen facts that sessions run on."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from typing import Any, TypeGuard, cast

import msgspec
from msgspec import Struct

from longrein.capabilities.base import Capability
from longrein.capabilities.contexts import SlashCommand
from longrein.capabilities.opening import Opening
from longrein.context.prompt import BASE, Prompt
from longrein.core.errors import UsageError
from longrein.core.policy import Rule
from longrein.core.records import Point
from longrein.core.slices import Folding
from longrein.core.state import State
from longrein.core.usage import Limits
from longrein.loop.agent import Agent, Chain, Mode, ModelChoice, Tools
from longrein.loop.checks import (
    HOOKS,
    check_agent,
    check_amounts,
    check_capabilities,
    check_model,
    check_modes,
    check_rules,
    check_text,
    known_providers,
    listed,
)
from longrein.loop.deadlines import Unattended
from longrein.loop.keeping import digest_of, keeps_of
from longrein.loop.profiles.applying import fitted
from longrein.loop.profiles.registry import Profiles
from longrein.loop.setup import Budgets, ModeFacts, Setup, Shared, ToolFacts
from longrein.models.base import Model
from longrein.models.catalog import ProviderSettings
from longrein.permissions.evaluate import Action
from longrein.tools.define import Tool, as_tool
from longrein.tools.reach import ModeInfo
from longrein.tools.registry import Registry

DEFAULT_MODE = "default"
SUBMIT = "submit_plan"
AGENT = "agent"
"""The section of the system text that holds the agent's own instructions."""


NO_PROFILES = Profiles()


class Terms(Struct, frozen=True):
    """What a harness lays down for all its sessions. `providers` are those that models may name;
    None: any. `profiles` are what goes with models."""

    rules: tuple[Rule, ...] = ()
    limits: Limits = Limits()
    budgets: Budgets = Budgets()
    parallel: int = 8
    providers: frozenset[str] | None = None
    profiles: Profiles = NO_PROFILES
    unattended: Unattended | None = None


def terms_of(
    rules: Sequence[Rule],
    limits: Limits | None,
    budgets: Budgets | None,
    parallel: int,
    providers: Mapping[str, ProviderSettings] | None,
    profiles: Profiles = NO_PROFILES,
    unattended: Unattended | None = None,
) -> Terms:
    """What a harness lays down. Raises `UsageError` for what makes no sense."""
    terms = Terms(
        listed("rules", rules, Rule),
        Limits() if limits is None else limits,
        Budgets() if budgets is None else budgets,
        parallel,
        known_providers({} if providers is None else providers),
        profiles,
        unattended,
    )
    check_amounts("limits", terms.limits, Limits)
    check_amounts("budgets", terms.budgets, Budgets)
    if not isinstance(parallel, int) or parallel < 1:  # pyright: ignore[reportUnnecessaryIsInstance]
        raise UsageError("parallel must be at least 1: so many tool calls of a step run at once.")
    return terms


class Assembled(Struct, frozen=True):
    """What an agent and its modes come to. `given` are the models that came as objects, by name;
    `capabilities` and `commands` are those that work in the session."""

    setup: Setup
    prompt: Prompt
    registries: Mapping[str, Registry]
    given: Mapping[str, Model]
    capabilities: tuple[Capability, ...]
    commands: Mapping[str, tuple[str, SlashCommand]]


class Blueprint:
    """An agent, its modes and the terms of a harness, checked; makes the facts for each session.

    Raises `UsageError`, naming the culprit, for whatever can be found wrong before the first run.
    """

    def __init__(
        self,
        agent: Agent,
        modes: Sequence[Mode] | None,
        terms: Terms,
        given: Mapping[str, Model] | None = None,
        excused: Set[str] = frozenset(),
    ) -> None:
        check_agent(agent)
        self.agent = agent
        self.modes = (Mode(DEFAULT_MODE),) if modes is None else listed("modes", modes, Mode)
        check_modes(self.modes)
        self.terms = terms
        self.given: dict[str, Model] = dict(given or {})
        """The models that came as objects, known before any session is opened; those of whoever
        this one works for included."""
        self.named = self._named()
        """The names of all models that are known before any session is opened."""
        own = _capabilities(agent)
        self.capabilities = fitted(own, terms.profiles, self._first)
        check_capabilities(self.capabilities)
        self._gone = _names([one for one in own if one not in self.capabilities]) | excused
        """Tools that modes and rules may name although they are not here."""
        self.rules = terms.rules
        self.profiles = terms.profiles
        self.folding = Folding([slice for c in self.capabilities for slice in c.slices()])
        _commands(self.capabilities)
        self.hooks = frozenset[Point](p for p in HOOKS if any(c.has(p) for c in self.capabilities))
        self._fixed = None if self._depends else self._assemble(None, self.capabilities)

    @property
    def tools(self) -> Set[str]:
        """The tools that can be named: those that are known before any session is opened, and those
        that were there but for a profile or a limit of depth."""
        tools = self.agent.tools
        if callable(tools):
            return self._gone
        brought = [tool for capability in self.capabilities for tool in capability.tools()]
        return self._gone.union(*(_every_tool(mode, tools, brought) for mode in self.modes))

    @property
    def _depends(self) -> bool:
        """Whether something is a function of the dependencies, which nobody knows yet."""
        agent = self.agent
        return callable(agent.instructions) or callable(agent.tools) or _is_function(agent.model)

    @property
    def _has_base(self) -> bool:
        """Whether some model could have a base prompt, its own or that of a profile."""
        others = (one.profile.base_prompt for one in self.terms.profiles.entries)
        return bool(self.agent.base_prompt) or any(text is not None for text in others)

    @property
    def _first(self) -> str:
        """The model by which capabilities are fitted: the agent's first, or its default mode's."""
        agent, default = self.agent, _default(self.modes)
        own = () if _is_function(agent.model) else _chain(_model(agent, None), self.given)
        chain = own or _chain(default.model or (), self.given)
        return chain[0] if chain else ""

    def _named(self) -> tuple[str, ...]:
        chains = [mode.model for mode in self.modes if mode.model is not None]
        if not _is_function(self.agent.model):
            chains.append(_model(self.agent, None))
        names = tuple(name for chain in chains for name in _chain(chain, self.given))
        self._check_models(names, self.given)
        return names

    def _check_models(self, names: Iterable[str], given: Mapping[str, Model]) -> None:
        if self.terms.providers is not None:
            for name in names:
                if name not in given:
                    check_model(name, self.terms.providers)

    async def assemble(
        self, opening: Opening, shared: Shared, capabilities: tuple[Capability, ...]
    ) -> Assembled:
        """The facts for one session, with the capabilities as they were opened for it."""
        made = self._fixed
        if made is None or capabilities != self.capabilities:
            made = self._assemble(opening.deps, capabilities)
        sections = dict(made.prompt.sections)
        for capability in capabilities:
            if type(capability).context is not Capability.context:
                said = capability.context(opening)
                text = said if isinstance(said, str) else await said
                sections[capability.name] = text.strip()
        mounts = frozenset(path for place in opening.places for path in place.mounts)
        setup = msgspec.structs.replace(made.setup, shared=shared, mounts=mounts)
        prompt = made.prompt.saying(sections)
        return msgspec.structs.replace(made, setup=setup, prompt=prompt)

    def _assemble(self, deps: Any, capabilities: tuple[Capability, ...]) -> Assembled:
        agent, terms = self.agent, self.terms
        tools = agent.tools(deps) if callable(agent.tools) else agent.tools
        said = agent.instructions(deps) if callable(agent.instructions) else agent.instructions
        check_text(f"what instructions of the agent {agent.name!r} give", said)
        listed(f"tools of the agent {agent.name!r}", tools, object, "tools")
        brought = [tool for capability in capabilities for tool in capability.tools()]
        every = {mode.id: _every_tool(mode, tools, brought) for mode in self.modes}
        commands = _commands(capabilities)
        can_lead = bool(self.hooks or commands)
        registries = {m.id: self._visible(m, every[m.id], can_lead) for m in self.modes}
        given = dict(self.given)
        known = {name for registry in every.values() for name in registry}
        setup = Setup(
            modes={mode.id: _facts(mode, registries[mode.id], given) for mode in self.modes},
            default_mode=_default(self.modes).id,
            models=_chain(_model(agent, deps), given),
            rules=terms.rules,
            extension_rules={c.name: tuple(rules) for c in capabilities if (rules := c.rules())},
            limits=terms.limits,
            budgets=terms.budgets,
            parallel=terms.parallel,
            unattended=terms.unattended,
            hooks=self.hooks,
            due=_due([one for one in capabilities if one.has("before_run")]),
            refusal=_refusal(capabilities),
            known=None if callable(agent.tools) else frozenset(known),
            tuning=terms.profiles.tuning,
            keeps=keeps_of(capabilities),
            digest=digest_of(capabilities),
        )
        self._check_models(setup.models, given)
        if setup.known is not None:
            check_rules(_sourced(setup), known | self._gone)
            for capability in capabilities:
                capability.equipped(known, setup.modes)
        base = {BASE: agent.base_prompt.strip()} if self._has_base else {}
        about = {one.name: _names((one,)) for one in capabilities}
        prompt = Prompt({**base, AGENT: said.strip()}, registries, tools=about)
        return Assembled(setup, prompt, registries, given, capabilities, commands)

    def _visible(self, mode: Mode, every: Registry, can_lead: bool) -> Registry:
        for name in mode.visible or ():
            if name not in every and name not in self._gone:
                known = ", ".join(every) or "none"
                raise UsageError(
                    f"Mode {mode.id!r} makes {name!r} visible, but there is no such tool; "
                    f"it could be one of: {known}."
                )
        shown = [every[name] for name in every if mode.visible is None or name in mode.visible]
        self._check_transition(mode, every, shown, can_lead)
        return every if mode.visible is None else Registry(shown)

    def _check_transition(
        self, mode: Mode, every: Registry, shown: Sequence[Tool], can_lead: bool
    ) -> None:
        """A mode that leads to another needs something that can lead there.

        Tools with a context, hooks and commands can; a plan that nobody can submit cannot.
        """
        if not mode.transitions_to or any(tool.name == SUBMIT for tool in shown):
            return
        leads = f"Mode {mode.id!r} transitions to {mode.transitions_to!r}"
        if SUBMIT in self._gone:
            raise UsageError(f"{leads}, but {self._excluded(SUBMIT)}")
        if SUBMIT in every:
            raise UsageError(f"{leads}, but hides {SUBMIT!r}: add it to visible.")
        if not can_lead and not any(tool.context for tool in shown):
            raise UsageError(
                f"{leads}, but nothing there can lead to it: give the agent "
                f"capabilities=[Plans()], which bring {SUBMIT!r}."
            )

    def _excluded(self, tool: str) -> str:
        """Which profiles exclude the capability that has a tool, and what to do instead."""
        has = [one for one in self.agent.capabilities if tool in _names([one])]
        names = ", ".join(repr(one.name) for one in has)
        about = self.profiles.about(self._first)
        culprits = [one.origin for one in about if any(map(one.profile.excludes, has))]
        return (
            f"the profile {', '.join(culprits)} excludes the capability {names}, which has "
            f"{tool!r}: take that away, or exclude the tool with excluded_tools."
        )


def _refusal(capabilities: Sequence[Capability]) -> Callable[[State, Action], str]:
    """Why some capability does not let an action happen at present."""
    asked = [one for one in capabilities if type(one).refuses is not Capability.refuses]

    def refusal(state: State, action: Action) -> str:
        for one in asked:
            try:
                why = one.refuses(state.slices, action)
            except Exception as error:  # the code of a capability: the call fails, not the thread
                why = f"This call was not run: {one.name} failed with {type(error).__name__}."
            if why:
                return why
        return ""

    return refusal


def _due(capabilities: Sequence[Capability]) -> Callable[[State], bool]:
    """Whether some capability has something to say at the start of a run."""
    if any(type(one).due is Capability.due for one in capabilities) or not capabilities:
        return lambda state: True
    return lambda state: any(one.due(state.slices) for one in capabilities)


def _every_tool(mode: Mode, agents: Tools, brought: Tools) -> Registry:
    own = agents if mode.tools is None else mode.tools
    return Registry([*own, *(mode.additional_tools or ()), *brought])


def _default(modes: Sequence[Mode]) -> Mode:
    return next((mode for mode in modes if mode.default), modes[0])


def _names(capabilities: Sequence[Capability]) -> frozenset[str]:
    """The tools of capabilities, by name."""
    return frozenset(as_tool(tool).name for one in capabilities for tool in one.tools())


def _capabilities(agent: Agent) -> tuple[Capability, ...]:
    given = listed("capabilities", agent.capabilities, object, "Capability")
    found = cast("tuple[Capability, ...]", given)
    check_capabilities(found)
    return found


def _sourced(setup: Setup) -> Iterator[tuple[str, Rule]]:
    """Every rule that may hold in some mode, with where it comes from."""
    yield from (("harness", rule) for rule in setup.rules)
    for name, rules in setup.extension_rules.items():
        yield from ((f"capability {name}", rule) for rule in rules)
    for mode in setup.modes.values():
        yield from ((f"mode {mode.id!r}", rule) for rule in mode.rules)


def _commands(capabilities: tuple[Capability, ...]) -> Mapping[str, tuple[str, SlashCommand]]:
    """Every command by its name, with the capability that brought it."""
    found: dict[str, tuple[str, SlashCommand]] = {}
    for capability in capabilities:
        for command in capability.commands():
            other = found.get(command.name)
            if other and command.gives_way:
                continue
            if other and not other[1].gives_way:
                raise UsageError(f"Two capabilities have a command called {command.name!r}.")
            found[command.name] = (capability.name, command)
    return found


def _facts(mode: Mode, registry: Registry, given: dict[str, Model]) -> ModeFacts:
    tools = {
        tool.name: ToolFacts(tool.name, tool.category, tool.idempotent, tool.asks)
        for tool in registry.values()
    }
    model = () if mode.model is None else _chain(mode.model, given)
    info = ModeInfo(mode.id, mode.name or mode.id, mode.transitions_to, mode.metadata)
    return ModeFacts(mode.id, tools, mode.instructions, model, tuple(mode.rules), info)


def _is_function(model: Chain | Callable[[Any], Chain]) -> TypeGuard[Callable[[Any], Chain]]:
    """Whether this gives models rather than being one, which may be callable too."""
    return callable(model) and not hasattr(model, "stream")


def _model(agent: Agent, deps: Any) -> Chain:
    model = agent.model
    return model(deps) if _is_function(model) else cast(Chain, model)


def _chain(models: Chain, given: dict[str, Model]) -> tuple[str, ...]:
    """The names of models; those that came as objects get one that the same code gives again."""
    chain = [models] if isinstance(models, str) or not isinstance(models, Sequence) else models
    return tuple(_name(model, given) for model in chain)


def _name(model: ModelChoice, given: dict[str, Model]) -> str:
    if isinstance(model, str):
        return model
    for name, known in given.items():
        if known is model:
            return name
    if not hasattr(model, "stream"):
        raise UsageError(
            f"{model!r} is not a model: give a name such as 'anthropic:NAME', or an object with "
            "a method stream()."
        )
    name = f"custom:{type(model).__name__}"
    if name in given:
        name = f"{name}-{len(given) + 1}"
    given[name] = model
    return name
