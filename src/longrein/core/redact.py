"""Known secrets, replaced by their names before anything is written or shown."""

from collections.abc import Mapping

import msgspec

SHORTEST = 8
"""A shorter value would be found everywhere by accident; it is not treated as a secret."""


class Redactor:
    """Replaces each known secret by `[secret:NAME]`.

    >>> Redactor({"KEY": "sk-123456789"}).text("curl -H sk-123456789")
    'curl -H [secret:KEY]'
    """

    def __init__(self, secrets: Mapping[str, str]) -> None:
        known = sorted(secrets.items(), key=lambda item: -len(item[1]))
        self._texts = [(v, f"[secret:{name}]") for name, v in known if len(v) >= SHORTEST]
        # Inside JSON a secret stands escaped.
        self._data = [
            (msgspec.json.encode(value)[1:-1], name.encode()) for value, name in self._texts
        ]

    def text(self, text: str) -> str:
        """The text without secrets; the very same object where there are none."""
        for value, name in self._texts:
            if value in text:
                text = text.replace(value, name)
        return text

    def data(self, data: bytes) -> bytes:
        """The JSON without secrets; the very same object where there are none."""
        for value, name in self._data:
            if value in data:
                data = data.replace(value, name)
        return data
