"""The project's file: it counts only for who trusts it.

Until then it can stop nothing: whatever is wrong with it is reported, and it is ignored.
"""

from pathlib import Path

from longrein.core.errors import UsageError
from longrein.settings.layer import Layer, parse_project
from longrein.settings.project import UNTRUSTED, Gate, read_bounded


def read_project(path: Path, gate: Gate) -> Layer:
    """What the project says; an empty layer where it has no file, or one that does not count.

    Raises `UsageError` for a file that was trusted and makes no sense.
    """
    try:
        data = read_bounded(path)
    except (FileNotFoundError, NotADirectoryError):
        return Layer()
    except OSError as error:
        return _ignore(path, error.strerror or str(error), gate)
    verdict = gate.verdict(path, data)
    if verdict:
        return parse_project(data, path)
    try:
        # Looked at first, so that nobody is asked to trust what cannot count anyway.
        layer = parse_project(data, path)
    except UsageError as error:
        return _ignore(path, str(error).removeprefix(f"{path}: "), gate)
    if verdict is None and gate.ask(path, data):
        return layer
    return _ignore(path, UNTRUSTED, gate)


def _ignore(path: Path, why: str, gate: Gate) -> Layer:
    gate.ignored(path, why)
    return Layer()
