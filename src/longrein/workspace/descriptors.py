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
_LOCAL = {0xEF53, 0x58465342, 0x9123683E, 0xF2F52010, 0x01021994, 0x794C7630}
"""What `statfs` calls ext4, XFS, Btrfs, F2FS, tmpfs and overlays."""


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
        self._device = os.fstat(self._descriptor.number).st_dev
        self.keeps_time = _is_local(self._descriptor.number)
        """Whether `changed` goes by the clock of this machine, whoever makes a change."""

    @property
    def place(self) -> str:
        """A path of the folder itself, for a process that is started in it, wherever it moved."""
        return f"/proc/self/fd/{self._descriptor.number}" if sys.platform == "linux" else self._path

    def real(self) -> str:
        """Where the folder is now, links resolved: in one call where the system can tell that,
        so that nobody who swaps links meanwhile has another one named."""
        try:
            return (
                os.readlink(self.place) if sys.platform == "linux" else os.path.realpath(self._path)
            )
        except OSError as error:
            raise UsageError(f"The folder {self._path!r} is gone: {error.strerror}.") from None

    def folder(self, names: Sequence[str]) -> int:
        """A new descriptor of a folder below. `OSError`: ELOOP for a link on the way."""
        if not names:
            return os.open(".", _FOLDER, dir_fd=self._descriptor.number)
        if self._in_one_call:
            return _beneath(self._descriptor.number, "/".join(names))
        return _step_by_step(self._descriptor.number, names)

    def changed(self, path: str) -> int | None:
        """When the entries of a folder last changed, in nanoseconds; None for what is no folder
        of this disk. `path` is canonical; a link in the middle of it is followed."""
        descriptor = self._descriptor.number
        try:
            found = os.stat(path[1:] or ".", dir_fd=descriptor, follow_symlinks=False)
        except OSError:
            return None
        here = stat.S_ISDIR(found.st_mode) and found.st_dev == self._device
        return found.st_ctime_ns if here else None


class _How(ctypes.Structure):
    _fields_ = (("flags", ctypes.c_uint64), ("mode", ctypes.c_uint64), ("resolve", ctypes.c_uint64))


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


def _is_local(descriptor: int) -> bool:
    if sys.platform != "linux" or sys.maxsize < 1 << 32:
        return False
    found = (ctypes.c_long * 64)()  # more than any architecture needs; the kind comes first
    return _LIBC.fstatfs(descriptor, found) == 0 and found[0] in _LOCAL


def _beneath(descriptor: int, path: str) -> int:
    code = 0
    for _ in range(_TRIES):
        opened = _LIBC.syscall(
            _OPENAT2, descriptor, os.fsencode(path), ctypes.byref(_HOW), ctypes.sizeof(_HOW)
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
