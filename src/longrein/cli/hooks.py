"""`longrein hooks`: the shell hooks that are run here, where they are from, and what is wrong."""

from argparse import Namespace
from collections.abc import Sequence

from longrein.capabilities.hooks.capability import ShellHooks
from longrein.capabilities.hooks.telling import ListedHook, shown
from longrein.cli import exits
from longrein.cli.placed import in_quiet_place
from longrein.cli.terminal import DIM, Screen
from longrein.cli.threads import SCOPE
from longrein.cli.workplace import Workplace


@in_quiet_place
async def hooks(place: Workplace, arguments: Namespace, screen: Screen) -> int:
    """List the hooks, with how each ended last in the current thread, then what is wrong."""
    own = [one for one in place.agent.capabilities if isinstance(one, ShellHooks)]
    listed = await _listed(place, own[0]) if own else ()
    if arguments.json:
        for one in listed:
            screen.out_json(one)
    elif listed:
        screen.out(f"{shown(listed)}\n")
    else:
        screen.say(shown(()))
    for one in own:
        for problem in one.problems():
            screen.say(problem.message, DIM, hang=2)
    return exits.FINISHED


async def _listed(place: Workplace, hooks: ShellHooks) -> Sequence[ListedHook]:
    """The hooks as the current thread knows them; as they are where there is none."""
    async with place.harness() as harness:
        if await harness.store.current(place.resource, SCOPE) is None:
            return hooks.listing()
        session = await harness.session(place.resource)
        return session.capability(ShellHooks).listing()
