"""`longrein context`: where the tokens of a thread's requests go."""

from argparse import Namespace

from longrein.cli import exits
from longrein.cli.placed import in_quiet_place
from longrein.cli.terminal import Screen
from longrein.cli.threads import named_or_last
from longrein.cli.workplace import Workplace


@in_quiet_place
async def context(place: Workplace, arguments: Namespace, screen: Screen) -> int:
    """Show what the next request of a thread would be made of; the thread is not touched."""
    async with place.harness() as harness:
        session = await named_or_last(harness, place.resource, arguments.thread)
        report = await session.context()
    screen.out_json(report.to_dict()) if arguments.json else screen.out(f"{report}\n")
    return exits.FINISHED
