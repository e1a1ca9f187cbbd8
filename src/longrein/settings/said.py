"""What a table of settings says."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from msgspec import NODEFAULT, Struct
from msgspec.structs import fields

from longrein.settings.toml import quoted


def said(table: Struct, key: str) -> Iterator[tuple[str, Any]]:
    """What is said of `key`, with its full key: none, or for a key with `*` one for each name.

    >>> from longrein.models.catalog import ProviderSettings
    >>> from longrein.settings.layer import Layer
    >>> layer = Layer(trust="edits", providers={"my.own": ProviderSettings("http://x")})
    >>> [*said(layer, "trust"), *said(layer, "shell"), *said(layer, "providers.*.base_url")]
    [('trust', 'edits'), ('providers."my.own".base_url', 'http://x')]
    """
    return _said(table, key.split("."), "")


def all_said(table: Struct) -> dict[str, Any]:
    """All that a table says, by the names of its fields."""
    values = {name: getattr(table, name) for name in table.__struct_fields__}
    return {name: value for name, value in values.items() if value not in (None, "", {})}


def _said(value: Any, parts: Sequence[str], path: str) -> Iterator[tuple[str, Any]]:
    if not parts:
        yield path, value
        return
    name, rest = parts[0], parts[1:]
    if name == "*":
        for one, inner in value.items():
            yield from _said(inner, rest, f"{path}.{quoted(one)}")
    elif (inner := getattr(value, name)) != _unsaid(value.__class__)[name]:
        yield from _said(inner, rest, f"{path}.{name}" if path else name)


@cache
def _unsaid(kind: type[Struct]) -> Mapping[str, Any]:
    """What stands in each field where nothing was said."""
    return {
        one.name: one.default if one.default_factory is NODEFAULT else one.default_factory()
        for one in fields(kind)
    }
