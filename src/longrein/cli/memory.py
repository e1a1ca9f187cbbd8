"""`longrein memory`: the instructions that the agent has from files."""

from argparse import Namespace
from collections.abc import Iterator

import msgspec

from longrein.capabilities.memory.memory import Memory, Source
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
            screen.out(f"{msgspec.json.encode(one).decode()}\n")
    else:
        told = list(lines(found))
        for line in told:
            screen.out(f"{line}\n", hang=2)
        if not told:
            screen.say("There is no AGENTS.md here, and none of your own.")
    return exits.FINISHED


def memory_of(place: Workplace) -> Memory | None:
    """The memory of the agent, if it has one."""
    return next((one for one in place.agent.capabilities if isinstance(one, Memory)), None)


def lines(memory: Memory) -> Iterator[str]:
    """What there is to say of each file, the nearest last."""
    for one in memory.sources():
        size = f"{one.bytes:,} bytes, about {one.tokens:,} tokens"
        trusted = one.origin == "user" or memory.trusts()
        said = (
            one.problem.rstrip(".") or size,
            "" if trusted else UNTRUSTED,
            _shown(one) if trusted else "",
        )
        yield f"{one.path} ({one.origin}): {'; '.join(filter(None, said))}"


def _shown(one: Source) -> str:
    """How much of a file that may count the model is shown; empty: all that can be."""
    if not one.counts:
        return "" if one.problem else "empty"
    if one.shown == one.tokens:
        return ""
    return f"cut: {one.shown:,} of them are shown" if one.shown else "cut: only its path is"
