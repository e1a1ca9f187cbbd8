"""Several file systems in one, each under a path of its own."""

from collections.abc import AsyncGenerator, Collection, Generator, Mapping, Sequence
from contextlib import aclosing, contextmanager

import msgspec

from longrein.core.errors import UsageError
from longrein.workspace.base import (
    LARGEST,
    MOST_ENTRIES,
    Content,
    Entry,
    FileSystem,
    Grep,
    Listing,
    Stat,
)
from longrein.workspace.checks import ALREADY, check_move
from longrein.workspace.globs import Fits, beginning, fits
from longrein.workspace.kept import NOTHING, Kept, KeptFiles, Known, Record
from longrein.workspace.paths import canonical, is_below, join
from longrein.workspace.problems import (
    Elsewhere,
    Exists,
    FileProblem,
    Missing,
    NotAFile,
    Refused,
    TooLarge,
)
from longrein.workspace.searching import InFile, Listed, glob_lists, grep_lists


class Mounts(Listed):
    """File systems mounted in one: the longest prefix of a path says whose it is.

    What one has under the path of another is hidden. Folders above a mount are there even if
    nothing else is in them; where nothing is mounted, nothing can be written. A file may be moved
    from one to another, a folder may not. .gitignore files count within their own file system.
    Searches find what is mounted at a path in `aside` only where they, or their patterns, begin
    there.

    >>> import asyncio
    >>> from longrein.workspace.memory import MemoryFiles
    >>> files = Mounts({"/": MemoryFiles(), "/memories": MemoryFiles()})
    >>> _ = asyncio.run(files.write("/memories/likes.md", b"tea"))
    >>> asyncio.run(files.entries("/")).entries[0].name
    'memories'
    """

    def __init__(self, mounts: Mapping[str, FileSystem], aside: Collection[str] = ()) -> None:
        inner = {canonical(path).rstrip("/"): files for path, files in mounts.items()}
        if not inner or len(inner) < len(mounts):
            raise UsageError("Mount each file system under a path of its own.")
        self._places = [path or "/" for path in inner]
        nothing = KeptFiles(_Nothing(self._places))
        self._mounts = sorted(
            {"": nothing, **inner}.items(), key=lambda one: len(one[0]), reverse=True
        )
        self._nothing = None if "" in inner else nothing
        self._aside = frozenset(map(canonical, aside))

    async def real(self, path: str, *, last: bool = True) -> str:
        path = canonical(path)
        for _ in range(len(self._mounts) + 1):
            # Where a link leads, another file system may be mounted; it may have links as well.
            try:
                with self._at(path) as (prefix, files, inner):
                    if files is self._nothing:
                        raise Elsewhere(path, self._places)
                    found = _outer(prefix, await files.real(inner, last=last))
            except Elsewhere:
                if not (self._owner(path) or self._below(path)):
                    raise
                return path  # a folder above a mount, or what is missing in one
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
        more = listing.more or len(names) > limit
        return Listing(tuple(entries[name] for name in names[:limit]), more, listing.unnamed)

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
            with self._at(source) as (prefix, files, inner):
                # Both are of one owner, and a problem is told with one prefix.
                await files.move(inner, target[len(prefix) :] or "/", replace=replace)
        else:
            await self._carry(source, target, replace=replace)

    async def glob_lists(
        self, pattern: str, under: str, *, ignored: bool, at: str = ""
    ) -> AsyncGenerator[list[str], None]:
        under = canonical(under)
        named = fits(pattern, under)
        for prefix, files, inner in await self._parts(under, pattern):
            asked, left = _for_part(pattern, named, under, prefix)
            search = glob_lists(files, asked, inner, ignored=ignored, at=at + prefix)
            with _seen_from(prefix):
                async with aclosing(search) as lists:
                    async for paths in lists:
                        hidden = self._hidden(paths, prefix, under, left, at)
                        yield [path for path in paths if path not in hidden] if hidden else paths

    async def grep_lists(self, query: Grep, at: str = "") -> AsyncGenerator[list[InFile], None]:
        under = canonical(query.under)
        named = fits(query.include or "**", under)
        for prefix, files, inner in await self._parts(under, query.include or "**"):
            include, left = _for_part(query.include or "**", named, under, prefix)
            asked = msgspec.structs.replace(query, under=inner, include=include)
            with _seen_from(prefix):
                async with aclosing(grep_lists(files, asked, at + prefix)) as lists:
                    async for found in lists:
                        paths = [path for path, _ in found if path != at + under]
                        hidden = self._hidden(paths, prefix, under, left, at)
                        yield [one for one in found if one[0] not in hidden] if hidden else found

    def _hidden(
        self, paths: list[str], prefix: str, under: str, named: Fits | None, at: str
    ) -> set[str]:
        """Those of the paths, all with `at` before them, that are another's or not asked for."""
        nested = self._below(under if is_below(under, prefix or "/") else prefix)
        if named is None and not nested:
            return set()
        return {
            path
            for path in paths
            if (named is not None and not named(path[len(at) :]))
            or (nested and self._owner(path[len(at) :]) != prefix)
        }

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

    async def _parts(self, under: str, pattern: str) -> list[tuple[str, FileSystem, str]]:
        """Every file system that has a part of a folder, and what the folder is called there."""
        begins = beginning(pattern, under)
        with self._at(under) as (prefix, files, inner):
            below = sorted(
                one for one in self._below(under) if one not in self._aside or is_below(begins, one)
            )
            there = await files.stat(inner)
        if there is None and not below:
            raise Missing(under, "There is no such folder.")
        mounted = {at: files for at, files in self._mounts if at in below}
        is_here = there is not None and files is not self._nothing
        first = [(prefix, files, inner)] if is_here else []
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


class _Nothing:
    """Keeps no file: what is where nothing is mounted."""

    def __init__(self, places: Sequence[str]) -> None:
        self._places = places

    async def paths(self, under: str) -> Sequence[str]:
        return ()

    async def record(self, path: str) -> Record | None:
        return None

    async def data(self, path: str, record: Record) -> bytes | None:
        return None

    async def change(self, changes: Mapping[str, Kept | None], known: Known = NOTHING) -> None:
        raise Elsewhere(next(iter(changes)), self._places)


def _for_part(pattern: str, named: Fits, under: str, prefix: str) -> tuple[str, Fits | None]:
    """What to ask a file system for that is mounted at `prefix`, and what is left to check."""
    if "/" not in pattern:
        return pattern, None
    from_root = pattern.startswith("/") or "{/" in pattern or ",/" in pattern
    if not from_root and is_below(under, prefix or "/"):
        return pattern, None  # it begins at `under`, which is the same folder there
    return "**", named


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
