"""`Subagents`: who can be delegated to, and the tools for it."""

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from copy import copy
from difflib import get_close_matches
from typing import Any, cast

from longrein.capabilities.base import Capability
from longrein.capabilities.contexts import CommandContext, SlashCommand
from longrein.capabilities.subagents import prompts, telling
from longrein.capabilities.subagents.files import (
    AGENTS,
    AgentFolder,
    FoundAgent,
    as_folder,
    read_folders,
)
from longrein.capabilities.subagents.spec import Subagent
from longrein.capabilities.subagents.tools import change, delegating_tools
from longrein.core.errors import UsageError
from longrein.core.outcomes import Problem
from longrein.tools.define import Tool

DEPTH = 2
"""How deep children are nested: theirs may have children, and those none."""


class Subagents(Capability):
    """The agent can delegate: the tool `task` gives a child its task, `tasks` looks after children.

    There is a general-purpose child, unless `default` is False. `files` are folders with a Markdown
    file for each subagent, read when this is made, the last the strongest; `agents` win over them.
    Children have children of their own until they are nested `depth` deep. Where nobody can be
    delegated to, there are no tools.

    >>> from longrein import Subagent, Subagents
    >>> reader = Subagent("reader", "Answers questions about the code.", tools=["read_file"])
    >>> [one.name for one in Subagents([reader]).subagents()]
    ['general-purpose', 'reader']
    >>> Subagents(default=False).tools()
    ()
    """

    def __init__(
        self,
        agents: Sequence[Subagent] = (),
        *,
        default: bool = True,
        depth: int = DEPTH,
        files: Sequence[AgentFolder | str | os.PathLike[str]] = (),
    ) -> None:
        if not isinstance(depth, int) or depth < 0:  # pyright: ignore[reportUnnecessaryIsInstance]
            raise UsageError(f"depth of Subagents is {depth!r}; give 0 or more.")
        read = read_folders([as_folder(one) for one in _several("files", files)])
        found = read.found.values()
        given = [*([FoundAgent(prompts.GENERAL, "default")] if default else []), *found]
        self._found = _merged(given, _code(agents))
        self._reported = (*read.problems, *_hidden(found, self._found))
        self._problems = self._reported
        self._nested = False
        self.depth = depth
        self._tools = delegating_tools(self.subagents()) if self._found else ()

    @property
    def found(self) -> tuple[FoundAgent, ...]:
        """Everybody who can be delegated to, with where they are from."""
        return self._found

    def needed(self) -> str:
        given = [one.agent.name for one in self._found if one.source == "code"]
        if not given:
            return ""
        return (
            f"the agent was given somebody to delegate to ({', '.join(given)}). Leave them out, or "
            "hide `task` and `tasks` from this model, with excluded_tools."
        )

    def subagents(self) -> tuple[Subagent, ...]:
        return tuple(one.agent for one in self._found) if self.depth else ()

    def tools(self) -> Sequence[Tool]:
        return self._tools if self.depth else ()

    def problems(self) -> Sequence[Problem]:
        return self._problems

    def below(self) -> "Subagents":
        """The same for a child, which is one deeper: what is wrong was said already."""
        below = copy(self)
        below.depth = max(0, self.depth - 1)
        below._problems, below._nested = (), True
        return below

    def equipped(self, tools: Collection[str], modes: Collection[str]) -> None:
        """Raises `UsageError` for a subagent of code with a tool or a mode that there is not; one
        of a file is a problem."""
        if self._nested:  # a child has fewer tools than those were checked against
            return
        problems: list[Problem] = []
        for one in self._found:
            for text in _misfits(one.agent, tools, modes):
                if not one.path:
                    raise UsageError(f"The subagent {one.agent.name!r} {text}")
                problems.append(AGENTS.problem(one.path, f"{one.name!r} {text}"))
        self._problems = (*self._reported, *problems)

    def commands(self) -> Sequence[SlashCommand]:
        about = "Who can be delegated to and who works; stop ID, or steer ID TEXT."
        return (SlashCommand("agents", about, self._agents),) if self.tools() else ()

    async def _agents(self, ctx: CommandContext, arguments: str) -> str:
        action, _, rest = arguments.strip().partition(" ")
        id, _, text = rest.strip().partition(" ")
        if not action:
            working = telling.listed(ctx.children.children())
            return f"{prompts.listed(self.subagents())}\n\n{working}"
        if action not in ("stop", "steer") or not id or (action == "steer") != bool(text.strip()):
            raise UsageError("Say /agents, /agents stop ID, or /agents steer ID TEXT.")
        return await change(ctx, action, id, text.strip())


def _several(what: str, given: Any) -> tuple[Any, ...]:
    if isinstance(given, str | bytes | Mapping) or not isinstance(given, Iterable):
        raise UsageError(f"{what} of Subagents is a list, not {given!r}.")
    return tuple(cast("Iterable[Any]", given))


def _code(agents: Any) -> list[FoundAgent]:
    found: dict[str, FoundAgent] = {}
    for one in _several("agents", agents):
        if not isinstance(one, Subagent):
            raise UsageError(f"agents of Subagents is a list of Subagent; {one!r} is none.")
        if one.name in found:
            raise UsageError(f"Two subagents are called {one.name!r}; rename one.")
        found[one.name] = FoundAgent(one, "code")
    return list(found.values())


def _merged(given: Iterable[FoundAgent], code: Iterable[FoundAgent]) -> tuple[FoundAgent, ...]:
    return tuple({one.name: one for one in (*given, *code)}.values())


def _hidden(read: Iterable[FoundAgent], found: Iterable[FoundAgent]) -> list[Problem]:
    """The subagents of files that those of code replace."""
    by = {one.name: one for one in found}
    return [
        AGENTS.hidden(one, other.path or other.source)
        for one in read
        if (other := by[one.name]) is not one
    ]


def _misfits(agent: Subagent, tools: Collection[str], modes: Collection[str]) -> Iterable[str]:
    for name in agent.tools or ():
        if isinstance(name, str) and name not in tools:
            yield f"has the tool {name!r}, which the agent does not have.{_meant(name, tools)}"
    if agent.mode and agent.mode not in modes:
        yield f"has the mode {agent.mode!r}, which there is not.{_meant(agent.mode, modes)}"


def _meant(name: str, known: Collection[str]) -> str:
    if near := get_close_matches(name, known, n=1):
        return f" Did you mean {near[0]!r}?"
    return f" There are: {', '.join(sorted(known)) or 'none'}."
