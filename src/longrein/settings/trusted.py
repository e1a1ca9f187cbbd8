"""Which project files the user has said yes or no to, by what was in them."""

import hashlib
import json
import os
from pathlib import Path
from typing import cast

from longrein.core.errors import UsageError
from longrein.settings.places import make_private


class TrustBook:
    """The user's verdicts on project files. A file that changed has none."""

    def __init__(self, state: Path) -> None:
        self._path = state / "trusted.json"

    def verdict(self, file: Path, data: bytes) -> bool | None:
        """What the user said of this content; None: nothing yet."""
        kept = self._read().get(str(file))
        for trusted in (True, False):
            if kept == _verdict(data, trusted):
                return trusted
        return None

    def write(self, file: Path, data: bytes, trusted: bool) -> None:
        """Keep a verdict."""
        book = self._read()
        book[str(file)] = _verdict(data, trusted)
        make_private(self._path.parent)
        fresh = self._path.with_name(f"trusted.{os.getpid()}.tmp")
        fresh.touch(mode=0o600)
        fresh.write_text(json.dumps(book, indent=1), encoding="utf-8")
        fresh.replace(self._path)

    def _read(self) -> dict[str, object]:
        try:
            book = json.loads(self._path.read_bytes())
        except FileNotFoundError:
            return {}
        except ValueError:
            book = None
        if not isinstance(book, dict):
            raise UsageError(f"{self._path} is damaged; remove it, then trust your projects again.")
        return cast("dict[str, object]", book)


def _verdict(data: bytes, trusted: bool) -> dict[str, object]:
    return {"sha256": hashlib.sha256(data).hexdigest(), "trusted": trusted}
