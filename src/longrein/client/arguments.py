"""The arguments of a tool call, as somebody typed them."""

from collections.abc import Mapping
from typing import Any, cast

import msgspec

from longrein.core.errors import UsageError


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
