"""`longrein config`: every setting with its value and where that is from; or one explained."""

import os
import shlex
from argparse import Namespace
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

from msgspec import Struct

from longrein.cli import exits
from longrein.cli.terminal import Screen
from longrein.cli.trust import TerminalGate
from longrein.core.errors import UsageError
from longrein.settings.described import GROUPS
from longrein.settings.held import Held, Said, default_of, held
from longrein.settings.layer import Layer
from longrein.settings.naming import Named, group_of, named
from longrein.settings.places import Places, find_places
from longrein.settings.setting import Group
from longrein.settings.shapes import in_words, kinds
from longrein.settings.sources import read_sources

KEY, VALUE = 26, 18
FLAGS = {
    "model": "--model",
    "trust": "--trust",
    "limits.steps": "--max-steps",
    "limits.tokens": "--max-tokens",
    "limits.cost": "--max-cost",
    "limits.seconds": "--max-seconds",
}


class ListedSetting(Struct, frozen=True, omit_defaults=True):
    """A setting for programs: values are written as TOML writes them."""

    key: str
    value: str
    origin: str
    help: str = ""
    default: str = ""
    kind: str = ""
    variable: str = ""
    said: tuple[Said, ...] = ()


def config(arguments: Namespace, screen: Screen) -> int:
    """Show settings, explain one, or set it."""
    places = find_places(Path.cwd(), os.environ)
    changes = arguments.value is not None or arguments.unset
    if changes:
        # It loads a writer of TOML, which nobody else needs.
        from longrein.cli.config_set import change

        return change(arguments, places, screen)
    if arguments.project:
        raise UsageError("--project says where a VALUE goes: longrein config --project KEY VALUE")
    every = list(held(read_sources(places, os.environ, Layer(), TerminalGate(places, screen))))
    chosen = _chosen(arguments.key, every)
    if arguments.changed:
        chosen = [one for one in chosen if one.said]
    if arguments.json:
        for one in chosen:
            screen.out_json(_listed(one))
    elif arguments.changed and not chosen:
        screen.say("Nothing is set: all of it is as it comes. `longrein config` lists it.")
    elif group := group_of(arguments.key):
        _show(chosen, screen, [group])
        _fields(group, screen)
    elif arguments.key:
        _explain(named(arguments.key), chosen, places, screen)
    else:
        _show(chosen, screen, () if arguments.changed else GROUPS)
    return exits.FINISHED


def _chosen(key: str, every: Sequence[Held]) -> list[Held]:
    """Those that the key names: all, those of a table, or one."""
    if not key:
        return list(every)
    if group_of(key):
        return [one for one in every if f"{one.group.key}.".startswith(f"{key}.")]
    wanted = named(key)
    return [one for one in every if one.key == wanted.key] or [
        Held(wanted.key, wanted.group, wanted.setting, ())
    ]


def _listed(one: Held) -> ListedSetting:
    if one.setting is None:
        return ListedSetting(one.key, one.value, one.origin)
    return ListedSetting(
        one.key,
        one.value,
        one.origin,
        one.setting.help,
        default_of(one.setting),
        in_words(kinds()[one.setting.key]),
        one.setting.variable,
        one.said,
    )


def _show(chosen: Sequence[Held], screen: Screen, also: Sequence[Group]) -> None:
    """The settings, table by table; `also` those of which nothing is said."""
    by_group = {key: list(some) for key, some in groupby(chosen, lambda one: one.group.key)}
    for group in GROUPS:
        some = by_group.get(group.key, [])
        if not some and (group not in also or (group.brief and len(also) > 1)):
            continue
        screen.out(f"{group.title}\n")
        if not some:
            screen.out(f"  {group.key:{KEY}} (none)\n")
        for one in some:
            for value, origin in _lines(one):
                line = f"  {one.key:{KEY}} {value:{VALUE}} {_short(origin)}"
                screen.out(f"{line.rstrip()}\n", hang=KEY + 1)
        screen.out("\n")


def _fields(group: Group, screen: Screen) -> None:
    """What can be written in a table that stands for each name, or each entry."""
    if group.shape == "table":
        return
    header = f"[[{group.key}]]" if group.shape == "list" else f"[{group.key}.{group.named}]"
    screen.out(f"In a file, below {header}:\n")
    for one in group.settings:
        name = one.key.removeprefix(group.key).lstrip("[]*.")
        screen.out(f"  {name:{KEY}} {one.help}\n", hang=KEY + 1)


def _lines(one: Held) -> Iterator[tuple[str, str]]:
    """What holds and who said so; of what adds up, a line for each."""
    if one.adds and one.said:
        yield from ((said.value, said.origin) for said in one.said)
    else:
        yield _value(one), one.origin


def _value(one: Held) -> str:
    if one.value and one.value != "[]":
        return one.value
    otherwise = one.setting.otherwise if one.setting else ""
    return f"({otherwise})" if otherwise else "(none)"


def _explain(what: Named, chosen: Sequence[Held], places: Places, screen: Screen) -> None:
    setting, (one,) = what.setting, chosen
    screen.out(f"{what.key} = {_value(one)}\n")
    screen.out(f"  from {_short(one.origin)}\n\n")
    screen.out(f"{what.group.title}. {setting.help}\n\n", hang=0)
    rows = [("can be", in_words(kinds()[setting.key]))]
    rows.append(("default", default_of(setting) or f"{setting.otherwise or 'none'}"))
    rows += [("set by", where) for where in _places(what, places)]
    if len(one.said) > 1:
        rows += [("said by", f"{_short(said.origin)}: {said.value}") for said in one.said]
        rows.append(("", "all of it holds" if one.adds else "the last one holds"))
    for (name, row), before in zip(rows, ["", *(name for name, _ in rows)], strict=False):
        screen.out(f"  {'' if name == before else name:8} {row}\n", hang=9)
    screen.out(f"\nTo set it: {_how(what)}\n", hang=2)


def _places(what: Named, places: Places) -> Iterator[str]:
    setting = what.setting
    yield f"{_short(str(places.user_file))} (yours)"
    if setting.own is not True:
        but = f", but not to {' or '.join(setting.own)}" if setting.own else ""
        yield f"{_short(str(places.project_file))} (the project's{but})"
    if setting.variable:
        yield f"the environment variable {setting.variable}"
    if setting.key in FLAGS:
        yield f"the flag {FLAGS[setting.key]}"


def _how(what: Named) -> str:
    if what.group.shape == "list":
        return f"add a [[{what.group.key}]] to the file; `longrein init` writes one with examples"
    if what.setting.secret:
        return "longrein login PROVIDER"
    return shlex.join(["longrein", "config", what.key, what.setting.example.strip('"')])


def _short(origin: str) -> str:
    """A path below the home folder as people write it."""
    return origin.replace(f"{Path.home()}/", "~/", 1)
