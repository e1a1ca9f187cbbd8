"""The arguments of a tool call: as somebody typed them, and for somebody to change them."""

import json
from collections.abc import Mapping
from typing import Any, cast

import msgspec

from longrein.core.errors import UsageError
from longrein.core.visible import visible


def json_object(text: str) -> Mapping[str, Any]:
    """The arguments by name; none of an empty text. Raises `UsageError`.

    >>> json_object('{"path": "notes.md"}')
    {'path': 'notes.md'}
    """
    try:
        value = msgspec.json.decode(text.strip() or "{}")
    except (msgspec.DecodeError, RecursionError) as error:
        raise UsageError(f"The arguments are not JSON: {error}.") from None
    if not isinstance(value, dict):
        raise UsageError('The arguments are one JSON object, such as {"path": "notes.md"}.')
    return cast("dict[str, Any]", value)


def laid_out(arguments: str) -> str:
    """The arguments in lines, what could hide in them as escapes; as they are if they are no JSON.

    >>> print(laid_out('{"command":"ls\\u200b"}'))
    {
      "command": "ls\\u200b"
    }
    """
    try:
        text = json.dumps(json.loads(arguments or "{}"), indent=2, ensure_ascii=False)
    except (ValueError, RecursionError):
        return arguments
    hides = visible(text, strict=True) != text
    return "".join(map(_escaped, text)) if hides else text


def _escaped(letter: str) -> str:
    return letter if visible(letter, strict=True) == letter else json.dumps(letter)[1:-1]
