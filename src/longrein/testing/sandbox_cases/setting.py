"""What the cases share."""

import asyncio
import os
import time
from collections.abc import Mapping

from longrein.workspace.sandbox.base import Bounds, Command, Exit, Process, Sandbox, SandboxProblem

QUICK = Bounds(seconds=20)


async def ran(
    sandbox: Sandbox,
    folder: str,
    line: str,
    *,
    bounds: Bounds = QUICK,
    environ: Mapping[str, str] | None = None,
) -> tuple[bytes, Exit]:
    """All that a command puts out, and how it ended. It gets no input."""
    process = await sandbox.start(Command(line, folder, bounds, environ or {}))
    await process.close_input()
    return await all_of(process), await process.wait()


async def all_of(process: Process) -> bytes:
    """All that a command still puts out."""
    return b"".join([data async for data in process.output()])


async def until(process: Process, text: bytes) -> bytes:
    """What a command puts out, up to and with a text."""
    seen = b""
    async for data in process.output():
        seen += data
        if text in seen:
            return seen
    raise AssertionError(f"{text!r} did not come, only {seen!r}")


async def refused(sandbox: Sandbox, command: Command) -> str:
    """The text of the problem that a command must end in before it starts."""
    try:
        await sandbox.start(command)
    except SandboxProblem as problem:
        return str(problem)
    raise AssertionError("SandboxProblem was not raised")


TICKING = "while :; do echo >> ticks; sleep 0.01; done"
"""A line that shows, in the file `ticks`, that it is alive."""

SURELY = 10.0


async def ticks(folder: str, seconds: float = 0.15) -> bool:
    """Whether something that ticks is seen alive there in so many seconds.

    Where it must be alive, give it `SURELY`: a busy machine may let it wait.
    """
    path = os.path.join(folder, "ticks")
    before = _size(path)
    late = time.monotonic() + seconds
    while time.monotonic() < late:
        await asyncio.sleep(0.02)
        if _size(path) != before:
            return True
    return False


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        return 0
