"""Files that are being written and get their name later; what a dead process left of them goes.

Whoever writes such a file holds a lock on it, which ends with the process, however that ends.
"""

import fcntl
import os
import re
import secrets

from longrein.workspace.descriptors import Descriptor

_NAME = re.compile(r"\.longrein-[0-9a-f]{16}\.tmp")
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_OLD = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC


def is_temporary(name: str) -> bool:
    """Whether a file of this name is just being written."""
    return _NAME.fullmatch(name) is not None


def new_name() -> str:
    """A name that nothing has."""
    return f".longrein-{secrets.token_hex(8)}.tmp"


def create(folder: int, mode: int) -> tuple[str, Descriptor]:
    """A new file in a folder, ours for as long as it is open."""
    while True:
        name = new_name()
        opened = Descriptor(os.open(name, _NEW, mode, dir_fd=folder))
        try:
            fcntl.flock(opened.number, fcntl.LOCK_EX)
        except OSError:  # a disk without locks: nobody takes it away there
            return name, opened
        if os.fstat(opened.number).st_nlink:  # else it was swept away before it was locked
            return name, opened


def sweep(folder: int) -> None:
    """Remove what nobody writes any more."""
    for name in filter(is_temporary, os.listdir(folder)):
        try:
            opened = Descriptor(os.open(name, _OLD, dir_fd=folder))
            fcntl.flock(opened.number, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.unlink(name, dir_fd=folder)
        except OSError:  # somebody writes it, it has its name by now, or it is not ours
            continue
