"""Folders and files that a sandbox shows, and how."""

import os
import stat
import sys
from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias

from msgspec import Struct

from longrein.core.errors import UsageError
from longrein.workspace.paths import folders_above
from longrein.workspace.sandbox.base import SandboxProblem

Access: TypeAlias = Literal["none", "read", "write"]
AnyPath: TypeAlias = str | os.PathLike[str]

_NO_PLACES = frozenset("/ /dev /etc /proc /run /sys /tmp /usr /var".split())


_ORDER: tuple[Access, ...] = ("none", "read", "write")


class Place(Struct, frozen=True):
    """A folder or file that is visible in a sandbox, and how, before rules."""

    path: str
    access: Access


class Mask(Struct, frozen=True):
    """A place where other access holds than in the folder that it is in.

    `identity` is what the disk calls it: what was put in its place is another one.
    """

    path: str
    access: Access
    folder: bool
    identity: tuple[int, int]


def lesser(one: Access, other: Access) -> Access:
    """The one of two that allows less."""
    return one if _ORDER.index(one) < _ORDER.index(other) else other


def nearest(path: str, access: Mapping[str, Access]) -> Access | None:
    """What holds for a path by the nearest folder above it."""
    return next((access[one] for one in reversed(folders_above(path)) if one in access), None)


def real_path(path: str) -> str:
    """Where a path leads to, all links followed; "" if nowhere. One call, not one for each name."""
    if sys.platform != "linux":
        return os.path.realpath(path) if os.path.exists(path) else ""
    try:
        found = os.open(path, os.O_PATH)
    except OSError:
        return ""
    try:
        return os.readlink(f"/proc/self/fd/{found}")
    finally:
        os.close(found)


def is_at(descriptor: int, path: str) -> bool:
    """Whether what is open is what a path without links names, and no link was followed to it."""
    if stat.S_ISLNK(os.fstat(descriptor).st_mode):
        return False
    return sys.platform != "linux" or os.readlink(f"/proc/self/fd/{descriptor}") == path


def places_of(
    root: AnyPath, readable: Sequence[AnyPath], writable: Sequence[AnyPath]
) -> tuple[Place, ...]:
    """The root, then all others. Raises `UsageError` for what is not there or cannot be."""
    if not os.path.isdir(root):
        raise UsageError(f"The folder {os.fspath(root)!r} is not there. Make it first.")
    return (
        _place(root, "write"),
        *(_place(path, "read") for path in readable),
        *(_place(path, "write") for path in writable),
    )


def identified(place: Place) -> Mask:
    """What the disk has there now. Raises `SandboxProblem` where it has nothing."""
    try:
        found = os.stat(place.path, follow_symlinks=False)
    except OSError as error:
        raise SandboxProblem(f"{place.path!r} is not there any more: {error.strerror}.") from None
    identity = (found.st_dev, found.st_ino)
    return Mask(place.path, place.access, stat.S_ISDIR(found.st_mode), identity)


def _place(path: AnyPath, access: Access) -> Place:
    real = os.path.realpath(path)
    if not os.path.exists(real):
        raise UsageError(f"{os.fspath(path)!r} is not there, so commands cannot see it.")
    if real in _NO_PLACES:
        raise UsageError(f"Commands cannot be given the whole of {real!r}. Name a folder in it.")
    return Place(real, access)
