"""What a yes to hooks is about: their commands, and what is in the files that these name."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec
from msgspec import Struct

from longrein.capabilities.hooks.spec import ShellHook
from longrein.settings.hook_files import named_files

DIGITS = 12
"""What people are shown of a digest."""


class _Stated(Struct, frozen=True):
    """A hook as somebody says yes to it: one line, so that no text in it can pose as another."""

    event: str
    matcher: str
    command: str
    timeout: float
    files: dict[str, str]
    others: tuple[str, ...]


def content_of(hooks: Iterable[ShellHook], project: Path) -> bytes:
    """Each of some hooks with all that counts of it, and a digest of the files of the project that
    it names. Raises `UsageError` for hooks that nobody could answer for."""
    return b"".join(msgspec.json.encode(_stated(one, project)) + b"\n" for one in hooks)


def lines_of(content: bytes) -> list[str]:
    """The same for whoever is asked. Only lines of commands begin with `|`."""
    hooks = (msgspec.json.decode(one, type=_Stated) for one in content.splitlines())
    return [line for hook in hooks for line in _told(hook)]


def _stated(hook: ShellHook, project: Path) -> _Stated:
    named = named_files(hook.command, project)
    files, others = named.files, named.others
    return _Stated(hook.event, hook.matcher, hook.command, hook.timeout, files, others)


def _told(hook: _Stated) -> Iterator[str]:
    matcher = f" for {msgspec.json.encode(hook.matcher).decode()}" if hook.matcher else ""
    yield f"{hook.event}{matcher}, at most {hook.timeout:g} s:"
    for line in hook.command.split("\n"):
        yield f"  | {line}"
    for name, digest in hook.files.items():
        yield f"  with {name} as it is now ({digest[:DIGITS]})"
    for one in hook.others:
        yield f"  NOT looked at: {one}"
