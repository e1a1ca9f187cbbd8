"""Files below one folder of the disk, by calls that block. Raises `OSError` and `FileProblem`.

Every call opens the folder that a file is in without following a link (`descriptors`), and then
does what it does relative to that descriptor: no path is looked up twice.
"""

import errno
import os
import stat
from collections import deque
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from heapq import nsmallest

from longrein.workspace.base import LARGEST, Content, Entry, Kind, Listing, Stat
from longrein.workspace.descriptors import Descriptor, Root
from longrein.workspace.paths import canonical, is_name, parent
from longrein.workspace.problems import Linked, NotAFile, Outside, TooLarge
from longrein.workspace.temporary import is_temporary

MOST_LINKS = 40

COARSEST = 2_500_000_000
"""Nanoseconds by which the time of a change may seem too early: some disks count in twos."""

# A pipe must not block whoever opens it, and a terminal must not become ours.
_READ = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_NOCTTY | os.O_CLOEXEC


class Confined:
    """What is below a folder, to read; paths are canonical."""

    def __init__(self, path: str, *, openat2: bool = True) -> None:
        self.root = Root(path, openat2=openat2)
        self.path = self.root.real()

    def real(self, path: str, *, last: bool = True) -> str:
        """The path with links resolved."""
        waiting = deque(names_of(path))
        done: list[str] = []
        links = 0
        while waiting:
            name = waiting.popleft()
            if name == "..":
                if not done:
                    raise Outside(path, "A link here leads out of the workspace.")
                done.pop()
                continue
            target = self._link([*done, name]) if waiting or last else ""
            if not target:
                done.append(name)
                continue
            links += 1
            if links > MOST_LINKS:
                raise Linked(path, "Links here lead in a circle. Remove one of them.")
            if target.startswith("/"):
                target = self._inside(path, target)
                done.clear()
            waiting.extendleft(n for n in reversed(target.split("/")) if n not in ("", "."))
        return canonical("/" + "/".join(done))

    def stat(self, path: str) -> Stat | None:
        """What is there; None for nothing."""
        try:
            with self.parent(path) as (folder, name):
                return _stat(folder, name)
        except FileNotFoundError:
            return None
        except NotADirectoryError:  # a file where a folder would be: nothing can be below
            return None

    def entries(self, path: str, limit: int) -> Listing:
        """The first entries of a folder."""
        folder = self.root.folder(names_of(path))
        try:
            with os.scandir(folder) as found:
                there = [one.name for one in found]
            shown = [name for name in there if is_shown(name)]
            names = nsmallest(limit + 1, shown)
            entries = [entry for name in names[:limit] if (entry := _entry(folder, name))]
        finally:
            os.close(folder)
        return Listing(tuple(entries), len(names) > limit, len(there) - len(shown))

    def files_in(self, folder: str) -> set[str]:
        """The names of the files in a folder; of none if it is no folder any more."""
        try:
            opened = self.root.folder(names_of(folder))
        except OSError:
            return set()
        try:
            with os.scandir(opened) as found:
                return {one.name for one in found if one.is_file(follow_symlinks=False)}
        finally:
            os.close(opened)

    def unchanged(self, folders: Iterable[str], since: int) -> set[str]:
        """Those of some folders whose paths led to them, and not through a link, ever since a time
        (nanoseconds) up to now: then what was seen there meanwhile, by path, is what is there.

        Nothing is put in the place of a name without its folder telling so. Where a disk cannot
        be relied on for that, none.
        """
        if not self.root.keeps_time:
            return set()
        on_the_way = {"/"}
        for folder in folders:
            while folder not in on_the_way:
                on_the_way.add(folder)
                folder = parent(folder)
        # The innermost first: that one was looked at in the right place is known from those above.
        by_length = sorted(on_the_way, key=len, reverse=True)
        changed = list(map(self.root.changed, by_length))
        calm: set[str] = set()
        for folder, at in zip(reversed(by_length), reversed(changed), strict=True):
            if (
                at is not None
                and at < since - COARSEST
                and (folder == "/" or parent(folder) in calm)
            ):
                calm.add(folder)
        return calm

    def names(self, folder: str) -> set[str]:
        """What a folder holds, as far as that helps to tell what somebody meant."""
        try:
            return {entry.name for entry in self.entries(folder, 1_000).entries}
        except OSError:
            return set()

    def open(self, path: str) -> Descriptor:
        """A file to read. What is no file is never waited for."""
        with self.parent(path) as (folder, name):
            check_file(path, kind_of(os.stat(name, dir_fd=folder, follow_symlinks=False)))
            opened = Descriptor(os.open(name, _READ, dir_fd=folder))
        check_file(path, kind_of(os.fstat(opened.number)))
        return opened

    def read(self, path: str, offset: int, limit: int | None) -> Content:
        """Bytes of a file; all of them if there is no limit."""
        opened = self.open(path)
        found = stat_of(os.fstat(opened.number))
        most = LARGEST if limit is None else limit
        if most > LARGEST or (limit is None and found.size - offset > LARGEST):
            raise TooLarge(
                path, f"This has {found.size:,} bytes, too many at once. Read a part of it."
            )
        return Content(pread_all(opened.number, most, offset), found)

    @contextmanager
    def parent(self, path: str) -> Generator[tuple[int, str], None, None]:
        """The descriptor of the folder that a path is in, and its name there."""
        *above, name = names_of(path) or ["."]
        folder = self.root.folder(above)
        try:
            yield folder, name
        finally:
            os.close(folder)

    def _link(self, names: list[str]) -> str:
        """What a link says; "" for what is none."""
        try:
            folder = self.root.folder(names[:-1])
        except OSError as error:
            if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG):
                return ""
            raise
        try:
            return os.readlink(names[-1], dir_fd=folder)
        except OSError as error:
            if error.errno in (errno.EINVAL, errno.ENOENT, errno.ENAMETOOLONG):
                return ""
            raise
        finally:
            os.close(folder)

    def _inside(self, path: str, target: str) -> str:
        """What an absolute link says, seen from the root."""
        target = os.path.normpath(target)
        if os.path.commonpath((self.path, target)) != self.path:
            raise Outside(path, "A link here leads out of the workspace.")
        return target[len(self.path) :] or "/"


def names_of(path: str) -> list[str]:
    """The names that a canonical path is made of."""
    return [name for name in path.split("/") if name]


def is_shown(name: str) -> bool:
    """Whether a name is one that can be given, and no file that is just being written."""
    return is_name(name) and not is_temporary(name)


def shown(paths: list[str]) -> list[str]:
    """Those of some paths whose names are all shown."""
    text = "/".join(paths)
    plain = text.isascii() and "/~" not in text and "/.longrein-" not in text
    if plain and b"\0" not in text.encode().translate(_ODD):
        return paths
    return [path for path in paths if all(map(is_shown, names_of(path)))]


_ODD = bytes(0 if byte < 32 or byte in b"\x7f\\" else byte for byte in range(256))


def kind_of(found: os.stat_result) -> Kind:
    """What something is."""
    if stat.S_ISREG(found.st_mode):
        return "file"
    if stat.S_ISDIR(found.st_mode):
        return "folder"
    return "link" if stat.S_ISLNK(found.st_mode) else "other"


def check_file(path: str, kind: Kind) -> None:
    """That this is a file, in words if it is not."""
    if kind == "link":
        raise Linked(path, "This is a link. Give the path that it leads to.")
    if kind == "folder":
        raise NotAFile(path, "This is a folder. List it, or give the path of a file.")
    if kind == "other":
        raise NotAFile(path, "This is a device, a pipe or a socket. Give the path of a file.")


def stat_of(found: os.stat_result) -> Stat:
    """What the disk says about something, as the port says it."""
    kind = kind_of(found)
    times = f"{found.st_mtime_ns:x}-{found.st_ctime_ns:x}"
    return Stat(
        kind,
        found.st_size if kind == "file" else 0,
        found.st_mtime_ns // 1_000,
        stat.S_IMODE(found.st_mode),
        f"{times}-{found.st_size:x}-{found.st_ino:x}" if kind == "file" else "",
    )


def pread_all(descriptor: int, limit: int, offset: int) -> bytes:
    """Bytes from `offset` on: as many as there are, at most `limit`."""
    pieces: list[bytes] = []
    while limit > 0 and (piece := os.pread(descriptor, min(limit, 1 << 22), offset)):
        pieces.append(piece)
        offset += len(piece)
        limit -= len(piece)
    return b"".join(pieces)


def _stat(folder: int, name: str) -> Stat:
    found = stat_of(os.stat(name, dir_fd=folder, follow_symlinks=False))
    if found.kind != "link":
        return found
    target = os.fsencode(os.readlink(name, dir_fd=folder)).decode("utf-8", "replace")
    return Stat("link", modified=found.modified, mode=found.mode, target=target)


def _entry(folder: int, name: str) -> Entry | None:
    try:
        found = stat_of(os.stat(name, dir_fd=folder, follow_symlinks=False))
    except OSError:  # gone meanwhile
        return None
    return Entry(name, found.kind, found.size, found.modified)
