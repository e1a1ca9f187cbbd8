"""The keys file: keys that are kept for the user, or a word that they are in the keyring.

    anthropic = "sk-..."
    openai = { keyring = true }

Nobody but its owner may read it. It also lists what the keyring has, so that the keyring is only
asked for keys that are there, and only when they are needed.
"""

import os
import shlex
import stat
import tomllib
from collections.abc import Callable, Mapping
from functools import cache, partial
from pathlib import Path
from typing import TypeAlias, assert_never

from msgspec import Struct

from longrein.core.errors import UsageError
from longrein.models.kept import KeptKey, KeptKeys
from longrein.models.secret import Secret
from longrein.settings.places import make_private
from longrein.settings.project import read_bounded
from longrein.settings.replacing import replace_file
from longrein.settings.toml import quoted, text_as_toml

HEAD = """\
# Keys of providers, kept by `longrein login` and removed by `longrein logout`.
# Nobody else may read this file.
"""


class InFile(Struct, frozen=True):
    """A key that stands in the file itself."""

    key: Secret


class InKeyring(Struct, frozen=True):
    """A key that the keyring has."""


Entry: TypeAlias = InFile | InKeyring


def kept_keys(path: Path, from_keyring: Callable[[str], str]) -> KeptKeys:
    """The keys that are kept; what is wrong with the file is told in their `problem`."""
    try:
        entries = read_keys(path)
    except UsageError as error:
        return KeptKeys(problem=str(error))
    return KeptKeys({who: _kept(who, one, from_keyring) for who, one in entries.items()})


def read_keys(path: Path) -> Mapping[str, Entry]:
    """What is in the file; nothing where there is none. Raises `UsageError` for a file that others
    may read, or that makes no sense."""
    try:
        _check_private(path)
        data = read_bounded(path)
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or error}.") from None
    try:
        table = tomllib.loads(data.decode())
    except (ValueError, RecursionError):
        # What exactly is wrong would be told with the line, and so with the key in it.
        raise UsageError(f"{path} is not TOML: mend it, or remove it and log in again.") from None
    return {who: _entry(path, who, value) for who, value in table.items()}


def write_keys(path: Path, entries: Mapping[str, Entry]) -> None:
    """Put these in the file, for its owner's eyes only. Raises `UsageError`."""
    lines = [f"{quoted(who)} = {_written(one)}\n" for who, one in sorted(entries.items())]
    try:
        make_private(path.parent)
        replace_file(path, (HEAD + "".join(lines)).encode(), mode=0o600)
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror or error}.") from None


def _check_private(path: Path) -> None:
    about = path.stat()
    if stat.S_IMODE(about.st_mode) & 0o077:
        raise UsageError(f"{path} can be read by others: chmod 600 {shlex.quote(str(path))}")
    if about.st_uid != os.geteuid():
        raise UsageError(f"{path} belongs to somebody else: remove it, and log in again.")


def _entry(path: Path, who: str, value: object) -> Entry:
    if isinstance(value, str) and value.strip():
        return InFile(Secret(value.strip(), f"{who}.key"))
    if value == {"keyring": True}:
        return InKeyring()
    raise UsageError(
        f"{path}: {quoted(who)} is neither a key in quotes nor {{ keyring = true }}: mend it, or "
        "remove that line and log in again."
    )


def _written(entry: Entry) -> str:
    match entry:
        case InFile(key):
            return text_as_toml(key.reveal())
        case InKeyring():
            return "{ keyring = true }"
        case _:
            assert_never(entry)


def _kept(who: str, entry: Entry, from_keyring: Callable[[str], str]) -> KeptKey:
    match entry:
        case InFile(key):
            return KeptKey("keys file", key.reveal, at_hand=True)
        case InKeyring():
            return KeptKey("keyring", cache(partial(_fetched, who, from_keyring)))
        case _:
            assert_never(entry)


def _fetched(who: str, from_keyring: Callable[[str], str]) -> str:
    if not (key := from_keyring(who).strip()):
        raise UsageError(f"The keyring has no key of {who} any more: `longrein login {who}`.")
    return key
