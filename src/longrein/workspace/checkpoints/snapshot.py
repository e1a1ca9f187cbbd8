"""What a tree was at one look, folder by folder, and what differs between two looks."""

import os
import stat
from collections.abc import Iterator, Mapping
from typing import NamedTuple, TypeAlias

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from longrein.workspace.checkpoints.values import ABSENT, FOLDER, Reason, Version

YOUNG = 50_000_000
"""Nanoseconds in which a file may change again under the same time stamp: a few kernel ticks."""

YOUNG_COARSE = 2_000_000_000
"""The same on disks that count in seconds."""

ALL = b"."
"""The name for everything in a folder that could not be listed."""

_SECOND = 1_000_000_000


class Entry(Struct, frozen=True, array_like=True, gc=False):
    """A file or link of a folder: what the disk said of it, and its content.

    `young`: it was so new at the look that it may have changed since with nothing to show for it.
    """

    name: bytes
    ctime: int
    mtime: int
    size: int
    inode: int
    version: Version
    young: bool


class Folder(Struct, frozen=True, array_like=True):
    """A folder: its files and links, its folders that were looked into, and what was left out."""

    ctime: int
    mtime: int
    inode: int
    young: bool
    entries: tuple[Entry, ...]
    folders: tuple[bytes, ...]
    left: tuple[tuple[bytes, Reason], ...]


Snapshot: TypeAlias = Mapping[bytes, Folder]
"""Folders by their path below the root: b"" is the root, then b"/src", b"/src/lib".

Looks share the folders that did not change: they are the very same objects."""

encode = msgspec.msgpack.Encoder().encode
decode_folder = msgspec.msgpack.Decoder(Folder).decode


def is_young(found: os.stat_result, looked: int) -> bool:
    """Whether something changed so shortly before the look that a change after it may not show."""
    coarse = found.st_ctime_ns % _SECOND == 0
    return found.st_ctime_ns > looked - (YOUNG_COARSE if coarse else YOUNG)


def stamp(found: os.stat_result) -> bytes:
    """What differs whenever a file does, of all but the quickest changes."""
    times = f"{found.st_ctime_ns:x}-{found.st_mtime_ns:x}"
    return f"{times}-{found.st_size:x}-{found.st_ino:x}".encode()


def unkept(found: os.stat_result, reason: Reason) -> Version:
    """The version of something whose bytes are not kept."""
    return Version(
        "unkept", stamp(found), stat.S_IMODE(found.st_mode) & 0o777, found.st_size, reason
    )


def doubted(snapshot: Snapshot) -> Snapshot:
    """The same names with nothing known of their content: the next look reads all of it."""
    return {
        path: replace(
            folder,
            entries=tuple(
                Entry(one.name, 0, 0, 0, 0, Version("unkept"), True) for one in folder.entries
            ),
        )
        for path, folder in snapshot.items()
    }


class Difference(NamedTuple):
    """A path that is not what it was; paths are below the root."""

    path: bytes
    before: Version
    after: Version


def differences(then: Snapshot, now: Snapshot) -> Iterator[Difference]:
    """What differs between two looks, folders included. What was only left out is not new."""
    was: dict[bytes, Version] = {}
    here: dict[bytes, Version] = {}
    for path in then.keys() | now.keys():
        if then.get(path) is not now.get(path):
            was |= _versions(path, then.get(path))
            here |= _versions(path, now.get(path))
    for path in sorted(was.keys() | here.keys()):
        before = was.get(path) or _missing(then, path, here[path])
        after = here.get(path) or _missing(now, path, before)
        if before != after:
            yield Difference(path, before, after)


def appeared(then: Snapshot, now: Snapshot) -> Iterator[tuple[bytes, Reason]]:
    """What is left out now and was not there before."""
    for path, folder in now.items():
        was = then.get(path)
        if was is folder or not folder.left:
            continue
        old = _names(was)
        for name, reason in folder.left:
            if name not in old and not _left_out(then, path):
                yield path + b"/" + name, reason


def left_out(snapshot: Snapshot) -> Iterator[tuple[bytes, Reason]]:
    """Everything in a tree that is not kept."""
    for path, folder in snapshot.items():
        for name, reason in folder.left:
            yield path + b"/" + name, reason
        for entry in folder.entries:
            if entry.version.kind == "unkept":
                yield path + b"/" + entry.name, entry.version.why()


def _versions(path: bytes, folder: Folder | None) -> dict[bytes, Version]:
    """A folder and its files."""
    if folder is None:
        return {}
    found = {path + b"/" + entry.name: entry.version for entry in folder.entries}
    return {path: FOLDER, **found} if path else found


def _missing(snapshot: Snapshot, path: bytes, other: Version) -> Version:
    """What something is of which a look says nothing, and another look that it is `other`."""
    if not _left_out(snapshot, path):
        return ABSENT
    return other if other == FOLDER else Version("unkept", b"", other.mode, other.size, "ignored")


def _left_out(snapshot: Snapshot, path: bytes) -> bool:
    """Whether a path, or a folder that it is in, is among what was left out."""
    while path:
        above, _, name = path.rpartition(b"/")
        folder = snapshot.get(above)
        if folder is not None:
            return _left_out_here(folder, name)
        path = above
    return False


def _left_out_here(folder: Folder, name: bytes) -> bool:
    return any(one in (name, ALL) for one, _ in folder.left)


def _names(folder: Folder | None) -> set[bytes]:
    if folder is None:
        return set()
    left = {name for name, _ in folder.left}
    return left | set(folder.folders) | {entry.name for entry in folder.entries}
