"""Files that can be reached only by commands in a sandbox.

Each operation is one small shell script, always the same text: paths and numbers come to it as
variables, bytes as its input. It needs a POSIX shell, coreutils, find and /proc, and no more. What
comes back begins with a word that says how it went.

A script goes to the folder of a file and then asks the kernel where it is: if it came through a
link, that is another place than was asked for. From there on it names files in that folder only.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager
from hashlib import sha256
from heapq import nsmallest

from msgspec import Struct

from longrein.workspace.base import (
    LARGEST,
    MOST_ENTRIES,
    Content,
    Entry,
    Found,
    Grep,
    Kind,
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
from longrein.workspace.confined import check_file, is_shown, names_of
from longrein.workspace.paths import canonical, join, parent
from longrein.workspace.problems import (
    Changed,
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
from longrein.workspace.sandbox.base import Bounds, Command, Process, Sandbox, SandboxProblem
from longrein.workspace.sandbox_scripts import ENTRIES, MOVE, READ, REAL, REMOVE, STAT, TREE, WRITE
from longrein.workspace.searching import glob_any, grep_any
from longrein.workspace.temporary import new_name

_BOUNDS = Bounds(seconds=600, memory=None, processes=None)
_INPUT = 64 * 1024


class SandboxFiles:
    """A file system below one folder of a sandbox, reached only by commands in it.

    For sandboxes whose disk is not ours; where it is, `DiskFiles` is many times as quick. What
    commands of the sandbox may not do, this cannot do either. `root` is a path in the sandbox.

    Changes are made one after the other. A write is compared with what was read as the last thing
    before the new file takes its place; what a command changes in just that instant is lost.
    """

    def __init__(self, sandbox: Sandbox, root: str) -> None:
        self._sandbox, self._root = sandbox, root
        self._changing = asyncio.Lock()

    async def real(self, path: str, *, last: bool = True) -> str:
        path = canonical(path)
        where = path if last else parent(path)
        async with self._reply(path, REAL, {"FOLDER": where}) as reply:
            resolved = canonical(_text(await reply.rest()) or "/")
        return resolved if last or path == "/" else join(resolved, names_of(path)[-1])

    async def stat(self, path: str) -> Stat | None:
        seen = await self._seen(canonical(path))
        return seen and seen.stat

    async def entries(self, path: str, limit: int = MOST_ENTRIES) -> Listing:
        path = canonical(path)
        async with self._reply(path, ENTRIES, {"FOLDER": path}) as reply:
            found = [_told(line) async for line in reply.lines()]
        shown = [one for one in found if is_shown(one.name)]
        first = nsmallest(limit + 1, shown, key=lambda one: one.name)
        entries = [Entry(one.name, *_brief(one.stat)) for one in first[:limit]]
        return Listing(tuple(entries), len(first) > limit, len(found) - len(shown))

    async def read(self, path: str, offset: int = 0, limit: int | None = None) -> Content:
        path = canonical(path)
        most = LARGEST if limit is None else limit
        variables = {**_place(path), "OFFSET": f"{offset + 1}", "LIMIT": f"{most}"}
        async with self._reply(path, READ, variables) as reply:
            found = _told(await reply.line()).stat
            if most > LARGEST or (limit is None and found.size - offset > LARGEST):
                raise TooLarge(
                    path, f"This has {found.size:,} bytes, too many at once. Read a part of it."
                )
            return Content(await reply.rest(), found)

    async def chunks(self, path: str, offset: int = 0) -> AsyncGenerator[bytes, None]:
        path = canonical(path)
        variables = {**_place(path), "OFFSET": f"{offset + 1}", "LIMIT": ""}
        async with self._reply(path, READ, variables) as reply:
            await reply.line()
            async for piece in reply.pieces():
                yield piece

    async def write(
        self, path: str, data: bytes, *, expected: str | None = None, mode: int | None = None
    ) -> Stat:
        path = canonical(path)
        if len(data) > LARGEST:
            raise TooLarge(path, f"At most {LARGEST:,} bytes are written at once. Write less.")
        async with self._changing:
            before = await self._seen(path)
            if before is not None:
                check_file(path, before.stat.kind)
                mode = before.stat.mode if mode is None else mode
            check_expected(path, expected, before and before.stat.revision)
            if before is None:
                await self._check_names(path)
            elif not before.stat.mode & 0o222:
                raise Refused(
                    path, "This file is read-only. Change its mode first, if that is meant."
                )
            variables = {
                **_place(path),
                "TEMPORARY": new_name(),
                "SIZE": f"{len(data)}",
                "MODE": "" if mode is None else f"{mode & 0o777:o}",
                "CHECK": "yes" if expected else "",
                "SEEN": before.line if before else "",
                "NEW": "yes" if expected == "" else "",
            }
            async with self._reply(path, WRITE, variables, data) as reply:
                return _told(await reply.line()).stat

    async def remove(self, path: str, *, recursive: bool = False) -> None:
        path = canonical(path)
        if path == "/":
            raise Refused(path, "The root cannot be removed. Name what is in it.")
        variables = {**_place(path), "RECURSIVE": "yes" if recursive else ""}
        async with self._changing, self._reply(path, REMOVE, variables):
            pass

    async def move(self, source: str, target: str, *, replace: bool = False) -> None:
        source, target = canonical(source), canonical(target)
        check_move(source, target)
        async with self._changing:
            moved = await self._seen(source)
            if moved is None:
                raise await self._missing(source)
            if source == target:
                return
            before = await self._seen(target)
            over = replace and moved.stat.kind != "folder"
            if before is not None and (not over or before.stat.kind == "folder"):
                raise Exists(target, ALREADY)
            if before is None:
                await self._check_names(target, moved=source)
            to = {f"TO_{name}": value for name, value in _place(target).items()}
            variables = {**_place(source), **to, "REPLACE": "yes" if over else ""}
            async with self._reply(target, MOVE, variables):
                pass

    async def glob(
        self, pattern: str, under: str = "/", *, ignored: bool = False
    ) -> AsyncGenerator[str, None]:
        search = glob_any(await self._listed(under), pattern, under, ignored=ignored)
        async with aclosing(search) as paths:
            async for path in paths:
                yield path

    async def grep(self, query: Grep) -> AsyncGenerator[Found, None]:
        async with aclosing(grep_any(await self._listed(query.under), query)) as found:
            async for one in found:
                yield one

    async def _listed(self, under: str) -> "SandboxFiles":
        """The same files, with all folders below one listed: a search asks for each of them."""
        folder = canonical(under)
        folders: dict[str, list[Entry]] = {folder: []}
        try:
            async with self._reply(folder, TREE, {"FOLDER": folder}) as reply:
                async for line in reply.lines():
                    told = _told(line)
                    path = join(folder, told.name)
                    *_, name = names_of(path)
                    if is_shown(name):
                        entry = Entry(name, *_brief(told.stat))
                        folders.setdefault(parent(path), []).append(entry)
                    if told.stat.kind == "folder":
                        folders.setdefault(path, [])
        except FileProblem:
            return self  # a file, or nothing that can be listed: whoever searches will say so
        return _Listed(self._sandbox, self._root, folders)

    async def _seen(self, path: str) -> "_Told | None":
        """What is there; None for nothing."""
        try:
            async with self._reply(path, STAT, _place(path)) as reply:
                found = _told(await reply.line())
                target = _text(await reply.rest())
        except (Missing, NotAFolder):
            return None
        if found.stat.kind != "link":
            return found
        stat = Stat("link", modified=found.stat.modified, mode=found.stat.mode, target=target)
        return _Told(found.name, stat, found.line)

    async def _check_names(self, path: str, moved: str = "") -> None:
        """That no name that comes to be looks like one that is there."""
        if path.isascii():
            return
        at = "/"
        for name in names_of(path):
            other = twin(name, await self._names(at))
            if other and join(at, other) != moved:
                raise Exists(path, LOOKS_SAME.format(other))
            at = join(at, name)

    async def _names(self, folder: str) -> set[str]:
        try:
            return {entry.name for entry in (await self.entries(folder, 1_000)).entries}
        except FileProblem:
            return set()

    async def _missing(self, path: str) -> Missing:
        names = set[str]() if path == "/" else await self._names(parent(path))
        return Missing(path, no_such(path, "file or folder", names))

    @asynccontextmanager
    async def _reply(
        self, path: str, script: str, variables: dict[str, str], data: bytes = b""
    ) -> AsyncGenerator["_Reply", None]:
        """What a script says after `ok`; all else it may say is raised as a problem."""
        environ = {**variables, "AT": self._root, "LC_ALL": "C", "TZ": "UTC0"}
        try:
            process = await self._sandbox.start(Command(script, "/", _BOUNDS, environ))
        except SandboxProblem as problem:
            raise Refused(path, str(problem)) from None
        over = False
        try:
            await _send(process, data)
            reply = _Reply(process)
            word = _text(await reply.line())
            if word == "ok":
                yield reply
            await process.wait()
            over = True
        except SandboxProblem as problem:
            raise Refused(path, str(problem)) from None
        finally:
            if not over:
                await process.kill()
        if word == "missing":
            raise await self._missing(path)
        if word != "ok":
            kind, says = _PROBLEMS.get(word, _UNKNOWN)
            raise kind(path, says)


class _Listed(SandboxFiles):
    """Files whose folders were listed already."""

    def __init__(self, sandbox: Sandbox, root: str, folders: dict[str, list[Entry]]) -> None:
        super().__init__(sandbox, root)
        self._folders = folders

    async def entries(self, path: str, limit: int = MOST_ENTRIES) -> Listing:
        found = self._folders.get(canonical(path))
        if found is None:
            return await super().entries(path, limit)
        found.sort(key=lambda entry: entry.name)
        return Listing(tuple(found[:limit]), len(found) > limit)


class _Reply:
    """What a script puts out, read bit by bit."""

    def __init__(self, process: Process) -> None:
        self._output = process.output()
        self._rest = b""

    async def line(self) -> bytes:
        """The next line without its end; what there is where it has none."""
        while b"\n" not in self._rest and (piece := await anext(self._output, b"")):
            self._rest += piece
        line, _, self._rest = self._rest.partition(b"\n")
        return line

    async def lines(self) -> AsyncIterator[bytes]:
        """All lines that are left."""
        async for piece in self.pieces():
            *whole, self._rest = (self._rest + piece).split(b"\n")
            for line in whole:
                yield line

    async def pieces(self) -> AsyncIterator[bytes]:
        """All bytes that are left, as they come."""
        if rest := self._rest:
            self._rest = b""
            yield rest
        async for piece in self._output:
            yield piece

    async def rest(self) -> bytes:
        """All bytes that are left."""
        return b"".join([piece async for piece in self.pieces()])


async def _send(process: Process, data: bytes) -> None:
    try:
        for at in range(0, len(data), _INPUT):
            await process.write(data[at : at + _INPUT])
        await process.close_input()
    except OSError:  # it said what is wrong instead of reading on
        pass


class _Told(Struct, frozen=True):
    """What `stat` said about a name, and the line itself."""

    name: str
    stat: Stat
    line: str


def _told(line: bytes) -> _Told:
    mode, size, number, seconds, changed, touched, name = line.split(b"/", 6)
    kind = _KINDS.get(int(mode, 16) & 0o170000, "other")
    found = Stat(
        kind,
        int(size) if kind == "file" else 0,
        int(seconds) * 1_000_000 + _microseconds(changed),
        int(mode, 16) & 0o7777,
        sha256(b"/".join((changed, touched, size, number))).hexdigest() if kind == "file" else "",
    )
    text = line.decode("utf-8", "surrogateescape")
    return _Told(name.decode("utf-8", "surrogateescape").removeprefix("./"), found, text)


_KINDS: dict[int, Kind] = {0o100000: "file", 0o040000: "folder", 0o120000: "link"}


def _microseconds(time: bytes) -> int:
    """The fraction in `2026-01-02 03:04:05.678901234 +0000`."""
    fraction = time.partition(b".")[2].partition(b" ")[0]
    return int(fraction[:6].ljust(6, b"0")) if fraction else 0


def _brief(stat: Stat) -> tuple[Kind, int, int]:
    return stat.kind, stat.size, stat.modified


def _place(path: str) -> dict[str, str]:
    return {"FOLDER": parent(path), "NAME": names_of(path)[-1] if path != "/" else "."}


def _text(data: bytes) -> str:
    return data.removesuffix(b"\n").decode("utf-8", "replace")


_UNKNOWN = (Refused, "The sandbox did not come to an end with this. Try again.")
_PROBLEMS: dict[str, tuple[type[FileProblem], str]] = {
    "rootless": (Refused, "The folder of the workspace is not there in the sandbox."),
    "nofolder": (NotAFolder, "This, or what it would be in, is no folder."),
    "folder": (NotAFile, "This is a folder. List it, or give the path of a file."),
    "other": (NotAFile, "This is a device, a pipe or a socket. Give the path of a file."),
    "link": (Linked, "This is a link. Give the path that it leads to."),
    "linked": (Linked, "This goes through a link. Give the path that it leads to."),
    "circle": (Linked, "Links here lead in a circle. Remove one of them."),
    "outside": (Outside, "A link here leads out of the workspace."),
    "exists": (Exists, ALREADY),
    "changed": (Changed, "The file was changed just now. Read it again, then change it."),
    "notempty": (Refused, NOT_EMPTY),
    "full": (Refused, "There is no room on the disk. Nothing was changed."),
    "short": (Refused, "Not all bytes reached the sandbox. Nothing was changed. Try again."),
    "denied": (Refused, "The system does not allow this. Choose another file."),
}
"""What scripts say, other than `ok` and `missing`."""
