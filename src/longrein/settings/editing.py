"""A settings file with one setting changed: what else is in it stays as it was written."""

import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from typing import Any, cast

import tomlkit
from tomlkit.exceptions import TOMLKitError

from longrein.core.errors import UsageError
from longrein.settings.toml import as_toml, quoted

_HEADER = re.compile(r"\s*\[{1,2}([^\[\]]+)\]{1,2}\s*(?:#.*)?")


def with_value(text: str, keys: Sequence[str], value: Any) -> str:
    """The file with this setting: in its old place, beside its example, or in its table.

    `text` is valid TOML. Raises `UsageError` where nothing else would stay as it was.
    """
    wanted = deepcopy(tomllib.loads(text))
    _put(wanted, keys, value)
    return _first(text, keys, wanted, (_beside, _replaced), as_toml(value))


def without_value(text: str, keys: Sequence[str]) -> str:
    """The file without this setting, which is in it; as `with_value` else."""
    wanted = deepcopy(tomllib.loads(text))
    _take(wanted, keys)
    return _first(text, keys, wanted, (_removed,), "")


def stands(text: str, keys: Sequence[str]) -> bool:
    """Whether the file says anything of this setting."""
    table: Any = tomllib.loads(text)
    for key in keys:
        if not isinstance(table, dict) or key not in table:
            return False
        table = cast("dict[str, Any]", table)[key]
    return True


def _first(
    text: str,
    keys: Sequence[str],
    wanted: Mapping[str, Any],
    ways: Sequence[Callable[[str, Sequence[str], str], str]],
    value: str,
) -> str:
    """What the first way gives that comes to exactly what is wanted."""
    for way in ways:
        try:
            changed = way(text, keys, value)
            if tomllib.loads(changed) == wanted:
                return changed
        except (TOMLKitError, KeyError, TypeError, ValueError):
            continue  # the file is written in a way that this one cannot handle
    where = ".".join(map(quoted, keys))
    raise UsageError(f"This file is written so that {where} cannot be changed: do it in an editor.")


def _beside(text: str, keys: Sequence[str], value: str) -> str:
    """A setting that is not there yet, after the line of its example, or else in its table; a table
    that is not there yet, at the end."""
    if stands(text, keys):
        raise KeyError(keys[-1])
    lines = [line if line.endswith("\n") else f"{line}\n" for line in text.splitlines(True)]
    table, name = ".".join(map(quoted, keys[:-1])), quoted(keys[-1])
    at = _place(lines, table, re.compile(rf"#{re.escape(name)}\s*="))
    new = f"{name} = {value}\n"
    if at is None:
        return "".join((*lines, *("\n" if lines else ""), f"[{table}]\n", new))
    gap = "\n" if at == 0 and lines else ""
    return "".join((*lines[:at], new, gap, *lines[at:]))


def _place(lines: Sequence[str], table: str, example: re.Pattern[str]) -> int | None:
    """The line before which a setting of the table goes; None: there is no such table."""
    within, at = "", None if table else 0
    for number, line in enumerate(lines, 1):
        if header := _HEADER.fullmatch(line.rstrip()):
            within = header[1].strip()
            at = number if within == table else at
        elif within == table and example.match(line):
            return number
        elif not table and not within and line.strip() and not line.startswith("#"):
            at = number
    return at


def _replaced(text: str, keys: Sequence[str], value: str) -> str:
    document = tomlkit.parse(text)
    _put(cast("dict[str, Any]", document), keys, tomlkit.parse(f"x = {value}")["x"])
    return tomlkit.dumps(document)


def _removed(text: str, keys: Sequence[str], value: str) -> str:
    document = tomlkit.parse(text)
    _take(cast("dict[str, Any]", document), keys)
    return tomlkit.dumps(document)


def _put(table: dict[str, Any], keys: Sequence[str], value: Any) -> None:
    for key in keys[:-1]:
        table = table.setdefault(key, {})
    table[keys[-1]] = value


def _take(table: dict[str, Any], keys: Sequence[str]) -> None:
    for key in keys[:-1]:
        table = table[key]
    del table[keys[-1]]
