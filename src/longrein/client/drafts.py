"""What was written in threads and not sent, kept for whoever opens them next."""

import os
from collections.abc import Container
from hashlib import sha256
from pathlib import Path

from longrein.session.alive import process_tag, surely_dead
from longrein.settings.places import make_private
from longrein.settings.replacing import replace_file
from longrein.storage.base import Store
from longrein.storage.drafts import draft_file

PRIVATE = 0o600


class Drafts:
    """A file for each thread of a resource that has a draft, for its owner's eyes only.

    What was written in a thread of `fresh`, in which nothing was said yet, is for the next new
    thread: such a thread is gone when the app is left. What another process that lives is writing
    stays with that. In a file, the first line names the process.

    Everything here waits for the disk, and raises `OSError`.
    """

    def __init__(self, store: Store, resource: str, fresh: Container[str]) -> None:
        self._store = store
        self._fresh = fresh
        self._new = f"new-{sha256(resource.encode()).hexdigest()[:16]}"

    def read(self, thread: str) -> bytes:
        """The draft of a thread; empty where there is none."""
        path = self._path(thread)
        if path is None:
            return b""
        if thread in self._fresh and not path.exists():
            self._take_over(path)
        return _read(path)[1]

    def write(self, thread: str, data: bytes) -> None:
        """Keep a draft in the place of the one before; an empty one is kept no more."""
        if path := self._path(thread):
            _write(path, data)

    def settle(self, thread: str) -> None:
        """What was written for a new thread is this one's, now that something was said in it."""
        path, new = draft_file(self._store, thread), self._new_file
        if path is not None and new is not None and new.exists():
            os.replace(new, path)

    def _path(self, thread: str) -> Path | None:
        return self._new_file if thread in self._fresh else draft_file(self._store, thread)

    @property
    def _new_file(self) -> Path | None:
        return draft_file(self._store, f"{self._new}-{os.getpid()}")

    def _take_over(self, path: Path) -> None:
        """Go on with what somebody wrote for a new thread who is gone, the newest first."""
        left = [one for one in path.parent.glob(f"{self._new}-*") if _is_gone(_read(one)[0])]
        for one in sorted(left, key=lambda one: one.stat().st_mtime, reverse=True)[:1]:
            os.replace(one, path)
            _write(path, _read(path)[1])


def _is_gone(tag: str) -> bool:
    # Whoever ran before this machine was started is not here any more.
    return surely_dead(tag) or tag.partition("/")[0] != process_tag().partition("/")[0]


def _read(path: Path) -> tuple[str, bytes]:
    try:
        tag, _, data = path.read_bytes().partition(b"\n")
    except FileNotFoundError:
        return "", b""
    return tag.decode(errors="replace"), data


def _write(path: Path, data: bytes) -> None:
    if not data:
        path.unlink(missing_ok=True)
        return
    make_private(path.parent)
    replace_file(path, process_tag().encode() + b"\n" + data, mode=PRIVATE)
