"""A file that a person asked for, written where they said, on the machine of the front end."""

from pathlib import Path

from longrein.core.errors import UsageError
from longrein.settings.replacing import replace_file


class Exists(UsageError):
    """There is a file of that name already."""


def save(path: Path, data: bytes, *, overwrite: bool = False) -> None:
    """Write a whole file, or none. A new one can be read by its owner only; one that was there
    stays what it was to others, and a link stays a link. Raises `Exists`, `UsageError`."""
    if path.exists() and not overwrite:
        raise Exists(f"{path} is there already.")
    if path.exists() and not path.is_file():
        raise UsageError(f"{path} is not a file.")
    try:
        replace_file(path, data)
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}.") from None
