"""Several file systems in one, each under a path of its own."""

from collections.abc import AsyncGenerator, Generator, Mapping
from contextlib import aclosing, contextmanager

import msgspec

from longrein.core.errors import UsageError
from longrein.workspace.base import (
    LARGEST,
    MOST_ENTRIES,
    Content,
    Entry,
    FileSystem,
    Found,
    Grep,
    Listing,
    Stat,
)
from longrein.workspace.checks import ALREADY, check_move
from longrein.workspace.globs import fits
from longrein.workspace.paths import canonical, is_below, join
from longrein.workspace.problems import (
    Exists,
    FileProblem,
    Missing,
    NotAFile,
    Refused,
    TooLarge,
)


class Mounts:
    """A file system with others mounted in it: the longest prefix of a path says whose it is.

    What the outer one has under a mount's path is hidden. Folders above a mount are there even if
    nothing else is in them. A file may be moved from one to another, a folder may not. .gitignore
    files count within their own file system.

    >>> import asyncio
    >>> from longrein.workspace.memory import MemoryFiles
    >>> files = Mounts(MemoryFiles(), {"/memories": MemoryFiles()})
    >>> _ = asyncio.run(files.write("/memories/likes.md", b"tea"))
    >>> asyncio.run(files.entries("/")).entries[0].name
    'memories'
    """

    def __init__(self, base: FileSystem, mounts: Mapping[str, FileSystem]) -> None:
        inner = {canonical(path): files for path, files in mounts.items()}
        if len(inner) < len(mounts) or "/" in inner:
            raise UsageError("Mount each file system under a path of its own, below '/'.")
        by_length = sorted(inner, key=len, reverse=True)
        self._mounts = [*((path, inner[path]) for path in by_length), ("", base)]

    async def real(self, path: str, *, last: bool = True) -> str:
        path = canonical(path)
        for _ in range(len(self._mounts) + 1):
            # Where a link leads, another file system may be mounted; it may have links as well.
            with self._at(path) as (prefix, files, inner):
                found = _outer(prefix, await files.real(inner, last=last))
            if found == path or self._owner(found) == prefix:
                return found
            path = found
        return path

    async def stat(self, path: str) -> Stat | None:
        path = canonical(path)
        with self._at(path) as (_, files, inner):
            found = await files.stat(inner)
        if self._below(path) and (found is None or found.kind != "folder"):
            return Stat("folder")
        return found

    async def entries(self, path: str, limit: int = MOST_ENTRIES) -> Listing:
        path = canonical(path)
        mounted = {below[len(join(path, "")) :].partition("/")[0] for below in self._below(path)}
        try:
            with self._at(path) as (_, files, inner):
                listing = await files.entries(inner, limit)
        except FileProblem:
            if not mounted:
                raise
            listing = Listing(())
        if not mounted:
            return listing
        entries = {entry.name: entry for entry in listing.entries}
        entries |= {name: Entry(name, "folder") for name in mounted}
        names = sorted(entries)
        return Listing(
            tuple(entries[name] for name in names[:limit]), listing.more or len(names) > limit
        )

    async def read(self, path: str, offset: int = 0, limit: int | None = None) -> Content:
        with self._file(canonical(path)) as (files, inner):
            return await files.read(inner, offset, limit)

    async def chunks(self, path: str, offset: int = 0) -> AsyncGenerator[bytes, None]:
        with self._file(canonical(path)) as (files, inner):
            async with aclosing(files.chunks(inner, offset)) as chunks:
                async for chunk in chunks:
                    yield chunk

    async def write(
        self, path: str, data: bytes, *, expected: str | None = None, mode: int | None = None
    ) -> Stat:
        with self._file(canonical(path)) as (files, inner):
            return await files.write(inner, data, expected=expected, mode=mode)

    async def remove(self, path: str, *, recursive: bool = False) -> None:
        path = canonical(path)
        self._check_not_mounted(path)
        with self._at(path) as (_, files, inner):
            await files.remove(inner, recursive=recursive)

    async def move(self, source: str, target: str, *, replace: bool = False) -> None:
        source, target = canonical(source), canonical(target)
        check_move(source, target)
        self._check_not_mounted(source)
        self._check_not_mounted(target)
        if self._owner(source) == self._owner(target):
            with self._at(target) as (_, _, inner_target), self._at(source) as (_, files, inner):
                await files.move(inner, inner_target, replace=replace)
        else:
            await self._carry(source, target, replace=replace)

    async def glob(
        self, pattern: str, under: str = "/", *, ignored: bool = False
    ) -> AsyncGenerator[str, None]:
        under = canonical(under)
        named = fits(pattern, under)
        # A pattern for names means the same everywhere; one for paths only to whoever sees them.
        inner_pattern = "**" if "/" in pattern else pattern
        for prefix, files, inner in await self._parts(under):
            with _seen_from(prefix):
                async with aclosing(files.glob(inner_pattern, inner, ignored=ignored)) as paths:
                    async for found in paths:
                        path = _outer(prefix, found)
                        if named(path) and self._owner(path) == prefix:
                            yield path

    async def grep(self, query: Grep) -> AsyncGenerator[Found, None]:
        under = canonical(query.under)
        named = fits(query.include or "**", under)
        include = "" if "/" in query.include else query.include
        for prefix, files, inner in await self._parts(under):
            asked = msgspec.structs.replace(query, under=inner, include=include)
            with _seen_from(prefix):
                async with aclosing(files.grep(asked)) as all_found:
                    async for found in all_found:
                        path = _outer(prefix, found.path)
                        if (path == under or named(path)) and self._owner(path) == prefix:
                            yield msgspec.structs.replace(found, path=path)

    def _owner(self, path: str) -> str:
        """The path of the mount that a path is in; "" for the base."""
        return next(prefix for prefix, _ in self._mounts if is_below(path, prefix or "/"))

    def _below(self, path: str) -> list[str]:
        """The mounts inside a folder, the folder itself not counted."""
        return [at for at, _ in self._mounts if at and at != path and is_below(at, path)]

    @contextmanager
    def _at(self, path: str) -> Generator[tuple[str, FileSystem, str], None, None]:
        """Who has a path, and what it is called there; problems are told with the outer path."""
        owner = self._owner(path)
        files = next(files for prefix, files in self._mounts if prefix == owner)
        with _seen_from(owner):
            yield owner, files, path[len(owner) :] or "/"

    @contextmanager
    def _file(self, path: str) -> Generator[tuple[FileSystem, str], None, None]:
        """The same for what must be a file."""
        if self._below(path):
            raise NotAFile(path, "This is a folder. List it, or give the path of a file.")
        with self._at(path) as (_, files, inner):
            yield files, inner

    def _check_not_mounted(self, path: str) -> None:
        if self._below(path) or (path and self._owner(path) == path):
            raise Refused(path, "Other files are mounted here. Work on what is inside.")

    async def _parts(self, under: str) -> list[tuple[str, FileSystem, str]]:
        """Every file system that has a part of a folder, and what the folder is called there."""
        with self._at(under) as (prefix, files, inner):
            below = sorted(self._below(under))
            there = await files.stat(inner)
        if there is None and not below:
            raise Missing(under, "There is no such folder.")
        mounted = {at: files for at, files in self._mounts if at in below}
        first = [(prefix, files, inner)] if there is not None else []
        return [*first, *((at, mounted[at], "/") for at in below)]

    async def _carry(self, source: str, target: str, *, replace: bool) -> None:
        """Move a file from one file system to another: written there, then removed here."""
        found = await self.stat(source)
        if found is not None and found.kind != "file":
            raise Refused(source, "Only files can be moved to where this is. Move them one by one.")
        if found is not None and found.size > LARGEST:
            raise TooLarge(source, f"Only files up to {LARGEST:,} bytes can be moved there.")
        content = await self.read(source)
        before = await self.stat(target)
        if before is not None and (not replace or before.kind != "file"):
            raise Exists(target, ALREADY)
        expected = before.revision if before is not None else ""
        await self.write(target, content.data, expected=expected, mode=content.stat.mode)
        await self.remove(source)


def _outer(prefix: str, inner: str) -> str:
    return prefix if prefix and inner == "/" else prefix + inner


@contextmanager
def _seen_from(prefix: str) -> Generator[None, None, None]:
    try:
        yield
    except FileProblem as problem:
        if not prefix or not problem.path:
            raise
        raise problem.below(prefix) from None
