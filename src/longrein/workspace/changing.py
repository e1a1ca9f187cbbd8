"""Changes of files below one folder of the disk, by calls that block: whole or not at all."""

import ctypes
import errno
import os
import shutil
from collections.abc import Sequence
from threading import Lock

from longrein.workspace.base import Stat
from longrein.workspace.checks import ALREADY, LOOKS_SAME, check_expected, check_move, twin
from longrein.workspace.confined import Confined, check_file, kind_of, names_of, stat_of
from longrein.workspace.descriptors import Descriptor
from longrein.workspace.paths import join
from longrein.workspace.problems import Exists, Refused
from longrein.workspace.temporary import create

_NO_LINKS = {errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EMLINK, errno.ENOSYS}
_NO_REPLACE = 1
_LIBC = ctypes.CDLL(None, use_errno=True)


class Changing:
    """Writes, removes and moves what is below a folder; paths are canonical."""

    def __init__(self, files: Confined, *, ignores_case: bool) -> None:
        self._files = files
        self._ignores_case = ignores_case
        # Between the last look at a file and its replacement no other write of ours may come.
        self._replacing = Lock()

    def write(self, path: str, data: bytes, expected: str | None, mode: int | None) -> Stat:
        """Put a file there: written beside it, synced, and then given its name."""
        before = self._files.stat(path)
        self._check(path, before, expected)
        if before is None:
            self._check_names(path)
            self._make_folders(names_of(path)[:-1])
        elif not before.mode & 0o222:
            raise Refused(path, "This file is read-only. Change its mode first, if that is meant.")
        with self._files.parent(path) as (folder, name):
            temporary, written = create(folder, 0o666)
            try:
                _write(written, folder, name, data, mode)
                with self._replacing:
                    self._check(path, self._files.stat(path), expected)
                    _name(folder, temporary, name, new=expected == "")
            finally:
                _forget(folder, temporary)
            os.fsync(folder)
        return stat_of(os.fstat(written.number))

    def remove(self, path: str, *, recursive: bool) -> None:
        """Remove what is there, never what a link leads to."""
        if path == "/":
            raise Refused(path, "The root cannot be removed. Name what is in it.")
        with self._files.parent(path) as (folder, name):
            if kind_of(os.stat(name, dir_fd=folder, follow_symlinks=False)) != "folder":
                os.unlink(name, dir_fd=folder)
            elif recursive:
                shutil.rmtree(name, dir_fd=folder)
            else:
                os.rmdir(name, dir_fd=folder)
            os.fsync(folder)

    def move(self, source: str, target: str, *, replace: bool) -> None:
        """Give something another path."""
        check_move(source, target)
        moved, before = self._files.stat(source), self._files.stat(target)
        if moved is None:
            raise FileNotFoundError(errno.ENOENT, "", source)
        if source == target:
            return
        over = replace and moved.kind != "folder"
        if before is not None and (not over or before.kind == "folder"):
            raise Exists(target, ALREADY)
        if before is None:
            self._check_names(target, moved=source)
            self._make_folders(names_of(target)[:-1])
        with (
            self._files.parent(source) as (old_folder, old_name),
            self._files.parent(target) as (folder, name),
        ):
            _rename(old_folder, old_name, folder, name, over=over)
            os.fsync(folder)
            os.fsync(old_folder)

    def _check(self, path: str, found: Stat | None, expected: str | None) -> None:
        if found is not None:
            check_file(path, found.kind)
        check_expected(path, expected, found and found.revision)

    def _check_names(self, path: str, moved: str = "") -> None:
        """That no name that comes to be looks like one that is there."""
        if path.isascii() and not self._ignores_case:
            return
        at = "/"
        for name in names_of(path):
            other = twin(name, self._files.names(at), ignores_case=self._ignores_case)
            if other and join(at, other) != moved:
                raise Exists(path, LOOKS_SAME.format(other))
            at = join(at, name)

    def _make_folders(self, names: Sequence[str]) -> None:
        try:
            os.close(self._files.root.folder(names))
            return
        except FileNotFoundError:
            self._make_folders(names[:-1])
        with self._files.parent("/" + "/".join(names)) as (folder, name):
            try:
                os.mkdir(name, dir_fd=folder)
            except FileExistsError:  # somebody else made it
                return
            os.fsync(folder)


def _write(opened: Descriptor, folder: int, name: str, data: bytes, mode: int | None) -> None:
    """Have a new file hold the data, on the disk itself; like the one that it is to replace."""
    try:
        before = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        wanted = mode
    else:
        wanted = before.st_mode if mode is None else mode
        _give(opened, before)
    if wanted is not None:
        os.fchmod(opened.number, wanted & 0o777)
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(opened.number, rest) :]
    os.fsync(opened.number)


def _give(file: Descriptor, before: os.stat_result) -> None:
    """Leave a file to its owner: who works for somebody else as root must not take it."""
    made = os.fstat(file.number)
    if (made.st_uid, made.st_gid) != (before.st_uid, before.st_gid):
        try:
            os.fchown(file.number, before.st_uid, before.st_gid)
        except PermissionError:  # only root can, and who is not root could write it all the same
            pass


def _name(folder: int, temporary: str, name: str, *, new: bool) -> None:
    """Give the file that was written its name; a `new` one only if nothing has it."""
    if new:
        try:
            os.link(temporary, name, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
            return
        except OSError as error:
            if error.errno not in _NO_LINKS:
                raise
    os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)


def _forget(folder: int, temporary: str) -> None:
    try:
        os.unlink(temporary, dir_fd=folder)
    except OSError:
        pass


def _rename(old_folder: int, old_name: str, folder: int, name: str, *, over: bool) -> None:
    if not over and hasattr(_LIBC, "renameat2"):
        old, new = os.fsencode(old_name), os.fsencode(name)
        if _LIBC.renameat2(old_folder, old, folder, new, _NO_REPLACE) == 0:
            return
        code = ctypes.get_errno()
        if code not in (errno.EINVAL, errno.ENOSYS):  # these say that the disk cannot do it so
            raise OSError(code, os.strerror(code), name)
    os.rename(old_name, name, src_dir_fd=old_folder, dst_dir_fd=folder)
