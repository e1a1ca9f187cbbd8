"""Helper processes that never outlive what they were started for."""

from asyncio.subprocess import Process
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager


@asynccontextmanager
async def while_needed(process: Process) -> AsyncGenerator[Process, None]:
    """A process that is waited for at the end, and killed if whoever uses it leaves early."""
    try:
        yield process
    except BaseException:  # also cancelling: nobody reads on, and it might never end
        # Not where all went well: killing what just ended confuses asyncio about how it ended.
        try:
            process.kill()
        except ProcessLookupError:
            pass
        raise
    finally:
        await process.communicate(None if process.stdin is None else b"")
