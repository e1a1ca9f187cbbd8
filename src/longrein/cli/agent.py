"""The agent of the command line, which is there where no other is brought."""

import os
from collections.abc import Sequence

from longrein.capabilities.ask_user import AskUser
from longrein.capabilities.observing.memory import (
    OBSERVE_AT,
    REFLECT_AT,
    ObservationalMemory,
)
from longrein.capabilities.plans import Plans
from longrein.capabilities.subagents.capability import DEPTH, Subagents
from longrein.capabilities.subagents.files import AgentFolder
from longrein.capabilities.todos import Todos
from longrein.capabilities.workspace.shelling import ShellSettings
from longrein.capabilities.workspace.workspace import Workspace
from longrein.cli.ground import Ground
from longrein.cli.identity import git_identity
from longrein.core.policy import Rule
from longrein.loop.agent import Agent, Mode
from longrein.settings.merge import Settings

PLANNING = (
    "You are planning: find out what you need to know, ask what only the person can tell, and "
    "submit a plan with submit_plan. Nothing can be changed, run or fetched before it is approved."
)
EXPLORING = (
    "You are exploring: read and search, then answer what you are asked. Nothing can be changed, "
    "run or fetched in this mode; where that is needed, say so."
)
_READING = (
    Rule("deny", category="edit"),
    Rule("deny", category="execute"),
    Rule("deny", category="network"),
)

BUILD = Mode("build", name="Build", default=True)
PLAN = Mode(
    "plan",
    name="Plan",
    instructions=PLANNING,
    rules=_READING,
    transitions_to=BUILD.id,
)
EXPLORE = Mode(
    "explore",
    name="Explore",
    instructions=EXPLORING,
    rules=(*_READING, Rule("deny", tool="submit_plan")),
)


def own_agent(
    settings: Settings, ground: Ground, agents: Sequence[AgentFolder]
) -> tuple[Agent, Sequence[Mode]]:
    """An agent that works in a folder, keeps todos, submits plans, asks and delegates, with its
    modes: build, plan, and explore."""
    capabilities = (
        *_workspace(settings, ground),
        Todos(),
        Plans(),
        AskUser(),
        *_subagents(settings, agents),
        *_observing(settings),
    )
    return Agent("assistant", model=settings.models, capabilities=capabilities), (
        BUILD,
        PLAN,
        EXPLORE,
    )


def _workspace(settings: Settings, ground: Ground) -> tuple[Workspace, ...]:
    if ground.folder is None:
        return ()
    shell = None
    if settings.shell != "off":
        shell = ShellSettings(
            settings.shell,
            readable=ground.readable,
            writable=ground.writable,
            environ=git_identity(os.environ),
        )
    return (Workspace(ground.folder, rules=(*ground.rules, *settings.files), shell=shell),)


def _subagents(settings: Settings, folders: Sequence[AgentFolder]) -> tuple[Subagents, ...]:
    said = settings.subagents
    if said.enabled is False:
        return ()
    depth = DEPTH if said.depth is None else said.depth
    return (Subagents(default=said.default is not False, depth=depth, files=folders),)


def _observing(settings: Settings) -> tuple[ObservationalMemory, ...]:
    """Notes cost model calls of their own, so they are taken where that is asked for."""
    said = settings.observing
    if not said.enabled:
        return ()
    memory = ObservationalMemory(
        said.model,
        reflector_model=said.reflector_model,
        observe_at=said.observe_at or OBSERVE_AT,
        reflect_at=said.reflect_at or REFLECT_AT,
    )
    return (memory,)
