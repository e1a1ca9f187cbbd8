"""`longrein models`: the models that can be named here, what they cost, and what is missing."""

import os
from argparse import Namespace
from collections.abc import Sequence
from difflib import get_close_matches
from itertools import groupby

from longrein.cli import exits
from longrein.cli.placed import in_plain_place
from longrein.cli.profiles import applied
from longrein.cli.terminal import DIM, Screen
from longrein.cli.workplace import Workplace
from longrein.core.errors import UsageError
from longrein.core.usage import BILLIONTHS
from longrein.harness import Harness
from longrein.models.catalog import known as known_providers
from longrein.models.listing import ModelInfo

HEADINGS = ("model", "$ in / out", "holds")
NAME = 52


@in_plain_place
async def models(place: Workplace, arguments: Namespace, screen: Screen) -> int:
    """The models that can be used; with `--all` also the others, by what is missing."""
    async with place.harness() as harness:
        found = await harness.models(provider=arguments.provider, ask=True)
        if arguments.provider and not found:
            await _check_provider(place, harness, arguments.provider)
    usable = [one for one in found if one.usable]
    others = [one for one in found if not one.usable]
    if arguments.json:
        for one in (*usable, *(others if arguments.all else ())):
            screen.out_json(one)
        return exits.FINISHED
    if usable:
        screen.say(_columns(" ", *HEADINGS), DIM)
    for one in usable:
        screen.out(f"{_line(one)}\n")
    keys = dict.fromkeys(f"{one.provider}: {one.key}" for one in usable if one.key)
    if keys:
        screen.say(f"{'; '.join(keys)}.", DIM, hang=2)
    if profiles := applied(place):
        screen.say(f"Profiles of {place.model}: {profiles}.", DIM)
    if arguments.all:
        _missing(others, screen)
    else:
        _epilogue(usable, others, arguments.provider, screen)
    return exits.FINISHED


async def _check_provider(place: Workplace, harness: Harness, name: str) -> None:
    """Raise `UsageError` for a provider that nobody knows; one that is known may list nothing."""
    known = {who.name for who in known_providers(place.settings.providers, os.environ)}
    known |= {one.provider for one in await harness.models()}
    if name in known:
        return
    near = get_close_matches(name, sorted(known), n=1, cutoff=0.7)
    hint = f"did you mean {near[0]}?" if near else f"known: {', '.join(sorted(known))}."
    raise UsageError(f"There is no provider {name!r}; {hint}")


def _missing(others: Sequence[ModelInfo], screen: Screen) -> None:
    ordered = sorted(others, key=lambda one: (one.problem, one.name))
    for problem, group in groupby(ordered, key=lambda one: one.problem):
        screen.out(f"\n{problem}\n")
        for one in group:
            screen.out(f"{_line(one)}\n")


def _epilogue(
    usable: Sequence[ModelInfo], others: Sequence[ModelInfo], provider: str, screen: Screen
) -> None:
    if not usable and not others:
        screen.say(f"The models of {provider} are not listed; name one as {provider}:NAME.")
    elif not usable:
        screen.say("No model can be used as things are: `longrein login` keeps keys of providers.")
    if others:
        screen.say(f"{len(others)} others cannot be used; --all shows them, and why.", DIM)


def _line(one: ModelInfo) -> str:
    mark = " " if one.source == "listed" else "*"
    price = "?"
    if one.input is not None and one.output is not None:
        price = f"{one.input / BILLIONTHS:.4g} / {one.output / BILLIONTHS:.4g}"
    return _columns(mark, one.name, price, f"{one.window:,}" if one.window else "?")


def _columns(mark: str, name: str, price: str, window: str) -> str:
    return f"{mark} {name:{NAME}} {price:>13} {window:>10}"
