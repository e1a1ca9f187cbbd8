"""The command of a hook as a process: whoever stops waiting for it leaves nothing behind."""

import asyncio
import os
from pathlib import Path
from uuid import uuid4

import pytest

from longrein.capabilities.hooks.running import run_command
from tests.support import run


def running(mark: str) -> list[str]:
    """The processes that have this in their arguments."""
    found = list[str]()
    for about in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if mark.encode() in about.read_bytes():
                found.append(about.parent.name)
        except OSError:  # it has ended meanwhile
            continue
    return found


@pytest.mark.parametrize("milliseconds", [0, 1, 2, 4, 8, 50])
def test_a_command_that_nobody_waits_for_any_more_ends_with_what_it_started(
    tmp_path: Path, milliseconds: int
) -> None:
    mark = uuid4().hex

    async def body() -> None:
        command = f"bash -c ': {mark}; sleep 30; :'; sleep 30"
        task = asyncio.create_task(
            run_command(command, {}, folder=str(tmp_path), environ=os.environ, timeout=30)
        )
        await asyncio.sleep(milliseconds / 1000)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        # What was killed may be listed for a moment.
        for _ in range(1000):
            if not running(mark):
                return
            await asyncio.sleep(0.01)
        raise AssertionError(f"still running: {running(mark)}")

    run(body())
