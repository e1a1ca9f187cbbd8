"""The shell of a workspace: which sandbox its commands run in, and what they can reach there."""

import asyncio
import os
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Literal, TypeAlias

from msgspec.structs import replace

from longrein.capabilities.opening import Opening
from longrein.capabilities.shell_tools.door import Door
from longrein.capabilities.shell_tools.jobs import Jobs
from longrein.capabilities.shell_tools.news import announce
from longrein.capabilities.shell_tools.outputs import NAMED, Outputs
from longrein.capabilities.shell_tools.shell import Shell
from longrein.capabilities.workspace.places import readable_in
from longrein.capabilities.workspace.rewinding import Rewinding
from longrein.capabilities.workspace.rules import harness_rules, outputs_of, session_rules
from longrein.capabilities.workspace.sources import Files
from longrein.core.codec import encode_event
from longrein.core.errors import UsageError
from longrein.core.events import Event
from longrein.storage.base import Store
from longrein.tools.within import Within
from longrein.workspace.base import FileSystem
from longrein.workspace.disk import DiskFiles
from longrein.workspace.mounts import Mounts
from longrein.workspace.rules import FileRule
from longrein.workspace.sandbox.base import (
    Bounds,
    Command,
    Isolation,
    Process,
    Sandbox,
    SandboxProblem,
)
from longrein.workspace.sandbox.choosing import choose_sandbox
from longrein.workspace.sandbox.host import HostShell

Factory: TypeAlias = Callable[[Opening, tuple[FileRule, ...]], Sandbox]
"""Makes a sandbox for a session, which has to enforce these file rules."""

Network: TypeAlias = Literal["rules", "on", "off"]
"""What commands can connect to: hosts that rules allow, everything, or nothing."""

WEB = (80, 443)
BOUNDS = Bounds(seconds=1_800.0)
NOBODY_THERE = {
    "TERM": "dumb",
    "PAGER": "cat",
    "GIT_PAGER": "cat",
    "EDITOR": "false",
    "GIT_EDITOR": "false",
    "GIT_TERMINAL_PROMPT": "0",
}
"""Variables that keep programs from waiting for a person at a terminal."""

PATIENCE = 120.0
"""Seconds that a command has where the model asks for no others."""


@dataclass(frozen=True, slots=True)
class ShellSettings:
    """Where commands run and what they can reach there.

    `where`: `"sandbox"` isolated as well as it can be had here, `"host"` not isolated, or a
    function of the opening and the file rules that makes a sandbox of your own, which has to
    enforce them. `network`: hosts that rules allow, on `ports`; `"on"` everything, `"off"` nothing.
    `readable` and `writable` are folders beside the workspace that the sandbox shows, such as those
    of compilers; `environ` is added to the variables of commands. `bounds` hold for each command;
    its seconds are the most that a model can ask for. A host shell enforces no file rules, so with
    denies nothing runs there, unless `deny_rules_do_not_bind_the_shell`.

    >>> from longrein import ShellSettings
    >>> ShellSettings(network="off").where
    'sandbox'
    """

    where: "Literal['sandbox', 'host'] | Factory" = "sandbox"
    network: Network = "rules"
    ports: Sequence[int] = WEB
    readable: Sequence[str | os.PathLike[str]] = ()
    writable: Sequence[str | os.PathLike[str]] = ()
    environ: Mapping[str, str] = field(default_factory=dict[str, str])
    bounds: Bounds = BOUNDS
    deny_rules_do_not_bind_the_shell: bool = False

    def __post_init__(self) -> None:
        if self.where not in ("sandbox", "host") and not callable(self.where):
            raise UsageError(
                f"{self.where!r} is no place for commands: there are 'sandbox', 'host', and "
                "functions that make a sandbox."
            )
        if self.network not in ("rules", "on", "off"):
            raise UsageError(
                f"network={self.network!r} is not known: it is 'rules', 'on' or 'off'."
            )


ShellChoice: TypeAlias = "ShellSettings | Literal['sandbox', 'host'] | Factory | None"
"""The settings of the shell, only where it is, or None: there is none."""


def shell_settings(choice: ShellChoice) -> ShellSettings | None:
    """The settings that a choice stands for. Raises `UsageError`."""
    return choice if isinstance(choice, ShellSettings | None) else ShellSettings(choice)


@dataclass(frozen=True, slots=True)
class Shelling:
    """How a workspace gets its shell, session by session. `disk`: its files are in that folder."""

    settings: ShellSettings
    folder: str
    disk: FileSystem | None
    rules: tuple[FileRule, ...]

    @property
    def said(self) -> str:
        """What the model is told about where its commands run."""
        if self.settings.where != "sandbox":
            return ""
        reach = {
            "rules": "only hosts that are named and allowed can be reached",
            "on": "the network can be reached",
            "off": "there is no network",
        }[self.settings.network]
        return f"Commands run isolated: only this folder can be written to, {reach}."

    @property
    def _by_host(self) -> bool:
        return self.settings.where == "sandbox" and self.settings.network == "rules"

    @property
    def closed(self) -> Shell:
        """A shell that runs nothing, to tell what its tools look like."""
        return Shell(Later(_nowhere), self.folder, self._bounds, self._longest)

    @property
    def _longest(self) -> float:
        return self.settings.bounds.seconds or 3_600.0

    @property
    def _bounds(self) -> Bounds:
        return replace(self.settings.bounds, seconds=min(PATIENCE, self._longest))

    async def open(
        self, stack: AsyncExitStack, opening: Opening, jobs: Jobs, rewinding: Rewinding | None
    ) -> Shell:
        """The shell of a session, closed with the stack. Starts nothing yet."""
        outputs = _outputs(opening.store, opening.thread)
        rules = session_rules(opening, self.folder, self.rules)
        settings = self.settings
        door = await stack.enter_async_context(Door(settings.ports)) if self._by_host else None
        shell = Shell(
            Later(lambda: self._sandbox(opening, rules, outputs, door)),
            self.folder,
            self._bounds,
            self._longest,
            outputs=Outputs(outputs, str(outputs or "")),
            rules=rules,
            denies=any(
                rule.effect == "deny"
                for some in (harness_rules(opening, ""), self.rules, *opening.files)
                for rule in some
            ),
            files=self.disk,
            environ={**NOBODY_THERE, **settings.environ},
            checkpoints=rewinding,
            jobs=jobs,
            door=door,
            network={"rules": "by host", "on": "on", "off": "off"}[settings.network],
            not_rewindable=rewinding.not_rewindable if rewinding else None,
            deny_rules_do_not_bind_the_shell=settings.deny_rules_do_not_bind_the_shell,
            watch=lambda job: opening.beside.spawn(partial(announce, shell, job), "workspace"),
        )
        stack.push_async_callback(shell.close)
        return shell

    def with_outputs(self, files: Files, opening: Opening) -> Files:
        """The files of a session together with the long outputs of its commands."""
        outputs = _outputs(opening.store, opening.thread)
        if outputs is None:
            return files
        opened: list[FileSystem] = []

        def together(ctx: Within[Any, Any]) -> FileSystem:
            # The folder is made with the first command.
            if not opened and outputs.is_dir():
                opened.append(DiskFiles(outputs))
            return Mounts({"/": files(ctx), str(outputs): opened[0]}) if opened else files(ctx)

        return together

    def _sandbox(
        self, opening: Opening, rules: tuple[FileRule, ...], outputs: Path | None, door: Door | None
    ) -> Sandbox:
        settings = self.settings
        if settings.where == "host":
            return HostShell()
        if settings.where != "sandbox":
            return settings.where(opening, rules)
        if outputs is not None:
            outputs.mkdir(mode=0o700, parents=True, exist_ok=True)
        return choose_sandbox(
            self.folder,
            rules=rules,
            readable=(
                *settings.readable,
                *readable_in(opening.places, rules, self.folder),
                *(() if outputs is None else (outputs,)),
            ),
            writable=settings.writable,
            network=settings.network == "on",
            proxy=door.socket if door else None,
        )


class Later:
    """A sandbox that is made when the first command runs: opening a session starts no process."""

    def __init__(self, make: Callable[[], Sandbox]) -> None:
        self._make = make
        self._made: Sandbox | None = None

    @property
    def isolation(self) -> Isolation:
        try:
            return self._sandbox().isolation
        except SandboxProblem as problem:
            return Isolation("none", gaps=(str(problem),))

    async def start(self, command: Command) -> Process:
        return await self._sandbox().start(command)

    async def close(self) -> None:
        if self._made is not None:
            await self._made.close()

    def _sandbox(self) -> Sandbox:
        if self._made is None:
            self._made = self._make()
        return self._made


async def forget_outputs(store: Store, thread: str) -> None:
    """Remove the long outputs of a thread."""
    if outputs := _outputs(store, thread):
        await asyncio.to_thread(shutil.rmtree, outputs, ignore_errors=True)


async def forget_outputs_of(store: Store, thread: str, events: Sequence[Event]) -> None:
    """Remove the long outputs of a thread that some events name."""
    if outputs := _outputs(store, thread):
        names = {name for event in events for name in NAMED.findall(encode_event(event))}
        await asyncio.to_thread(_remove, outputs, {name.decode() for name in names})


def _remove(folder: Path, names: Iterable[str]) -> None:
    for name in names:
        (folder / name).unlink(missing_ok=True)


def _outputs(store: Store, thread: str) -> Path | None:
    """Where the long outputs of a thread are; None where nothing of the store is on disk."""
    folder = outputs_of(store, thread)
    return Path(folder) if folder else None


def _nowhere() -> Sandbox:
    raise SandboxProblem("A shell works only in a session.")
