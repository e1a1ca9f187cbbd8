"""Files in the agent's folder, as a person names them while typing."""

import asyncio
import os
import stat
import time
from collections.abc import Callable, Sequence
from contextlib import aclosing
from pathlib import Path

from longrein.client.file_ranking import ListedFiles, listed, ranked
from longrein.client.port import Attachment
from longrein.core.errors import NotFound, UsageError
from longrein.workspace.descriptors import Descriptor
from longrein.workspace.disk import DiskFiles
from longrein.workspace.problems import FileProblem

FRESH = 3.0
"""Seconds for which the folder is not looked through again."""

MOST_FILES = 500_000
"""Files that are known of; of a folder with more than that, these are the first."""

LARGEST = 20_000_000
"""Bytes of a file that can be sent along."""


class FileIndex:
    """The files of a folder, for completion and to send along. One event loop uses it.

    The folder is looked through when somebody first asks, and again behind the answer when that was
    some seconds ago: whoever types never waits for it twice.
    """

    def __init__(self, folder: str, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._folder = Path(folder)
        self._clock = clock
        self._looked = 0.0
        self._known = ListedFiles()
        self._looking: asyncio.Task[None] | None = None

    async def find(self, part: str, limit: int) -> Sequence[str]:
        """Paths that fit `part`, the best first; folders end in a slash."""
        if part.startswith(("/", "~", "../")):
            return await asyncio.to_thread(self._outside, part, limit)
        if self._looking is None or (self._looking.done() and self._is_old()):
            self._looking = asyncio.create_task(self._look())
        if not self._known.paths:
            await asyncio.shield(self._looking)
        return await asyncio.to_thread(ranked, self._known, part.removeprefix("./"), limit)

    async def read(self, path: str) -> Attachment:
        """The file at `path`, as seen from the folder; `~` is the person's home.

        Raises `NotFound`, or `UsageError` for what cannot be sent along.
        """
        return await asyncio.to_thread(self._read, path)

    async def close(self) -> None:
        """End what goes on in the background."""
        if self._looking is not None:
            self._looking.cancel()
            await asyncio.gather(self._looking, return_exceptions=True)

    def _is_old(self) -> bool:
        return self._clock() - self._looked > FRESH

    async def _look(self) -> None:
        """Look through the folder; one that cannot be read has nothing to offer."""
        found: list[str] = []
        try:
            files = await asyncio.to_thread(DiskFiles, self._folder)
            async with aclosing(files.glob_lists("**", "/", ignored=False)) as lists:
                async for paths in lists:
                    found += paths
                    if len(found) >= MOST_FILES:
                        break
        except (FileProblem, UsageError, OSError):
            pass
        self._known = await asyncio.to_thread(listed, found)
        self._looked = self._clock()

    def _outside(self, part: str, limit: int) -> list[str]:
        """What a folder elsewhere holds, as completion of a path that was begun."""
        begun, slash, name = part.rpartition("/")
        if not slash:
            return ["~/"][:limit]
        try:
            with os.scandir(self._folder / Path(f"{begun}/").expanduser()) as entries:
                fit = [
                    f"{begun}/{one.name}/" if one.is_dir() else f"{begun}/{one.name}"
                    for one in entries
                    if one.name.startswith(name) and one.name.isprintable()
                ]
        except (OSError, RuntimeError):  # no such folder, or nobody's home
            return []
        hidden = name.startswith(".")
        return sorted(path for path in fit if hidden or not _is_hidden(path))[:limit]

    def _read(self, path: str) -> Attachment:
        try:
            whole = self._folder / Path(path).expanduser()
            # A pipe must not block whoever opens it, and a terminal must not become ours.
            opened = Descriptor(os.open(whole, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY))
        except (FileNotFoundError, NotADirectoryError):
            raise NotFound(f"There is no file {path}.") from None
        except (OSError, RuntimeError, ValueError) as error:
            raise _unreadable(path, error) from None
        kind = os.fstat(opened.number).st_mode
        if stat.S_ISDIR(kind):
            raise UsageError(f"{path} is a folder. Name a file in it.")
        if not stat.S_ISREG(kind):
            raise UsageError(f"{path} is a pipe or a device. Only files can be sent along.")
        try:
            data = _bounded(opened, path)
        except OSError as error:
            raise _unreadable(path, error) from None
        return Attachment(whole.name, data)


def _bounded(file: Descriptor, path: str) -> bytes:
    """All there is to read; a file may grow meanwhile, and some say that they have no size."""
    data = bytearray()
    while piece := os.read(file.number, LARGEST + 1 - len(data)):
        data += piece
        if len(data) > LARGEST:
            raise UsageError(
                f"{path} is too large to send along: at most {LARGEST // 1_000_000} MB fit. Make "
                "it smaller, or say where it is, so that the agent looks at it."
            )
    return bytes(data)


def _unreadable(path: str, error: Exception) -> UsageError:
    why = (error.strerror if isinstance(error, OSError) else None) or str(error)
    return UsageError(f"{path} cannot be read: {why}.")


def _is_hidden(path: str) -> bool:
    return path.rstrip("/").rpartition("/")[2].startswith(".")
