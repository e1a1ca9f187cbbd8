"""A command from its start to its end, whatever comes out of it."""

from collections.abc import Callable

from msgspec import Struct

from longrein.capabilities.shell_tools.log import Log
from longrein.core.results import exit_words
from longrein.workspace.sandbox.base import Command, Exit, Process, SandboxProblem

ENDED = "ended, with all that it had started"


class Ending(Struct, frozen=True):
    """How a command ended: its exit code, and why it was ended, where it was."""

    code: int
    why: str = ""

    def __str__(self) -> str:
        return exit_words(self.code, self.why)


async def follow(
    command: Command, process: Process, log: Log, most: int, hear: Callable[[bytes], object]
) -> Ending:
    """Keep what a command puts out until it ends; it is ended if that is over `most` bytes."""
    problem = ""
    try:
        async for data in process.output():
            if problem:  # it was ended: what still comes is not kept
                continue
            hear(data)
            if problem := await _keep(log, data, most):
                await process.kill()
        exit = await process.wait()
    except SandboxProblem as broken:
        return Ending(-1, f"lost ({broken})")
    return Ending(exit.code, problem or _why(exit, command.bounds.seconds))


async def _keep(log: Log, data: bytes, most: int) -> str:
    """Empty, or why the command cannot go on."""
    try:
        await log.add(data)
    except OSError as error:
        return f"{ENDED}: its output could not be kept ({error.strerror})"
    if log.size > most:
        return f"{ENDED}: it put out more than {most:,} bytes"
    return ""


def _why(exit: Exit, seconds: float | None) -> str:
    if exit.timed_out:
        return f"{ENDED}: it took longer than {seconds:g} s"
    return f"ended by signal {exit.signal}" if exit.signal else ""
