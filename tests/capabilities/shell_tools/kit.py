"""A session with shell tools on a scripted model."""

import time
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeAlias

from longrein.capabilities.base import Capability
from longrein.capabilities.contexts import HookContext
from longrein.capabilities.opening import Opening
from longrein.capabilities.shell_tools.news import settle
from longrein.capabilities.shell_tools.outputs import Outputs
from longrein.capabilities.shell_tools.records import JOBS
from longrein.capabilities.shell_tools.shell import Shell
from longrein.capabilities.shell_tools.tools import shell_tools
from longrein.harness import Harness
from longrein.loop.agent import Agent
from longrein.session.session import Session
from longrein.testing import Reply, Script, ScriptedModel
from longrein.tools.define import Function, Tool
from longrein.workspace.sandbox.bubblewrap import Bubblewrap
from longrein.workspace.sandbox.host import HostShell
from tests.capabilities.kit import results
from tests.capabilities.shell_tools.plain import PlainSandbox


class ShellAlone(Capability):
    """The shell tools and nothing else; `make` gives the shell of each session."""

    slice = JOBS

    def __init__(self, make: Callable[[], Shell]) -> None:
        self._make = make
        self.shell = make()

    @property
    def name(self) -> str:
        return "shell"

    async def open(self, opening: Opening) -> Capability:
        return ShellAlone(self._make)

    async def close(self) -> None:
        await self.shell.close()

    async def stop_since(self, thread: str, since: int) -> None:
        await self.shell.jobs.stop_since(since)

    def tools(self) -> Sequence[Tool]:
        return shell_tools(self.shell)

    async def before_run(self, ctx: HookContext) -> None:
        await settle(self.shell, ctx)


def plain(folder: Path) -> Shell:
    """A shell without isolation, with a folder for long outputs that is shown as `/outputs`."""
    return Shell(PlainSandbox(), str(folder), outputs=Outputs(folder / "outputs", "/outputs"))


def bubblewrapped(folder: Path) -> Shell:
    """The same, isolated by bubblewrap."""
    outputs = Outputs(folder / "outputs", "/outputs")
    return Shell(Bubblewrap(folder), str(folder), outputs=outputs)


def on_host(folder: Path) -> Shell:
    """The same, on the machine itself."""
    return Shell(HostShell(), str(folder), outputs=Outputs(folder / "outputs", "/outputs"))


Making: TypeAlias = Callable[[], Shell]
SHELLS = {"bubblewrap": bubblewrapped, "host": on_host}


def hosting(
    make: Callable[[], Shell],
    *replies: Reply,
    tools: Sequence[Tool | Function] = (),
    store: str = "memory",
    environ: dict[str, str] | None = None,
) -> Harness:
    """A harness whose agent has a shell, and other tools."""
    model = ScriptedModel(Script(replies))
    agent = Agent("tester", model=model, tools=tools, capabilities=[ShellAlone(make)])
    return Harness(agent, store=store, environ=environ or {})


@asynccontextmanager
async def trusting(made: Harness) -> AsyncGenerator[Session, None]:
    """A session in which nobody is asked about commands."""
    async with made as host:
        session = await host.session("ada")
        await session.set_trust("yolo")
        yield session


async def told(made: Harness, *inputs: str) -> list[str]:
    """What the model heard of each call when these were said to it, one run after the other."""
    async with trusting(made) as session:
        for text in inputs or ("go",):
            await (await session.send(text))
        return results(session)


def mark() -> str:
    """Seconds to sleep that nobody else sleeps: `running` finds who does."""
    return f"600.{time.time_ns()}"


def running(mark: str) -> list[int]:
    """The processes whose command line holds a mark, in whatever sandbox."""
    found = list[int]()
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes()
        except (FileNotFoundError, ProcessLookupError):
            continue
        if mark.encode() in words:
            found.append(int(folder.name))
    return found


def runs(mark: str, *beside: int) -> bool:
    """Whether such a process is there, or a moment later: what was forked takes time to start."""
    return _comes(lambda: bool(set(running(mark)) - set(beside)))


def gone(mark: str) -> bool:
    """Whether no such process is left, or none a moment later."""
    return _comes(lambda: not running(mark))


def _comes(condition: Callable[[], bool]) -> bool:
    late = time.monotonic() + 20
    while not (held := condition()) and time.monotonic() < late:
        time.sleep(0.005)
    return held
