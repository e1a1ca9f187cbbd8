"""Which project files the user has said yes or no to, by what was in them."""

import hashlib
import json
from pathlib import Path
from typing import cast

from longrein.core.errors import UsageError
from longrein.settings.locking import locked
from longrein.settings.replacing import replace_file


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
        """Keep a verdict. Raises `UsageError`."""
        with locked(self._path):
            book = {**self._read(), str(file): _verdict(data, trusted)}
            replace_file(self._path, json.dumps(book, indent=1).encode())

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
