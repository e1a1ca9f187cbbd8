"""A file system behind a policy."""

from collections.abc import AsyncGenerator, Iterable, Sequence
from contextlib import aclosing, suppress
from typing import Protocol, runtime_checkable

import msgspec

from longrein.workspace.base import MOST_ENTRIES, Content, FileSystem, Grep, Listing, Stat
from longrein.workspace.paths import canonical, folders_above, join, parent
from longrein.workspace.problems import Denied, FileProblem, NeedsApproval
from longrein.workspace.rules import Operation, Policy
from longrein.workspace.searching import EVERYTHING, InFile, Listed, glob_lists, grep_lists

MOST_LINKS = 40


async def ways(files: FileSystem, path: str, *, last: bool = True) -> tuple[str, ...]:
    """A canonical path, what becomes of it with each link on the way, and where it ends (`real`).

    Rules may name a link: they hold for whoever comes through it.
    """
    real = await files.real(path, last=last)
    found = [path]
    while found[-1] != real:
        step = await _step(files, found[-1], real, last=last)
        found.append(step if len(found) < MOST_LINKS else real)
    return tuple(found)


async def _step(files: FileSystem, path: str, real: str, *, last: bool) -> str:
    """The path with what its first link says in place of the link; `real` if that is not known."""
    for link in (*folders_above(path)[1:], *([path] if last else [])):
        with suppress(FileProblem):
            found = await files.stat(link)
            if found is None or found.kind != "link":
                continue
            # What a link says is of the disk, which may have other paths than its file system.
            for target in (found.target, await files.real(link)):
                with suppress(FileProblem):
                    step = canonical(target + path[len(link) :], parent(link))
                    if await files.real(step, last=last) == real:
                        return step
    return real


@runtime_checkable
class Sifting(Protocol):
    """A policy that can also tell, of many paths at once, which it need not be asked about."""

    def doubtful(self, paths: Sequence[str], operation: Operation) -> Iterable[str]:
        """Some of the paths, among them all that are not allowed."""
        ...


class Guarded(Listed):
    """A file system in which only that happens which a policy allows.

    What may not be read is not listed and not found. What a rule asks about raises `NeedsApproval`
    and is not found either, unless it was `approved`: pairs of an operation and a path. Put one
    around the other to narrow further, as for a subagent.

    >>> import asyncio
    >>> from longrein.workspace.memory import MemoryFiles
    >>> from longrein.workspace.rules import FileRule, policy
    >>> files = Guarded(MemoryFiles(), policy([FileRule("deny", ("**/.env",))]))
    >>> asyncio.run(files.write("/.env", b"KEY=1"))
    Traceback (most recent call last):
    longrein.workspace.problems.Denied: ...
    """

    def __init__(
        self, files: FileSystem, policy: Policy, approved: Iterable[tuple[Operation, str]] = ()
    ) -> None:
        self._files = files
        self._policy = policy
        self._approved = frozenset(approved)

    def approving(self, approved: Iterable[tuple[Operation, str]]) -> "Guarded":
        """The same, where a person has also said yes to these."""
        return Guarded(self._files, self._policy, self._approved | frozenset(approved))

    async def real(self, path: str, *, last: bool = True) -> str:
        path = canonical(path)
        # Whose folder may not be read must not tell, by its links, what is in it.
        self._check("read", path, asking=False)
        *links, found = await ways(self._files, path, last=last)
        self._check("read", found, asking=False)
        for one in links:
            self._check("read", one)
            # What for is not known here, and where it leads nothing would stand in the way.
            if self._may("write", found):
                self._check("write", one)
        return found

    async def stat(self, path: str) -> Stat | None:
        path = canonical(path)
        self._check("read", path)
        return await self._files.stat(path)

    async def entries(self, path: str, limit: int = MOST_ENTRIES) -> Listing:
        path = canonical(path)
        self._check("read", path)
        # What is hidden must not count, or a full listing would tell that it is there.
        listing = await self._files.entries(path, EVERYTHING)
        entries = [one for one in listing.entries if self._may("read", join(path, one.name))]
        return Listing(tuple(entries[:limit]), len(entries) > limit, listing.unnamed)

    async def read(self, path: str, offset: int = 0, limit: int | None = None) -> Content:
        path = canonical(path)
        self._check("read", path)
        return await self._files.read(path, offset, limit)

    async def chunks(self, path: str, offset: int = 0) -> AsyncGenerator[bytes, None]:
        path = canonical(path)
        self._check("read", path)
        async with aclosing(self._files.chunks(path, offset)) as chunks:
            async for chunk in chunks:
                yield chunk

    async def write(
        self, path: str, data: bytes, *, expected: str | None = None, mode: int | None = None
    ) -> Stat:
        path = canonical(path)
        self._check("write", path)
        return await self._files.write(path, data, expected=expected, mode=mode)

    async def remove(self, path: str, *, recursive: bool = False) -> None:
        path = canonical(path)
        for inner in await self._all_below(path) if recursive else [path]:
            self._check("write", inner)
        await self._files.remove(path, recursive=recursive)

    async def move(self, source: str, target: str, *, replace: bool = False) -> None:
        source, target = canonical(source), canonical(target)
        for inner in await self._all_below(source):
            self._check("read", inner)
            self._check("write", inner)
            self._check("write", canonical(target + inner[len(source) :]))
        await self._files.move(source, target, replace=replace)

    async def glob_lists(
        self, pattern: str, under: str, *, ignored: bool, at: str = ""
    ) -> AsyncGenerator[list[str], None]:
        under = canonical(under)
        self._check("read", under)
        search = glob_lists(self._files, pattern, under, ignored=ignored, at=at)
        async with aclosing(search) as lists:
            async for paths in lists:
                hidden = self._hidden(paths, at)
                yield [path for path in paths if path not in hidden] if hidden else paths

    async def grep_lists(self, query: Grep, at: str = "") -> AsyncGenerator[list[InFile], None]:
        under = canonical(query.under)
        self._check("read", under)
        search = grep_lists(self._files, msgspec.structs.replace(query, under=under), at)
        async with aclosing(search) as lists:
            async for files in lists:
                hidden = self._hidden([path for path, _ in files], at)
                yield [one for one in files if one[0] not in hidden] if hidden else files

    def _hidden(self, paths: Sequence[str], at: str) -> set[str]:
        """Those of the paths, all with `at` before them, that may not be read."""
        asked = [path[len(at) :] for path in paths] if at else paths
        if isinstance(self._policy, Sifting):
            asked = self._policy.doubtful(asked, "read")
        return {at + path for path in set(asked) if not self._may("read", path)}

    def _may(self, operation: Operation, path: str) -> bool:
        effect = self._policy(path, operation).effect
        return effect == "allow" or (effect == "ask" and (operation, path) in self._approved)

    def _check(self, operation: Operation, path: str, *, asking: bool = True) -> None:
        verdict = self._policy(path, operation)
        rule = f" (the rule: {verdict.rule})" if verdict.rule else ""
        if verdict.effect == "deny":
            raise Denied(path, f"You may not {operation} this{rule}. Go on without it.")
        if asking and verdict.effect == "ask" and (operation, path) not in self._approved:
            raise NeedsApproval(path, f"To {operation} this a person must agree first{rule}.")

    async def _all_below(self, path: str) -> list[str]:
        """A path and everything in it: a folder goes only with all that it holds."""
        found, waiting = [path], [path]
        stat = await self._files.stat(path)
        if stat is None or stat.kind != "folder":
            return found
        while waiting:
            folder = waiting.pop()
            for entry in (await self._files.entries(folder, EVERYTHING)).entries:
                inner = join(folder, entry.name)
                found.append(inner)
                if entry.kind == "folder":
                    waiting.append(inner)
        return found
