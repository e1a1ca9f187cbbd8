"""A file system over records: what memory, the store, and the log of a thread have in common.

`Keeper` is all that differs: where the records and their bytes are. Folders are there as long as
something is in them. There are no links.
"""

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from hashlib import sha256
from typing import Protocol, TypeAlias

from msgspec import Struct

from longrein.core.ids import Clock, SystemClock
from longrein.workspace.base import (
    LARGEST,
    MOST_ENTRIES,
    Content,
    Entry,
    Found,
    Grep,
    Listing,
    Stat,
)
from longrein.workspace.checks import (
    ALREADY,
    LOOKS_SAME,
    NOT_EMPTY,
    check_expected,
    check_move,
    no_such,
    twin,
)
from longrein.workspace.paths import canonical, folders_above, join, parent
from longrein.workspace.problems import Exists, Missing, NotAFile, NotAFolder, Refused, TooLarge
from longrein.workspace.searching import glob_any, grep_any

CHUNK = 1024 * 1024


class Record(Struct, frozen=True):
    """What is kept about a file beside its bytes; `digest` is their SHA-256 in hexadecimal."""

    size: int
    modified: int
    mode: int
    digest: str


class Kept(Struct, frozen=True):
    """A record and its bytes."""

    record: Record
    data: bytes


Known: TypeAlias = Mapping[str, Record | None]
"""What files are known to be; None: not there."""

NOTHING: Known = {}


class Keeper(Protocol):
    """Where files are kept. Paths are canonical; a keeper knows no folders."""

    async def paths(self, under: str) -> Sequence[str]:
        """The paths of all files inside a folder, sorted."""
        ...

    async def record(self, path: str) -> Record | None: ...

    async def data(self, path: str, record: Record) -> bytes | None:
        """The bytes of a file whose record was just read; None if it is gone meanwhile."""
        ...

    async def change(self, changes: Mapping[str, Kept | None], known: Known = NOTHING) -> None:
        """Put files, or (None) remove them: all of them or none.

        Where others write too: raises `Changed` if a file is not any more what is `known` of it.
        """
        ...


class KeptFiles:
    """A file system whose files a keeper keeps.

    Changes are made one after the other. `largest`: bytes of one file.
    """

    def __init__(
        self, keeper: Keeper, *, largest: int = LARGEST, clock: Clock | None = None
    ) -> None:
        self._keeper = keeper
        self._largest = largest
        self._clock = clock or SystemClock()
        self._changing = asyncio.Lock()

    async def real(self, path: str, *, last: bool = True) -> str:
        return canonical(path)

    async def stat(self, path: str) -> Stat | None:
        path = canonical(path)
        if path == "/":
            return Stat("folder")
        if record := await self._keeper.record(path):
            return _stat(record)
        return Stat("folder") if await self._keeper.paths(path) else None

    async def entries(self, path: str, limit: int = MOST_ENTRIES) -> Listing:
        path = canonical(path)
        below = await self._keeper.paths(path)
        if not below and path != "/":
            if await self._keeper.record(path):
                raise NotAFolder(path, "This is a file. Read it, or list its folder.")
            raise Missing(path, await self._no_such(path, "folder"))
        start = len(join(path, ""))
        names = sorted({one[start:].partition("/")[0] for one in below})
        files = set(below)
        entries = [await self._entry(path, name, files) for name in names[:limit]]
        return Listing(tuple(entries), len(names) > limit)

    async def read(self, path: str, offset: int = 0, limit: int | None = None) -> Content:
        record, data = await self._file(canonical(path))
        end = None if limit is None else offset + limit
        return Content(data[offset:end], _stat(record))

    async def chunks(self, path: str, offset: int = 0) -> AsyncGenerator[bytes, None]:
        _, data = await self._file(canonical(path))
        for start in range(offset, len(data), CHUNK):
            yield data[start : start + CHUNK]

    async def write(
        self, path: str, data: bytes, *, expected: str | None = None, mode: int | None = None
    ) -> Stat:
        path = canonical(path)
        if len(data) > self._largest:
            raise TooLarge(
                path, f"A file has at most {self._largest:,} bytes here. Write several, or less."
            )
        async with self._changing:
            before = await self._keeper.record(path)
            check_expected(path, expected, before and before.digest)
            if before is None:
                await self._check_new(path)
            kept = 0o644 if before is None else before.mode
            record = Record(
                len(data),
                self._clock.now(),
                kept if mode is None else mode & 0o777,
                sha256(data).hexdigest(),
            )
            known = NOTHING if expected is None else {path: before}
            await self._keeper.change({path: Kept(record, data)}, known)
        return _stat(record)

    async def remove(self, path: str, *, recursive: bool = False) -> None:
        path = canonical(path)
        if path == "/":
            raise Refused(path, "The root cannot be removed. Name what is in it.")
        async with self._changing:
            if await self._keeper.record(path):
                await self._keeper.change({path: None})
                return
            below = await self._keeper.paths(path)
            if not below:
                raise Missing(path, await self._no_such(path, "file or folder"))
            if not recursive:
                raise Refused(path, NOT_EMPTY)
            await self._keeper.change(dict.fromkeys(below))

    async def move(self, source: str, target: str, *, replace: bool = False) -> None:
        source, target = canonical(source), canonical(target)
        check_move(source, target)
        async with self._changing:
            is_file = await self._keeper.record(source) is not None
            moved = [source] if is_file else await self._keeper.paths(source)
            if not moved:
                raise Missing(source, await self._no_such(source, "file or folder"))
            if source == target:
                return
            before = await self._keeper.record(target)
            if before and not (replace and is_file):
                raise Exists(target, ALREADY)
            if before is None:
                await self._check_new(target, moved_from=source)
            changes: dict[str, Kept | None] = dict.fromkeys(moved)
            for path in moved:
                record, data = await self._file(path)
                changes[target + path[len(source) :]] = Kept(record, data)
            await self._keeper.change(changes)

    def glob(
        self, pattern: str, under: str = "/", *, ignored: bool = False
    ) -> AsyncGenerator[str, None]:
        return glob_any(self, pattern, under, ignored=ignored)

    def grep(self, query: Grep) -> AsyncGenerator[Found, None]:
        return grep_any(self, query)

    async def _file(self, path: str) -> tuple[Record, bytes]:
        record = await self._keeper.record(path)
        data = await self._keeper.data(path, record) if record else None
        if record is not None and data is not None:
            return record, data
        if path == "/" or await self._keeper.paths(path):
            raise NotAFile(path, "This is a folder. List it, or give the path of a file.")
        raise Missing(path, await self._no_such(path, "file"))

    async def _entry(self, folder: str, name: str, files: set[str]) -> Entry:
        path = join(folder, name)
        record = await self._keeper.record(path) if path in files else None
        if record is None:
            return Entry(name, "folder")
        return Entry(name, "file", record.size, record.modified)

    async def _check_new(self, path: str, moved_from: str = "") -> None:
        """That a file may come to be here: no folder is, no file above, nothing that looks so."""
        if path == "/" or await self._keeper.paths(path):
            raise NotAFile(path, "This is a folder. Give the path of a file.")
        for folder in folders_above(path)[1:]:
            if await self._keeper.record(folder):
                raise NotAFolder(path, f"{folder!r} is a file. Choose another folder.")
        if path.isascii():
            return
        for one in (*folders_above(path)[1:], path):
            names = await self._names(parent(one))
            name = one.rpartition("/")[2]
            other = twin(name, names)
            if other and join(parent(one), other) != moved_from:
                raise Exists(path, LOOKS_SAME.format(other))

    async def _names(self, folder: str) -> set[str]:
        start = len(join(folder, ""))
        return {one[start:].partition("/")[0] for one in await self._keeper.paths(folder)}

    async def _no_such(self, path: str, what: str) -> str:
        return no_such(path, what, await self._names(parent(path)))


def _stat(record: Record) -> Stat:
    return Stat("file", record.size, record.modified, record.mode, record.digest)
