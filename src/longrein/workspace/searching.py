"""Glob and grep over any file system, through nothing but its own port.

What the disk falls back on where there is no ripgrep, with the same results. And searches in lists:
where one file system is built on another, handing on what is found one by one costs more than
finding it.
"""

import asyncio
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import TypeAlias

import msgspec

from longrein.workspace.base import LONGEST_LINE, FileSystem, Found, FoundFile, FoundLine, Grep
from longrein.workspace.globs import fits
from longrein.workspace.ignore import LARGEST, Ignores
from longrein.workspace.matching import Matcher, matcher
from longrein.workspace.paths import canonical, folders_above, is_below, join
from longrein.workspace.problems import FileProblem, Missing

HEAD = 64 * 1024
"""Bytes that are read first, all of most files, and tell whether it is text: text has no NUL."""

BLOCK = 1024 * 1024
"""Bytes that are searched at once, and of a line that are searched at all."""

EVERYTHING = 10_000_000
"""More entries than a folder has."""

InFile: TypeAlias = tuple[str, list[Found]]
"""The path of a file, and what was found in it."""


class Listed(ABC):
    """A file system that gives what it finds in lists, and so one by one too. `at` is put before
    every path."""

    @abstractmethod
    def glob_lists(
        self, pattern: str, under: str, *, ignored: bool, at: str = ""
    ) -> AsyncGenerator[list[str], None]: ...

    @abstractmethod
    def grep_lists(self, query: Grep, at: str = "") -> AsyncGenerator[list[InFile], None]: ...

    def glob(
        self, pattern: str, under: str = "/", *, ignored: bool = False
    ) -> AsyncGenerator[str, None]:
        return each_path(self.glob_lists(pattern, under, ignored=ignored))

    def grep(self, query: Grep) -> AsyncGenerator[Found, None]:
        return each_found(self.grep_lists(query))


def glob_lists(
    files: FileSystem, pattern: str, under: str, *, ignored: bool, at: str = ""
) -> AsyncGenerator[list[str], None]:
    """What `FileSystem.glob` finds, in lists."""
    if isinstance(files, Listed):
        return files.glob_lists(pattern, under, ignored=ignored, at=at)
    return paths_in_lists(files.glob(pattern, under, ignored=ignored), at)


def grep_lists(files: FileSystem, query: Grep, at: str = "") -> AsyncGenerator[list[InFile], None]:
    """What `FileSystem.grep` finds, in lists."""
    if isinstance(files, Listed):
        return files.grep_lists(query, at)
    return found_in_lists(files.grep(query), at)


async def each_path(lists: AsyncGenerator[list[str], None]) -> AsyncGenerator[str, None]:
    """The paths of some lists, one by one."""
    async with aclosing(lists) as all_lists:
        async for paths in all_lists:
            for path in paths:
                yield path


async def each_found(lists: AsyncGenerator[list[InFile], None]) -> AsyncGenerator[Found, None]:
    """What was found, one by one."""
    async with aclosing(lists) as all_lists:
        async for files in all_lists:
            for _, found in files:
                for one in found:
                    yield one


async def glob_any(
    files: FileSystem, pattern: str, under: str = "/", *, ignored: bool = False
) -> AsyncGenerator[str, None]:
    """`FileSystem.glob`, made of `entries` and `read`."""
    under = canonical(under)
    named = fits(pattern, under)
    async with aclosing(walk(files, under, ignored=ignored)) as paths:
        async for path in paths:
            if named(path):
                yield path


async def grep_any(files: FileSystem, query: Grep) -> AsyncGenerator[Found, None]:
    """`FileSystem.grep`, made of `entries`, `read` and `chunks`."""
    under = canonical(query.under)
    named = fits(query.include or "**", under)
    async with (
        matcher(query) as lines,
        aclosing(walk(files, under, ignored=query.ignored)) as paths,
    ):
        async for path in paths:
            if path == under or named(path):
                async with aclosing(_in_file(files, path, query, lines)) as found:
                    async for one in found:
                        yield one


async def walk(
    files: FileSystem, under: str, *, ignored: bool = False
) -> AsyncGenerator[str, None]:
    """The files below a folder (or the one file that it is), without what is ignored and .git."""
    stat = await files.stat(under)
    if stat is None:
        raise Missing(under, "There is no such folder.")
    if stat.kind == "file":
        yield under
        return
    above = Ignores() if ignored else await _above(files, under)
    waiting: list[tuple[str, bool, Ignores]] = [(under, True, above)]
    while waiting:
        path, is_folder, rules = waiting.pop()
        if not is_folder:
            yield path
            continue
        await asyncio.sleep(0)
        waiting += reversed(await _children(files, path, rules, ignored, first=path == under))


async def paths_in_lists(
    paths: AsyncGenerator[str, None], at: str
) -> AsyncGenerator[list[str], None]:
    async with aclosing(paths):
        async for path in paths:
            yield [at + path]


async def found_in_lists(
    all_found: AsyncGenerator[Found, None], at: str
) -> AsyncGenerator[list[InFile], None]:
    async with aclosing(all_found):
        async for found in all_found:
            one = msgspec.structs.replace(found, path=at + found.path) if at else found
            yield [(one.path, [one])]


async def _children(
    files: FileSystem, folder: str, rules: Ignores, ignored: bool, *, first: bool
) -> list[tuple[str, bool, Ignores]]:
    try:
        entries = (await files.entries(folder, EVERYTHING)).entries
    except FileProblem:
        if first:
            raise
        return []  # gone, or not for us: as if it were empty
    if not ignored and any(entry.name == ".gitignore" for entry in entries):
        rules = await _inside(files, folder, rules)
    found = [
        (join(folder, entry.name), entry.kind == "folder", rules)
        for entry in entries
        if entry.kind in ("file", "folder") and entry.name != ".git"
    ]
    return [one for one in found if not rules.leaves_out(one[0], folder=one[1])]


async def _above(files: FileSystem, under: str) -> Ignores:
    """What the .gitignore files of the folders above leave out."""
    rules = Ignores()
    for folder in folders_above(under):
        rules = await _inside(files, folder, rules)
    return rules


async def _inside(files: FileSystem, folder: str, rules: Ignores) -> Ignores:
    try:
        content = await files.read(join(folder, ".gitignore"), 0, LARGEST + 1)
    except FileProblem:
        return rules
    if len(content.data) > LARGEST:
        return rules
    return rules.inside(folder, content.data.decode("utf-8-sig", "replace"))


async def _in_file(
    files: FileSystem, path: str, query: Grep, lines: Matcher
) -> AsyncGenerator[Found, None]:
    count = 0
    around = _Around(path, query.before, query.after)
    try:
        async with aclosing(_blocks(files, path)) as blocks:
            async for block in blocks:
                hits = await lines.hits(block)
                count += len(hits)
                if query.show == "files" and count:
                    break
                if query.show == "lines":
                    for one in around.lines(block, hits):
                        yield one
    except FileProblem as problem:
        if not is_below(problem.path or "/", path):
            raise
        return  # the file is gone, or cannot be read: as if it were empty
    if count and query.show != "lines":
        yield FoundFile(path, count if query.show == "counts" else 1)


async def _blocks(files: FileSystem, path: str) -> AsyncGenerator[bytes, None]:
    """A text file in blocks of whole lines, up to the first NUL; of what is no text nothing."""
    rest = (await files.read(path, 0, HEAD)).data
    if b"\0" in rest:
        return
    if len(rest) == HEAD:
        async with aclosing(files.chunks(path, HEAD)) as chunks:
            async for chunk in chunks:
                rest += chunk
                whole, ended = _whole_lines(rest)
                if whole:
                    yield whole[:-1]
                rest = b"" if ended else rest[len(whole) :]
                if ended or len(rest) > BLOCK:
                    break
    whole, ended = _whole_lines(rest)
    rest = whole if ended else rest[:BLOCK]
    if rest:
        yield rest.removesuffix(b"\n")


def _whole_lines(data: bytes) -> tuple[bytes, bool]:
    """The lines that are complete, and whether a NUL ended the text."""
    nul = data.find(b"\0")
    end = len(data) if nul < 0 else nul
    return data[: data.rfind(b"\n", 0, end) + 1], nul >= 0


class _Around:
    """Gives the lines that fit with those around them, each once."""

    def __init__(self, path: str, before: int, after: int) -> None:
        self._path, self._after = path, after
        self._kept: deque[tuple[int, bytes]] = deque(maxlen=before)
        self._number = 0
        self._until = 0

    def lines(self, block: bytes, hits: list[int]) -> list[FoundLine]:
        texts = block.split(b"\n")
        found: list[FoundLine] = []
        wanted = set(hits)
        if not self._kept.maxlen and not self._after:
            found = [self._line(self._number + n + 1, texts[n]) for n in hits]
            self._number += len(texts)
            return found
        for n, text in enumerate(texts):
            self._number += 1
            if n in wanted:
                found += [self._line(*kept, context=True) for kept in self._kept]
                found.append(self._line(self._number, text))
                self._kept.clear()
                self._until = self._number + self._after
            elif self._number <= self._until:
                found.append(self._line(self._number, text, context=True))
            else:
                self._kept.append((self._number, text))
        return found

    def _line(self, number: int, text: bytes, *, context: bool = False) -> FoundLine:
        return FoundLine(self._path, number, line_text(text), context)


def line_text(data: bytes) -> str:
    """A line as searches show it: without its end, and cut where it is very long."""
    head = data[: LONGEST_LINE * 4].removesuffix(b"\n").removesuffix(b"\r")
    return head.decode("utf-8", "replace")[:LONGEST_LINE]
