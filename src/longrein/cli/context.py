"""`longrein context`: where the tokens of a thread's requests go."""

from argparse import Namespace
from collections.abc import Coroutine
from typing import Any

import msgspec

from longrein.cli import exits
from longrein.cli.terminal import Screen
from longrein.cli.threads import named_or_current
from longrein.cli.workplace import Workplace, find_quiet_workplace


def context(arguments: Namespace, screen: Screen) -> Coroutine[Any, Any, int]:
    """Show what the next request of a thread would be made of; the thread is not touched."""
    return _context(find_quiet_workplace(arguments, screen), arguments, screen)


async def _context(place: Workplace, arguments: Namespace, screen: Screen) -> int:
    async with place.harness() as harness:
        thread = await named_or_current(harness, place.resource, arguments.thread)
        session = await harness.session(place.resource, thread=thread)
        report = await session.context()
    said = msgspec.json.encode(report.to_dict()).decode() if arguments.json else str(report)
    screen.out(f"{said}\n")
    return exits.FINISHED
