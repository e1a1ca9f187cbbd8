"""`longrein agents`: who can be delegated to here, where they are from, and what is wrong."""

from argparse import Namespace
from collections.abc import Iterator

from longrein.capabilities.base import Capability
from longrein.capabilities.subagents.capability import Subagents
from longrein.capabilities.subagents.files import AGENTS, FoundAgent
from longrein.cli import exits
from longrein.cli.listing import Listed, tell
from longrein.cli.terminal import DIM, Screen
from longrein.cli.workplace import Workplace, find_quiet_workplace


def agents(arguments: Namespace, screen: Screen) -> int:
    """List the subagents, then what is wrong with files that should be some."""
    place = find_quiet_workplace(arguments, screen)
    found = [_listed(one) for by in place.agent.capabilities for one in _found(by)]
    tell(found, screen, json=arguments.json)
    if not found:
        screen.say("Nobody can be delegated to here.")
    for problem in agent_problems(place):
        screen.say(problem, DIM, hang=2)
    return exits.FINISHED


def agent_problems(place: Workplace) -> list[str]:
    """What is wrong with the subagents of files, in one line each."""
    modes = [mode.id for mode in place.modes]
    problems: list[str] = []
    for capability in place.agent.capabilities:
        capability.equipped(place.tools, modes)
        problems += [one.message for one in capability.problems() if one.kind == AGENTS.kind]
    return problems


def _found(capability: Capability) -> Iterator[FoundAgent]:
    if isinstance(capability, Subagents):
        yield from capability.found
    else:
        yield from (FoundAgent(agent, capability.name) for agent in capability.subagents())


def _listed(one: FoundAgent) -> Listed:
    description = " ".join(one.agent.description.split())
    return Listed(one.agent.name, one.source, description, one.path)
