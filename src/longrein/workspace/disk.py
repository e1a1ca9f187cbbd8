"""Files below one folder of the disk."""

import asyncio
import errno
import os
import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from functools import partial
from typing import TypeVar

from longrein.workspace.base import LARGEST, MOST_ENTRIES, Content, Grep, Listing, Stat
from longrein.workspace.changing import Changing
from longrein.workspace.checks import ALREADY, NOT_EMPTY, no_such
from longrein.workspace.confined import Confined
from longrein.workspace.descriptors import Descriptor
from longrein.workspace.paths import canonical, parent
from longrein.workspace.problems import (
    BadPath,
    Exists,
    FileProblem,
    Linked,
    Missing,
    NotAFile,
    NotAFolder,
    Outside,
    Refused,
    TooLarge,
)
from longrein.workspace.ripgrep import Ripgrep, find_ripgrep
from longrein.workspace.searching import (
    InFile,
    Listed,
    found_in_lists,
    glob_any,
    grep_any,
    paths_in_lists,
)

FIRST_CHUNK = 64 * 1024
CHUNK = 1024 * 1024

T = TypeVar("T")


class DiskFiles(Listed):
    """A file system below one folder of the disk: `/` is that folder, and nothing gets out.

    Links are followed by `real` only, and only inside. Blocking calls run in threads; cancelling
    stops the waiting, not a change that has begun.

    `ripgrep`: the program to search with, "" for none; by default what is installed. Without it
    searches find the same and take longer. `ignores_case`: whether the disk takes names for the
    same that differ in case only. `openat2`: whether to use that call where there is one.
    """

    def __init__(
        self,
        root: str | os.PathLike[str],
        *,
        ripgrep: str | None = None,
        ignores_case: bool = sys.platform == "darwin",
        openat2: bool = True,
    ) -> None:
        self._files = Confined(os.fspath(root), openat2=openat2)
        self._changing = Changing(self._files, ignores_case=ignores_case)
        program = find_ripgrep(self._files.path) if ripgrep is None else ripgrep
        self._ripgrep = Ripgrep(program, self._files) if program else None

    async def real(self, path: str, *, last: bool = True) -> str:
        path = canonical(path)
        return await self._do(path, partial(self._files.real, path, last=last))

    async def stat(self, path: str) -> Stat | None:
        path = canonical(path)
        return await self._do(path, partial(self._files.stat, path))

    async def entries(self, path: str, limit: int = MOST_ENTRIES) -> Listing:
        path = canonical(path)
        return await self._do(path, partial(self._files.entries, path, limit))

    async def read(self, path: str, offset: int = 0, limit: int | None = None) -> Content:
        path = canonical(path)
        return await self._do(path, partial(self._files.read, path, offset, limit))

    async def chunks(self, path: str, offset: int = 0) -> AsyncGenerator[bytes, None]:
        path = canonical(path)
        opened = await self._do(path, partial(self._files.open, path))
        size = FIRST_CHUNK
        while chunk := await self._do(path, partial(_pread, opened, size, offset)):
            yield chunk
            offset += len(chunk)
            size = CHUNK

    async def write(
        self, path: str, data: bytes, *, expected: str | None = None, mode: int | None = None
    ) -> Stat:
        path = canonical(path)
        if len(data) > LARGEST:
            raise TooLarge(path, f"At most {LARGEST:,} bytes are written at once. Write less.")
        return await self._do(path, partial(self._changing.write, path, data, expected, mode))

    async def remove(self, path: str, *, recursive: bool = False) -> None:
        path = canonical(path)
        await self._do(path, partial(self._changing.remove, path, recursive=recursive))

    async def move(self, source: str, target: str, *, replace: bool = False) -> None:
        source, target = canonical(source), canonical(target)
        change = partial(self._changing.move, source, target, replace=replace)
        await self._do(source, change)

    async def glob_lists(
        self, pattern: str, under: str, *, ignored: bool, at: str = ""
    ) -> AsyncGenerator[list[str], None]:
        if self._ripgrep is None:
            search = paths_in_lists(glob_any(self, pattern, under, ignored=ignored), at)
        else:
            search = self._ripgrep.glob(self, pattern, under, ignored=ignored, at=at)
        try:
            async with aclosing(search) as lists:
                async for paths in lists:
                    yield paths
        except OSError as error:
            raise _problem(under, error) from None

    async def grep_lists(self, query: Grep, at: str = "") -> AsyncGenerator[list[InFile], None]:
        if self._ripgrep is None:
            search = found_in_lists(grep_any(self, query), at)
        else:
            search = self._ripgrep.grep(self, query, at)
        try:
            async with aclosing(search) as lists:
                async for files in lists:
                    yield files
        except OSError as error:
            raise _problem(query.under, error) from None

    async def _do(self, path: str, call: Callable[[], T]) -> T:
        """What a blocking call returns, run in a thread; its errors in words."""
        try:
            return await asyncio.to_thread(call)
        except FileNotFoundError:
            names = await asyncio.to_thread(self._files.names, parent(path))
            raise Missing(path, no_such(path, "file or folder", names)) from None
        except OSError as error:
            raise _problem(path, error) from None
        except RecursionError:
            raise Refused(path, "Folders are nested too deep here. Work on inner ones.") from None


def _pread(file: Descriptor, size: int, offset: int) -> bytes:
    return os.pread(file.number, size, offset)


def _problem(path: str, error: OSError) -> FileProblem:
    match error.errno:
        case errno.ENOTDIR:
            return NotAFolder(path, "This, or what it would be in, is no folder.")
        case errno.EISDIR:
            return NotAFile(path, "This is a folder. List it, or give the path of a file.")
        case errno.EEXIST:
            return Exists(path, ALREADY)
        case errno.ENOTEMPTY:
            return Refused(path, NOT_EMPTY)
        case errno.ELOOP:
            return Linked(path, "This goes through a link. Give the path that it leads to.")
        case errno.EXDEV:
            return Outside(path, "This leads to another disk or out of the workspace.")
        case errno.ENAMETOOLONG:
            return BadPath(path, "This is too long for the disk. Choose a shorter path.")
        case errno.EACCES | errno.EPERM | errno.EROFS:
            return Refused(path, "The system does not allow this. Choose another file.")
        case errno.ENOSPC | errno.EDQUOT | errno.EFBIG:
            return Refused(path, "There is no room on the disk. Nothing was changed.")
        case _:
            return Refused(path, f"The disk cannot do this: {error.strerror or error}.")
