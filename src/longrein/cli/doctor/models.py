"""The models in use: whether they are known, and how it is with their keys."""

import asyncio
import os
from typing import assert_never

from longrein.cli.keys import keyring_problem
from longrein.cli.workplace import ADAPTED, Workplace
from longrein.client.port import Check
from longrein.core.errors import UsageError
from longrein.models.catalog import Known, find, known
from longrein.models.listing import problem_with
from longrein.models.probing import Accepted, Refused, Unchecked, probe

CHOOSE = "`longrein models` lists them; then: longrein config model PROVIDER:NAME"
LOGIN = "Get a new key from the provider, then: longrein login {who}"


async def model_checks(place: Workplace, *, online: bool) -> list[Check]:
    """The models of the agent, their keys, and where keys are kept; `online`: the providers are
    asked whether they take the keys."""
    named = [place.model, *place.settings.models] if place.model else [*place.settings.models]
    checks = [_model(place, name) for name in dict.fromkeys(named)]
    if not checks:
        checks = [Check("model", "missing", "none is configured", CHOOSE)]
    elif online:
        checks += [await _asked(place, name) for name in dict.fromkeys(named)]
    return [*checks, *_keys(place), await asyncio.to_thread(_keyring)]


def _model(place: Workplace, name: str) -> Check:
    who = name.partition(":")[0]
    if problem := problem_with(name, place.settings.providers, os.environ, place.keys):
        return Check("model", "missing", name, problem)
    status = {one.name: one.status for one in _known(place)}.get(who, "")
    return Check("model", "ok", f"{name}: {status}" if status else name)


async def _asked(place: Workplace, name: str) -> Check:
    who = name.partition(":")[0]
    if who == ADAPTED:
        return Check("online", "note", f"{name}: only a call can tell")
    try:
        found = await asyncio.to_thread(
            find, name, place.settings.providers, os.environ, place.keys
        )
    except UsageError as error:
        return Check("online", "missing", f"{name}: not asked", str(error))
    verdict = await probe(*found)
    match verdict:
        case Accepted():
            return Check("online", "ok", f"{who} answers, and takes the key")
        case Refused(why):
            return Check(
                "online", "missing", f"{who} refuses the key: {why}", LOGIN.format(who=who)
            )
        case Unchecked(why):
            return Check("online", "note", f"{who} could not be asked: {why}")
        case _:
            assert_never(verdict)


def _known(place: Workplace) -> tuple[Known, ...]:
    return known(place.settings.providers, os.environ, place.keys)


def _keys(place: Workplace) -> list[Check]:
    """Which keys there are, by where they are from: never the keys themselves."""
    there = [f"{one.name} ({one.origin})" for one in _known(place) if one.origin]
    checks = [Check("keys", "ok", ", ".join(there))]
    if not there:
        checks = [Check("keys", "note", "none is set: only models without a key can be used")]
    if place.keys.problem:
        checks.append(Check("keys", "missing", "kept keys do not count", place.keys.problem))
    return checks


def _keyring() -> Check:
    problem = keyring_problem()
    return Check("keyring", "note", problem or "there is one; `longrein login` keeps keys in it")
