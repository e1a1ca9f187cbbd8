"""`longrein compact`: make the requests of a thread shorter, by a summary."""

from argparse import Namespace
from contextlib import aclosing

from longrein.cli import exits
from longrein.cli.placed import in_quiet_place
from longrein.cli.terminal import Screen
from longrein.cli.threads import named_or_last
from longrein.cli.workplace import Workplace
from longrein.core import events as e
from longrein.session.session import Session


@in_quiet_place
async def compact(place: Workplace, arguments: Namespace, screen: Screen) -> int:
    """Have a summary written for all but the newest steps, and say what came of it."""
    async with place.harness() as harness:
        session = await named_or_last(harness, place.resource, arguments.thread)
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
