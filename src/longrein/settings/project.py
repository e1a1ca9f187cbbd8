"""What a project brings comes from whoever wrote it, and counts only for who trusts it."""

import errno
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from longrein.core.errors import UsageError

MOST_BYTES = 65_536
UNTRUSTED = "not trusted (see `longrein trust`)"


class Gate(Protocol):
    """Whoever says if a project's file counts."""

    def verdict(self, path: Path, data: bytes) -> bool | None:
        """What the user said of this content before; None: nothing yet."""
        ...

    def ask(self, path: Path, data: bytes) -> bool:
        """What the user says now, and from then on `verdict` for this content; no where nobody is
        there."""
        ...

    def ignored(self, path: Path, why: str) -> None:
        """Report that the file does not count."""
        ...


def ask_about(path: Path, data: bytes, gate: Gate) -> None:
    """Ask the user about something that the project brings, unless there is a verdict."""
    if data and gate.verdict(path, data) is None:
        gate.ask(path, data)


def counting(gate: Gate) -> Callable[[Path, bytes], str]:
    """Why something that the project brings does not count, by what the user has said of it: nobody
    is asked. Empty: it does."""

    def counts(path: Path, data: bytes) -> str:
        try:
            return "" if gate.verdict(path, data) else UNTRUSTED
        except UsageError as error:  # an agent may be at work by then
            return str(error)

    return counts


def read_bounded(path: Path) -> bytes:
    """The content of a small regular file. Never waits; raises `OSError` for anything else."""
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise OSError(errno.EINVAL, "not a regular file", str(path))
        with open(handle, "rb", closefd=False) as file:
            data = file.read(MOST_BYTES + 1)
    finally:
        os.close(handle)
    if len(data) > MOST_BYTES:
        raise OSError(errno.EFBIG, f"more than {MOST_BYTES:,} bytes", str(path))
    return data
