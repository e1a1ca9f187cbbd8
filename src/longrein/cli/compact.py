"""`longrein compact`: make the requests of a thread shorter, by a summary."""

from argparse import Namespace
from collections.abc import Coroutine
from contextlib import aclosing
from typing import Any

from longrein.cli import exits
from longrein.cli.terminal import Screen
from longrein.cli.threads import named_or_current
from longrein.cli.workplace import Workplace, find_quiet_workplace
from longrein.core import events as e
from longrein.session.session import Session


def compact(arguments: Namespace, screen: Screen) -> Coroutine[Any, Any, int]:
    """Have a summary written for all but the newest steps, and say what came of it."""
    return _compact(find_quiet_workplace(arguments, screen), arguments, screen)


async def _compact(place: Workplace, arguments: Namespace, screen: Screen) -> int:
    async with place.harness() as harness:
        thread = await named_or_current(harness, place.resource, arguments.thread)
        session = await harness.session(place.resource, thread=thread)
        before = session.folded.seq
        answer = await session.compact(arguments.focus)
        if answer.status == "stale":
            screen.say(answer.message)
            return exits.STALE
        if answer.status == "accepted":
            screen.say("It is kept; the process that works on the thread has not taken it up yet.")
            return exits.ACCEPTED
        return await _ended(session, before, screen)


async def _ended(session: Session, before: int, screen: Screen) -> int:
    ends = (e.Compacted, e.CompactionFailed)
    async with aclosing(session.events(before, only=ends)) as events:
        async for event in events:
            if isinstance(event, e.Compacted):
                screen.out(f"{event.before:,} tokens became {event.after:,}.\n")
                return exits.FINISHED
            if isinstance(event, e.CompactionFailed):
                screen.say(event.problem.message)
                return exits.FAILED
    return exits.FAILED
