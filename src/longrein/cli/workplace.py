"""From arguments and settings to a harness: what every command but the demo works with."""

import os
import shlex
from argparse import Namespace
from collections.abc import AsyncGenerator, Generator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from longrein.capabilities.ask_user import ask_user
from longrein.cli.loading import load_agent, load_tools
from longrein.cli.owner import living_owner
from longrein.cli.terminal import Screen
from longrein.cli.trust import TerminalGate
from longrein.core.errors import UsageError
from longrein.core.state import State
from longrein.harness import Harness, open_store
from longrein.loop.agent import Agent, Mode
from longrein.models.catalog import find
from longrein.session.session import Session
from longrein.settings.layer import Layer, LimitsTable
from longrein.settings.merge import Settings, load
from longrein.settings.places import Places, find_places, make_private
from longrein.storage.base import Store
from longrein.storage.sqlite import SqliteStore
from longrein.tools.define import as_tool

NO_MODEL = """\
No model is configured. Name one with --model provider:name, in LONGREIN_MODEL, or as
  model = "provider:name"
in {file}. Without a key, `longrein demo` shows what Longrein does."""

NO_PRICE = """\
{what}. Take the limit away, or set the price, in dollars per million tokens, as
  [prices."provider:name"]
  input = 1.0
  output = 2.0
in {file}."""


@dataclass(frozen=True, slots=True)
class Workplace:
    """Where a command works and with what. `brought` are the flags that named the user's code."""

    places: Places
    settings: Settings
    agent: Agent
    modes: Sequence[Mode]
    brought: str

    @asynccontextmanager
    async def harness(self) -> AsyncGenerator[Harness, None]:
        """A harness on the store of this place, closed in order at the end."""
        store = self._store()
        try:
            async with Harness(
                self.agent,
                modes=self.modes,
                store=store,
                rules=self.settings.rules,
                limits=self.settings.limits,
                providers=self.settings.providers,
                prices=self.settings.prices,
            ) as harness:
                yield harness
        finally:
            await store.close()

    def _store(self) -> Store:
        name = self.settings.store or self.places.store
        kind, _, path = name.partition(":")
        if kind != "sqlite":
            return open_store(name)
        make_private(Path(path).parent)
        return SqliteStore(path, "NORMAL" if self.settings.synchronous == "normal" else "FULL")

    @property
    def resource(self) -> str:
        return self.places.resource

    def check_model(self, chosen: str) -> None:
        """Raise `UsageError` where no model is in use, or the one that is has no key."""
        models = self.agent.model
        chain = [models] if isinstance(models, str) or not isinstance(models, Sequence) else models
        first = chosen or next(iter(chain), None)
        if first is None and not any(mode.model for mode in self.modes):
            raise UsageError(NO_MODEL.format(file=self.places.user_file))
        if isinstance(first, str) and not first.startswith("pydantic-ai:"):
            find(first, self.settings.providers, os.environ)

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
            self.check_model(model or session.state.model)
            self._check_tools(session.state)
        except UsageError:
            if await living_owner(harness.store, session.thread) is None:
                raise
            return False
        return True

    def _check_tools(self, state: State) -> None:
        known = {as_tool(tool).name for tool in self.agent.tools}
        known |= {as_tool(tool).name for mode in self.modes for tool in mode.tools or ()}
        calls = state.step.calls if state.step else ()
        waiting = {c.name for c in calls if c.phase != "settled" and not c.problem}
        if missing := sorted(waiting - known):
            raise UsageError(
                f"This thread waits with {', '.join(missing)}, which is not loaded here: add the "
                "same --tools or --agent as when the run was started."
            )


def find_workplace(arguments: Namespace, screen: Screen) -> Workplace:
    """The place that the arguments and the settings describe. Raises `UsageError`."""
    places = find_places(Path.cwd(), os.environ)
    settings = load(places, os.environ, _flags(arguments), TerminalGate(places, screen))
    agent, modes = _agent(arguments, settings)
    return Workplace(places, settings, agent, modes, _brought(arguments))


def find_plain_workplace(screen: Screen) -> Workplace:
    """The same for commands that only look: no code is loaded."""
    places = find_places(Path.cwd(), os.environ)
    settings = load(places, os.environ, Layer(), TerminalGate(places, screen))
    return Workplace(places, settings, Agent("assistant"), (), "")


def _flags(given: Namespace) -> Layer:
    limits = LimitsTable(given.max_steps, given.max_tokens, given.max_cost, given.max_seconds)
    return Layer(limits=limits)


def _agent(given: Namespace, settings: Settings) -> tuple[Agent, Sequence[Mode]]:
    agent = Agent("assistant", tools=(ask_user,), model=settings.models)
    modes: Sequence[Mode] = ()
    if given.agent:
        agent, modes = load_agent(given.agent)
        agent = agent if agent.model else replace(agent, model=settings.models)
    added = [tool for name in given.tools for tool in load_tools(name)]
    return replace(agent, tools=(*agent.tools, *added)), modes


def _brought(given: Namespace) -> str:
    words = [word for name in given.tools for word in ("--tools", name)]
    if given.agent:
        words += ["--agent", given.agent]
    return f" {shlex.join(words)}" if words else ""
