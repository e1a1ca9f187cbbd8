"""Reasoning with signatures as OpenRouter passes it through, for whichever model is behind it."""

import json
from typing import Any, cast

from longrein.models.wellformed import encode

_GROWING = ("text", "summary", "data", "signature")
"""Fields that come in pieces."""


class ReasoningDetails:
    """Puts together the details of one answer, in the order in which they began."""

    def __init__(self) -> None:
        self._details: dict[Any, dict[str, Any]] = {}

    def take(self, pieces: list[Any]) -> None:
        """More of them; what is not an object is left out."""
        for piece in pieces:
            if not isinstance(piece, dict):
                continue
            fields = cast("dict[str, Any]", piece)
            key = (str(fields.get("type")), str(fields.get("index")), str(fields.get("id")))
            whole = self._details.setdefault(key, {})
            for name, value in fields.items():
                if name in _GROWING and isinstance(value, str) and isinstance(whole.get(name), str):
                    whole[name] += value
                elif value is not None or name not in whole:
                    whole[name] = value

    def signature(self) -> str:
        """All of them as JSON, or nothing."""
        return encode(list(self._details.values())).decode() if self._details else ""


def sent_back(signatures: list[str]) -> list[Any]:
    """The details that these signatures hold."""
    details: list[Any] = []
    for signature in signatures:
        try:
            value = json.loads(signature)
        except (ValueError, RecursionError):
            continue
        details += cast("list[Any]", value) if isinstance(value, list) else []
    return details
