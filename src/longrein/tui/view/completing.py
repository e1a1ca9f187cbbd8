"""What can be completed where the cursor stands, and what it would become."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal, TypeVar

from msgspec import Struct

from longrein.client.port import Barred, CommandInfo

MOST = 50
"""Completions that are offered, however many fit."""

BARRED: Mapping[Barred, str] = {
    "deny": "the agent may not read it",
    "ask": "the agent asks before it reads it",
}

T = TypeVar("T")

_FILE = re.compile(r'(?<!\S)@(?:"([^"\n]*)|([^\s"]*))$')
_COMMAND = re.compile(r"/(\S*)$")
_ARGUMENT = re.compile(r"/(\S+)[ ]+(.*)$", re.DOTALL)


class TypedPart(Struct, frozen=True):
    """A part of a text that was begun: from `start` to the cursor, of which `typed` counts.

    Of an argument, `command` is what it is given to.
    """

    kind: Literal["file", "command", "argument"]
    typed: str
    start: int
    command: str = ""


class Completion(Struct, frozen=True):
    """One way to go on. `insert` takes the place of the part; `goes`: it says all there is to say,
    so that Enter need not be pressed twice. `on`: there is more to choose behind it."""

    label: str
    insert: str
    detail: str = ""
    goes: bool = False
    on: bool = False


def part_at(text: str) -> TypedPart | None:
    """What was begun at the end of a text, which is all before the cursor.

    >>> part_at("look at @src/a")
    TypedPart(kind='file', typed='src/a', start=8, command='')
    >>> part_at("/mode pl").command
    'mode'
    """
    if found := _FILE.search(text):
        return TypedPart("file", found[1] if found[1] is not None else found[2], found.start())
    if found := _COMMAND.match(text):
        return TypedPart("command", found[1], 0)
    if (found := _ARGUMENT.match(text)) and "\n" not in text:
        return TypedPart("argument", found[2], found.start(2), found[1])
    return None


def file_completions(
    paths: Iterable[str], barred: Mapping[str, Barred] | None = None
) -> tuple[Completion, ...]:
    """Paths as they are named in a text. What is in a folder can be chosen next. Of `barred` ones
    it is said that the agent may not read them."""
    words = {path: BARRED[how] for path, how in (barred or {}).items()}
    return tuple(_file(path, words.get(path, "")) for path in paths)


def command_completions(commands: Sequence[CommandInfo], typed: str) -> tuple[Completion, ...]:
    """The commands that fit: those that begin so first, then those with this in them."""
    fit = _fitting(commands, typed, lambda one: one.name)
    return tuple(
        Completion(
            f"/{one.name} {one.hint}".rstrip(), f"/{one.name} ", one.description, goes=not one.hint
        )
        for one in fit
    )


def argument_completions(choices: Iterable[Completion], typed: str) -> tuple[Completion, ...]:
    """The arguments that fit what was typed of one."""
    return _fitting(choices, typed.strip(), lambda one: one.label)


def _file(path: str, detail: str) -> Completion:
    folder = path.endswith("/")
    if " " not in path:
        return Completion(path, f"@{path}" if folder else f"@{path} ", detail, on=folder)
    return Completion(path, f'@"{path}' if folder else f'@"{path}" ', detail, on=folder)


def _fitting(all: Iterable[T], typed: str, name: Callable[[T], str]) -> tuple[T, ...]:
    """Those with this in their names: the name itself first, then those that begin so."""
    part = typed.lower()
    named = [(name(one).lower(), one) for one in all]
    fit = [(text, one) for text, one in named if part in text]
    ranked = sorted(fit, key=lambda each: (each[0] != part, not each[0].startswith(part)))
    return tuple(one for _, one in ranked[:MOST])
