"""Lines of a file of any size, without reading more of it than is needed."""

from collections.abc import AsyncGenerator
from contextlib import aclosing

from msgspec import Struct

from longrein.workspace.base import FileSystem, Stat
from longrein.workspace.problems import Missing, NotAFile

COUNTED = 4 * 1024 * 1024
"""Bytes up to which a file is read whole, so that it can be said how many lines it has."""

LONGEST = 64 * 1024
"""Bytes of one line that are given."""

MOST = 4 * 1024 * 1024
"""Bytes of all lines that are given."""


class Line(Struct, frozen=True):
    """A line as it stands in the file, with its end. `cut`: only the first bytes of it."""

    data: bytes
    cut: bool = False


class Lines(Struct, frozen=True):
    """Some lines of a file; `first` is the number of the first, from 1.

    `more`: the file goes on. `total` is how many lines it has, None where it was not read to its
    end. `stat` is what the file was just before.
    """

    lines: tuple[Line, ...]
    first: int
    more: bool
    total: int | None
    stat: Stat


async def read_lines(
    files: FileSystem, path: str, offset: int = 0, limit: int = 2_000, *, longest: int = LONGEST
) -> Lines:
    """At most `limit` lines, after leaving out the first `offset`.

    What comes before is read but not kept; what comes after only in files of up to 4 MiB.
    """
    stat = await files.stat(path)
    if stat is None:
        raise Missing(path, "There is no such file.")
    if stat.kind != "file":
        raise NotAFile(path, "This is no file. List it, or give the path of a file.")
    taken = _Taken(offset, limit, longest)
    count = stat.size <= COUNTED
    ended, read = True, 0
    async with aclosing(files.chunks(path)) as chunks:
        async for chunk in chunks:
            taken.feed(chunk)
            read += len(chunk)
            if taken.full and not count:
                ended = read >= stat.size and await _at_end(chunks)
                break
    return taken.result(stat, ended)


async def _at_end(chunks: AsyncGenerator[bytes, None]) -> bool:
    return await anext(chunks, None) is None


class _Taken:
    """The lines so far. `full`: nothing that comes can add to them."""

    def __init__(self, offset: int, limit: int, longest: int) -> None:
        self._offset, self._limit, self._longest = offset, limit, longest
        self._lines: list[Line] = []
        self._seen = 0
        self._open = bytearray()
        self._in_line = False
        self._cut = False
        self._room = MOST
        self._scanned = 0
        self.full = limit <= 0

    def feed(self, chunk: bytes) -> None:
        at = self._skip(chunk)
        while at < len(chunk) and not self.full:
            end = chunk.find(b"\n", at) + 1
            self._add(chunk[at : end or None], ended=bool(end))
            at = end or len(chunk)
        if at < len(chunk):
            self._seen += chunk.count(b"\n", at)
            self._in_line = not chunk.endswith(b"\n")

    def _skip(self, chunk: bytes) -> int:
        """How much of the chunk stands before the lines that are asked for."""
        missing = self._offset - self._seen
        if missing <= 0:
            return 0
        there = chunk.count(b"\n")
        if there < missing:
            self._seen += there
            self._in_line = not chunk.endswith(b"\n")
            return len(chunk)
        self._seen += missing
        self._in_line = False
        at = 0
        for _ in range(missing):
            at = chunk.index(b"\n", at) + 1
        return at

    def _add(self, piece: bytes, *, ended: bool) -> None:
        self._in_line = not ended
        self._scanned += len(piece)
        room = min(self._longest, self._room) - len(self._open)
        self._cut = self._cut or len(piece) > room
        self._open += piece[:room]
        if ended:
            self._seen += 1
            self._close()
        elif self._cut and self._scanned > MOST:
            self._close()  # a line without end in sight: whoever wants more asks for bytes
            self.full = True

    def _close(self) -> None:
        self._lines.append(Line(bytes(self._open), self._cut))
        self._room -= len(self._open)
        self._open.clear()
        self._cut = False
        self._scanned = 0
        self.full = self.full or len(self._lines) >= self._limit or self._room <= 0

    def result(self, stat: Stat, ended: bool) -> Lines:
        if self._in_line and (self._open or self._cut):
            self._close()
        total = self._seen + self._in_line
        last = self._offset + len(self._lines)
        return Lines(
            tuple(self._lines),
            self._offset + 1,
            more=not ended or total > last,
            total=total if ended else None,
            stat=stat,
        )
