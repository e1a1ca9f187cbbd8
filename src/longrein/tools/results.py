"""What a tool returned, as parts that the model can read."""

import json
from typing import Any

import msgspec

from longrein.core.errors import ToolError
from longrein.core.messages import Content, File, Text
from longrein.core.text import clean
from longrein.tools import foreign

NOTHING = "(no output)"


def to_parts(tool: str, value: Any) -> tuple[Content, ...]:
    """A text, a part, a list of parts, or anything that JSON can hold, as parts.

    Raises `ToolError` with words for the model on everything else.
    """
    match value:
        case str():
            return (Text(clean(value) or NOTHING),)
        case None:
            return (Text(NOTHING),)
        case Text() | File():
            return (_cleaned(value),)
        case bytes() | bytearray():
            return (Text(value.decode("utf-8", "replace") or NOTHING),)
        case [*items] if any(isinstance(item, Text | File) for item in items):
            return tuple(part for item in items for part in to_parts(tool, item))
        case _:
            return (Text(_encode(tool, value)),)


def _cleaned(part: Content) -> Content:
    return Text(clean(part.text) or NOTHING) if isinstance(part, Text) else part


def _encode(tool: str, value: Any) -> str:
    try:
        return msgspec.json.encode(value, enc_hook=foreign.encode).decode()
    except UnicodeEncodeError:
        plain = msgspec.to_builtins(value, enc_hook=foreign.encode)
        return clean(json.dumps(plain, ensure_ascii=False))
    except Exception as error:  # whatever the value's own code raises, it cannot be shown
        raise ToolError(
            f"`{tool}` ran, but what it returned, of type {type(value).__name__}, cannot be shown: "
            f"{error}. It may have taken effect; calling it again will not show more."
        ) from None
