"""What was written in threads and not sent, kept for whoever opens them next."""

import os
import time
from collections.abc import Container
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from longrein.session.alive import process_tag, surely_dead
from longrein.settings.places import make_private
from longrein.settings.replacing import replace_file
from longrein.storage.base import Store
from longrein.storage.drafts import draft_file, drafts_of

PRIVATE = 0o600


class Drafts:
    """A file for each thread of a resource that has a draft, for its owner's eyes only.

    What was written in a thread of `fresh`, in which nothing was said yet, is for the next new
    thread: such a thread is gone when the app is left. Each process has files of its own: what
    another one that lives is writing is neither read nor removed.

    Everything here waits for the disk, and raises `OSError`.
    """

    def __init__(self, store: Store, resource: str, fresh: Container[str]) -> None:
        self._store = store
        self._fresh = fresh
        self._new = f"new-{sha256(resource.encode()).hexdigest()[:16]}"
        self._me = process_tag() or str(os.getpid())
        self._began = time.time()

    def read(self, thread: str) -> bytes:
        """The draft of a thread; empty where there is none."""
        place = self._new if thread in self._fresh else thread
        path = self._file(place)
        if path is None:
            return b""
        if not path.exists():
            self._take_over(place, path)
        try:
            return path.read_bytes()
        except FileNotFoundError:
            return b""

    def write(self, thread: str, data: bytes) -> None:
        """Keep a draft in the place of the one before; an empty one is kept no more."""
        path = self._file(self._new if thread in self._fresh else thread)
        if path is not None and data:
            make_private(path.parent)
            replace_file(path, data, mode=PRIVATE)
        elif path is not None:
            path.unlink(missing_ok=True)

    def settle(self, thread: str) -> None:
        """What was written for a new thread is this one's, now that something was said in it."""
        path, new = self._file(thread), self._file(self._new)
        if path is not None and new is not None and new.exists():
            os.replace(new, path)

    def _file(self, place: str) -> Path | None:
        return draft_file(self._store, place, self._me)

    def _take_over(self, place: str, path: Path) -> None:
        """Go on with what somebody left who is gone, the newest first."""
        found = drafts_of(self._store, place).items()
        left = [one for one, writer in found if self._is_gone(writer, one)]
        for one in sorted(left, key=_written, reverse=True):
            with suppress(FileNotFoundError):  # somebody else was quicker
                os.utime(one)
                os.replace(one, path)
                return

    def _is_gone(self, writer: str, file: Path) -> bool:
        """Whether a process is gone; where nobody can tell: whether it wrote before our time."""
        if _where(writer) == _where(self._me):
            return surely_dead(writer)
        return _written(file) < self._began


def _where(writer: str) -> list[str]:
    """The boot and the process namespace, inside which processes can be told from each other."""
    return writer.split("/")[:2]


def _written(file: Path) -> float:
    try:
        return file.stat().st_mtime
    except FileNotFoundError:
        return 0.0
