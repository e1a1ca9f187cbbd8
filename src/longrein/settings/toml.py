"""Values and keys as TOML writes them."""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, cast

import msgspec
from msgspec import Struct

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def as_toml(value: Any) -> str:
    """A value as TOML writes it in one line.

    >>> as_toml({"a": ("x", 1.5, True)})
    '{ a = ["x", 1.5, true] }'
    """
    if isinstance(value, str):
        return text_as_toml(value)
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return str(value)
    if isinstance(value, Struct):
        value = msgspec.to_builtins(value)
    if isinstance(value, Mapping):
        pairs = cast("Mapping[str, Any]", value).items()
        return f"{{ {', '.join(f'{quoted(name)} = {as_toml(one)}' for name, one in pairs)} }}"
    return f"[{', '.join(as_toml(one) for one in cast('Iterable[Any]', value))}]"


def quoted(name: str) -> str:
    """A part of a key as TOML writes it."""
    return name if _BARE.fullmatch(name) else text_as_toml(name)


def text_as_toml(text: str) -> str:
    """A text as TOML writes it: as JSON does, but for one character."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
