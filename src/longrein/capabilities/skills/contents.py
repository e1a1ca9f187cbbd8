"""All that skills consist of: what a verdict on them is about, and what tells that it changed.

Whoever vouches for a skill vouches for its scripts too, so every file of it is looked at, whatever
it is called. No link is followed, whatever anybody swaps meanwhile.
"""

import hashlib
import os
import stat
from collections.abc import Iterable, Iterator
from typing import TypeAlias

from msgspec import Struct

from longrein.core.errors import UsageError
from longrein.workspace.confined import Confined
from longrein.workspace.folders import opened

MOST_FILES = 1_000
"""Files and folders that the skills of a project may have together."""

MOST_BYTES = 32 * 1024 * 1024
"""Bytes of these files."""

DEEPEST = 16
TOO_MUCH = ("too much",)
"""The sign of a skill that is beyond these bounds."""

BEYOND = (
    f"the skills of a project may have {MOST_FILES:,} files, {MOST_BYTES >> 20} MB and {DEEPEST} "
    "levels of folders together, so that all can be looked at. Move some of it elsewhere."
)

_READ = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_NOCTTY | os.O_CLOEXEC

Sign: TypeAlias = tuple[object, ...] | None
"""What `stat` says of something; another one when it changes, None where there is nothing."""


class Content(Struct, frozen=True):
    """How many files a skill has, and a digest of them all."""

    files: int
    digest: str


class _Entry(Struct, frozen=True):
    path: str
    found: os.stat_result
    above: int
    name: str


def survey(folder: str, names: Iterable[str]) -> dict[str, Sign]:
    """The signs of everything in some folders of a folder, by their names."""
    try:
        top = opened(folder).root.folder(())
    except (OSError, UsageError):  # whoever reads it then says what is wrong
        return dict.fromkeys(names)
    try:
        return dict(_signs(top, names))
    finally:
        os.close(top)


def _signs(top: int, names: Iterable[str]) -> Iterator[tuple[str, Sign]]:
    files = size = 0
    for name in names:
        signs = list[object]()
        for one in _everything(top, name):
            files += 1
            size += one.found.st_size if stat.S_ISREG(one.found.st_mode) else 0
            if files > MOST_FILES or size > MOST_BYTES or one.path.count("/") > DEEPEST:
                yield name, TOO_MUCH
                break
            signs.append((one.path, *sign_of(one.found)))
        else:
            yield name, tuple(signs)


def content_of(files: Confined, name: str) -> Content:
    """What is in one of the folders of a folder. Raises `UsageError` for what cannot be read, or is
    beyond the bounds."""
    digest, count, left = hashlib.sha256(), 0, MOST_BYTES
    try:
        top = files.root.folder(())
        try:
            for one in _everything(top, name):
                if one.path.count("/") > DEEPEST:
                    raise UsageError(BEYOND)
                said, size = _said(one, left)
                digest.update(
                    f"{len(one.path)} {one.path} {said}\n".encode(errors="surrogateescape")
                )
                count += stat.S_ISREG(one.found.st_mode)
                left -= size
        finally:
            os.close(top)
    except OSError as error:
        raise UsageError(f"it cannot be read: {error.strerror or error}.") from None
    return Content(count, digest.hexdigest())


def sign_of(found: os.stat_result) -> tuple[int, ...]:
    """What of a `stat` is different when something has changed."""
    return found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino, found.st_mode


def _everything(top: int, name: str) -> Iterator[_Entry]:
    for folder, folders, files, above in os.fwalk(name, dir_fd=top, follow_symlinks=False):
        # What Python compiled is no exception: what stands there runs instead of its source.
        folders.sort()
        for one in (*folders, *sorted(files)):
            try:
                found = os.stat(one, dir_fd=above, follow_symlinks=False)
            except FileNotFoundError:  # gone meanwhile
                continue
            yield _Entry(f"{folder}/{one}", found, above, one)


def _said(one: _Entry, most: int) -> tuple[str, int]:
    """What an entry is, and how much of the bytes that are left it takes."""
    mode = one.found.st_mode
    if stat.S_ISLNK(mode):
        return f"-> {os.readlink(one.name, dir_fd=one.above)}", 0
    if not stat.S_ISREG(mode):
        return f"{stat.S_IFMT(mode):o}", 0
    with open(os.open(one.name, _READ, dir_fd=one.above), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):  # by now
            raise UsageError("it changed while it was read.")
        data = file.read(most + 1)
    if len(data) > most:
        raise UsageError(BEYOND)
    return hashlib.sha256(data).hexdigest(), len(data)
