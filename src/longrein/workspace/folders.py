"""Folders that others may have written, opened where they really are."""

import os

from longrein.core.errors import UsageError
from longrein.workspace.confined import Confined
from longrein.workspace.paths import is_below


def settled(path: str | os.PathLike[str], root: str = "") -> str:
    """Where a folder really is, links followed, to be `opened` there and nowhere else.

    Raises `UsageError` where that is not in `root`, if one is given.
    """
    real = _real(os.fspath(path))
    if root and not is_below(real, _real(root)):
        raise UsageError(f"a link leads out of {root}. Put the folder itself there.")
    return real


def opened(folder: str) -> Confined:
    """A folder by a path without links. Raises `UsageError` where it is not there, or is one."""
    files = Confined(folder)
    if files.path != folder:
        raise UsageError(f"A link leads away from {folder!r}.")
    return files


def _real(path: str) -> str:
    try:
        return os.path.realpath(path)
    except OSError:  # a link that was there is none by now
        return os.path.abspath(path)
