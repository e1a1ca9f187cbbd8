"""Helper processes that never outlive what they were started for."""

import os
import signal
from asyncio.subprocess import Process
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager


@asynccontextmanager
async def while_needed(process: Process) -> AsyncGenerator[Process, None]:
    """A process that is waited for at the end, and killed if whoever uses it leaves early."""
    try:
        yield process
    except BaseException:  # also cancelling: nobody reads on, and it might never end
        _kill(process)
        raise
    finally:
        await process.communicate(None if process.stdin is None else b"")


def _kill(process: Process) -> None:
    # Not by its own `kill`, which takes the end of a process that has just ended away from asyncio.
    if process.returncode is None:
        try:
            os.kill(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
