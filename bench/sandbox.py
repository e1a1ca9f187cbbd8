"""`sandbox_ms` and `sandbox_warm_ms`: the command `true`, isolated.

`sandbox_ms` is a sandbox for this command alone; `sandbox_first_ms` the first command of a session,
which also starts the process that the others are run by; `sandbox_warm_ms` each of those.

bubblewrap does not wait for what it starts. So the measuring process takes in what loses its parent
and waits for all of it: then nothing that ran is left out of its count. What runs in a sandbox is
counted when the sandbox has ended; a command in one that runs already is what more commands add.
"""

import argparse
import asyncio
import ctypes
import os
from statistics import median

from bench.cpu import cpu_seconds_of_all
from bench.processes import run
from bench.ratios import Numbers
from bench.subject import directory
from longrein.workspace.sandbox.base import Command, Sandbox
from longrein.workspace.sandbox.bubblewrap import Bubblewrap

MORE = 20
"""Commands that are run in the same sandbox after the first."""

_SUBREAPER = 36


def sandbox(times: int) -> Numbers:
    """CPU milliseconds of a sandbox for one command, and of a command in one that runs already."""
    with directory() as root:
        cold, first, warm = run("sandbox", "--root", root, "--times", str(times))
    return {
        "sandbox_first_ms": median(first) * 1000,
        "sandbox_ms": median(cold) * 1000,
        "sandbox_ms_spread": (max(cold) - min(cold)) * 1000,
        "sandbox_warm_ms": median(warm) * 1000,
        "sandbox_warm_ms_spread": (max(warm) - min(warm)) * 1000,
    }


async def _measure(root: str, times: int) -> tuple[list[float], list[float], list[float]]:
    ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)
    await _spent(root, 1)
    cold: list[float] = []
    first: list[float] = []
    warm: list[float] = []
    for _ in range(times):
        cold.append(await _spent(root, 1, lasting=False))
        first.append(await _spent(root, 1))
        warm.append((await _spent(root, 1 + MORE) - first[-1]) / MORE)
    return cold, first, warm


async def _spent(root: str, commands: int, *, lasting: bool = True) -> float:
    """CPU seconds of a sandbox from its start to its end, with so many commands in it."""
    before = cpu_seconds_of_all()
    box = Bubblewrap(root, lasting=lasting)
    for _ in range(commands):
        await _true(box, root)
    await box.close()
    _wait_for_all()
    return cpu_seconds_of_all() - before


async def _true(box: Sandbox, root: str) -> None:
    process = await box.start(Command("true", root))
    async for _ in process.output():
        pass
    ended = await process.wait()
    if ended.code:
        raise RuntimeError(f"`true` ended with {ended.code}")


def _wait_for_all() -> None:
    """Take in all that has lost its parent."""
    while True:
        try:
            os.wait()
        except ChildProcessError:
            return


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", required=True)
    parser.add_argument("--times", type=int, required=True)
    given = parser.parse_args()
    print(list(asyncio.run(_measure(given.root, given.times))))


if __name__ == "__main__":
    main()
