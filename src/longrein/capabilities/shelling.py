"""The shell of a workspace: which sandbox its commands run in, and what they can reach there."""

import asyncio
import shutil
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

from longrein.capabilities.base import Opening
from longrein.capabilities.rewinding import Rewinding
from longrein.capabilities.shell_tools.door import Door
from longrein.capabilities.shell_tools.outputs import Outputs
from longrein.capabilities.shell_tools.shell import Shell
from longrein.capabilities.sources import Files
from longrein.core.errors import UsageError
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
from longrein.workspace.sandbox.bubblewrap import Bubblewrap
from longrein.workspace.sandbox.finding import find_sandbox
from longrein.workspace.sandbox.host import HostShell
from longrein.workspace.sandbox.landlock import Landlock

ShellChoice: TypeAlias = "Literal['sandbox', 'host'] | Callable[[Opening], Sandbox] | None"
"""Where commands run: isolated, not isolated, in a sandbox of your own, or nowhere."""

Network: TypeAlias = Literal["rules", "on", "off"]
"""What commands can connect to: hosts that rules allow, everything, or nothing."""

OUTPUTS = "outputs"


@dataclass(frozen=True, slots=True)
class Shelling:
    """How a workspace on the disk gets its shell, session by session."""

    folder: str
    rules: tuple[FileRule, ...]
    choice: ShellChoice
    network: Network
    ports: tuple[int, ...]
    bounds: Bounds

    def __post_init__(self) -> None:
        if self.choice not in ("sandbox", "host", None) and not callable(self.choice):
            raise UsageError(
                f"shell={self.choice!r} is not known: there are 'sandbox', 'host', None, and "
                "functions that make a sandbox."
            )
        if self.network not in ("rules", "on", "off"):
            raise UsageError(
                f"network={self.network!r} is not known: it is 'rules', 'on' or 'off'."
            )

    @property
    def wanted(self) -> bool:
        """Whether there is a shell at all."""
        return bool(self.folder) and self.choice is not None

    @property
    def said(self) -> str:
        """What the model is told about where its commands run."""
        if not self.wanted or self.choice == "host":
            return ""
        reach = {
            "rules": "only hosts that are named and allowed can be reached",
            "on": "the network can be reached",
            "off": "there is no network",
        }
        return f"Commands run isolated: only this folder can be written to, {reach[self.network]}."

    @property
    def closed(self) -> Shell:
        """A shell that runs nothing, to tell what its tools look like."""
        return Shell(Later(_nowhere), self.folder, self.bounds)

    async def open(
        self, stack: AsyncExitStack, opening: Opening, rewinding: Rewinding | None
    ) -> Shell:
        """The shell of a session, closed with the stack. Starts nothing yet."""
        outputs = _outputs(opening.store, opening.thread)
        proxied = self.choice == "sandbox" and self.network == "rules"
        door = await stack.enter_async_context(Door(self.ports)) if proxied else None
        shell = Shell(
            Later(lambda: self._sandbox(opening, outputs, door)),
            self.folder,
            self.bounds,
            outputs=Outputs(outputs, str(outputs or "")),
            rules=self.rules,
            files=Mounts({self.folder: DiskFiles(self.folder)}),
            checkpoints=rewinding,
            door=door,
            network={"rules": "by host", "on": "on", "off": "off"}[self.network],
            not_rewindable=rewinding.not_rewindable if rewinding else None,
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

    def rules_for(self, opening: Opening) -> tuple[FileRule, ...]:
        """Nobody writes where outputs are kept."""
        outputs = _outputs(opening.store, opening.thread)
        return (FileRule("deny", (f"{outputs}/**",), ("write",)),) if outputs else ()

    async def forget(self, store: Store, thread: str) -> None:
        """Remove the outputs of a thread."""
        if outputs := _outputs(store, thread):
            await asyncio.to_thread(shutil.rmtree, outputs, ignore_errors=True)

    def _sandbox(self, opening: Opening, outputs: Path | None, door: Door | None) -> Sandbox:
        if callable(self.choice):
            return self.choice(opening)
        if self.choice == "host":
            return HostShell()
        found = find_sandbox()
        if found.kind == "none":
            raise SandboxProblem(found.why)
        if outputs is not None:
            outputs.mkdir(mode=0o700, parents=True, exist_ok=True)
        readable = () if outputs is None else (outputs,)
        if found.kind == "landlock":  # which has no way to hosts: it is all of them, or none
            network = self.network == "on"
            return Landlock(self.folder, rules=self.rules, readable=readable, network=network)
        return Bubblewrap(
            self.folder,
            rules=self.rules,
            readable=readable,
            network=self.network == "on",
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


def _outputs(store: Store, thread: str) -> Path | None:
    """Where the long outputs of a thread are; None where nothing of the store is on disk."""
    folder = store.beside(OUTPUTS)
    return Path(folder, thread) if folder else None


def _nowhere() -> Sandbox:
    raise SandboxProblem("A shell works only in a session.")
