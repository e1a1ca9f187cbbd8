"""One layer of settings: what one file, the environment or the flags say, and nothing else."""

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from typing import Any, Literal, TypeAlias, cast, get_args

import msgspec
from msgspec import Struct

from longrein.core.errors import UsageError
from longrein.core.limits_table import LimitsTable, wrong_amount
from longrein.core.policy import Category, Rule, Trust
from longrein.models.base import Effort, Media
from longrein.models.catalog import ProviderSettings, Wire
from longrein.models.price import Price
from longrein.settings.app import AppTable, Notify, ReasoningView
from longrein.settings.compacting import CompactionTable, check_compacting
from longrein.settings.described import SETTINGS, VARIABLES
from longrein.settings.hook_tables import HooksTable, HookTable, HookType, check_hooks
from longrein.settings.model_tables import (
    ModelTable,
    ProfileTable,
    check_model_table,
    check_profile_table,
)
from longrein.settings.observing import ObservingTable, check_observing
from longrein.settings.said import said
from longrein.workspace.rules import FileRule, Operation

Effect: TypeAlias = Literal["allow", "ask", "deny"]
Synchronous: TypeAlias = Literal["full", "normal"]
Shell: TypeAlias = Literal["sandbox", "host", "off"]
"""Where commands run: isolated, as whoever runs Longrein, or nowhere."""


class BudgetTable(Struct, frozen=True, omit_defaults=True):
    """What a whole thread, and all threads of a project together, may cost, in dollars."""

    thread: float | None = None
    project: float | None = None


class SubagentsTable(Struct, frozen=True, omit_defaults=True):
    """Whether the agent delegates, whether to a general-purpose child too, and how deep."""

    enabled: bool | None = None
    default: bool | None = None
    depth: int | None = None


class SwitchTable(Struct, frozen=True, omit_defaults=True):
    """Whether the agent has it at all. None leaves what an earlier layer says."""

    enabled: bool | None = None


class RuleTable(Struct, frozen=True, omit_defaults=True):
    """A rule for a tool, a category, what is given or touched, or (all empty) everything."""

    effect: Effect
    tool: str = ""
    category: Category | None = None
    always: bool = False
    arguments: dict[str, str] = {}
    path: str = ""
    command: str = ""
    host: str = ""

    def rule(self) -> Rule:
        """The rule itself. Raises `UsageError` for a pattern that nothing can match."""
        return Rule(
            self.effect,
            self.tool,
            self.category or "",
            always=self.always,
            arguments=self.arguments,
            path=self.path,
            command=self.command,
            host=self.host,
        )


class FilesTable(Struct, frozen=True, omit_defaults=True):
    """A file rule. Paths that do not begin with '/' or '**' begin at the project."""

    effect: Effect
    paths: tuple[str, ...]
    operations: tuple[Operation, ...] = ("read", "write")

    def rule(self, project: str) -> FileRule:
        """The rule itself. Raises `UsageError` for a pattern that nothing can match."""
        rooted = [
            p if p.startswith(("/", "**")) else f"{project.rstrip('/')}/{p}" for p in self.paths
        ]
        return FileRule(self.effect, tuple(rooted), self.operations)


class Layer(Struct, frozen=True, omit_defaults=True):
    """What one source says. What it does not say, an earlier one does."""

    model: str = ""
    fallback: tuple[str, ...] | None = None
    trust: Trust | None = None
    store: str = ""
    synchronous: Synchronous | None = None
    titles: str = ""
    shell: Shell | None = None
    readable: tuple[str, ...] = ()
    writable: tuple[str, ...] = ()
    files: tuple[FilesTable, ...] = ()
    limits: LimitsTable = LimitsTable()
    budget: BudgetTable = BudgetTable()
    subagents: SubagentsTable = SubagentsTable()
    skills: SwitchTable = SwitchTable()
    memory: SwitchTable = SwitchTable()
    observing: ObservingTable = ObservingTable()
    compaction: CompactionTable = CompactionTable()
    app: AppTable = AppTable()
    hooks: HooksTable = HooksTable()
    models: dict[str, ModelTable] = {}
    profiles: dict[str, ProfileTable] = {}
    rules: tuple[RuleTable, ...] = ()
    providers: dict[str, ProviderSettings] = {}
    prices: dict[str, Price] = {}


MOST_IN_LINE = 1000

_SCHEME = re.compile(r"([A-Za-z0-9+.-]*):")

_CHOICES = {
    "trust": Trust,
    "synchronous": Synchronous,
    "shell": Shell,
    "operations": Operation,
    "effect": Effect,
    "category": Category,
    "wire": Wire,
    "effort": Effort,
    "media": Media,
    "notify": Notify,
    "reasoning": ReasoningView,
    "type": HookType,
}
"""The settings whose values are known, by the last part of their key."""

_FROM_ENVIRONMENT = "the environment"


def read_user(path: Path) -> Layer:
    """The user's own file; an empty layer where there is none. Raises `UsageError`."""
    try:
        return parse(path.read_bytes(), path)
    except FileNotFoundError:
        return Layer()


def parse_project(data: bytes, path: Path) -> Layer:
    """A project's file, which others write too: it may do less. Raises `UsageError`."""
    # The time that a key takes grows with the square of its dots.
    if any(len(line) > MOST_IN_LINE for line in data.splitlines()):
        raise UsageError(f"{path}: a line has more than {MOST_IN_LINE:,} bytes.")
    layer = parse(data, path)
    for what, hint in _not_of_a_project(layer):
        raise UsageError(f"{path}: {what} counts only from yourself: {hint}.")
    return layer


def _not_of_a_project(layer: Layer) -> Iterator[tuple[str, str]]:
    """What only the user may say, and where they do."""
    for setting in SETTINGS.values():
        for key, value in said(layer, setting.key) if setting.own else ():
            if setting.secret:
                yield key, "keep it with `longrein login`, or name its variable with key_env"
            elif setting.own is True:
                yield key, "put it into your own settings"
            elif isinstance(setting.own, tuple) and value in setting.own:
                yield f'{key} = "{value}"', "put it into your own settings"


def parse(data: bytes, path: Path) -> Layer:
    """The layer in a TOML file. Raises `UsageError` that names file, key and what is known."""
    try:
        table = tomllib.loads(data.decode())
    except RecursionError:
        raise UsageError(f"{path}: this is nested too deeply.") from None
    except ValueError as error:
        raise UsageError(f"{path}: this is not TOML: {error}.") from None
    _refuse_unknown(table, path)
    return _layer(table, str(path), path.parent)


def read_environment(environ: Mapping[str, str], folder: Path) -> Layer:
    """What `LONGREIN_*` variables say. Raises `UsageError` on a bad value or a slip of the pen."""
    table: dict[str, Any] = {}
    for name, value in environ.items():
        if not name.startswith("LONGREIN_") or not value:
            continue
        if name not in VARIABLES:
            if near := get_close_matches(name, VARIABLES, n=1, cutoff=0.8):
                raise UsageError(f"{name} is not known; did you mean {near[0]}?")
            continue
        outer, _, inner = VARIABLES[name].partition(".")
        if inner:
            table.setdefault(outer, {})[inner] = value
        elif outer == "fallback":
            table[outer] = [model.strip() for model in value.split(",") if model.strip()]
        else:
            table[outer] = value
    return _layer(table, _FROM_ENVIRONMENT, folder)


def _refuse_unknown(table: dict[str, Any], path: Path) -> None:
    _known_only(table, Layer, "", path)
    for name, kind in (
        ("limits", LimitsTable),
        ("budget", BudgetTable),
        ("subagents", SubagentsTable),
        ("skills", SwitchTable),
        ("memory", SwitchTable),
        ("observing", ObservingTable),
        ("compaction", CompactionTable),
        ("app", AppTable),
        ("hooks", HooksTable),
    ):
        if isinstance(inner := table.get(name), dict):
            _known_only(cast("dict[str, Any]", inner), kind, f"{name}.", path)
    hooks = cast("dict[str, Any]", h) if isinstance(h := table.get("hooks"), dict) else {}
    for name, kind, listed in (
        ("rules", RuleTable, table.get("rules")),
        ("files", FilesTable, table.get("files")),
        *((f"hooks.{event}", HookTable, several) for event, several in hooks.items()),
    ):
        if isinstance(listed, list):
            for one in cast("list[Any]", listed):
                if isinstance(one, dict):
                    _known_only(cast("dict[str, Any]", one), kind, f"{name}.", path)
    for name, kind in (
        ("providers", ProviderSettings),
        ("prices", Price),
        ("models", ModelTable),
        ("profiles", ProfileTable),
    ):
        if isinstance(tables := table.get(name), dict):
            for whose, given in cast("dict[str, Any]", tables).items():
                if isinstance(given, dict):
                    given = cast("dict[str, Any]", given)
                    _known_only(given, kind, f"{name}.{whose}.", path)
                    if name == "profiles" and isinstance(asked := given.get("settings"), dict):
                        where = f"{name}.{whose}.settings."
                        _known_only(cast("dict[str, Any]", asked), ModelTable, where, path)


def _known_only(table: dict[str, Any], kind: type[Struct], where: str, path: Path) -> None:
    known = kind.__struct_fields__
    for key in table:
        if key not in known:
            near = get_close_matches(key, known, n=1, cutoff=0.5)
            hint = f"did you mean {near[0]!r}?" if near else f"known are: {', '.join(known)}."
            raise UsageError(f"{path}: {where}{key} is not a setting; {hint}")


def _layer(table: dict[str, Any], source: str, folder: Path) -> Layer:
    layer = _convert(table, source)
    if wrong := layer.limits.wrong():
        raise UsageError(f"{source}: limits.{wrong}")
    for key, amount in (("thread", layer.budget.thread), ("project", layer.budget.project)):
        if why := wrong_amount(amount):
            raise UsageError(f"{source}: budget.{key}: {why}")
    if layer.subagents.depth is not None and layer.subagents.depth < 0:
        raise UsageError(f"{source}: subagents.depth: {layer.subagents.depth} is below 0.")
    check_observing(layer.observing, source)
    check_hooks(layer.hooks, source)
    check_compacting(layer.compaction, source)
    for number, rule in enumerate(layer.rules, 1):
        _check_rule(f"rules ({number})", rule.rule, source)
    for number, files in enumerate(layer.files, 1):
        _check_rule(f"files ({number})", partial(files.rule, "/project"), source)
    for path in (*layer.readable, *layer.writable):
        if not path.startswith(("/", "~/")):
            raise UsageError(f"{source}: {path!r} begins with neither '/' nor '~/'.")
    for name, given in layer.models.items():
        check_model_table(f'models."{name}"', name, given, source)
    for key, profile in layer.profiles.items():
        check_profile_table(key, profile, source)
    for model, price in layer.prices.items():
        _check_price(model, price, source)
    return msgspec.structs.replace(layer, store=_resolved(layer.store, source, folder))


def _convert(table: dict[str, Any], source: str) -> Layer:
    try:
        # Not strict: what comes from the environment is all text.
        return msgspec.convert(table, Layer, strict=source != _FROM_ENVIRONMENT)
    except msgspec.ValidationError as error:
        what, _, where = str(error).partition(" - at `$.")
        where = where.rstrip("`") or "settings"
        raise UsageError(f"{source}: {where}: {_plain(what, where)}") from None


def _plain(what: str, where: str) -> str:
    if what.startswith("Invalid enum value "):
        key = where.rpartition(".")[2].partition("[")[0]
        values = ", ".join(get_args(_CHOICES[key]))
        return f"{what.removeprefix('Invalid enum value ')} is not one of: {values}."
    return f"{what[0].lower()}{what[1:]}.".replace("`", "")


def _check_rule(where: str, make: Callable[[], object], source: str) -> None:
    try:
        make()
    except UsageError as error:
        raise UsageError(f"{source}: {where}: {error}") from None


def _check_price(model: str, price: Price, source: str) -> None:
    who, _, name = model.partition(":")
    if not who or not name:
        raise UsageError(f'{source}: prices.{model}: write [prices."provider:model"].')
    for key in ("input", "output", "cached", "cache_written"):
        amount = getattr(price, key)
        if amount is not None and not _is_price(amount):
            raise UsageError(
                f'{source}: prices."{model}".{key}: {amount!r} is not a price in dollars per '
                "million tokens."
            )


def _is_price(amount: str | float) -> bool:
    try:
        return 0 <= float(amount) < float("inf")
    except ValueError:
        return False


def _resolved(store: str, source: str, folder: Path) -> str:
    """The store with its path made absolute; a bare path is an SQLite file."""
    if not store or store == "memory":
        return store
    scheme, path = _SCHEME.match(store), store.removeprefix("sqlite:")
    if scheme and (scheme[1] != "sqlite" or not path):
        # Only the scheme is named: behind it may stand a password.
        raise UsageError(
            f"{source}: store: {scheme[0]!r} is not a store; write memory, "
            "sqlite:PATH, or the path of an SQLite file (./PATH where it has a colon)."
        )
    try:
        return f"sqlite:{folder / Path(path).expanduser()}"
    except RuntimeError:
        raise UsageError(f"{source}: store: there is no home folder for {path!r}.") from None
