"""`longrein memory`: the instructions that the agent has from files."""

from argparse import Namespace

from longrein.capabilities.memory.memory import Memory
from longrein.capabilities.memory.sources import NONE, lines
from longrein.cli import exits
from longrein.cli.terminal import Screen
from longrein.cli.workplace import Workplace, find_quiet_workplace
from longrein.settings.project import UNTRUSTED


def memory(arguments: Namespace, screen: Screen) -> int:
    """List the files with their sizes, whether they count, and what is cut."""
    found = memory_of(find_quiet_workplace(arguments, screen))
    if found is None:
        screen.say("The settings, or the agent, do without instructions from files.")
    elif arguments.json:
        for one in found.sources():
            screen.out_json(one)
    else:
        every = told(found)
        for line in every:
            screen.out(f"{line}\n", hang=2)
        if not every:
            screen.say(NONE)
    return exits.FINISHED


def memory_of(place: Workplace) -> Memory | None:
    """The memory of the agent, if it has one."""
    return next((one for one in place.agent.capabilities if isinstance(one, Memory)), None)


def told(memory: Memory) -> list[str]:
    """A line for each file."""
    return list(lines(memory.sources(), trusted=memory.trusts(), untrusted=UNTRUSTED))
