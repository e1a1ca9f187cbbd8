"""A look at a tree of the disk: what is there, and the bytes of what is new since the last look.

A file whose time stamps, size and inode are what they were is taken to be what it was, unless it
was so young then that they could not tell. A folder that did not change is not listed again. What
was once looked at is looked at for as long as it is there, whatever .gitignore files say later.
"""

import errno
import os
import stat
import time
from collections.abc import Collection, Iterator
from hashlib import sha256

from msgspec.structs import replace

from longrein.workspace.checkpoints.objects import Piece, piece
from longrein.workspace.checkpoints.snapshot import ALL, Entry, Folder, Snapshot, is_young, unkept
from longrein.workspace.checkpoints.values import Keeping, Reason, Version
from longrein.workspace.descriptors import Root
from longrein.workspace.ignore import LARGEST, Ignores
from longrein.workspace.temporary import is_temporary

BATCH = 8 * 1024 * 1024
"""Bytes that are read before they are handed on."""

GONE = {errno.ENOENT, errno.ENOTDIR, errno.ELOOP}
"""What the disk says where nothing is, or where it is only behind a link."""

_READ = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_NOCTTY | os.O_CLOEXEC
_RULES = b".gitignore"


class Look:
    """One look at a tree, made by calls that block.

    Go through `batches` and keep the bytes that they hold; then `snapshot` is what was seen and
    `rest` the last bytes to keep, `relied` the hashes of those that should be kept already. Paths
    `besides` are passed over.
    """

    def __init__(
        self, root: Root, before: Snapshot, keeping: Keeping, besides: Collection[bytes] = ()
    ) -> None:
        self._root = root
        self._before = before
        self._keeping = keeping
        self._besides = besides
        self._looked = time.time_ns()
        self._rules: dict[bytes, Ignores] = {}
        self._device = -1
        self._files = 0
        self._room: int | None = None
        self._unread = 0
        self.snapshot: dict[bytes, Folder] = {}
        self.rest: list[Piece] = []
        self.relied: list[bytes] = []

    def batches(self) -> Iterator[list[Piece]]:
        """Go through the tree, stopping whenever there are enough new bytes."""
        waiting: list[tuple[bytes, bool]] = [(b"", False)]
        while waiting:
            path, anew = waiting.pop()
            folder, anew = self._folder(path, anew)
            if folder is not None:
                self.snapshot[path] = folder
                waiting += ((path + b"/" + name, anew) for name in reversed(folder.folders))
            if self._unread > BATCH:
                batch, self.rest, self._unread = self.rest, [], 0
                self.relied += (one.digest for one in batch)
                yield batch

    def _folder(self, path: bytes, anew: bool) -> tuple[Folder | None, bool]:
        """What a folder is now, and whether the rules for what is in it are new."""
        try:
            opened = self._root.folder(_names(path))
        except OSError as error:
            return (None if error.errno in GONE else self._unlisted(path)), False
        try:
            found = os.fstat(opened)
            if self._device < 0:
                self._device = found.st_dev
            before = self._before.get(path)
            if before is not None and not anew and _is_same(before, found):
                folder = self._glance(opened, before)
                if folder is before or _rules_of(folder) == _rules_of(before):
                    return folder, False
            folder = self._list(path, opened, found, before)
            return folder, anew or before is None or _rules_of(folder) != _rules_of(before)
        except OSError:
            return self._unlisted(path), False
        finally:
            os.close(opened)

    def _unlisted(self, path: bytes) -> Folder:
        """A folder that cannot be listed now: all in it is taken to be as it was."""
        return self._before.get(path) or Folder(0, 0, 0, True, (), (), ((ALL, "unreadable"),))

    def _glance(self, opened: int, before: Folder) -> Folder:
        """A folder whose names are those that it had: only what changed is read."""
        look = os.stat
        changed: dict[int, Entry | None] = {}
        for at, entry in enumerate(before.entries):
            try:
                found = look(entry.name, dir_fd=opened, follow_symlinks=False)
            except FileNotFoundError:
                changed[at] = None
                continue
            if (
                found.st_ctime_ns != entry.ctime
                or found.st_mtime_ns != entry.mtime
                or found.st_size != entry.size
                or found.st_ino != entry.inode
                or entry.young
            ):
                changed[at] = self._entry(opened, entry.name, found, entry)
        self._files += len(before.entries)
        if not changed:
            return before
        now = (changed.get(at, entry) for at, entry in enumerate(before.entries))
        return replace(before, entries=tuple(entry for entry in now if entry is not None))

    def _list(
        self, path: bytes, opened: int, stat_now: os.stat_result, before: Folder | None
    ) -> Folder:
        """A folder that is new or changed, listed."""
        old = {entry.name: entry for entry in before.entries} if before is not None else {}
        known = set(old) | set(before.folders if before is not None else ())
        entries: list[Entry] = []
        folders: list[bytes] = []
        left: list[tuple[bytes, Reason]] = []
        names = sorted(map(os.fsencode, os.listdir(opened)))
        rules = self._rules_for(path, opened, _RULES in names)
        for name in names:
            try:
                found = os.stat(name, dir_fd=opened, follow_symlinks=False)
            except OSError:  # gone meanwhile
                continue
            if _is_temporary(name) or path + b"/" + name in self._besides:
                continue
            if reason := self._leave(path, name, found, rules, known):
                left.append((name, reason))
            elif stat.S_ISDIR(found.st_mode):
                self._files += 1
                folders.append(name)
            else:
                self._files += 1
                entries.append(self._entry(opened, name, found, old.get(name)))
        return Folder(
            stat_now.st_ctime_ns,
            stat_now.st_mtime_ns,
            stat_now.st_ino,
            is_young(stat_now, self._looked),
            tuple(entries),
            tuple(folders),
            tuple(left),
        )

    def _leave(
        self, path: bytes, name: bytes, found: os.stat_result, rules: Ignores, known: set[bytes]
    ) -> Reason | None:
        """Why something is not looked at; None for what is."""
        is_folder = stat.S_ISDIR(found.st_mode)
        if name == b".git":
            return "git"
        if is_folder and found.st_dev != self._device:
            return "mount"
        if not is_folder and not stat.S_ISREG(found.st_mode) and not stat.S_ISLNK(found.st_mode):
            return "special"
        if name in known or name == _RULES:
            return None
        if self._files >= self._keeping.files:
            return "full"
        inner = os.fsdecode(path + b"/" + name)
        return "ignored" if rules.leaves_out(inner, folder=is_folder) else None

    def _entry(
        self, opened: int, name: bytes, found: os.stat_result, before: Entry | None
    ) -> Entry:
        if before is not None and _is_as(before, found):
            return before
        version = self._version(opened, name, found, before)
        return Entry(
            name,
            found.st_ctime_ns,
            found.st_mtime_ns,
            found.st_size,
            found.st_ino,
            version,
            is_young(found, self._looked),
        )

    def _version(
        self, opened: int, name: bytes, found: os.stat_result, before: Entry | None
    ) -> Version:
        was = before.version if before is not None else None
        if stat.S_ISLNK(found.st_mode):
            try:
                data = os.readlink(name, dir_fd=opened)
            except OSError:
                return unkept(found, "unreadable")
            return self._kept("link", data, 0, was)
        if found.st_size > self._keeping.largest:
            return unkept(found, "large")
        if (was is None or was.kind != "file") and found.st_size > self._room_left():
            return unkept(found, "full")
        try:
            data = read_file(opened, name, self._keeping.largest)
        except OSError:
            return unkept(found, "unreadable")
        if data is None:
            return unkept(found, "large")
        return self._kept("file", data, stat.S_IMODE(found.st_mode) & 0o777, was)

    def _kept(self, kind: str, data: bytes, mode: int, was: Version | None) -> Version:
        digest = sha256(data).digest()
        known = was is not None and was.digest == digest
        if known:
            self.relied.append(digest)
        else:
            self.rest.append(piece(data, digest))
            self._unread += len(data)
        if kind == "link":
            return Version("link", digest, 0, len(data))
        replaced = was.size if was is not None and was.kind == "file" else 0
        self._room = self._room_left() - len(data) + replaced
        return Version("file", digest, mode, len(data))

    def _room_left(self) -> int:
        """How many bytes more are kept; what went since the last look makes room at the next."""
        if self._room is None:
            self._room = self._keeping.total - sum(
                entry.version.size
                for folder in self._before.values()
                for entry in folder.entries
                if entry.version.kind == "file"
            )
        return self._room

    def _rules_for(self, path: bytes, opened: int, has_rules: bool) -> Ignores:
        rules = self._rules_above(path)
        if has_rules:
            try:
                data = read_file(opened, _RULES, LARGEST)
            except OSError:
                data = None
            if data is not None:
                rules = rules.inside(os.fsdecode(path) or "/", data.decode("utf-8-sig", "replace"))
        self._rules[path] = rules
        return rules

    def _rules_above(self, path: bytes) -> Ignores:
        if not path:
            return Ignores()
        above = path.rpartition(b"/")[0]
        if above in self._rules:
            return self._rules[above]
        # That folder was only glanced at, so its rules have not been needed yet.
        folder = self.snapshot[above]
        opened = self._root.folder(_names(above))
        try:
            return self._rules_for(above, opened, _rules_of(folder) is not None)
        finally:
            os.close(opened)


def read_file(folder: int, name: bytes, largest: int) -> bytes | None:
    """The bytes of a file; None if there are too many. `OSError` for what is no file."""
    opened = os.open(name, _READ, dir_fd=folder)
    try:
        if not stat.S_ISREG(os.fstat(opened).st_mode):
            raise OSError("no file any more")
        data = os.read(opened, largest + 1)
        while more := os.read(opened, largest + 1 - len(data)):
            data += more
        return data if len(data) <= largest else None
    finally:
        os.close(opened)


def _names(path: bytes) -> list[str]:
    return os.fsdecode(path[1:]).split("/") if path else []


def _is_same(folder: Folder, found: os.stat_result) -> bool:
    return (
        found.st_ctime_ns == folder.ctime
        and found.st_mtime_ns == folder.mtime
        and found.st_ino == folder.inode
        and not folder.young
    )


def _is_as(entry: Entry, found: os.stat_result) -> bool:
    return (
        found.st_ctime_ns == entry.ctime
        and found.st_mtime_ns == entry.mtime
        and found.st_size == entry.size
        and found.st_ino == entry.inode
        and not entry.young
    )


def _rules_of(folder: Folder | None) -> Version | None:
    """The .gitignore of a folder."""
    if folder is None:
        return None
    return next((one.version for one in folder.entries if one.name == _RULES), None)


def _is_temporary(name: bytes) -> bool:
    """Whether this is a file that is just being written by a tool, and gets its name later."""
    return name.startswith(b".longrein-") and is_temporary(os.fsdecode(name))
