"""What Landlock can decide on, by the version of the kernel's interface, and what we give.

Landlock only allows: whatever is not given somewhere above a file is refused.
"""

import ctypes
import os
import sys
from collections.abc import Iterable
from functools import lru_cache

from longrein.workspace.sandbox.grants import Granted
from longrein.workspace.sandbox.resident import Landlocked

_LIST = 1 << 3
_READ = 1 << 0 | 1 << 2 | _LIST  # execute, read files, list folders
_WRITE = 1 << 1 | 0x1FF << 4  # write files, remove and make all there is
_SINCE = {2: 1 << 13, 3: 1 << 14, 5: 1 << 15}  # rename across folders, truncate, ioctl of devices
_OF_FILES = 1 << 0 | 1 << 1 | 1 << 2 | 1 << 14 | 1 << 15
_TCP = 1 << 0 | 1 << 1
_SCOPES = 1 << 0 | 1 << 1  # abstract unix sockets, signals
_VERSION = 1


@lru_cache(maxsize=1)
def landlock_version() -> int:
    """The version of Landlock's interface here; 0 where there is none or it is switched off."""
    if sys.platform != "linux":
        return 0
    return max(0, ctypes.CDLL(None).syscall(444, None, 0, _VERSION))


def landlocked(
    paths: Iterable[tuple[str, Granted]], *, version: int, tcp: bool
) -> Landlocked | None:
    """Landlock with these paths and nothing else; None where there is no Landlock.

    `tcp=False`: no TCP connection is made or accepted, not even on loopback. What is sent to
    abstract unix sockets and by signals stays among those who are held by it.
    """
    if not version:
        return None
    newer = sum(bit for since, bit in _SINCE.items() if version >= since)
    everything = _READ | _WRITE | newer
    return Landlocked(
        files=everything,
        network=_TCP if version >= 4 and not tcp else 0,
        scoped=_SCOPES if version >= 6 else 0,
        rules=tuple(
            (path, rights)
            for path, granted in paths
            if (rights := _rights(path, granted) & everything)
        ),
    )


def _rights(path: str, granted: Granted) -> int:
    rights = {"list": _LIST, "read": _READ, "write": _READ | _WRITE | sum(_SINCE.values())}[granted]
    return rights if os.path.isdir(path) else rights & _OF_FILES
