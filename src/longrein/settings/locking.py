"""A file of the user's that only one process at a time reads, changes and writes back."""

import fcntl
import os
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from longrein.core.errors import UsageError
from longrein.settings.places import make_private

SECONDS = 5.0
"""How long somebody is waited for who changes the file: that takes moments, but for a keyring that
asks for a password."""

_PAUSE = 0.02


@contextmanager
def locked(path: Path, seconds: float = SECONDS) -> Generator[None, None, None]:
    """Keep everybody else out who asks the same for this path; it need not be there.

    A file beside it carries the lock, which ends with the process, however that ends. Raises
    `UsageError` where it cannot be had.
    """
    beside = path.with_name(f".{path.name}.lock")
    try:
        make_private(path.parent)
        handle = os.open(beside, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise UsageError(f"{beside} cannot be written: {error.strerror or error}.") from None
    try:
        _take(handle, path, time.monotonic() + seconds)
        yield
    finally:
        os.close(handle)


def _take(handle: int, path: Path, until: float) -> None:
    while True:
        try:
            return fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > until:
                raise UsageError(
                    f"Another longrein is just changing {path}: try again when it is done."
                ) from None
            time.sleep(_PAUSE)
        except OSError:
            return None  # a disk without locks: better a change than none
