"""What ripgrep tells, made into what was found.

ripgrep opens files by their paths, and somebody may put a link in the place of a folder while it
runs. So what it says is taken as it is only where no folder on the way was changed since it was
started. Elsewhere names are looked up, and lines read, in folders that were opened without
following a link. What is not there is not found.
"""

import os
import re
import time
from typing import Protocol

from longrein.workspace.base import LONGEST_LINE, Found, FoundFile, FoundLine, Grep
from longrein.workspace.confined import Confined, shown
from longrein.workspace.descriptors import Descriptor
from longrein.workspace.globs import Fits, fits, plain_names
from longrein.workspace.paths import parent
from longrein.workspace.problems import FileProblem
from longrein.workspace.searching import HEAD, InFile, line_text

COLUMNS = LONGEST_LINE * 4
"""Bytes of a line that ripgrep gives."""

COMPARED = 1_000
"""Bytes of a longer line that must be the same where we look."""

_FOLDERS = 256
_LINE = re.compile(rb"^([0-9]+)([:-])([0-9]+)[:-](.*)$", re.MULTILINE)
_FITTING = re.compile(r"^([0-9]+):[0-9]+:(.*)$", re.MULTILINE)
_AROUND = re.compile(r"^([0-9]+)([:-])[0-9]+[:-](.*)$", re.MULTILINE)


class NamesTold:
    """Which of the files that ripgrep names are there, and asked for."""

    def __init__(self, files: Confined, pattern: str, under: str, at: str) -> None:
        self._files, self._at = files, at
        self._named = _left_to_check(pattern, under)
        self._since = time.time_ns()
        self._folders: dict[str, set[str]] = {}

    def of(self, said: bytes) -> list[str]:
        paths = shown(said.decode("utf-8", "surrogateescape")[1:].split("\0."))
        if self._named is not None:
            paths = list(filter(self._named, paths))
        folders = {path.rpartition("/")[0] or "/" for path in paths}
        calm = self._files.unchanged(folders, self._since)
        if not folders <= calm:
            paths = [path for path in paths if parent(path) in calm or self._is_there(path)]
        return [self._at + path for path in paths] if self._at else paths

    def _is_there(self, path: str) -> bool:
        folder, _, name = path.rpartition("/")
        names = self._folders.get(folder)
        if names is None:
            if len(self._folders) >= _FOLDERS:
                self._folders.clear()
            names = self._folders[folder] = self._files.files_in(folder)
        return name in names


class _Reader(Protocol):
    """Makes of what is said about one file what was found in it."""

    def lines(self, path: str, said: bytes) -> list[Found]: ...

    def count(self, said: bytes) -> int:
        """How many of the lines fit."""
        ...


class LinesTold:
    """What ripgrep found, file by file. It says a path, NUL, and lines; then the next path."""

    def __init__(self, files: Confined, query: Grep, under: str, at: str, *, alone: bool) -> None:
        self._files, self._show, self._under, self._at = files, query.show, under, at
        self._named = _left_to_check(query.include, under) if query.include and not alone else None
        self._alone = alone
        self._since = time.time_ns()
        self._trusting = _Trusting(around=query.before + query.after > 0)
        self._path = ""
        self._reader: _Reader | None = None
        self._count = 0

    def of(self, said: bytes) -> list[InFile]:
        more, *files = said.split(b"\0")
        if not files:
            return self._in_file(more)
        bodies: list[bytes] = []
        names: list[bytes] = []
        for one in (more, *files[:-1]):
            body, _, name = one.rpartition(b"\n")
            bodies.append(body)
            names.append(name)
        paths = self._paths(names)
        trusted, doubted = self._sorted(paths)
        found = self._in_file(bodies[0])
        for path, body in zip(paths, (*bodies[1:], files[-1]), strict=True):
            if self._count:
                found += self.rest()
            self._path = self._at + path
            if path in trusted and self._show == "files":
                found.append((self._path, [FoundFile(self._path)]))  # it is named: it has a line
            elif path in trusted:
                self._reader = self._trusting
                found += self._in_file(body)
            else:
                self._reader = self._opened(path) if path in doubted else None
                found += self._in_file(body)
        return found

    def rest(self) -> list[InFile]:
        """What can be said of a file only after all its lines."""
        count, self._count = self._count, 0
        if not count:
            return []
        found = FoundFile(self._path, count if self._show == "counts" else 1)
        return [(self._path, [found])]

    def _in_file(self, body: bytes) -> list[InFile]:
        said = body.strip(b"\r\n")  # between files stands an empty line
        if self._reader is None or not said:
            return []
        if self._show == "lines":
            lines = self._reader.lines(self._path, said)
            return [(self._path, lines)] if lines else []
        self._count += self._reader.count(said)
        return []

    def _paths(self, names: list[bytes]) -> list[str]:
        if self._alone:
            return [self._under] * len(names)
        return b"\0".join(names).decode("utf-8", "surrogateescape")[1:].split("\0.")

    def _sorted(self, paths: list[str]) -> tuple[set[str], set[str]]:
        """The files that are asked for: those whose lines are as told, and those to look into."""
        if self._alone:
            return set(paths), set()
        asked = shown(paths)
        if self._named is not None:
            asked = list(filter(self._named, asked))
        folders = {path.rpartition("/")[0] or "/" for path in asked}
        calm = self._files.unchanged(folders, self._since)
        trusted = set(asked) if folders <= calm else {p for p in asked if parent(p) in calm}
        return trusted, set(asked) - trusted

    def _opened(self, path: str) -> _Reader | None:
        try:
            return _Looking(self._files.open(path))
        except (FileProblem, OSError):
            return None


class _Trusting:
    """Takes the lines of a file as they were told."""

    def __init__(self, *, around: bool) -> None:
        self._around = around

    def lines(self, path: str, said: bytes) -> list[Found]:
        text = said.decode("utf-8", "surrogateescape")
        whole = len(said) <= LONGEST_LINE and b"\r" not in said and said.isascii()
        if self._around:
            return [
                FoundLine(path, int(number), line if whole else _line(line), mark == "-")
                for number, mark, line in _AROUND.findall(text)
            ]
        told = _FITTING.findall(text)
        if whole:
            return [FoundLine(path, int(number), line) for number, line in told]
        return [FoundLine(path, int(number), _line(line)) for number, line in told]

    def count(self, said: bytes) -> int:
        # Lines begin with their number, what is remarked about a file with its name.
        lines = b"\n" + said
        return lines.count(b"\n") - lines.count(b"\n./") - lines.count(b"\n<stdin>")


class _Looking:
    """Takes the lines of a file that stand so where we look."""

    def __init__(self, file: Descriptor) -> None:
        self._file = file
        self._head = os.pread(file.number, HEAD, 0)

    def lines(self, path: str, said: bytes) -> list[Found]:
        return [
            FoundLine(path, int(number), line_text(line), mark == b"-")
            for number, mark, offset, told in _LINE.findall(said)
            if _same(line := self._at(int(offset)), told)
        ]

    def count(self, said: bytes) -> int:
        return len(self.lines("", said))

    def _at(self, start: int) -> bytes:
        end = self._head.find(b"\n", start)
        if end >= 0:
            return self._head[start:end]
        return os.pread(self._file.number, COLUMNS + 1, start).partition(b"\n")[0]


def _same(line: bytes, told: bytes) -> bool:
    if len(line) > COLUMNS:
        return line[:COMPARED] == told[:COMPARED]
    # ripgrep ends a last line that has no end as it thinks fit
    return line.removesuffix(b"\r") == told.removesuffix(b"\r")


def _line(told: str) -> str:
    if told.isascii():
        return told.removesuffix("\r")[:LONGEST_LINE]
    return line_text(told.encode("utf-8", "surrogateescape"))


def _left_to_check(pattern: str, under: str) -> Fits | None:
    """Which of the files that ripgrep finds a pattern names; None for all. Raises `BadPattern`."""
    named = fits(pattern, under)
    all_named = not pattern.strip("*") or ("/" not in pattern and plain_names(pattern))
    return None if all_named else named
