"""`read_ms`: the first lines of a file that is far too large to read."""

import argparse
import asyncio
from statistics import median

from bench.cpu import cpu_seconds
from bench.processes import run
from bench.ratios import Numbers
from bench.subject import directory
from bench.tree import rules
from longrein.workspace.disk import DiskFiles
from longrein.workspace.guarded import Guarded
from longrein.workspace.mounts import Mounts
from longrein.workspace.reading import read_lines
from longrein.workspace.rules import policy

TIMES = 21
LINES = 100
LARGE = 1024**3


def reading() -> Numbers:
    """CPU milliseconds of reading 100 lines at the start of a file of 1 GB."""
    with directory() as root:
        with open(f"{root}/large.txt", "wb") as file:
            file.write(b"a line that is about as long as lines of text are\n" * 100_000)
            file.truncate(LARGE)
        seconds: list[float] = run("reading", "--root", root)
    return {
        "read_ms": median(seconds) * 1000,
        "read_ms_spread": (max(seconds) - min(seconds)) * 1000,
    }


async def _measure(root: str) -> list[float]:
    files = Guarded(Mounts({root: DiskFiles(root)}), policy(rules(root)))
    return [await _read(files, f"{root}/large.txt") for _ in range(TIMES)]


async def _read(files: Guarded, path: str) -> float:
    before = cpu_seconds()
    found = await read_lines(files, path, 0, LINES)
    spent = cpu_seconds() - before
    if len(found.lines) != LINES or found.stat.size != LARGE:
        raise RuntimeError(f"{len(found.lines)} lines of {found.stat.size} bytes")
    return spent


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", required=True)
    print(asyncio.run(_measure(parser.parse_args().root)))


if __name__ == "__main__":
    main()
