"""`longrein config KEY VALUE`: one setting changed in a file, everything else in it as it was."""

import os
import tomllib
from argparse import Namespace
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from math import isnan
from typing import Any, assert_never

from longrein.cli import exits
from longrein.cli.own_files import OwnFile
from longrein.cli.teller import Teller
from longrein.cli.trust import TerminalGate
from longrein.core.errors import UsageError
from longrein.settings.editing import stands, with_value, without_value
from longrein.settings.held import held, shown
from longrein.settings.layer import Layer, parse, parse_project
from longrein.settings.naming import Named, named
from longrein.settings.places import Places
from longrein.settings.shapes import Flag, Kind, Number, Table, Text, Texts, Whole, kinds
from longrein.settings.sources import read_sources

YES, NO = ("true", "yes", "on"), ("false", "no", "off")


def change(arguments: Namespace, places: Places, screen: Teller) -> int:
    """Set or unset a setting in the user's file, or the project's."""
    if not arguments.key or (arguments.unset and arguments.value is not None):
        raise UsageError("Write: longrein config KEY VALUE, or longrein config KEY --unset")
    what, file = named(arguments.key), OwnFile(places, project=arguments.project)
    _check_settable(what, file)
    with file.alone():
        before = file.read()
        text = _decoded(file, before or b"")
        check = parse_project if arguments.project else parse
        check(text.encode(), file.path)
        if arguments.value is None:
            if not stands(text, what.path):
                screen.say(f"{what.key} is not in {file.path}.")
                return exits.FINISHED
            changed = without_value(text, what.path)
            told = f"{what.key} is no longer in {file.path}."
        else:
            value = parsed(kinds()[what.setting.key], arguments.value, what.key)
            changed = with_value(text, what.path, value)
            told = f"{what.key} = {shown(value)} stands in {file.path} now."
        check(changed.encode(), file.path)
        counts = file.write(changed.encode(), before=before)
    screen.say(told)
    if not counts:
        screen.say("It is not used until you trust the project's settings: longrein trust")
    else:
        _tell_what_holds(what, places, screen, str(file.path))
    return exits.FINISHED


def _check_settable(what: Named, file: OwnFile) -> None:
    if what.setting.key == "providers.*.key":
        raise UsageError(
            f"A key is not written into settings: longrein login {what.path[1]} keeps it safe."
        )
    table = isinstance(kinds()[what.setting.key], Table)
    if what.group.shape == "list" or table:
        where = f"[[{what.group.key}]]" if what.group.shape == "list" else what.key
        raise UsageError(
            f"{what.key} cannot be set in one line: edit {where} in {file.path}. "
            "`longrein init` writes a file with examples."
        )


def _decoded(file: OwnFile, data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise UsageError(f"{file.path} is not UTF-8: mend it first.") from None


def parsed(kind: Kind, text: str, key: str) -> Any:
    """The value that a person means. Raises `UsageError` that says what can be written."""
    match kind:
        case Text(choices):
            return _chosen(_unquoted(text), choices, key)
        case Texts(choices):
            return [_chosen(one, choices, key) for one in _several(text, key)]
        case Flag():
            if text.lower() in (*YES, *NO):
                return text.lower() in YES
            raise UsageError(f"{key}: {text!r} is neither true nor false.")
        case Whole():
            return _number(int, text, f"{key}: {text!r} is not a whole number.")
        case Number():
            return _number(float, text, f"{key}: {text!r} is not a number.")
        case Table():
            raise UsageError(f"{key} is a table.")
        case _:
            assert_never(kind)


def _chosen(text: str, choices: Sequence[str], key: str) -> str:
    if not text:
        raise UsageError(f"{key}: nothing was given. To take it out: longrein config {key} --unset")
    if not choices or text in choices:
        return text
    near = get_close_matches(text, choices, n=1, cutoff=0.5)
    hint = f"did you mean {near[0]}?" if near else f"write one of: {', '.join(choices)}."
    raise UsageError(f"{key}: {text!r} is none of its values; {hint}")


def _unquoted(text: str) -> str:
    """A text; who writes it as TOML does means the same."""
    if text[:1] in ('"', "'"):
        try:
            return str(tomllib.loads(f"x = {text}")["x"])
        except tomllib.TOMLDecodeError:
            pass
    return text


def _several(text: str, key: str) -> list[str]:
    if not text.startswith("["):
        return [one.strip() for one in text.split(",") if one.strip()]
    try:
        return [str(one) for one in tomllib.loads(f"x = {text}")["x"]]
    except tomllib.TOMLDecodeError:
        raise UsageError(f'{key}: write ["one", "two"], or one,two.') from None


def _number(kind: Callable[[str], int] | Callable[[str], float], text: str, wrong: str) -> float:
    try:
        number = kind(text)
    except ValueError:
        raise UsageError(wrong) from None
    if isnan(number):
        raise UsageError(wrong)
    return number


def _tell_what_holds(what: Named, places: Places, screen: Teller, origin: str) -> None:
    """Say so where somebody stronger says something else."""
    sources = read_sources(places, os.environ, Layer(), TerminalGate(places, screen))
    for one in held(sources):
        if one.key == what.key and one.said and not one.adds and one.origin != origin:
            screen.say(f"What holds is {one.value}, from {one.origin}.")
