"""What a command has put out: all of it, with little of it in memory."""

import asyncio
import os
from collections.abc import Callable
from pathlib import Path

from msgspec import Struct

from longrein.capabilities.shell_tools.readable import WIDEST, readable, whole

HEAD = 8_000
TAIL = 12_000
"""Characters of an output that a model is shown: of its start, and of its end."""

BUFFERED = 256 * 1024
_LINE = 1_000
_CHARACTER = 4
"""Bytes of the longest character."""


class Excerpt(Struct, frozen=True):
    """An output as a model is shown it: `head`, and, where `left_out` bytes follow it that are not
    shown, the `tail` after them."""

    head: str
    left_out: int = 0
    tail: str = ""


class Log:
    """The output of one command; in memory while it is small, then in a file that `make` opens.

    One task adds to it; anybody may read meanwhile. `path` is None while there is no file,
    `told` whether the model knows of it.
    """

    __slots__ = ("_file", "_make", "_newest", "_stored", "_storing", "path", "size", "told")

    def __init__(self, make: Callable[[], tuple[int, Path]]) -> None:
        self.path: Path | None = None
        self.size = 0
        self.told = False
        self._make = make
        self._file = -1
        self._stored = 0
        self._storing = bytearray()
        self._newest = bytearray()

    async def add(self, data: bytes) -> None:
        """Take in more. Raises `OSError` where there is no room for it."""
        self._newest += data
        self.size += len(data)
        if len(self._newest) >= BUFFERED:
            await self.store()

    async def store(self) -> None:
        """Put all of it in the file."""
        if self.path is None:
            self._file, self.path = self._make()
        # Whoever reads meanwhile finds these still in memory. If this is cancelled, or fails, they
        # are stored again, in the same place.
        self._storing += self._newest
        self._newest.clear()
        storing = bytes(self._storing)
        loop = asyncio.get_running_loop()
        writing = loop.run_in_executor(None, _write, self._file, storing, self._stored)
        try:
            await asyncio.shield(writing)
        finally:  # a thread cannot be stopped, and the file must not be closed under it
            await asyncio.wait([writing])
        self._stored += len(storing)
        self._storing.clear()

    def read(self, start: int, end: int) -> bytes:
        """The bytes from `start` to before `end`."""
        found = b""
        if start < self._stored:
            found = os.pread(self._file, min(end, self._stored) - start, start)
        if end > self._stored:
            unstored = self._storing + self._newest
            found += unstored[max(start - self._stored, 0) : end - self._stored]
        return found

    def readable_size(self, start: int) -> int:
        """How far it can be read from `start` without cutting the last character."""
        last = max(self.size - _CHARACTER, start)
        return last + whole(self.read(last, self.size))

    def excerpt(self, start: int, end: int) -> Excerpt:
        """What a model is shown of a part: all of it, or head and tail, cut at line ends."""
        if end - start <= HEAD + TAIL:
            text = readable(self.read(start, end))
            if len(text) <= HEAD + TAIL:
                return Excerpt(text)
        head = _to_line_end(_fitting(self.read(start, start + HEAD), HEAD))
        rest = max(start + len(head), end - TAIL)
        tail = _from_line_start(_fitting(self.read(rest, end), -TAIL))
        left_out = end - start - len(head) - len(tail)
        return Excerpt(readable(head), left_out, readable(tail))

    def close(self, *, remove: bool) -> None:
        """Let go of the file, which stays unless it is to be removed. Nothing can be read then."""
        if self.path is None or self._file < 0:
            return
        os.close(self._file)
        self._file = -1
        if remove:
            self.path.unlink(missing_ok=True)


def _write(file: int, data: bytes, offset: int) -> None:
    view = memoryview(data)
    while view:
        written = os.pwrite(file, view, offset)
        view, offset = view[written:], offset + written


def _fitting(data: bytes, most: int) -> bytes:
    """The first (last, if `most` is negative) bytes that make at most so many characters."""
    if len(readable(data)) <= abs(most):
        return data
    fewer = abs(most) // WIDEST
    return data[:fewer] if most > 0 else data[-fewer:]


def _to_line_end(data: bytes) -> bytes:
    end = data.rfind(b"\n", max(len(data) - _LINE, 0)) + 1
    return data[: end or whole(data)]


def _from_line_start(data: bytes) -> bytes:
    start = data.find(b"\n", 0, _LINE) + 1
    if start:
        return data[start:]
    # A character that was cut shows in its last bytes only.
    cut = next((n for n, byte in enumerate(data[:_CHARACTER]) if byte & 0xC0 != 0x80), 0)
    return data[cut:]
