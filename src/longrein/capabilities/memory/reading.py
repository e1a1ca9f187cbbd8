"""Reads instruction files, each again only when it has changed.

Files of a project come from whoever wrote the project: they are read below its folder and nowhere
else, whatever links say, and nothing is waited for. The user's own may be links to anywhere.
"""

import asyncio
import os
import re
import time
from collections.abc import Callable, Sequence
from typing import Literal, TypeAlias, TypeVar

from msgspec import Struct

from longrein.core.errors import LongreinError, UsageError
from longrein.workspace.confined import COARSEST, Confined
from longrein.workspace.paths import canonical, is_below
from longrein.workspace.problems import FileProblem

T = TypeVar("T")
NAME = "AGENTS.md"
"""What a file with instructions is called, in whatever folder."""

MOST_BYTES = 256 * 1024

Origin: TypeAlias = Literal["user", "project", "nested"]
"""Whose instructions: the user's, those on the way down to the working folder, or of a folder that
the agent came to."""

# Characters that a person who looks at a file does not see, and a model reads.
_HIDDEN = re.compile(
    "[\0-\x08\x0b\x0c\x0e-\x1f\x7f\u200b\u202a-\u202e\u2060-\u2064\u2066-\u2069"
    "\U000e0000-\U000e0fff]"
)
_Mark: TypeAlias = tuple[int, ...]


class Instructions(Struct, frozen=True):
    """The content of one file; `problem` says what is wrong with it, in words for people."""

    path: str
    origin: Origin
    text: str = ""
    size: int = 0
    problem: str = ""


class _Kept(Struct, frozen=True):
    mark: _Mark
    found: Instructions
    settled: bool


class Reader:
    """Reads instruction files and remembers them by what the disk says of them.

    `root` is the folder of the project, without links; "" where there is none. `user` are files of
    the user's own.
    """

    def __init__(self, root: str, user: Sequence[str] = ()) -> None:
        self._root = root
        self._below = Confined(root) if root else None
        self._kept: dict[str, _Kept] = {}
        folders = (*((root,) if root else ()), *(os.path.dirname(path) for path in user))
        self._waits = not all(map(_is_local, folders))

    async def looking(self, look: Callable[[], T]) -> T:
        """What a look at the disk gives: at once, or in a thread where a disk may keep one waiting.

        A thread costs ten times as much as the look itself, and this happens in every step.
        """
        return await asyncio.to_thread(look) if self._waits else look()

    def read(self, path: str, origin: Origin) -> Instructions | None:
        """What is in a file; None where there is none. If it is known, that costs one `stat`."""
        mark = _mark(path)
        if mark is None:
            self._kept.pop(path, None)
            return None
        kept = self._kept.get(path)
        if kept is None or kept.mark != mark or not kept.settled:
            # Within what a disk counts as one moment it may change again without a trace.
            settled = bool(mark) and time.time_ns() - mark[-1] > COARSEST
            kept = self._kept[path] = _Kept(mark, self._fresh(path, origin), settled)
        return kept.found

    def on_the_way(self, target: str) -> list[str]:
        """The files for instructions there could be from below the root down to a path."""
        if not self._root or not is_below(target, self._root) or target == self._root:
            return []
        folder, found = self._root, list[str]()
        for name in target[len(self._root) :].strip("/").split("/"):
            folder = f"{folder}/{name}"
            found.append(f"{folder}/{NAME}")
        return found

    def _fresh(self, path: str, origin: Origin) -> Instructions:
        try:
            size, data = self._own(path) if origin == "user" else self._confined(path)
        except FileProblem as problem:
            return Instructions(path, origin, problem=problem.says)
        except LongreinError as error:
            return Instructions(path, origin, problem=str(error))
        except OSError as error:
            return Instructions(path, origin, problem=f"{error.strerror or error}.")
        return _understood(path, origin, size, data)

    def _own(self, path: str) -> tuple[int, bytes]:
        real = os.path.realpath(path)
        content = Confined(os.path.dirname(real)).read(f"/{os.path.basename(real)}", 0, MOST_BYTES)
        return content.stat.size, content.data

    def _confined(self, path: str) -> tuple[int, bytes]:
        if self._below is None:
            raise UsageError("There is no project that this could belong to.")
        below = canonical(path[len(self._root) :])
        content = self._below.read(self._below.real(below), 0, MOST_BYTES)
        return content.stat.size, content.data


def _is_local(folder: str) -> bool:
    try:
        return Confined(folder).root.keeps_time
    except UsageError:  # there is nothing to wait for
        return True


def is_there(path: str) -> bool:
    """Whether there is something at a path, whatever it is."""
    return _mark(path) is not None


def _mark(path: str) -> _Mark | None:
    """What the disk says of a file without opening it; None for nothing."""
    try:
        found = os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError):  # a circle of links, a folder that may not be entered
        return ()
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def _understood(path: str, origin: Origin, size: int, data: bytes) -> Instructions:
    if size > MOST_BYTES:
        problem = f"It has {size:,} bytes; at most {MOST_BYTES:,} are read. Make it shorter."
        return Instructions(path, origin, size=size, problem=problem)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        problem = "It is not UTF-8, so it is not read. Save it as UTF-8."
        return Instructions(path, origin, size=size, problem=problem)
    seen, hidden = _HIDDEN.subn("", text.replace("\r\n", "\n"))
    problem = f"It has {hidden:,} characters that nobody can see; they are left out." * bool(hidden)
    return Instructions(path, origin, seen.strip(), size, problem)
