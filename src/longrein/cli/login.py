"""`longrein login` and `longrein logout`: the keys of providers that are kept for the user."""

import os
import sys
from argparse import Namespace
from collections.abc import Coroutine
from difflib import get_close_matches
from getpass import getpass
from pathlib import Path
from typing import Any, assert_never

from msgspec.structs import replace

from longrein.cli import exits
from longrein.cli.keys import keyring_problem, keys_of, open_keyring
from longrein.cli.terminal import Screen
from longrein.cli.trust import TerminalGate
from longrein.core.errors import UsageError
from longrein.models.catalog import Known, ProviderSettings, account, find, known
from longrein.models.probing import Accepted, Refused, Unchecked, probe
from longrein.models.secret import Secret
from longrein.settings.keys import InFile, InKeyring, read_keys, write_keys
from longrein.settings.layer import Layer
from longrein.settings.locking import locked
from longrein.settings.merge import Settings, load
from longrein.settings.places import Places, find_places

MOST_KEY = 4_096


def login(arguments: Namespace, screen: Screen) -> int | Coroutine[Any, Any, int]:
    """Keep the key of a provider; without one, list how it is with the keys of all."""
    places = find_places(Path.cwd(), os.environ)
    settings = load(places, os.environ, Layer(), TerminalGate(places, screen))
    providers = known(settings.providers, os.environ, keys_of(places))
    if not arguments.provider:
        return _list(places, providers, arguments, screen)
    who = _named(arguments.provider, providers)
    read_keys(places.keys_file)  # what is wrong with it is told before anybody types a key
    key = _key(who, arguments, screen)
    return _login(places, settings, who, key, arguments, screen)


def logout(arguments: Namespace, screen: Screen) -> int:
    """Forget the key of a provider that is kept."""
    places, who = find_places(Path.cwd(), os.environ), account(arguments.provider)
    with locked(places.keys_file):
        entries = dict(read_keys(places.keys_file))
        entry = entries.pop(who, None)
        if entry is None:
            listed = f"kept are: {', '.join(sorted(entries))}" if entries else "none is kept"
            screen.say(f"No key of {who} is kept; {listed}.")
            return exits.FINISHED
        if isinstance(entry, InKeyring):
            open_keyring().remove(who)
        write_keys(places.keys_file, entries)
    screen.say(f"The key of {who} is forgotten.")
    return exits.FINISHED


def _list(
    places: Places, providers: tuple[Known, ...], arguments: Namespace, screen: Screen
) -> int:
    for one in providers:
        if arguments.json:
            screen.out_json(one)
        else:
            screen.out(f"{one.name:16} {one.status}\n")
    if problem := keys_of(places).problem:
        screen.say(f"Kept keys do not count: {problem}")
    return exits.FINISHED


def _named(name: str, providers: tuple[Known, ...]) -> Known:
    by_name = {one.name: one for one in providers}
    if name in by_name:
        return by_name[name]
    near = get_close_matches(name, by_name, n=1, cutoff=0.7)
    hint = f"did you mean {near[0]}?" if near else f"known: {', '.join(by_name)}."
    raise UsageError(
        f"There is no provider {name!r}; {hint} Another one needs a base_url first: "
        "longrein config providers.NAME.base_url URL"
    )


def _key(who: Known, arguments: Namespace, screen: Screen) -> str:
    """The key that is typed or piped. Raises `UsageError` where there is none."""
    if arguments.stdin:
        given = sys.stdin.read(MOST_KEY + 1)
    elif screen.interactive:
        with screen.lent():
            given = _typed(f"The key of {who.name} (it is not shown): ")
    else:
        raise UsageError("There is no terminal to ask at: pipe the key in, with --stdin.")
    return checked(given)


def checked(given: str) -> str:
    """The key, without what stands around it. Raises `UsageError` for what can be none."""
    key = given.strip()
    if not key:
        raise UsageError("That is no key: nothing was given. Nothing was changed.")
    if len(key) > MOST_KEY or not key.isascii() or not key.isprintable() or " " in key:
        raise UsageError(
            "That is no key: it has spaces, line breaks or other characters that no key has. "
            "Nothing was changed."
        )
    return key


def _typed(prompt: str) -> str:
    try:
        return getpass(prompt, stream=sys.stderr)
    except EOFError:
        return ""


async def _login(
    places: Places, settings: Settings, who: Known, key: str, arguments: Namespace, screen: Screen
) -> int:
    asked = not arguments.stdin if arguments.check is None else arguments.check
    if asked and not await _good(settings, who.name, key, screen) and not arguments.force:
        screen.say("Nothing was kept. To keep it all the same: --force")
        return exits.FAILED
    with locked(places.keys_file):
        where = _keep(places, who.name, key, arguments, screen)
    screen.say(f"The key of {who.name} is kept in {where}.")
    if who.origin.startswith("environment") or who.origin == "settings":
        screen.say(f"It is not used yet: the one in the {who.origin} comes first.")
    elif not settings.models:
        screen.say(f"Next: longrein models --provider {who.name}")
    return exits.FINISHED


async def _good(settings: Settings, who: str, key: str, screen: Screen) -> bool:
    """Whether the provider takes the key; what nobody knows is not held against it."""
    given = settings.providers.get(who, ProviderSettings())
    trying = {**settings.providers, who: replace(given, key=key)}
    verdict = await probe(*find(f"{who}:any", trying, os.environ))
    match verdict:
        case Accepted():
            screen.say(f"{who} takes the key.")
            return True
        case Unchecked(why):
            screen.say(f"Whether the key is good could not be checked: {why}", hang=2)
            return True
        case Refused(why):
            screen.say(f"{who} refuses the key: {why}", hang=2)
            return False
        case _:
            assert_never(verdict)


def _keep(places: Places, name: str, key: str, arguments: Namespace, screen: Screen) -> str:
    """Put the key where it belongs; where that is, for people."""
    who = account(name)
    entries = dict(read_keys(places.keys_file))
    before = entries.get(who)
    if arguments.keyring or (not arguments.file and not keyring_problem()):
        open_keyring().put(who, key)
        entries[who] = InKeyring()
        write_keys(places.keys_file, entries)
        return "the keyring"
    entries[who] = InFile(Secret(key, f"{who}.key"))
    write_keys(places.keys_file, entries)
    if isinstance(before, InKeyring):
        try:
            open_keyring().remove(who)
        except UsageError as error:
            screen.say(f"The old one is still in the keyring: {error}", hang=2)
    return str(places.keys_file)
