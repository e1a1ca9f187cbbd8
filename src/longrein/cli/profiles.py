"""`longrein profiles`: which profiles there are, where they are from, and what they come to."""

from argparse import Namespace
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from longrein.cli import exits
from longrein.cli.terminal import DIM, Screen
from longrein.cli.workplace import Workplace, find_plain_workplace
from longrein.loop.profiles.profile import Added, Profile
from longrein.loop.profiles.registry import Entry

KEY = 28
FIELD = 24


class ListedProfile(Struct, frozen=True, omit_defaults=True):
    """A profile as it is listed; for a `model`, what all of `sources` come to."""

    key: str = ""
    source: str = ""
    model: str = ""
    sources: tuple[str, ...] = ()
    profile: dict[str, Any] = {}


def profiles(arguments: Namespace, screen: Screen) -> int:
    """List every profile; then, for the model that is named or in use, what holds for it."""
    place = find_plain_workplace(screen)
    found, model = place.profiles, arguments.model or place.model
    if arguments.json:
        for one in _objects(found.entries, place, model):
            screen.out_json(one)
    else:
        if not arguments.model:
            for entry in found.entries:
                _show_entry(entry, screen)
        if model:
            _show_model(place, model, screen)
        else:
            screen.say("No model is configured; name one to see what holds for it.", DIM)
    for problem in place.profile_problems:
        screen.say(problem, hang=2)
    return exits.FINISHED


def applied(place: Workplace) -> str:
    """The profiles of the model in use, for people; empty where there is none."""
    return ", ".join(one.origin for one in place.profiles.about(place.model))


def _objects(entries: Sequence[Entry], place: Workplace, model: str) -> Iterator[ListedProfile]:
    for one in entries:
        source = f"{one.source}{one.package and f' {one.package}'}"
        yield ListedProfile(one.key, source, profile=dict(_fields(one.profile)))
    if model:
        origins = tuple(one.origin for one in place.profiles.about(model))
        merged = dict(_fields(place.profiles.of(model)))
        yield ListedProfile(model=model, sources=origins, profile=merged)


def _show_entry(one: Entry, screen: Screen) -> None:
    source = f"{one.source}{one.package and f' {one.package}'}"
    changes = ", ".join(name for name, _ in _fields(one.profile) if name != "reason")
    screen.out(f"{one.key:{KEY}} {source}: {changes or 'changes nothing'}\n", hang=KEY + 1)
    if one.profile.reason:
        screen.out(f"{'':{KEY}} {one.profile.reason}\n", hang=KEY + 1)


def _show_model(place: Workplace, model: str, screen: Screen) -> None:
    about = place.profiles.about(model)
    screen.out(f"\n{model}: {', '.join(one.origin for one in about) or 'no profile'}\n", hang=2)
    for name, value in _fields(place.profiles.of(model)):
        text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
        screen.out(f"  {name:{FIELD}} {text}\n", hang=FIELD + 3)


def _fields(profile: Profile) -> Iterator[tuple[str, Any]]:
    """What a profile says, in values that JSON can hold."""
    said: dict[str, Any] = {
        "prompt": profile.prompt,
        "base_prompt": profile.base_prompt,
        "tool_descriptions": dict(profile.tool_descriptions),
        "excluded_tools": sorted(profile.excluded_tools),
        "capabilities": [_name(one) for one in profile.capabilities],
        "excluded_capabilities": sorted(
            one if isinstance(one, str) else one.__name__ for one in profile.excluded_capabilities
        ),
        "settings": msgspec.to_builtins(profile.settings),
        "alone": profile.alone,
        "reason": profile.reason,
    }
    yield from (
        (name, value) for name, value in said.items() if value not in (None, "", [], {}, False)
    )


def _name(added: Added) -> str:
    return getattr(added, "__name__", type(added).__name__)
