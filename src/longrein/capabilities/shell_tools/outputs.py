"""Where the whole of a long output is kept, and how a model is told of it."""

import re
import shutil
import tempfile
from pathlib import Path

from longrein.capabilities.shell_tools.log import Excerpt, Log
from longrein.core.offload import left_out

NAMED = re.compile(rb"output-\w+\.txt")
"""The names of such files in the text of an event."""


class Outputs:
    """The files with the long outputs of one session's commands, which only their owner can read.

    `folder` is on this machine. `shown` is the path under which the file tools have it, and which
    the model is told; where there is none the files are temporary, and nobody is told of them.
    What a command put out stands there as it came, secrets included: they are replaced when
    somebody reads them into the log.

    >>> Outputs().close()
    """

    def __init__(self, folder: Path | None = None, shown: str = "") -> None:
        self._folder = folder
        self._shown = shown.rstrip("/")
        self._temporary: Path | None = None

    def log(self) -> Log:
        """A log for one more command."""
        return Log(self._make)

    async def shown(self, log: Log, start: int, end: int) -> str:
        """A part of a log for the model; where not all of it is shown, with where all of it is."""
        excerpt = log.excerpt(start, end)
        if not excerpt.left_out:
            return excerpt.head
        path = await self._path(log)
        return _joined(excerpt, path)

    def release(self, log: Log) -> None:
        """The command is over and nothing more is read: keep only a file that the model knows."""
        log.close(remove=not log.told)

    def close(self) -> None:
        """Remove what is temporary."""
        if self._temporary is not None:
            shutil.rmtree(self._temporary, ignore_errors=True)

    async def _path(self, log: Log) -> str:
        """The path under which the model finds all of a log; empty where it does not."""
        if not self._shown:
            return ""
        try:
            await log.store()
        except OSError:  # no room: what is shown must not be lost, too
            return ""
        log.told = True
        return f"{self._shown}/{log.path.name if log.path else ''}"

    def _make(self) -> tuple[int, Path]:
        folder = self._folder or self._temporary
        if folder is None:
            folder = self._temporary = Path(tempfile.mkdtemp(prefix="longrein-outputs-"))
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        file, path = tempfile.mkstemp(prefix="output-", suffix=".txt", dir=folder)
        return file, Path(path)


def _joined(excerpt: Excerpt, path: str) -> str:
    head = excerpt.head if excerpt.head.endswith("\n") else f"{excerpt.head}\n"
    return f"{head}{left_out(excerpt.left_out, 'bytes', path)}\n{excerpt.tail}"
