"""From agents and modes to the frozen facts that sessions run on."""

from collections.abc import Mapping, Sequence

import msgspec
from msgspec import Struct

from longrein.context.prompt import Prompt
from longrein.core.errors import UsageError
from longrein.core.records import Rule
from longrein.core.usage import Limits
from longrein.loop.agent import Agent, Mode, ModelChoice
from longrein.loop.setup import ModeFacts, Setup, ToolFacts
from longrein.models.base import Model
from longrein.tools.registry import Registry

DEFAULT_MODE = "default"


class Assembled(Struct, frozen=True):
    """What an agent and its modes come to. `given` are the models that came as objects, by name."""

    setup: Setup
    prompt: Prompt
    registries: Mapping[str, Registry]
    given: Mapping[str, Model]


def assemble(
    agent: Agent, modes: Sequence[Mode], rules: Sequence[Rule], limits: Limits, parallel: int
) -> Assembled:
    """Check everything that can be checked before the first run. Raises `UsageError`."""
    chosen = tuple(modes) or (Mode(DEFAULT_MODE),)
    ids = [mode.id for mode in chosen]
    if twice := next((id for id in ids if ids.count(id) > 1), ""):
        raise UsageError(f"Two modes are called {twice!r}; give each mode an id of its own.")
    if parallel < 1:
        raise UsageError("parallel must be at least 1: so many tool calls of a step run at once.")
    _check_limits(limits)
    registries = {
        mode.id: Registry(agent.tools if mode.tools is None else mode.tools) for mode in chosen
    }
    given: dict[str, Model] = {}
    setup = Setup(
        modes={mode.id: _facts(mode, registries[mode.id], given) for mode in chosen},
        default_mode=chosen[0].id,
        models=_chain(agent.model, given),
        rules=tuple(rules),
        limits=limits,
        parallel=parallel,
    )
    return Assembled(setup, Prompt(agent.instructions, registries), registries, given)


def _check_limits(limits: Limits) -> None:
    try:
        msgspec.convert(msgspec.to_builtins(limits), Limits)
    except msgspec.ValidationError as error:
        text = "cost is in billionths of a dollar, and all but seconds are whole numbers"
        raise UsageError(f"These limits make no sense: {error} ({text}).") from None


def _facts(mode: Mode, registry: Registry, given: dict[str, Model]) -> ModeFacts:
    tools = {
        tool.name: ToolFacts(tool.name, tool.category, tool.idempotent, tool.asks)
        for tool in registry.values()
    }
    model = () if mode.model is None else _chain(mode.model, given)
    return ModeFacts(mode.id, tools, mode.instructions, model, tuple(mode.rules))


def _chain(models: ModelChoice | Sequence[ModelChoice], given: dict[str, Model]) -> tuple[str, ...]:
    """The names of models; those that came as objects get one that the same code gives again."""
    chain = [models] if isinstance(models, str) or not isinstance(models, Sequence) else models
    names: list[str] = []
    for model in chain:
        name = model if isinstance(model, str) else _name(model, given)
        names.append(name)
    return tuple(names)


def _name(model: Model, given: dict[str, Model]) -> str:
    for name, known in given.items():
        if known is model:
            return name
    name = f"custom:{type(model).__name__}"
    if name in given:
        name = f"{name}-{len(given) + 1}"
    given[name] = model
    return name
