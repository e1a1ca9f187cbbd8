"""The port that every sandbox fits: run a command, hear it, write to it, end all of it."""

from collections.abc import AsyncIterator, Mapping
from typing import Protocol

from msgspec import Struct

from longrein.core.errors import LongreinError


class SandboxProblem(LongreinError):
    """Why a command was not run, or what became of it; the text says what to do about it."""


class Bounds(Struct, frozen=True):
    """What a command may use. None: no bound.

    `seconds` is time on the clock. `memory` counts bytes for each of its processes, `processes` how
    many there may be in the sandbox at once, `file_size` the bytes of a file that it writes.

    >>> from longrein import Bounds
    >>> Bounds(seconds=30).processes
    512
    """

    seconds: float | None = 120.0
    memory: int | None = 4 * 1024**3
    processes: int | None = 512
    file_size: int | None = None


class Command(Struct, frozen=True):
    """A line for the shell, where it runs, and what it may use. `environ` is added to what the
    sandbox lets through."""

    line: str
    folder: str
    bounds: Bounds = Bounds()
    environ: Mapping[str, str] = {}


class Exit(Struct, frozen=True):
    """How a command ended: its exit code, or the signal that ended it (code 128 + signal).

    `timed_out`: it took too long and was ended, with everything it had started.
    """

    code: int
    signal: int = 0
    timed_out: bool = False


class Process(Protocol):
    """A command that runs."""

    def output(self) -> AsyncIterator[bytes]:
        """What it puts out, both streams as they come, until the command itself has ended.

        What it left running in the background does not keep this open. Nothing is kept on the way:
        a command whose output nobody reads stops where the pipe is full.
        """
        ...

    async def write(self, data: bytes) -> None:
        """More input. Raises `BrokenPipeError` where nobody reads any more."""
        ...

    async def close_input(self) -> None:
        """No more input."""
        ...

    async def wait(self) -> Exit:
        """How it ended. Raises `SandboxProblem` if the sandbox broke under it."""
        ...

    async def kill(self) -> None:
        """End it and everything that it started, daemons included; returns when all is gone."""
        ...


class Isolation(Struct, frozen=True):
    """What a sandbox promises. `name` is its kind; the others are sentences for people."""

    name: str
    promises: tuple[str, ...] = ()
    gaps: tuple[str, ...] = ()


class Sandbox(Protocol):
    """A place where commands run.

    >>> from longrein import Sandbox
    >>> def is_isolated(sandbox: Sandbox) -> bool:
    ...     return bool(sandbox.isolation.promises)
    """

    @property
    def isolation(self) -> Isolation: ...

    async def start(self, command: Command) -> Process:
        """Begin a command. Raises `SandboxProblem` where it cannot be isolated as promised."""
        ...

    async def close(self) -> None:
        """End everything that runs here."""
        ...
