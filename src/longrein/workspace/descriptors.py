"""Folders opened so that no link is followed, whatever anybody swaps meanwhile.

On Linux the kernel does it in one call (openat2). Where there is none, every name is opened
relative to the descriptor of the folder before it.
"""

import ctypes
import errno
import os
import stat
import sys
from collections.abc import Sequence

from longrein.core.errors import UsageError

_OPENAT2 = 437  # the same number on every architecture
_NO_MAGICLINKS, _NO_SYMLINKS, _BENEATH = 0x02, 0x04, 0x08
_TRIES = 16

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC


class Descriptor:
    """An open file that is closed when nobody has it any more.

    Not before: a thread may still read after whoever waited for it has gone.
    """

    __slots__ = ("number",)

    def __init__(self, number: int) -> None:
        self.number = number

    def __del__(self) -> None:
        os.close(self.number)


class Root:
    """A folder that nothing gets out of.

    It stays open as long as this object is there. `openat2=False`: do without that call.
    """

    def __init__(self, path: str, *, openat2: bool = True) -> None:
        self._path = path
        try:
            self._descriptor = Descriptor(os.open(path, _FOLDER))
        except OSError as error:
            raise UsageError(
                f"The folder {path!r} cannot be opened: {error.strerror}. Make it first."
            ) from None
        self._in_one_call = openat2 and _has_openat2(self._descriptor.number)

    @property
    def place(self) -> str:
        """A path of the folder itself, for a process that is started in it, wherever it moved."""
        return f"/proc/self/fd/{self._descriptor.number}" if sys.platform == "linux" else self._path

    def folder(self, names: Sequence[str]) -> int:
        """A new descriptor of a folder below. `OSError`: ELOOP for a link on the way."""
        if not names:
            return os.open(".", _FOLDER, dir_fd=self._descriptor.number)
        if self._in_one_call:
            return _beneath(self._descriptor.number, "/".join(names))
        return _step_by_step(self._descriptor.number, names)


class _How(ctypes.Structure):
    _fields_ = (
        ("flags", ctypes.c_uint64),
        ("mode", ctypes.c_uint64),
        ("resolve", ctypes.c_uint64),
    )


_HOW = _How(_FOLDER, 0, _NO_MAGICLINKS | _NO_SYMLINKS | _BENEATH)
_LIBC = ctypes.CDLL(None, use_errno=True)


def _has_openat2(descriptor: int) -> bool:
    if sys.platform != "linux":
        return False
    try:
        os.close(_beneath(descriptor, "."))
    except OSError:
        return False
    return True


def _beneath(descriptor: int, path: str) -> int:
    code = 0
    for _ in range(_TRIES):
        opened = _LIBC.syscall(
            _OPENAT2,
            descriptor,
            os.fsencode(path),
            ctypes.byref(_HOW),
            ctypes.sizeof(_HOW),
        )
        if opened >= 0:
            return opened
        code = ctypes.get_errno()
        if code not in (errno.EAGAIN, errno.EINTR):  # something was renamed on the way: once more
            break
    raise OSError(code, os.strerror(code), path)


def _step_by_step(descriptor: int, names: Sequence[str]) -> int:
    at = os.dup(descriptor)
    for name in names:
        try:
            inner = os.open(name, _FOLDER | os.O_NOFOLLOW, dir_fd=at)
        except OSError as error:
            raise _link_or(error, name, at) from None
        finally:
            os.close(at)
        at = inner
    return at


def _link_or(error: OSError, name: str, folder: int) -> OSError:
    """ELOOP for a link: with O_DIRECTORY some systems only say that it is no folder."""
    try:
        found = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except OSError:
        return error
    if stat.S_ISLNK(found.st_mode):
        return OSError(errno.ELOOP, os.strerror(errno.ELOOP), name)
    return error
