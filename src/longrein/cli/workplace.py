"""From arguments and settings to a harness: what every command but the demo works with."""

import os
import shlex
from argparse import Namespace
from collections.abc import AsyncGenerator, Generator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any, cast

from longrein.capabilities.skills.skills import Skills
from longrein.capabilities.subagents.files import AgentFolder
from longrein.cli.agent import own_agent
from longrein.cli.extending import extensions
from longrein.cli.ground import Ground, find_ground
from longrein.cli.instructions import own_memory
from longrein.cli.keys import keys_of
from longrein.cli.loading import load_agent, load_tools
from longrein.cli.teller import Teller
from longrein.cli.trust import TerminalGate
from longrein.core.errors import UsageError
from longrein.core.limits_table import LimitsTable
from longrein.core.policy import Rule
from longrein.harness import Harness, open_store
from longrein.harness import load as implementation
from longrein.loop.agent import Agent, Chain, Mode, ModelChoice, Tools
from longrein.loop.deadlines import Unattended
from longrein.loop.profiles.packages import packaged
from longrein.loop.profiles.registry import Profiles, standing
from longrein.models.catalog import find, known
from longrein.models.kept import KeptKeys
from longrein.session.alive import living_owner
from longrein.session.children.offspring import own_tools
from longrein.session.session import Session
from longrein.settings.folders import AGENTS, SKILLS
from longrein.settings.layer import Layer
from longrein.settings.merge import Settings, load
from longrein.settings.places import Places, find_places, make_private
from longrein.storage.base import Store
from longrein.storage.sqlite import SqliteStore
from longrein.tools.define import as_tool

ADAPTED = "pydantic-ai"
"""Stands where the name of a provider does, for the models of another package."""

NO_MODEL = """\
No model is configured. Name one with --model provider:name, in LONGREIN_MODEL, or as
  model = "provider:name"
in {file}. A thread that was started with --agent or --tools needs the same again.
Without a key, `longrein demo` shows what Longrein does."""

NO_PRICE = """\
{what}. Take the limit away, or set the price, in dollars per million tokens, as
  [prices."provider:name"]
  input = 1.0
  output = 2.0
in {file}."""


@dataclass(frozen=True, slots=True)
class Workplace:
    """Where a command works and with what.

    `ground` is the folder of the agent, `keys` are those that `longrein login` keeps. `brought` are
    the flags that named the user's code and folder, which whoever goes on has to repeat.
    `unattended` is what becomes of what nobody answers.
    """

    places: Places
    settings: Settings
    ground: Ground
    agent: Agent
    modes: Sequence[Mode]
    brought: str
    keys: KeptKeys
    unattended: Unattended | None = None

    @asynccontextmanager
    async def harness(self) -> AsyncGenerator[Harness, None]:
        """A harness on the store of this place, closed in order at the end."""
        store = self._store()
        try:
            async with self.harness_on(store) as harness:
                yield harness
        finally:
            await store.close()

    def harness_on(self, store: Store) -> Harness:
        """A harness as the settings have it. Raises `UsageError` for what cannot be."""
        said, idle = self.settings, self.idle_rules
        compaction = said.compaction
        if isinstance(compaction.model, str) and not self._provides(compaction.model):
            compaction = replace(compaction, model="")
        with self._naming_files():
            return Harness(
                self._agent(),
                modes=self.modes or None,
                store=store,
                rules=[rule for rule in said.rules if rule not in idle],
                limits=said.limits,
                budgets=said.budgets,
                titles=said.titles if self._provides(said.titles) else None,
                compaction=compaction,
                model_settings=said.model_settings,
                providers=said.providers,
                keys=self.keys,
                prices=said.prices,
                profiles=self.profiles,
                unattended=self.unattended,
            )

    @contextmanager
    def _naming_files(self) -> Generator[None, None, None]:
        """Tell whoever wrote a profile that cannot hold in which file it is."""
        try:
            yield
        except UsageError as error:
            named = {f"{key} (settings)": f'profiles."{key}"' for key in self.settings.profiles}
            names = [name for origin, name in named.items() if origin in str(error)]
            files = [f"{name} is in {self.settings.origins[name]}." for name in names]
            raise UsageError(" ".join((str(error), *files))) from error

    @property
    def profiles(self) -> Profiles:
        """What goes with models here."""
        return standing(packaged(implementation).entries, self.settings.profiles)

    @property
    def profile_problems(self) -> tuple[str, ...]:
        """What is wrong with the profiles of installed packages."""
        return packaged(implementation).problems

    @property
    def model(self) -> str:
        """The name of the agent's first model; empty where it has none, or one without a name."""
        first = next(iter(_several(_chain(self.agent))), "")
        return first if isinstance(first, str) else ""

    @property
    def models(self) -> Sequence[ModelChoice]:
        """The agent's models, but for those of the settings that nobody provides."""
        return _several(_chain(self._agent()))

    def led_by(self, model: str) -> "Workplace":
        """The same place, in which every mode that names no model uses this one first."""
        if not self._provides(model):
            return self
        others = [one for one in _several(_chain(self.agent)) if one != model]
        chain = (model, *(m for m in others if not isinstance(m, str) or self._provides(m)))
        return replace(self, agent=replace(self.agent, model=chain))

    def _agent(self) -> Agent:
        """The agent without models of the settings that nobody provides.

        Where one is needed, `check_model` has told, also of those that work beside it; all else
        works without, or with another.
        """
        if self.agent.model != self.settings.models:
            return self.agent
        return replace(self.agent, model=[m for m in self.settings.models if self._provides(m)])

    def _provides(self, model: str) -> bool:
        names = {who.name for who in known(self.settings.providers, os.environ)}
        return model.partition(":")[0] in {*names, ADAPTED}

    @property
    def idle_rules(self) -> Sequence[Rule]:
        """Rules of the settings about tools that are not loaded here: nothing can come of them."""
        named = [rule for rule in self.settings.rules if rule.tool]
        loaded = self.tools if named else ()
        return [rule for rule in named if rule.tool not in loaded]

    @property
    def tools(self) -> set[str]:
        """The names of all tools that are loaded here, in whatever mode."""
        tools = list(_tools(self.agent, None))
        for mode in self.modes:
            tools += (*(mode.tools or ()), *(mode.additional_tools or ()))
        for capability in self.agent.capabilities:
            tools += capability.tools()
        return {as_tool(tool).name for tool in tools}

    def _store(self) -> Store:
        name = self.settings.store or self.places.store
        kind, _, path = name.partition(":")
        if kind != "sqlite":
            return open_store(name)
        make_private(Path(path).parent)
        return SqliteStore(path, "NORMAL" if self.settings.synchronous == "normal" else "FULL")

    @property
    def folder(self) -> str:
        """The folder as seen from which files are named."""
        return str(self.ground.folder or self.places.project)

    @property
    def resource(self) -> str:
        return self.places.resource

    def check_model(self, chosen: str) -> None:
        """Raise `UsageError` where no model is in use, or one that is has no key."""
        chain = _several(_chain(self.agent))
        first = chosen or next(iter(chain), None)
        if first is None and not any(mode.model for mode in self.modes):
            raise UsageError(NO_MODEL.format(file=self.places.user_file))
        others = [m for m in chain[1:] if isinstance(m, str) and not self._provides(m)]
        for name in (first, *others):
            if isinstance(name, str):
                self._find(name)
        for problem in self.helper_problems:
            raise UsageError(problem)

    @property
    def helper_problems(self) -> Iterator[str]:
        """Why models cannot be used that the settings name for work beside the agent's."""
        for setting, name in self.settings.helpers:
            try:
                self._find(name)
            except UsageError as error:
                source = self.settings.origins.get(setting, "the settings")
                yield f"{source}: {setting}: {error}"

    def _find(self, model: str) -> None:
        if model and not model.startswith(f"{ADAPTED}:"):
            find(model, self.settings.providers, os.environ, self.keys)

    @contextmanager
    def saying_where_prices_go(self) -> Generator[None, None, None]:
        """Tell whoever set a limit of money where the price that it needs is set.

        The session that refuses knows of no settings.
        """
        try:
            yield
        except UsageError as error:
            what, found, _ = str(error).partition(": set its price")
            if not found:
                raise
            raise UsageError(NO_PRICE.format(what=what, file=self.places.user_file)) from error

    def check_mode(self, chosen: str) -> None:
        """Raise `UsageError` where the agent has no such mode."""
        known = [mode.id for mode in self.modes]
        if chosen and chosen not in known:
            listed = f"known: {', '.join(known)}" if known else "bring an agent that has modes"
            raise UsageError(f"There is no mode {chosen!r}; {listed}.")

    async def can_take_over(self, harness: Harness, session: Session, model: str) -> bool:
        """Whether the thread can be worked on here, with its model and the tools of its open calls.

        Raises `UsageError` that says what is missing where no other process works on it.
        """
        try:
            # The tools first: an agent that was not brought is why its model is missing too.
            self._check_tools(session)
            self.check_model(model or session.folded.model)
        except UsageError:
            if await living_owner(harness.store, session.thread) is None:
                raise
            return False
        return True

    def _check_tools(self, session: Session) -> None:
        state = session.folded
        calls = state.step.calls if state.step else ()
        waiting = {c.name for c in calls if c.phase != "settled" and not c.problem}
        waiting |= {one.tool for one in session.display.approvals if one.path}
        agents = (one for by in self.agent.capabilities for one in by.subagents())
        brought = {as_tool(tool).name for one in agents for tool in own_tools(one)}
        if missing := sorted(waiting - self.tools - brought):
            raise UsageError(
                f"This thread waits with {', '.join(missing)}, which is not loaded here: add the "
                "same --tools or --agent (or --workspace) as when the run was started."
            )


def find_workplace(arguments: Namespace, screen: Teller) -> Workplace:
    """The place that the arguments and the settings describe. Raises `UsageError`."""
    limits = LimitsTable(
        arguments.max_steps, arguments.max_tokens, arguments.max_cost, arguments.max_seconds
    )
    place = _find(screen, Layer(limits=limits), _code_of(arguments), ask=True)
    alone = Unattended(arguments.deadline, arguments.unattended, arguments.watchdog)
    place = replace(place, unattended=alone)
    if arguments.model:
        place = place.led_by(arguments.model)
    if place.ground.why:
        screen.say(place.ground.why, hang=2)
    for problem in place.profile_problems:
        screen.say(problem, hang=2)
    for rule in place.idle_rules:
        # One with a slip of the pen would decide nothing, and nobody would hear of it.
        for near in get_close_matches(rule.tool, place.tools, n=1, cutoff=0.8):
            screen.say(f"A rule is about {rule.tool}, which is not loaded; did you mean {near}?")
    return place


def find_quiet_workplace(arguments: Namespace, screen: Teller) -> Workplace:
    """The same for commands that start nothing, but have to know tools and modes."""
    return _find(screen, Layer(), _code_of(arguments))


def find_plain_workplace(screen: Teller) -> Workplace:
    """The same for commands that only look: no code is loaded."""
    return _find(screen, Layer(), Brought())


@dataclass(frozen=True, slots=True)
class Brought:
    """What flags name: the user's code, and the folder to work in."""

    tools: Sequence[str] = ()
    agent: str = ""
    workspace: str = ""

    @property
    def flags(self) -> str:
        """The flags again, for a command that goes on."""
        words = [word for name in self.tools for word in ("--tools", name)]
        words += ["--agent", self.agent] if self.agent else []
        words += ["--workspace", self.workspace] if self.workspace else []
        return f" {shlex.join(words)}" if words else ""


def _code_of(arguments: Namespace) -> Brought:
    return Brought(arguments.tools, arguments.agent, arguments.workspace)


def _find(screen: Teller, flags: Layer, brought: Brought, *, ask: bool = False) -> Workplace:
    places = find_places(Path.cwd(), os.environ)
    gate = TerminalGate(places, screen)
    settings = load(places, os.environ, flags, gate)
    ground = _ground(brought, places, settings)
    who, modes = _agent(brought, settings, ground, AGENTS.folders(places, Path.home(), gate))
    if settings.skills and not brought.agent:
        skills = Skills(SKILLS.folders(places, Path.home(), gate))
        who = replace(who, capabilities=(*who.capabilities, skills))
    if settings.memory and not brought.agent:
        memory = own_memory(places, ground, screen, ask=ask)
        who = replace(who, capabilities=(*who.capabilities, memory))
    if not brought.agent:
        added = extensions(places, settings, gate, who.capabilities)
        who = replace(who, capabilities=(*who.capabilities, *added))
    return Workplace(places, settings, ground, who, modes, brought.flags, keys_of(places))


def _ground(brought: Brought, places: Places, settings: Settings) -> Ground:
    if not brought.agent:
        return find_ground(brought.workspace, places, settings)
    if brought.workspace:
        raise UsageError("--workspace is for Longrein's own agent; the one of --agent has its own.")
    return Ground(None)


def _agent(
    brought: Brought, settings: Settings, ground: Ground, agents: Sequence[AgentFolder]
) -> tuple[Agent, Sequence[Mode]]:
    if brought.agent:
        agent, modes = load_agent(brought.agent)
        agent = agent if agent.model else replace(agent, model=settings.models)
    else:
        agent, modes = own_agent(settings, ground, agents)
    added = [tool for where in brought.tools for tool in load_tools(where)]
    return _with_tools(agent, added) if added else agent, modes


def _with_tools(agent: Agent, added: Tools) -> Agent:
    def together(deps: Any) -> Tools:
        return (*_tools(agent, deps), *added)

    return replace(agent, tools=together if callable(agent.tools) else together(None))


def _tools(agent: Agent, deps: Any) -> Tools:
    return agent.tools(deps) if callable(agent.tools) else agent.tools


def _several(models: Chain) -> Sequence[ModelChoice]:
    return [models] if isinstance(models, str) or not isinstance(models, Sequence) else models


def _chain(agent: Agent) -> Chain:
    model = agent.model
    if callable(model) and not hasattr(model, "stream"):
        # There are no dependencies on the command line.
        return model(None)
    return cast(Chain, model)
