"""A file replaced in one piece: it is always the old one or the new one, whole."""

import os
import tempfile
from pathlib import Path

NEW = 0o600
"""What a file that was not there may be used for: by its owner."""


def replace_file(path: Path, data: bytes, *, mode: int | None = None) -> None:
    """Put `data` in place of the file. A link stays one: what it leads to is replaced.

    Without a `mode` that of the old file is kept. Raises `OSError`, and nothing has changed.
    """
    path = path.resolve()
    handle, fresh = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with open(handle, "wb") as file:
            os.fchmod(handle, _mode_of(path) if mode is None else mode)
            file.write(data)
            file.flush()
            os.fsync(handle)
        os.replace(fresh, path)
    except BaseException:
        os.unlink(fresh)
        raise


def _mode_of(path: Path) -> int:
    try:
        return path.stat().st_mode & 0o777
    except FileNotFoundError:
        return NEW
