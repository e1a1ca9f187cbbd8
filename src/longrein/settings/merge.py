"""All layers as one value: the later wins, denies add up."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeVar

from msgspec import Struct, structs

from longrein.context.summary import Compaction
from longrein.core.limits_table import LimitsTable
from longrein.core.policy import Rule, Trust
from longrein.core.preferences import Preferences
from longrein.core.usage import BILLIONTHS, Limits
from longrein.loop.profiles.profile import Profile
from longrein.loop.profiles.profile import merged as merged_profiles
from longrein.loop.setup import Budgets
from longrein.models.base import ModelSettings
from longrein.models.catalog import ProviderSettings
from longrein.models.price import Price
from longrein.settings.app import AppTable
from longrein.settings.compacting import CompactionTable
from longrein.settings.hook_tables import SourcedHooks
from longrein.settings.layer import (
    BudgetTable,
    Layer,
    RuleTable,
    Shell,
    SubagentsTable,
    SwitchTable,
    Synchronous,
)
from longrein.settings.model_tables import ModelTable
from longrein.settings.observing import ObservingTable
from longrein.settings.origins import origins
from longrein.settings.places import Places
from longrein.settings.project import Gate
from longrein.settings.sources import read_sources
from longrein.workspace.rules import FileRule

T = TypeVar("T", bound=Struct)


class Settings(Struct, frozen=True):
    """What holds here. Of `models` each takes over where the one before cannot answer. `origins`
    says which file brought a setting, by its name."""

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
    subagents: SubagentsTable = SubagentsTable()
    skills: bool = True
    memory: bool = True
    observing: ObservingTable = ObservingTable()
    compaction: Compaction = Compaction()
    app: Preferences = Preferences()
    hooks: tuple[SourcedHooks, ...] = ()
    model_settings: Mapping[str, ModelSettings] = {}
    profiles: Mapping[str, Profile] = {}
    rules: tuple[Rule, ...] = ()
    providers: Mapping[str, ProviderSettings] = {}
    prices: Mapping[str, Price] = {}
    origins: Mapping[str, str] = {}

    @property
    def helpers(self) -> Iterator[tuple[str, str]]:
        """The models that work beside those of the agent: the setting, and the model's name."""
        yield "titles", self.titles
        if isinstance(self.compaction.model, str):
            yield "compaction.model", self.compaction.model
        if self.observing.enabled:
            yield "observing.model", self.observing.model
            yield "observing.reflector_model", self.observing.reflector_model


def load(places: Places, environ: Mapping[str, str], flags: Layer, gate: Gate) -> Settings:
    """The settings of the user, the project if it is trusted, the environment and the flags.

    Raises `UsageError` that says where something is wrong.
    """
    layers = [(one.name, one.layer) for one in read_sources(places, environ, flags, gate)]
    settings = merge([layer for _, layer in layers], str(places.project))
    hooks = tuple(SourcedHooks(source, layer.hooks) for source, layer in layers)
    files = tuple(
        structs.replace(one.rule(str(places.project)), source=source)
        for source, layer in layers
        for one in layer.files
    )
    return structs.replace(settings, origins=origins(layers), hooks=hooks, files=files)


def merge(layers: Sequence[Layer], project: str = "/") -> Settings:
    """One value from layers, the first the weakest; its file rules come first, as they did."""
    model, trust, store, synchronous, titles = "", None, "", None, ""
    shell: Shell | None = None
    fallback: tuple[str, ...] = ()
    limits, budget, subagents = LimitsTable(), BudgetTable(), SubagentsTable()
    providers, prices = dict[str, ProviderSettings](), dict[str, Price]()
    skills, memory = SwitchTable(), SwitchTable()
    observing, compaction, app = ObservingTable(), CompactionTable(), AppTable()
    models, profiles = dict[str, ModelTable](), dict[str, Profile]()
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
        skills, memory = _over(skills, layer.skills), _over(memory, layer.memory)
        subagents = _over(subagents, layer.subagents)
        observing = _over(observing, layer.observing)
        compaction = _over(compaction, layer.compaction)
        app = _over(app, layer.app)
        prices |= layer.prices
        for who, given in layer.providers.items():
            providers[who] = _over(providers.get(who, ProviderSettings()), given)
        for name, asked in layer.models.items():
            models[name] = _over(models.get(name, ModelTable()), asked)
        for key, table in layer.profiles.items():
            profiles[key] = merged_profiles(profiles.get(key, Profile()), table.profile())
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
        limits=limits.limits(),
        budgets=Budgets(_billionths(budget.thread), _billionths(budget.project)),
        subagents=subagents,
        skills=skills.enabled is not False,
        memory=memory.enabled is not False,
        observing=observing,
        compaction=compaction.compaction(),
        app=app.preferences(),
        model_settings={name: asked.asked() for name, asked in models.items()},
        profiles=profiles,
        rules=_rules([rule for layer in layers for rule in layer.rules]),
        providers=providers,
        prices=prices,
    )


def _over(below: T, above: T) -> T:
    """`below` with everything that `above` says."""
    said = {name: getattr(above, name) for name in above.__struct_fields__}
    return structs.replace(below, **{k: v for k, v in said.items() if v not in (None, "", {})})


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
