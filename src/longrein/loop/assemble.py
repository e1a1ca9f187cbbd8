"""From agents and modes to the frozen facts that sessions run on."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeGuard, cast

import msgspec
from msgspec import Struct

from longrein.capabilities.base import Capability, Opening, SlashCommand
from longrein.context.prompt import Prompt
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
from longrein.loop.setup import Budgets, ModeFacts, Setup, Shared, ToolFacts
from longrein.models.base import Model
from longrein.models.catalog import ProviderSettings
from longrein.tools.define import Tool
from longrein.tools.reach import ModeInfo
from longrein.tools.registry import Registry

DEFAULT_MODE = "default"
SUBMIT = "submit_plan"


class Terms(Struct, frozen=True):
    """What a harness lays down for all its sessions. `providers` are those that models may name;
    None: any."""

    rules: tuple[Rule, ...] = ()
    limits: Limits = Limits()
    budgets: Budgets = Budgets()
    parallel: int = 8
    providers: frozenset[str] | None = None


def terms_of(
    rules: Sequence[Rule],
    limits: Limits | None,
    budgets: Budgets | None,
    parallel: int,
    providers: Mapping[str, ProviderSettings] | None,
) -> Terms:
    """What a harness lays down. Raises `UsageError` for what makes no sense."""
    terms = Terms(
        listed("rules", rules, Rule),
        Limits() if limits is None else limits,
        Budgets() if budgets is None else budgets,
        parallel,
        known_providers({} if providers is None else providers),
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

    def __init__(self, agent: Agent, modes: Sequence[Mode] | None, terms: Terms) -> None:
        check_agent(agent)
        self.agent = agent
        self.modes = (Mode(DEFAULT_MODE),) if modes is None else listed("modes", modes, Mode)
        self.capabilities = _capabilities(agent)
        self._terms = terms
        self.rules = terms.rules
        check_modes(self.modes)
        self.folding = Folding([slice for c in self.capabilities for slice in c.slices()])
        _commands(self.capabilities)
        self.hooks = frozenset[Point](p for p in HOOKS if any(c.has(p) for c in self.capabilities))
        self.given: dict[str, Model] = {}
        """The models that came as objects, known before any session is opened."""
        self.named = self._named()
        """The names of all models that are known before any session is opened."""
        self._fixed = None if self._depends else self._assemble(None, self.capabilities)

    @property
    def _depends(self) -> bool:
        """Whether something is a function of the dependencies, which nobody knows yet."""
        agent = self.agent
        return callable(agent.instructions) or callable(agent.tools) or _is_function(agent.model)

    def _named(self) -> tuple[str, ...]:
        chains = [mode.model for mode in self.modes if mode.model is not None]
        if not _is_function(self.agent.model):
            chains.append(_model(self.agent, None))
        names = tuple(name for chain in chains for name in _chain(chain, self.given))
        self._check_models(names, self.given)
        return names

    def _check_models(self, names: Iterable[str], given: Mapping[str, Model]) -> None:
        if self._terms.providers is not None:
            for name in names:
                if name not in given:
                    check_model(name, self._terms.providers)

    async def assemble(
        self, opening: Opening, shared: Shared, capabilities: tuple[Capability, ...]
    ) -> Assembled:
        """The facts for one session, with the capabilities as they were opened for it."""
        made = self._fixed
        if made is None or capabilities != self.capabilities:
            made = self._assemble(opening.deps, capabilities)
        system = made.prompt.system
        for capability in capabilities:
            if type(capability).context is Capability.context:
                continue
            said = capability.context(opening)
            text = said if isinstance(said, str) else await said
            system = f"{system}\n\n{text}".strip() if text else system
        setup = msgspec.structs.replace(made.setup, shared=shared)
        prompt = made.prompt if system == made.prompt.system else made.prompt.saying(system)
        return msgspec.structs.replace(made, setup=setup, prompt=prompt)

    def _assemble(self, deps: Any, capabilities: tuple[Capability, ...]) -> Assembled:
        agent, terms = self.agent, self._terms
        tools = agent.tools(deps) if callable(agent.tools) else agent.tools
        said = agent.instructions(deps) if callable(agent.instructions) else agent.instructions
        check_text(f"what instructions of the agent {agent.name!r} give", said)
        listed(f"tools of the agent {agent.name!r}", tools, object, "tools")
        brought = [tool for capability in capabilities for tool in capability.tools()]
        every = {mode.id: _every_tool(mode, tools, brought) for mode in self.modes}
        commands = _commands(capabilities)
        can_lead = bool(self.hooks or commands)
        registries = {mode.id: _visible(mode, every[mode.id], can_lead) for mode in self.modes}
        given = dict(self.given)
        known = {name for registry in every.values() for name in registry}
        setup = Setup(
            modes={mode.id: _facts(mode, registries[mode.id], given) for mode in self.modes},
            default_mode=next((m.id for m in self.modes if m.default), self.modes[0].id),
            models=_chain(_model(agent, deps), given),
            rules=terms.rules,
            extension_rules={c.name: tuple(rules) for c in capabilities if (rules := c.rules())},
            limits=terms.limits,
            budgets=terms.budgets,
            parallel=terms.parallel,
            hooks=self.hooks,
            due=_due([one for one in capabilities if one.has("before_run")]),
            known=None if callable(agent.tools) else frozenset(known),
        )
        self._check_models(setup.models, given)
        if setup.known is not None:
            check_rules(_sourced(setup), known)
        prompt = Prompt(said, registries)
        return Assembled(setup, prompt, registries, given, capabilities, commands)


def _due(capabilities: Sequence[Capability]) -> Callable[[State], bool]:
    """Whether some capability has something to say at the start of a run."""
    if any(type(one).due is Capability.due for one in capabilities) or not capabilities:
        return lambda state: True
    return lambda state: any(one.due(state.slices) for one in capabilities)


def _every_tool(mode: Mode, agents: Tools, brought: Tools) -> Registry:
    own = agents if mode.tools is None else mode.tools
    return Registry([*own, *(mode.additional_tools or ()), *brought])


def _visible(mode: Mode, every: Registry, can_lead: bool) -> Registry:
    for name in mode.visible or ():
        if name not in every:
            known = ", ".join(every) or "none"
            raise UsageError(
                f"Mode {mode.id!r} makes {name!r} visible, but there is no such tool; "
                f"it could be one of: {known}."
            )
    shown = [every[name] for name in every if mode.visible is None or name in mode.visible]
    _check_transition(mode, every, shown, can_lead)
    return every if mode.visible is None else Registry(shown)


def _check_transition(mode: Mode, every: Registry, shown: Sequence[Tool], can_lead: bool) -> None:
    """A mode that leads to another needs something that can lead there.

    Tools with a context, hooks and commands can; a plan that nobody can submit cannot.
    """
    if not mode.transitions_to or any(tool.name == SUBMIT for tool in shown):
        return
    leads = f"Mode {mode.id!r} transitions to {mode.transitions_to!r}"
    if SUBMIT in every:
        raise UsageError(f"{leads}, but hides {SUBMIT!r}: add it to visible.")
    if not can_lead and not any(tool.context for tool in shown):
        raise UsageError(
            f"{leads}, but nothing there can lead to it: give the agent "
            f"capabilities=[Plans()], which bring {SUBMIT!r}."
        )


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
            if command.name in found:
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
