"""Glob and grep by ripgrep: it finds, we look.

ripgrep opens files by their paths, and somebody may put a link in the place of a folder while it
runs. So nothing that it says is taken as it is: names are looked up, and lines read, in folders
that were opened without following a link. What is not there is not found.
"""

import asyncio
import os
import re
import shutil
import subprocess
import sysconfig
import tempfile
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncGenerator
from contextlib import aclosing, asynccontextmanager

from longrein.workspace.base import LONGEST_LINE, FileSystem, Found, FoundFile, FoundLine, Grep
from longrein.workspace.confined import Confined, is_shown, names_of
from longrein.workspace.descriptors import Descriptor
from longrein.workspace.dialect import checked
from longrein.workspace.globs import Fits, fits, plain_names
from longrein.workspace.ignore import LARGEST
from longrein.workspace.paths import canonical, folders_above, join
from longrein.workspace.problems import BadPattern, FileProblem, Missing
from longrein.workspace.processes import while_needed
from longrein.workspace.searching import HEAD, glob_any, line_text

COLUMNS = LONGEST_LINE * 4
"""Bytes of a line that ripgrep gives."""

COMPARED = 1_000
"""Bytes of a longer line that must be the same where we look."""

_READ = 256 * 1024
_FIRST = 64 * 1024
_LONGEST_RECORD = 1024 * 1024
_FOLDERS = 256
_LINE = re.compile(rb"(\d+)([:-])(\d+)[:-](.*)", re.DOTALL)
_ALWAYS = (
    "--no-config --no-messages --no-ignore-messages --color=never --hidden --glob=!.git "
    "--no-require-git --no-ignore-parent --no-ignore-global --no-ignore-exclude --no-ignore-dot "
    "--sort=path --null"
).split()
_LINES = (
    "--no-heading --with-filename --line-number --byte-offset --crlf --encoding=none --no-mmap "
    f"--no-context-separator --max-columns={COLUMNS} --max-columns-preview"
).split()


def find_ripgrep() -> str:
    """The program that came with Python packages, else one of the system; "" for none."""
    return shutil.which("rg", path=sysconfig.get_path("scripts")) or shutil.which("rg") or ""


class Ripgrep:
    """Searches below a folder of the disk with the program `rg`."""

    def __init__(self, program: str, files: Confined) -> None:
        self._program = program
        self._files = files

    async def glob(
        self, port: FileSystem, pattern: str, under: str, *, ignored: bool
    ) -> AsyncGenerator[str, None]:
        """`FileSystem.glob`."""
        under = canonical(under)
        there = _There(self._files, fits(pattern, under))
        if not await _is_folder(port, under):
            async with aclosing(glob_any(port, pattern, under, ignored=ignored)) as paths:
                async for path in paths:
                    yield path
            return
        arguments = [*_ALWAYS, *_names(pattern), "--files"]
        async with (
            self._running(arguments, under, ignored=ignored) as process,
            aclosing(_records(process, b"\0")) as batches,
        ):
            async for batch in batches:
                for path in await asyncio.to_thread(there.of, batch):
                    yield path

    async def grep(self, port: FileSystem, query: Grep) -> AsyncGenerator[Found, None]:
        """`FileSystem.grep`."""
        under = canonical(query.under)
        lines = _Lines(self._files, query, under)
        arguments = [*_ALWAYS, *_LINES, *_asked(query)]
        stdin = None
        if not await _is_folder(port, under):
            # Handed over open: no path is looked up, and a pipe in its place blocks nobody.
            stdin = await asyncio.to_thread(self._files.open, under)
        async with (
            self._running(arguments, under, ignored=query.ignored, stdin=stdin) as process,
            aclosing(_records(process, b"\n")) as batches,
        ):
            async for batch in batches:
                for one in await asyncio.to_thread(lines.of, batch):
                    yield one
            for one in lines.rest():
                yield one
            await _check(process, query)

    @asynccontextmanager
    async def _running(
        self, arguments: list[str], under: str, *, ignored: bool, stdin: Descriptor | None = None
    ) -> AsyncGenerator[Process, None]:
        above = "" if ignored or stdin else await asyncio.to_thread(self._ignored_above, under)
        with tempfile.TemporaryFile() as rules:
            rules.write(above.encode())
            rules.flush()
            more = ["--no-ignore"] if ignored else [f"--ignore-file=/dev/fd/{rules.fileno()}"]
            process = await asyncio.create_subprocess_exec(
                *(self._program, *arguments, *more, "--", "-" if stdin else f".{under}"),
                cwd=self._files.root.place,
                stdin=stdin.number if stdin else subprocess.DEVNULL,
                stdout=PIPE,
                stderr=PIPE,
                pass_fds=(rules.fileno(),),
                env={},
            )
            async with while_needed(process):
                yield process

    def _ignored_above(self, under: str) -> str:
        """The lines of the .gitignore files above a folder, as one in the root would have them."""
        lines: list[str] = []
        for folder in folders_above(under):
            try:
                data = self._files.read(join(folder, ".gitignore"), 0, LARGEST).data
            except (FileProblem, OSError):
                continue
            text = data.decode("utf-8-sig", "replace")
            lines += [_anchored(line, folder) for line in text.splitlines()]
        return "\n".join(lines)


class _There:
    """Which of the files that ripgrep names are there, and asked for."""

    def __init__(self, files: Confined, named: Fits) -> None:
        self._files, self._named = files, named
        self._folders: dict[str, set[str]] = {}

    def of(self, raw_paths: list[bytes]) -> list[str]:
        paths = [path for raw in raw_paths if (path := _virtual(raw)) and self._named(path)]
        return [path for path in paths if self._is_there(path)]

    def _is_there(self, path: str) -> bool:
        folder, _, name = path.rpartition("/")
        names = self._folders.get(folder)
        if names is None:
            if len(self._folders) >= _FOLDERS:
                self._folders.clear()
            names = self._folders[folder] = self._look(folder)
        return name in names

    def _look(self, folder: str) -> set[str]:
        if not all(map(is_shown, names_of(folder))):
            return set()
        return set(filter(is_shown, self._files.files_in(folder)))


class _Lines:
    """Reads the lines that ripgrep found."""

    def __init__(self, files: Confined, query: Grep, under: str) -> None:
        self._files, self._show, self._under = files, query.show, under
        self._named = fits(query.include, under) if query.include else None
        self._raw = b""
        self._path = ""
        self._file: Descriptor | None = None
        self._head = b""
        self._count = 0

    def of(self, records: list[bytes]) -> list[Found]:
        found: list[Found] = []
        for record in records:
            raw, nul, rest = record.partition(b"\0")
            told = _LINE.match(rest) if nul else None
            if told is None:  # a remark of ripgrep's, or the rest of a name with a line end
                continue
            if raw != self._raw:
                found += self.rest()
                self._turn_to(raw)
            if self._file is not None and (line := self._line(self._file, told)):
                self._count += not line.context
                if self._show == "lines":
                    found.append(line)
        return found

    def rest(self) -> list[Found]:
        """What can be said of a file only after all its lines."""
        count, self._count = self._count, 0
        if not count or self._show == "lines":
            return []
        return [FoundFile(self._path, count if self._show == "counts" else 1)]

    def _turn_to(self, raw: bytes) -> None:
        self._raw, self._file = raw, None
        alone = raw == b"<stdin>"
        self._path = self._under if alone else _virtual(raw)
        if not self._path or not all(map(is_shown, names_of(self._path))):
            return
        if not alone and self._named is not None and not self._named(self._path):
            return
        try:
            opened = self._files.open(self._path)
        except (FileProblem, OSError):
            return
        self._head = os.pread(opened.number, _FIRST, 0)
        if b"\0" not in self._head[:HEAD]:
            self._file = opened

    def _line(self, file: Descriptor, told: re.Match[bytes]) -> FoundLine | None:
        """The line as it stands in the file; None if it is not what ripgrep saw."""
        number, separator, offset, text = told.groups()
        start = int(offset)
        end = self._head.find(b"\n", start)
        if end >= 0:
            line = self._head[start:end]
        else:
            line = os.pread(file.number, COLUMNS + 1, start).partition(b"\n")[0]
        if len(line) > COLUMNS:
            same = line[:COMPARED] == text[:COMPARED]
        else:  # ripgrep ends a last line that has no end as it thinks fit
            same = line.removesuffix(b"\r") == text.removesuffix(b"\r")
        if not same:
            return None
        return FoundLine(self._path, int(number), line_text(line), separator == b"-")


async def _is_folder(port: FileSystem, under: str) -> bool:
    """Whether to search below; a file is searched itself. Raises for everything else."""
    stat = await port.stat(under)
    if stat is None:
        raise Missing(under, "There is no such folder.")
    if stat.kind in ("link", "other"):
        await port.entries(under)
    return stat.kind == "folder"


async def _records(process: Process, end: bytes) -> AsyncGenerator[list[bytes], None]:
    """What a process says, split; of what is far too long nothing."""
    assert process.stdout is not None
    rest = b""
    while data := await process.stdout.read(_READ):
        *whole, rest = (rest + data).split(end)
        if whole:
            yield whole
        if len(rest) > _LONGEST_RECORD:
            rest = b""


async def _check(process: Process, query: Grep) -> None:
    assert process.stderr is not None
    said = (await process.stderr.read()).decode("utf-8", "replace").strip()
    if said:
        raise BadPattern("", f"The pattern {query.pattern!r} cannot be read. {said}")


def _asked(query: Grep) -> list[str]:
    arguments = [
        f"--regexp={checked(query)}",
        "--ignore-case" if query.ignore_case else "--case-sensitive",
        *_names(query.include),
    ]
    if query.literal:
        arguments.append("--fixed-strings")
    if query.show == "files":
        arguments.append("--max-count=1")
    if query.show == "lines":
        arguments += [f"--before-context={query.before}", f"--after-context={query.after}"]
    return arguments


def _names(pattern: str) -> list[str]:
    """Lets ripgrep leave out files that cannot fit. Not by `--glob`, which beats .gitignore."""
    names = plain_names(pattern) if pattern else []
    return [*(f"--type-add=asked:{name}" for name in names), *["--type=asked"][: len(names)]]


def _virtual(raw: bytes) -> str:
    """The path for what ripgrep calls `./a/b`; "" for what has no name here."""
    try:
        return raw.removeprefix(b".").decode()
    except UnicodeDecodeError:
        return ""


def _anchored(line: str, folder: str) -> str:
    """A line of a .gitignore file, as it would stand in the root."""
    if not line.strip() or line.startswith("#"):
        return ""
    sign = "!" if line.startswith("!") else ""
    body = line.removeprefix("!")
    above = join(re.sub(r"([\\*?\[\]{}!#])", r"\\\1", folder), "")
    deep = "" if "/" in body.strip().rstrip("/") else "**/"
    return f"{sign}{above}{deep}{body.lstrip('/')}"
