"""The parts of a request's body that all wires build alike."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Raw

from longrein.models.base import ToolSpec
from longrein.models.wellformed import encode, tool_name

_OURS = frozenset({"messages", "input", "system", "instructions", "tools", "stream"})
"""Fields that are made from the conversation and cannot be set from outside."""


def settings_body(fields: Mapping[str, Any], extra: Mapping[str, Any]) -> bytes:
    """An object of `fields` overlaid with `extra`, still open for what follows it."""
    added = {name: value for name, value in extra.items() if name not in _OURS}
    return encode({**fields, **added})[:-1]


def offered(tools: Sequence[ToolSpec]) -> Iterator[tuple[str, ToolSpec, Raw]]:
    """Each tool under the name that providers accept, once."""
    seen: set[str] = set()
    for tool in tools:
        name = tool_name(tool.name)
        if name not in seen:
            seen.add(name)
            yield name, tool, tool.schema
