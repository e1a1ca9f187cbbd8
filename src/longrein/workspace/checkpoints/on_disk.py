"""Files put back in a folder of the disk: whole or not at all, and no link is followed."""

import asyncio
import os
import stat
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import partial
from hashlib import sha256
from typing import TypeVar

from longrein.workspace.checkpoints.looking import GONE, read_file
from longrein.workspace.checkpoints.places import OTHER_NOW, UNREADABLE, Found, Place, check_count
from longrein.workspace.checkpoints.snapshot import stamp, unkept
from longrein.workspace.checkpoints.values import ABSENT, FOLDER, Keeping, Version, shown
from longrein.workspace.descriptors import Descriptor, Root
from longrein.workspace.problems import Changed, Refused
from longrein.workspace.temporary import create, new_name, sweep

T = TypeVar("T")


class DiskPlace:
    """A folder of the disk, whose files have paths that begin with `at`. No link is followed."""

    def __init__(self, root: Root, at: bytes, keeping: Keeping) -> None:
        self._root = root
        self._at = at
        self._keeping = keeping

    async def all_below(self, path: bytes) -> list[bytes]:
        return await self._do(path, partial(self._all_below, path))

    async def find(self, path: bytes) -> Found:
        return await asyncio.to_thread(self._find, path)

    async def put(self, path: bytes, target: Version, data: bytes, found: Found) -> None:
        await self._do(path, partial(self._put, path, target, data, found))

    async def remove(self, path: bytes, found: Found) -> None:
        await self._do(path, partial(self._remove, path, found))

    async def sweep(self, path: bytes) -> None:
        await asyncio.to_thread(self._sweep, path)

    async def _do(self, path: bytes, call: Callable[[], T]) -> T:
        try:
            return await asyncio.to_thread(call)
        except OSError as error:
            says = f"The disk cannot do this: {error.strerror or error}."
            raise Refused(shown(path), says) from None

    def _all_below(self, path: bytes) -> list[bytes]:
        *above, name = self._names(path)
        found: list[bytes] = []
        for count in range(1, len(above) + 1):
            if not self._is_folder(above[:count]):
                found.append(self._at + b"/" + os.fsencode("/".join(above[:count])))
        found.append(path)
        waiting = [[*above, name]] if self._is_folder([*above, name]) else []
        while waiting:
            check_count(shown(path), len(found), self._keeping.files)
            names = waiting.pop()
            opened = self._root.folder(names)
            try:
                with os.scandir(opened) as entries:
                    inner = [(one.name, one.is_dir(follow_symlinks=False)) for one in entries]
            finally:
                os.close(opened)
            for one, is_folder in inner:
                found.append(self._at + b"/" + os.fsencode("/".join((*names, one))))
                if is_folder:
                    waiting.append([*names, one])
        return found

    def _sweep(self, path: bytes) -> None:
        try:
            with self._parent(path) as (folder, _):
                sweep(folder)
        except OSError:  # no such folder any more
            pass

    def _find(self, path: bytes) -> Found:
        try:
            with self._parent(path) as (folder, name):
                now = os.stat(name, dir_fd=folder, follow_symlinks=False)
                return self._found(folder, name, now)
        except OSError as error:
            return Found(ABSENT) if error.errno in GONE else UNREADABLE

    def _found(self, folder: int, name: bytes, now: os.stat_result) -> Found:
        if stat.S_ISDIR(now.st_mode):
            return Found(FOLDER, b"folder")
        if stat.S_ISLNK(now.st_mode):
            target = os.readlink(name, dir_fd=folder)
            version = Version("link", sha256(target).digest(), 0, len(target))
            return Found(version, stamp(now), target)
        if not stat.S_ISREG(now.st_mode):
            return Found(unkept(now, "special"), stamp(now))
        try:
            data = read_file(folder, name, self._keeping.largest_by_tool)
        except OSError:
            return Found(unkept(now, "unreadable"), stamp(now))
        if data is None:
            return Found(unkept(now, "large"), stamp(now))
        mode = stat.S_IMODE(now.st_mode) & 0o777
        return Found(Version("file", sha256(data).digest(), mode, len(data)), stamp(now), data)

    def _put(self, path: bytes, target: Version, data: bytes, found: Found) -> None:
        self._make_folders(self._names(path)[:-1])
        with self._parent(path) as (folder, name):
            if target.kind == "folder":
                os.mkdir(name, dir_fd=folder)
            else:
                temporary, _opened = _written(folder, target, data, like=name)
                try:
                    self._check(path, folder, name, found)
                    _name(folder, temporary, name, new=found.version == ABSENT)
                finally:
                    _forget(folder, temporary)
            os.fsync(folder)

    def _remove(self, path: bytes, found: Found) -> None:
        with self._parent(path) as (folder, name):
            self._check(path, folder, name, found)
            if found.version == FOLDER:
                os.rmdir(name, dir_fd=folder)
            else:
                os.unlink(name, dir_fd=folder)
            os.fsync(folder)

    def _check(self, path: bytes, folder: int, name: bytes, found: Found) -> None:
        try:
            now = os.stat(name, dir_fd=folder, follow_symlinks=False)
        except FileNotFoundError:
            is_now = b""
        else:
            is_now = b"folder" if stat.S_ISDIR(now.st_mode) else stamp(now)
        if is_now != found.stamp:
            raise Changed(shown(path), OTHER_NOW)

    def _make_folders(self, names: list[str]) -> None:
        for count in range(1, len(names) + 1):
            if not self._is_folder(names[:count]):
                above = self._root.folder(names[: count - 1])
                try:
                    os.mkdir(names[count - 1], dir_fd=above)
                finally:
                    os.close(above)

    def _is_folder(self, names: list[str]) -> bool:
        try:
            os.close(self._root.folder(names))
        except OSError:
            return False
        return True

    @contextmanager
    def _parent(self, path: bytes) -> Generator[tuple[int, bytes], None, None]:
        *above, name = self._names(path)
        folder = self._root.folder(above)
        try:
            yield folder, os.fsencode(name)
        finally:
            os.close(folder)

    def _names(self, path: bytes) -> list[str]:
        return os.fsdecode(path[len(self._at) :]).split("/")[1:] or ["."]


def _written(
    folder: int, target: Version, data: bytes, *, like: bytes
) -> tuple[bytes, Descriptor | None]:
    """A file or link that is to get its name, on the disk itself; nobody sweeps what is open."""
    if target.kind == "link":
        name = new_name()
        os.symlink(data, name, dir_fd=folder)
        return name.encode(), None
    name, opened = create(folder, 0o600)
    try:
        _give(opened.number, folder, like)
        os.fchmod(opened.number, target.mode)
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(opened.number, rest) :]
        os.fsync(opened.number)
    except BaseException:
        _forget(folder, name.encode())
        raise
    return name.encode(), opened


def _give(opened: int, folder: int, like: bytes) -> None:
    """Leave a file to the owner of the one that it replaces; only root can, and needs to."""
    try:
        before = os.stat(like, dir_fd=folder, follow_symlinks=False)
        os.fchown(opened, before.st_uid, before.st_gid)
    except (FileNotFoundError, PermissionError):
        pass


def _name(folder: int, temporary: bytes, name: bytes, *, new: bool) -> None:
    if new:
        try:
            os.link(temporary, name, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
            return
        except FileExistsError:
            raise Changed(shown(name), OTHER_NOW) from None
        except OSError:  # a disk without hard links
            pass
    os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)


def _forget(folder: int, temporary: bytes) -> None:
    try:
        os.unlink(temporary, dir_fd=folder)
    except FileNotFoundError:
        pass


_fits: type[Place] = DiskPlace
