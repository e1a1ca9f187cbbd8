"""`grep_ratio` and `glob_ratio`: searches of a disk, against ripgrep alone.

Both search the same tree in turn and must find the same, in the same order. Ours goes the whole
way: through rules, mounts, and a check of what ripgrep said. CPU is of the process with all that it
started; that of ripgrep alone is its own.
"""

import argparse
import asyncio
import os
import subprocess
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from statistics import median
from typing import NamedTuple

import msgspec

from bench.cpu import cpu_seconds_of_all
from bench.processes import run
from bench.ratios import Numbers
from bench.subject import directory
from bench.tree import COMMON, NOT_DENIED, RARE, make_tree, rules
from longrein.workspace.base import FileSystem, Found, FoundLine, Grep
from longrein.workspace.disk import DiskFiles
from longrein.workspace.guarded import Guarded
from longrein.workspace.mounts import Mounts
from longrein.workspace.ripgrep import find_ripgrep
from longrein.workspace.rules import policy

FIRST = 200
"""Results after which a tool has enough."""

SETTLED = 3.0
"""Seconds for which nothing has changed; what was just changed is looked at more closely."""


class Search(NamedTuple):
    """One search, as ours is asked for it and as ripgrep is."""

    name: str
    ripgrep: tuple[str, ...]
    pattern: str = ""
    grep: Grep | None = None


SEARCHES = (
    Search("glob", ("--files", "--glob=*.py"), pattern="*.py"),
    Search("grep", ("--line-number", RARE), grep=Grep(RARE)),
    Search("grep_files", ("--files-with-matches", COMMON), grep=Grep(COMMON, show="files")),
    Search("grep_lines", ("--line-number", COMMON), grep=Grep(COMMON)),
)
_SAME = ("--no-config", "--hidden", "--no-require-git", "--sort=path", "--no-heading")


def search(files: int, pairs: int, settled: float = SETTLED) -> Numbers:
    """The median ratios of so many pairs, over a tree of so many files."""
    with directory() as path:
        root = f"{path}/project"
        make_tree(root, files)
        time.sleep(settled)
        measured: dict[str, list[list[float]]] = run(
            "search", "--root", root, "--pairs", str(pairs)
        )
    numbers: Numbers = {}
    for name, found in measured.items():
        ratios = [ours / alone for ours, alone, _ in found]
        numbers |= {
            f"{name}_ratio": median(ratios),
            f"{name}_ratio_spread": max(ratios) - min(ratios),
            f"{name}_ms": median(ours for ours, _, _ in found) * 1000,
            f"{name}_ripgrep_ms": median(alone for _, alone, _ in found) * 1000,
            f"{name}_first_ms": median(first for _, _, first in found) * 1000,
        }
    return numbers


async def _measure(root: str, pairs: int) -> dict[str, list[tuple[float, float, float]]]:
    files = Guarded(Mounts({root: DiskFiles(root)}), policy(rules(root)))
    measured: dict[str, list[tuple[float, float, float]]] = {}
    for one in SEARCHES:
        _check(one, await _found(files, one, root), _ripgrep(one, root)[0])
        measured[one.name] = [await _pair(files, one, root) for _ in range(pairs)]
    return measured


async def _pair(files: FileSystem, one: Search, root: str) -> tuple[float, float, float]:
    before = cpu_seconds_of_all()
    await _count(files, one, root)
    ours = cpu_seconds_of_all() - before
    _, alone = _ripgrep(one, root)
    before = cpu_seconds_of_all()
    await _count(files, one, root, FIRST)
    return ours, alone, cpu_seconds_of_all() - before


async def _count(files: FileSystem, one: Search, root: str, limit: int = 0) -> int:
    """Take results as a tool does, up to a limit."""
    count = 0
    async with aclosing(_stream(files, one, root)) as results:
        async for _ in results:
            count += 1
            if count == limit:
                break
    return count


async def _found(files: FileSystem, one: Search, root: str) -> list[str]:
    return [_told(result, root) async for result in _stream(files, one, root)]


def _stream(files: FileSystem, one: Search, root: str) -> AsyncGenerator[str | Found, None]:
    if one.grep is None:
        return files.glob(one.pattern, root)
    query = one.grep
    return files.grep(Grep(query.pattern, root, show=query.show))


def _told(result: str | Found, root: str) -> str:
    """A result as ripgrep writes it."""
    path = (result if isinstance(result, str) else result.path)[len(root) + 1 :]
    return f"{path}:{result.number}:{result.text}" if isinstance(result, FoundLine) else path


def _ripgrep(one: Search, root: str) -> tuple[bytes, float]:
    """What ripgrep alone puts out, and the CPU seconds that it takes."""
    process = subprocess.Popen(
        [find_ripgrep(), *_SAME, *one.ripgrep, *NOT_DENIED],
        cwd=root,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
    )
    assert process.stdout is not None
    with process.stdout:
        said = process.stdout.read()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"ripgrep failed: {one.ripgrep}")
    return said, used.ru_utime + used.ru_stime


def _check(one: Search, ours: list[str], alone: bytes) -> None:
    if ours != alone.decode().splitlines():
        raise RuntimeError(f"{one.name}: ours and ripgrep do not find the same")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", required=True)
    parser.add_argument("--pairs", type=int, required=True)
    given = parser.parse_args()
    measured = asyncio.run(_measure(given.root, given.pairs))
    print(msgspec.json.encode(measured).decode())


if __name__ == "__main__":
    main()
