"""All layers as one value: the later wins, denies add up."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from msgspec import Struct, structs

from longrein.core.policy import Rule, Trust
from longrein.core.usage import Limits
from longrein.loop.setup import Budgets
from longrein.models.base import ModelSettings
from longrein.models.catalog import ProviderSettings
from longrein.models.price import Price
from longrein.settings.layer import (
    BudgetTable,
    Layer,
    LimitsTable,
    ModelTable,
    RuleTable,
    Shell,
    Synchronous,
    read_environment,
    read_user,
)
from longrein.settings.places import Places
from longrein.settings.project import Gate, read_project
from longrein.workspace.rules import FileRule

T = TypeVar("T", bound=Struct)

BILLIONTHS = 1_000_000_000


class Settings(Struct, frozen=True):
    """What holds here. Of `models` each takes over where the one before cannot answer."""

    models: tuple[str, ...] = ()
    trust: Trust = "ask"
    store: str = ""
    synchronous: Synchronous = "full"
    titles: str = ""
    shell: Shell = "sandbox"
    readable: tuple[str, ...] = ()
    writable: tuple[str, ...] = ()
    files: tuple[FileRule, ...] = ()
    limits: Limits = Limits()
    budgets: Budgets = Budgets()
    model_settings: Mapping[str, ModelSettings] = {}
    rules: tuple[Rule, ...] = ()
    providers: Mapping[str, ProviderSettings] = {}
    prices: Mapping[str, Price] = {}


def load(places: Places, environ: Mapping[str, str], flags: Layer, gate: Gate) -> Settings:
    """The settings of the user, the project if it is trusted, the environment and the flags.

    Raises `UsageError` that says where something is wrong.
    """
    layers = [
        read_user(places.user_file),
        read_project(places.project_file, gate),
        read_environment(environ, Path.cwd()),
        flags,
    ]
    return merge(layers, str(places.project))


def merge(layers: Sequence[Layer], project: str = "/") -> Settings:
    """One value from layers, the first the weakest; its file rules come first, as they did."""
    model, trust, store, synchronous, titles = "", None, "", None, ""
    shell: Shell | None = None
    fallback: tuple[str, ...] = ()
    limits, budget = LimitsTable(), BudgetTable()
    providers, prices = dict[str, ProviderSettings](), dict[str, Price]()
    models = dict[str, ModelTable]()
    for layer in layers:
        model = layer.model or model
        fallback = fallback if layer.fallback is None else layer.fallback
        trust = layer.trust or trust
        store = layer.store or store
        synchronous = layer.synchronous or synchronous
        titles = layer.titles or titles
        shell = layer.shell or shell
        limits = _over(limits, layer.limits)
        budget = _over(budget, layer.budget)
        prices |= layer.prices
        for who, given in layer.providers.items():
            providers[who] = _over(providers.get(who, ProviderSettings()), given)
        for name, asked in layer.models.items():
            models[name] = _over(models.get(name, ModelTable()), asked)
    return Settings(
        models=tuple(dict.fromkeys((*((model,) if model else ()), *fallback))),
        trust=trust or "ask",
        store=store,
        synchronous=synchronous or "full",
        titles=titles,
        shell=shell or "sandbox",
        readable=tuple(path for layer in layers for path in layer.readable),
        writable=tuple(path for layer in layers for path in layer.writable),
        # The first that is about a path decides: nobody's later ones open what was closed.
        files=tuple(one.rule(project) for layer in layers for one in layer.files),
        limits=_limits(limits),
        budgets=Budgets(_billionths(budget.thread), _billionths(budget.project)),
        model_settings={
            name: ModelSettings(
                asked.max_output, asked.temperature, asked.effort, media=asked.media
            )
            for name, asked in models.items()
        },
        rules=_rules([rule for layer in layers for rule in layer.rules]),
        providers=providers,
        prices=prices,
    )


def _over(below: T, above: T) -> T:
    """`below` with everything that `above` says."""
    said = {name: getattr(above, name) for name in above.__struct_fields__}
    return structs.replace(below, **{k: v for k, v in said.items() if v not in (None, "", {})})


def _limits(table: LimitsTable) -> Limits:
    steps = Limits().steps if table.steps is None else table.steps
    return Limits(steps, table.tokens, _billionths(table.cost), table.seconds)


def _billionths(dollars: float | None) -> int | None:
    return None if dollars is None else round(dollars * BILLIONTHS)


def _rules(tables: Sequence[RuleTable]) -> tuple[Rule, ...]:
    """Every deny and every ask that is always asked; of the others the last about the same."""
    adding: dict[Rule, None] = {}
    last: dict[Rule, Rule] = {}
    for rule in (table.rule() for table in tables):
        if rule.effect == "deny" or rule.always:
            adding[rule] = None
        else:
            last[structs.replace(rule, effect="allow")] = rule
    return (*adding, *last.values())
