"""All layers as one value: the later wins, denies add up."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from msgspec import Struct, structs

from longrein.core.records import Rule, Trust
from longrein.core.usage import Limits
from longrein.models.catalog import ProviderSettings
from longrein.models.price import Price
from longrein.settings.layer import (
    Layer,
    LimitsTable,
    RuleTable,
    Synchronous,
    read_environment,
    read_user,
)
from longrein.settings.places import Places
from longrein.settings.project import Gate, read_project

T = TypeVar("T", bound=Struct)

BILLIONTHS = 1_000_000_000


class Settings(Struct, frozen=True):
    """What holds here. Of `models` each takes over where the one before cannot answer."""

    models: tuple[str, ...] = ()
    trust: Trust = "ask"
    store: str = ""
    synchronous: Synchronous = "full"
    limits: Limits = Limits()
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
    return merge(layers)


def merge(layers: Sequence[Layer]) -> Settings:
    """One value from layers, the first the weakest."""
    model, trust, store, synchronous = "", None, "", None
    fallback: tuple[str, ...] = ()
    limits = LimitsTable()
    providers, prices = dict[str, ProviderSettings](), dict[str, Price]()
    for layer in layers:
        model = layer.model or model
        fallback = fallback if layer.fallback is None else layer.fallback
        trust = layer.trust or trust
        store = layer.store or store
        synchronous = layer.synchronous or synchronous
        limits = _over(limits, layer.limits)
        prices |= layer.prices
        for who, given in layer.providers.items():
            providers[who] = _over(providers.get(who, ProviderSettings()), given)
    return Settings(
        models=tuple(dict.fromkeys((*((model,) if model else ()), *fallback))),
        trust=trust or "ask",
        store=store,
        synchronous=synchronous or "full",
        limits=_limits(limits),
        rules=_rules([rule for layer in layers for rule in layer.rules]),
        providers=providers,
        prices=prices,
    )


def _over(below: T, above: T) -> T:
    """`below` with everything that `above` says."""
    said = {name: getattr(above, name) for name in above.__struct_fields__}
    return structs.replace(below, **{k: v for k, v in said.items() if v not in (None, "", {})})


def _limits(table: LimitsTable) -> Limits:
    cost = None if table.cost is None else round(table.cost * BILLIONTHS)
    steps = Limits().steps if table.steps is None else table.steps
    return Limits(steps, table.tokens, cost, table.seconds)


def _rules(tables: Sequence[RuleTable]) -> tuple[Rule, ...]:
    """Every deny and every ask that is always asked; of the others the last for its target."""
    adding: dict[Rule, None] = {}
    last: dict[tuple[str, str], Rule] = {}
    for table in tables:
        rule = Rule(table.effect, table.tool, table.category or "", always=table.always)
        if rule.effect == "deny" or rule.always:
            adding[rule] = None
        else:
            last[rule.tool, rule.category] = rule
    return (*adding, *last.values())
