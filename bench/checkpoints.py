"""`checkpoint_ms`, `checkpoint_shell_ms`: what it costs to be able to take a step back.

CPU of the process and of the programs that it starts, in a tree of 50,000 files: for a step that
edits one file by a tool, and for both looks around a command that changes one.
"""

import argparse
import asyncio
import os
import resource
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from statistics import median
from typing import Any

from bench.processes import run
from bench.subject import directory
from longrein.workspace.checkpoints.store import Checkpoints
from longrein.workspace.checkpoints.thread import ThreadCheckpoints
from longrein.workspace.disk import DiskFiles
from longrein.workspace.mounts import Mounts

TIMES = 11
IN_FOLDER = 20
LINES = "value = 1\n" * 120


def checkpoints(files: int) -> dict[str, float]:
    """CPU milliseconds of the checkpoints of one step, in a tree of so many files."""
    with directory() as path:
        first, tool, shell = run("checkpoints", "--path", path, "--files", str(files))
    return {
        "checkpoint_ms": median(tool) * 1000,
        "checkpoint_ms_spread": (max(tool) - min(tool)) * 1000,
        "checkpoint_shell_ms": median(shell) * 1000,
        "checkpoint_shell_ms_spread": (max(shell) - min(shell)) * 1000,
        "checkpoint_baseline_ms": first * 1000,
    }


@dataclass
class _Call:
    seq: int
    call: str
    run: str = "run_1"

    def record(self, kind: str, data: Any = None) -> None:
        """Facts go to the thread's log, which is not measured here."""


def _cpu() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


async def _spent(*parts: Callable[[], Awaitable[object]]) -> float:
    before = _cpu()
    for part in parts:
        await part()
    return _cpu() - before


def _make_tree(root: str, files: int) -> None:
    for number in range(files):
        folder = f"{root}/part{number // IN_FOLDER // 50}/module{number // IN_FOLDER}"
        os.makedirs(folder, exist_ok=True)
        with open(f"{folder}/file{number % IN_FOLDER}.py", "w") as file:
            file.write(f"# {number}\n{LINES}")


async def _by_tool(kept: ThreadCheckpoints, files: Mounts, path: str, seq: int) -> float:
    call = _Call(seq, f"call_{seq}")
    before = await _spent(lambda: kept.before(call, files, [path]))
    await files.write(path, f"# step {seq}\n{LINES}".encode())
    return before + await _spent(lambda: kept.after(call, files, [path]))


async def _by_command(kept: ThreadCheckpoints, path: str, seq: int) -> float:
    call = _Call(seq, f"call_{seq}")
    before = await _spent(lambda: kept.before_command(call))
    await asyncio.to_thread(_write, path, f"# step {seq}\n{LINES}")
    return before + await _spent(lambda: kept.after_command(call))


def _write(path: str, text: str) -> None:
    with open(path, "w") as file:
        file.write(text)


async def _measure(path: str, count: int) -> tuple[float, list[float], list[float]]:
    root = f"{path}/project"
    os.mkdir(root)
    await asyncio.to_thread(_make_tree, root, count)
    files = Mounts({root: DiskFiles(root)})
    store = Checkpoints(f"{path}/bench.db-files")
    kept = ThreadCheckpoints(store, "thr_1", files, folder=root, at=root)
    changed = f"{root}/part0/module0/file0.py"
    try:
        call = _Call(1, "call_1")
        first = await _spent(lambda: kept.before_command(call))
        await kept.after_command(call)
        tool = [await _by_tool(kept, files, changed, seq) for seq in range(2, 2 + TIMES)]
        shell = [await _by_command(kept, changed, seq) for seq in range(20, 20 + TIMES)]
        return first, tool, shell
    finally:
        await store.close()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--path", required=True)
    parser.add_argument("--files", type=int, required=True)
    given = parser.parse_args()
    first, tool, shell = asyncio.run(_measure(given.path, given.files))
    print([first, tool, shell])


if __name__ == "__main__":
    main()
