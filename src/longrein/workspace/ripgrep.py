"""Glob and grep by ripgrep: it finds, we look (`told`)."""

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

from longrein.workspace.base import FileSystem, Grep
from longrein.workspace.confined import Confined
from longrein.workspace.descriptors import Descriptor
from longrein.workspace.dialect import checked
from longrein.workspace.globs import plain_names
from longrein.workspace.ignore import LARGEST
from longrein.workspace.paths import canonical, folders_above, is_below, join
from longrein.workspace.problems import BadPattern, FileProblem, Missing
from longrein.workspace.processes import while_needed
from longrein.workspace.searching import InFile, glob_any, paths_in_lists
from longrein.workspace.told import COLUMNS, LinesTold, NamesTold

_READ = 256 * 1024
_LITTLE, _PAUSE = 64 * 1024, 0.005
"""After fewer bytes it is waited for more: to hand on little costs as much as to hand on much."""
_LONGEST_RECORD = 1024 * 1024
_ALWAYS = (
    "--no-config --no-messages --no-ignore-messages --color=never --hidden --glob=!.git "
    "--no-require-git --no-ignore-parent --no-ignore-global --no-ignore-exclude --no-ignore-dot "
    "--sort=path --null"
).split()
_LINES = [
    *(
        "--heading --with-filename --line-number --byte-offset --crlf --encoding=none --no-mmap "
        f"--no-context-separator --max-columns={COLUMNS} --max-columns-preview"
    ).split(),
    "--glob=!*\n*",  # what is named so has no name here, and would look like lines
]


def find_ripgrep(not_in: str = "") -> str:
    """The program that came with Python packages, else one of the system; "" for none.

    `not_in` is a folder that an agent writes to: what it puts there is not run.
    """
    if beside := shutil.which("rg", path=sysconfig.get_path("scripts")):
        return beside
    found = shutil.which("rg") or ""
    planted = not_in and is_below(os.path.realpath(found), os.path.realpath(not_in))
    return "" if planted else found


class Ripgrep:
    """Searches below a folder of the disk with the program `rg`."""

    def __init__(self, program: str, files: Confined) -> None:
        self._program = program
        self._files = files

    async def glob(
        self, port: FileSystem, pattern: str, under: str, *, ignored: bool, at: str
    ) -> AsyncGenerator[list[str], None]:
        """`FileSystem.glob`, in lists; `at` is put before every path."""
        under = canonical(under)
        names = NamesTold(self._files, pattern, under, at)
        if not await _is_folder(port, under):
            alone = paths_in_lists(glob_any(port, pattern, under, ignored=ignored), at)
            async with aclosing(alone) as lists:
                async for paths in lists:
                    yield paths
            return
        arguments = [*_ALWAYS, *_names(pattern), "--files"]
        async with (
            self._running(arguments, under, ignored=ignored) as process,
            aclosing(_said(process, b"\0")) as pieces,
        ):
            async for piece in pieces:
                yield await asyncio.to_thread(names.of, piece)

    async def grep(
        self, port: FileSystem, query: Grep, at: str
    ) -> AsyncGenerator[list[InFile], None]:
        """`FileSystem.grep`, in lists; `at` is put before every path."""
        under = canonical(query.under)
        arguments = [*_ALWAYS, *_LINES, *_asked(query)]
        stdin = None
        if not await _is_folder(port, under):
            # Handed over open: no path is looked up, and a pipe in its place blocks nobody.
            stdin = await asyncio.to_thread(self._files.open, under)
        lines = LinesTold(self._files, query, under, at, alone=stdin is not None)
        async with (
            self._running(arguments, under, ignored=query.ignored, stdin=stdin) as process,
            aclosing(_said(process, b"\n")) as pieces,
        ):
            async for piece in pieces:
                yield await asyncio.to_thread(lines.of, piece)
            yield lines.rest()
            await _check(process, query)

    @asynccontextmanager
    async def _running(
        self, arguments: list[str], under: str, *, ignored: bool, stdin: Descriptor | None = None
    ) -> AsyncGenerator[Process, None]:
        no_rules = ignored or stdin is not None or under == "/"
        above = "" if no_rules else await asyncio.to_thread(self._ignored_above, under)
        with tempfile.TemporaryFile() as rules:
            rules.write(above.encode())
            rules.flush()
            more = [f"--ignore-file=/dev/fd/{rules.fileno()}"] if above else []
            more += ["--no-ignore"] if ignored else []
            process = await asyncio.create_subprocess_exec(
                *(self._program, *arguments, *more, "--", "-" if stdin else f".{under}"),
                cwd=self._files.root.place,
                stdin=stdin.number if stdin else subprocess.DEVNULL,
                stdout=PIPE,
                stderr=PIPE,
                limit=_READ,
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


async def _is_folder(port: FileSystem, under: str) -> bool:
    """Whether to search below; a file is searched itself. Raises for everything else."""
    stat = await port.stat(under)
    if stat is None:
        raise Missing(under, "There is no such folder.")
    if stat.kind in ("link", "other"):
        await port.entries(under)
    return stat.kind == "folder"


async def _said(process: Process, end: bytes) -> AsyncGenerator[bytes, None]:
    """What a process says, cut after records, without the last end; of what is far too long
    nothing."""
    assert process.stdout is not None
    rest = b""
    while data := await process.stdout.read(_READ):
        whole, ended, tail = data.rpartition(end)
        if ended:
            yield rest + whole
            if len(data) < _LITTLE:
                await asyncio.sleep(_PAUSE)
        rest = tail if ended else rest + tail
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


def _anchored(line: str, folder: str) -> str:
    """A line of a .gitignore file, as it would stand in the root."""
    if not line.strip() or line.startswith("#"):
        return ""
    sign = "!" if line.startswith("!") else ""
    body = line.removeprefix("!")
    above = join(re.sub(r"([\\*?\[\]{}!#])", r"\\\1", folder), "")
    deep = "" if "/" in body.strip().rstrip("/") else "**/"
    return f"{sign}{above}{deep}{body.lstrip('/')}"
