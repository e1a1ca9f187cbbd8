"""One layer of settings: what one file, the environment or the flags say, and nothing else."""

import tomllib
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal, TypeAlias, cast, get_args

import msgspec
from msgspec import Struct

from longrein.core.errors import UsageError
from longrein.core.records import Trust
from longrein.models.catalog import ProviderSettings, Wire
from longrein.permissions.evaluate import Category

Effect: TypeAlias = Literal["allow", "ask", "deny"]
Synchronous: TypeAlias = Literal["full", "normal"]


class LimitsTable(Struct, frozen=True, omit_defaults=True):
    """Where a run stops; `cost` in dollars. None leaves what an earlier layer says."""

    steps: int | None = None
    tokens: int | None = None
    cost: float | None = None
    seconds: float | None = None


class RuleTable(Struct, frozen=True, omit_defaults=True):
    """A rule for a tool, for a category, or, with neither, for everything."""

    effect: Effect
    tool: str = ""
    category: Category | None = None
    always: bool = False


class Layer(Struct, frozen=True, omit_defaults=True):
    """What one source says. What it does not say, an earlier one does."""

    model: str = ""
    fallback: tuple[str, ...] | None = None
    trust: Trust | None = None
    store: str = ""
    synchronous: Synchronous | None = None
    limits: LimitsTable = LimitsTable()
    rules: tuple[RuleTable, ...] = ()
    providers: dict[str, ProviderSettings] = {}


_CHOICES = {
    "trust": Trust,
    "synchronous": Synchronous,
    "effect": Effect,
    "category": Category,
    "wire": Wire,
}
"""The settings whose values are known, by the last part of their key."""

_ENVIRONMENT = {
    "LONGREIN_MODEL": "model",
    "LONGREIN_FALLBACK": "fallback",
    "LONGREIN_TRUST": "trust",
    "LONGREIN_STORE": "store",
    "LONGREIN_SYNCHRONOUS": "synchronous",
    "LONGREIN_MAX_STEPS": "limits.steps",
    "LONGREIN_MAX_TOKENS": "limits.tokens",
    "LONGREIN_MAX_COST": "limits.cost",
    "LONGREIN_MAX_SECONDS": "limits.seconds",
}


def read_user(path: Path) -> Layer:
    """The user's own file; an empty layer where there is none. Raises `UsageError`."""
    try:
        return parse(path.read_bytes(), path)
    except FileNotFoundError:
        return Layer()


def parse_project(data: bytes, path: Path) -> Layer:
    """A project's file, which others write too: it may do less. Raises `UsageError`."""
    layer = parse(data, path)
    if layer.trust == "yolo":
        raise UsageError(
            f'{path}: trust = "yolo" counts only from yourself: put it into your own settings, '
            "or use --trust yolo."
        )
    if keyed := next((who for who, given in layer.providers.items() if given.key), ""):
        raise UsageError(
            f"{path}: providers.{keyed}.key does not belong into a project: name the environment "
            "variable that holds it with key_env."
        )
    return layer


def parse(data: bytes, path: Path) -> Layer:
    """The layer in a TOML file. Raises `UsageError` that names file, key and what is known."""
    try:
        table = tomllib.loads(data.decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: this is not TOML: {error}.") from None
    _refuse_unknown(table, path)
    layer = _convert(table, str(path))
    return msgspec.structs.replace(layer, store=_resolved(layer.store, path.parent))


def read_environment(environ: Mapping[str, str], folder: Path) -> Layer:
    """What `LONGREIN_*` variables say. Raises `UsageError` on a bad value or a slip of the pen."""
    table: dict[str, Any] = {}
    for name, value in environ.items():
        if not name.startswith("LONGREIN_") or not value:
            continue
        if name not in _ENVIRONMENT:
            if near := get_close_matches(name, _ENVIRONMENT, n=1, cutoff=0.8):
                raise UsageError(f"{name} is not known; did you mean {near[0]}?")
            continue
        outer, _, inner = _ENVIRONMENT[name].partition(".")
        if inner:
            table.setdefault(outer, {})[inner] = value
        elif outer == "fallback":
            table[outer] = [model.strip() for model in value.split(",") if model.strip()]
        else:
            table[outer] = value
    layer = _convert(table, "the environment")
    return msgspec.structs.replace(layer, store=_resolved(layer.store, folder))


def _refuse_unknown(table: dict[str, Any], path: Path) -> None:
    _known_only(table, Layer, "", path)
    if isinstance(limits := table.get("limits"), dict):
        _known_only(cast("dict[str, Any]", limits), LimitsTable, "limits.", path)
    if isinstance(rules := table.get("rules"), list):
        for rule in cast("list[Any]", rules):
            if isinstance(rule, dict):
                _known_only(cast("dict[str, Any]", rule), RuleTable, "rules.", path)
    if isinstance(providers := table.get("providers"), dict):
        for who, given in cast("dict[str, Any]", providers).items():
            if isinstance(given, dict):
                given = cast("dict[str, Any]", given)
                _known_only(given, ProviderSettings, f"providers.{who}.", path)


def _known_only(table: dict[str, Any], kind: type[Struct], where: str, path: Path) -> None:
    known = kind.__struct_fields__
    for key in table:
        if key not in known:
            near = get_close_matches(key, known, n=1, cutoff=0.5)
            hint = f"did you mean {near[0]!r}?" if near else f"known are: {', '.join(known)}."
            raise UsageError(f"{path}: {where}{key} is not a setting; {hint}")


def _convert(table: dict[str, Any], source: str) -> Layer:
    try:
        # Not strict: what comes from the environment is all text.
        return msgspec.convert(table, Layer, strict=source != "the environment")
    except msgspec.ValidationError as error:
        what, _, where = str(error).partition(" - at `$.")
        where = where.rstrip("`") or "settings"
        raise UsageError(f"{source}: {where}: {_plain(what, where)}") from None


def _plain(what: str, where: str) -> str:
    if what.startswith("Invalid enum value "):
        values = ", ".join(get_args(_CHOICES[where.rpartition(".")[2]]))
        return f"{what.removeprefix('Invalid enum value ')} is not one of: {values}."
    return f"{what[0].lower()}{what[1:]}.".replace("`", "")


def _resolved(store: str, folder: Path) -> str:
    """The store with its path made absolute; a bare path is an SQLite file."""
    if not store or store == "memory":
        return store
    path = Path(store.removeprefix("sqlite:")).expanduser()
    return f"sqlite:{folder / path}"
