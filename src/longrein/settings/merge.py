"""All layers as one value: the later wins, denies add up."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeVar

from msgspec import Struct, structs

from longrein.context.summary import Compaction
from longrein.core.policy import Rule, Trust
from longrein.core.preferences import Preferences
from longrein.core.usage import BILLIONTHS, Limits
from longrein.loop.profiles.profile import Profile
from longrein.loop.profiles.profile import merged as merged_profiles
from longrein.loop.setup import Budgets
from longrein.models.base import ModelSettings
from longrein.models.catalog import ProviderSettings
from longrein.models.price import Price
from longrein.settings.hook_tables import SourcedHooks
from longrein.settings.layer import Layer, Shell, Synchronous
from longrein.settings.places import Places
from longrein.settings.project import Gate
from longrein.settings.said import all_said
from longrein.settings.sources import read_sources
from longrein.settings.tables import ModelTable, ObservingTable, RuleTable, SubagentsTable
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
    return structs.replace(settings, origins=_origins(layers), hooks=hooks, files=files)


def _origins(layers: Sequence[tuple[str, Layer]]) -> Mapping[str, str]:
    """The source of each setting that can only be judged once all is known, by its name; of those
    that several layers say, the strongest."""
    return {name: source for source, layer in layers for name in _judged_later(layer)}


def _judged_later(layer: Layer) -> Iterator[str]:
    models = {
        "titles": layer.titles,
        "compaction.model": layer.compaction.model,
        "observing.model": layer.observing.model,
        "observing.reflector_model": layer.observing.reflector_model,
    }
    yield from (name for name, model in models.items() if model)
    yield from (f'profiles."{key}"' for key in layer.profiles)


def merge(layers: Sequence[Layer], project: str = "/") -> Settings:
    """One value from layers, the first the weakest; its file rules come first, as they did."""
    # Of each setting what the last layer says that says anything. What adds up is read from all.
    last = Layer()
    providers, models = dict[str, ProviderSettings](), dict[str, ModelTable]()
    profiles, prices = dict[str, Profile](), dict[str, Price]()
    for layer in layers:
        last = _over(last, layer)
        prices |= layer.prices
        for who, given in layer.providers.items():
            providers[who] = _over(providers.get(who, ProviderSettings()), given)
        for name, asked in layer.models.items():
            models[name] = _over(models.get(name, ModelTable()), asked)
        for key, table in layer.profiles.items():
            profiles[key] = merged_profiles(profiles.get(key, Profile()), table.profile())
    return Settings(
        models=tuple(
            dict.fromkeys((*((last.model,) if last.model else ()), *(last.fallback or ())))
        ),
        trust=last.trust or "ask",
        store=last.store,
        synchronous=last.synchronous or "full",
        titles=last.titles,
        shell=last.shell or "sandbox",
        readable=tuple(path for layer in layers for path in layer.readable),
        writable=tuple(path for layer in layers for path in layer.writable),
        # The first that is about a path decides: nobody's later ones open what was closed.
        files=tuple(one.rule(project) for layer in layers for one in layer.files),
        limits=last.limits.limits(),
        budgets=Budgets(_billionths(last.budget.thread), _billionths(last.budget.project)),
        subagents=last.subagents,
        skills=last.skills.enabled is not False,
        memory=last.memory.enabled is not False,
        observing=last.observing,
        compaction=last.compaction.compaction(),
        app=last.app.preferences(),
        model_settings={name: asked.asked() for name, asked in models.items()},
        profiles=profiles,
        rules=_rules([rule for layer in layers for rule in layer.rules]),
        providers=providers,
        prices=prices,
    )


def _over(below: T, above: T) -> T:
    """`below` with everything that `above` says, in the tables inside it too."""
    said = {
        name: _over(getattr(below, name), value) if isinstance(value, Struct) else value
        for name, value in all_said(above).items()
    }
    return structs.replace(below, **said)


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
