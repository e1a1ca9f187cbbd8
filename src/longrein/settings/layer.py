"""One layer of settings: what one file, the environment or the flags say, and nothing else."""

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from typing import Any, Literal, TypeAlias, cast, get_args, get_origin

import msgspec
from msgspec import Struct
from msgspec.structs import fields

from longrein.core.errors import UsageError
from longrein.core.limits_table import LimitsTable
from longrein.core.policy import Category, Trust
from longrein.core.preferences import Reasoning, Way
from longrein.loop.profiles.registry import check_key
from longrein.models.base import Effort, Media
from longrein.models.catalog import ProviderSettings, Wire
from longrein.models.price import Price
from longrein.settings.described import SETTINGS, VARIABLES
from longrein.settings.hook_tables import HooksTable, HookType, of_table
from longrein.settings.said import said
from longrein.settings.tables import (
    AppTable,
    BudgetTable,
    CompactionTable,
    Effect,
    FilesTable,
    ModelTable,
    ObservingTable,
    ProfileTable,
    RuleTable,
    SubagentsTable,
    SwitchTable,
)
from longrein.workspace.rules import Operation

Synchronous: TypeAlias = Literal["full", "normal"]
Shell: TypeAlias = Literal["sandbox", "host", "off"]
"""Where commands run: isolated, as whoever runs Longrein, or nowhere."""


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
    "notify": Way,
    "reasoning": Reasoning,
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
    _refuse_unknown(table, Layer, "", path)
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


def _refuse_unknown(given: Any, kind: Any, where: str, path: Path) -> None:
    """Raise `UsageError` for a key that no setting has, however deep it stands."""
    if get_origin(kind) is tuple and isinstance(given, list):
        for one in cast("list[Any]", given):
            _refuse_unknown(one, get_args(kind)[0], where, path)
    elif get_origin(kind) is dict and isinstance(given, dict):
        for name, one in cast("dict[str, Any]", given).items():
            _refuse_unknown(one, get_args(kind)[1], f"{where}{name}.", path)
    elif isinstance(kind, type) and issubclass(kind, Struct) and isinstance(given, dict):
        table = cast("dict[str, Any]", given)
        known = {field.name: field.type for field in fields(kind)}
        for key in table:
            if key not in known:
                near = get_close_matches(key, known, n=1, cutoff=0.5)
                hint = f"did you mean {near[0]!r}?" if near else f"known are: {', '.join(known)}."
                raise UsageError(f"{path}: {where}{key} is not a setting; {hint}")
        for key, one in table.items():
            _refuse_unknown(one, known[key], f"{where}{key}.", path)


def _layer(table: dict[str, Any], source: str, folder: Path) -> Layer:
    layer = _convert(table, source)
    for where, wrong in _wrong(layer):
        if wrong:
            raise UsageError(f"{source}: {where}.{wrong}")
    for where, make in _made(layer):
        try:
            make()
        except UsageError as error:
            raise UsageError(f"{source}: {where}: {error}") from None
    for path in (*layer.readable, *layer.writable):
        if not path.startswith(("/", "~/")):
            raise UsageError(f"{source}: {path!r} begins with neither '/' nor '~/'.")
    for model, price in layer.prices.items():
        _check_price(model, price, source)
    return msgspec.structs.replace(layer, store=_resolved(layer.store, source, folder))


def _wrong(layer: Layer) -> Iterator[tuple[str, str]]:
    """The tables that can have what makes no sense, and what of it they have."""
    yield "limits", layer.limits.wrong()
    yield "budget", layer.budget.wrong()
    yield "subagents", layer.subagents.wrong()
    yield "observing", layer.observing.wrong()
    for name, asked in layer.models.items():
        yield f'models."{name}"', asked.wrong()
    for key, profile in layer.profiles.items():
        yield f'profiles."{key}".settings', profile.settings.wrong()


def _made(layer: Layer) -> Iterator[tuple[str, Callable[[], object]]]:
    """What is only known to make sense when it is made, and how it is."""
    yield "hooks", partial(of_table, layer.hooks, "")
    yield "compaction", layer.compaction.compaction
    for number, rule in enumerate(layer.rules, 1):
        yield f"rules ({number})", rule.rule
    for number, files in enumerate(layer.files, 1):
        yield f"files ({number})", partial(files.rule, "/project")
    for name in layer.models:
        yield f'models."{name}"', partial(_check_name, name)
    for key in layer.profiles:
        yield f'profiles."{key}"', partial(check_key, key)


def _check_name(name: str) -> None:
    who, colon, model = name.partition(":")
    if not who or (colon and not model):
        raise UsageError('write [models."provider"] or "provider:model".')


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
