"""What may happen and why: `longrein rules`, `grants` and `explain`."""

from argparse import Namespace
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager

from longrein.cli import exits
from longrein.cli.left import workspace_of
from longrein.cli.placed import in_plain_place, in_quiet_place
from longrein.cli.terminal import DIM, Screen
from longrein.cli.threads import SCOPE
from longrein.cli.workplace import Workplace
from longrein.client.arguments import json_object
from longrein.client.ruling import HOLDS, about, covered
from longrein.core.errors import NotFound
from longrein.core.policy import Grant, Rule
from longrein.harness import Harness
from longrein.permissions.evaluate import DEFAULTS, rule_name
from longrein.session.session import Session
from longrein.workspace.rules import FileRule

FILES = "file rule"
"""Where a rule about files stands in the list."""

LOOKING = "explain"
"""The scope of a thread that is made only to be looked at."""


@in_quiet_place
async def rules(place: Workplace, arguments: Namespace, screen: Screen) -> int:
    """`longrein rules`: every rule that holds in a thread, with where it is from."""
    async with place.harness() as harness, _session(harness, place, arguments.thread) as session:
        found = [*session.rules(), *(("default", rule) for rule in DEFAULTS)]
        workspace = workspace_of(session)
        about_files = workspace.file_rules if workspace else ()
        mode, trust = session.display.mode, session.display.trust
    _list_rules(found, about_files, arguments, screen)
    if not arguments.json:
        if idle := sorted({rule.tool for rule in place.idle_rules}):
            screen.say(f"Rules about {', '.join(idle)} wait for the tool: it is not loaded.", DIM)
        files = " Of file rules the first about a path decides." if about_files else ""
        screen.say(f"mode {mode or 'default'}, trust {trust}; deny always wins.{files}", DIM)
    return exits.FINISHED


def _list_rules(
    found: Sequence[tuple[str, Rule]],
    about_files: Sequence[FileRule],
    arguments: Namespace,
    screen: Screen,
) -> None:
    for source, rule in found:
        if arguments.json:
            data = {"source": source, "name": rule_name(rule), "rule": rule}
            screen.out_json(data)
        else:
            always = " always" if rule.always else ""
            screen.out(f"{source:12} {rule.effect}{always} {about(rule)}\n", hang=13)
    for rule in about_files:
        if arguments.json:
            data = {"source": FILES, "name": f"{FILES}: {rule}", "rule": rule}
            screen.out_json(data)
        else:
            screen.out(f"{FILES:12} {rule}\n", hang=13)


@in_plain_place
async def grants(place: Workplace, arguments: Namespace, screen: Screen) -> int:
    """`longrein grants`: what need not be asked about any more; or revoke one of them."""
    async with place.harness() as harness:
        thread = arguments.thread or await harness.store.current(place.resource, SCOPE)
        session = await harness.session(place.resource, thread=thread) if thread else None
        if arguments.revoke:
            return await _revoke(harness, place.resource, session, arguments.revoke, screen)
        found = session.grants() if session else await harness.grants(place.resource)
    for grant in found:
        screen.out_json(grant) if arguments.json else screen.out(f"{_granted(grant)}\n")
    if not found and not arguments.json:
        screen.say("Nothing is always allowed, here or in the whole project.")
    return exits.FINISHED


async def _revoke(
    harness: Harness, resource: str, session: Session | None, grant: str, screen: Screen
) -> int:
    if session is None:
        await harness.revoke(resource, grant)
    elif (await session.revoke(grant)).status == "missing":
        raise NotFound(
            f"There is no grant {grant} in {session.thread} or in the whole project; for one of "
            f"another thread: longrein grants THREAD --revoke {grant}"
        )
    screen.say(f"{grant} is revoked: you will be asked again.")
    return exits.FINISHED


def _granted(grant: Grant) -> str:
    return f"{grant.id}  {HOLDS[grant.scope]}\n    {covered(grant)} (asked by {grant.rule})"


@in_quiet_place
async def explain(place: Workplace, arguments: Namespace, screen: Screen) -> int:
    """`longrein explain`: what would become of a tool call now, and by which rules."""
    given = json_object(arguments.arguments or "")
    async with place.harness() as harness, _session(harness, place, arguments.thread) as session:
        why = await session.explain(arguments.tool, given)
    if arguments.json:
        screen.out_json(why)
        return exits.FINISHED
    screen.out(f"{why.verdict}: {why.text}\n")
    for match in why.matches:
        mark = "*" if match.decided else " "
        screen.out(f"{mark} {match.source:12} {match.rule.effect} {about(match.rule)}\n")
    return exits.FINISHED


@asynccontextmanager
async def _session(
    harness: Harness, place: Workplace, thread: str | None
) -> AsyncGenerator[Session, None]:
    """The session of the thread that is named, or of the last; else of one that goes again."""
    named = thread or await harness.store.current(place.resource, SCOPE)
    if named:
        yield await harness.session(place.resource, thread=named)
        return
    session = await harness.session(place.resource, LOOKING, new=True)
    try:
        await session.set_trust(place.settings.trust)
        yield session
    finally:
        await harness.delete(place.resource, session.thread)
