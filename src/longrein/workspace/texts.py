"""Texts as files that can only be read: one folder, whose contents are made when they are read."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from hashlib import sha256
from typing import Protocol

from longrein.workspace.base import (
    MOST_ENTRIES,
    UNKNOWN,
    Content,
    Entry,
    Found,
    Grep,
    Listing,
    Stat,
)
from longrein.workspace.checks import no_such
from longrein.workspace.paths import canonical
from longrein.workspace.problems import Missing, NotAFile, NotAFolder, Refused
from longrein.workspace.searching import glob_any, grep_any

CHUNK = 256 * 1024

LONGEST_LINE = 1_000
"""Characters of a line; what is longer goes on in the next, as no tool shows all of such a line."""


class Texts(Protocol):
    """Texts by name. A name that is not listed may still have one."""

    def names(self) -> Sequence[str]:
        """The names that are listed, in any order."""
        ...

    async def text(self, name: str) -> str | None:
        """The text of a name; None where there is none."""
        ...


class TextFiles:
    """A read-only file system of some texts. `says` is told to whoever wants to change them.

    >>> class Greetings:
    ...     def names(self):
    ...         return ["hello.txt"]
    ...     async def text(self, name):
    ...         return "Hello!" if name == "hello.txt" else None
    >>> asyncio.run(TextFiles(Greetings(), "Only to read.").read("/hello.txt")).data
    b'Hello!'
    """

    def __init__(self, texts: Texts, says: str) -> None:
        self._texts = texts
        self._says = says
        # A search reads a file in two pieces, and making it may cost.
        self._newest: tuple[str, bytes] | None = None

    async def real(self, path: str, *, last: bool = True) -> str:
        return canonical(path)

    async def stat(self, path: str) -> Stat | None:
        path = canonical(path)
        if path == "/":
            return Stat("folder")
        data = await self._data(path)
        return None if data is None else _stat(data)

    async def entries(self, path: str, limit: int = MOST_ENTRIES) -> Listing:
        path = canonical(path)
        if path != "/":
            if await self._data(path) is not None:
                raise NotAFolder(path, "This is a file. Read it, or list its folder.")
            raise self._missing(path, "folder")
        names = sorted(self._texts.names())
        found = tuple(Entry(name, "file", UNKNOWN) for name in names[:limit])
        return Listing(found, len(names) > limit)

    async def read(self, path: str, offset: int = 0, limit: int | None = None) -> Content:
        data = await self._file(canonical(path))
        end = None if limit is None else offset + limit
        return Content(data[offset:end], _stat(data))

    async def chunks(self, path: str, offset: int = 0) -> AsyncGenerator[bytes, None]:
        data = await self._file(canonical(path))
        for start in range(offset, len(data), CHUNK):
            yield data[start : start + CHUNK]

    async def write(
        self, path: str, data: bytes, *, expected: str | None = None, mode: int | None = None
    ) -> Stat:
        raise Refused(canonical(path), self._says)

    async def remove(self, path: str, *, recursive: bool = False) -> None:
        raise Refused(canonical(path), self._says)

    async def move(self, source: str, target: str, *, replace: bool = False) -> None:
        raise Refused(canonical(source), self._says)

    def glob(
        self, pattern: str, under: str = "/", *, ignored: bool = False
    ) -> AsyncGenerator[str, None]:
        return glob_any(self, pattern, under, ignored=ignored)

    def grep(self, query: Grep) -> AsyncGenerator[Found, None]:
        return grep_any(self, query)

    async def _file(self, path: str) -> bytes:
        if path == "/":
            raise NotAFile(path, "This is a folder. List it, or give the path of a file.")
        data = await self._data(path)
        if data is None:
            raise self._missing(path, "file")
        return data

    async def _data(self, path: str) -> bytes | None:
        if self._newest is not None and self._newest[0] == path:
            return self._newest[1]
        # Making many of them in a search must not hold up the others.
        await asyncio.sleep(0)
        name = path.removeprefix("/")
        text = None if "/" in name else await self._texts.text(name)
        if text is None:
            return None
        data = with_short_lines(text).encode("utf-8", "replace")
        self._newest = (path, data)
        return data

    def _missing(self, path: str, what: str) -> Missing:
        return Missing(path, no_such(path, what, set(self._texts.names())))


def with_short_lines(text: str) -> str:
    """The text with its long lines broken.

    >>> [len(line) for line in with_short_lines("a" * 2_100).split("\\n")]
    [1000, 1000, 100]
    """
    lines = text.split("\n")
    if max(map(len, lines)) <= LONGEST_LINE:
        return text
    return "\n".join(
        line[start : start + LONGEST_LINE]
        for line in lines
        for start in range(0, max(len(line), 1), LONGEST_LINE)
    )


def _stat(data: bytes) -> Stat:
    return Stat("file", len(data), mode=0o444, revision=sha256(data).hexdigest())
