"""Whether a sandbox shows what it was meant to show: its mounts, as the kernel lists them.

Bubblewrap makes mounts by path, and whoever else writes in the workspace may put a link on that
path in the meantime: then something else is mounted, or elsewhere. The kernel knows of every mount
what it shows and where, whatever led there. Each thing that was meant makes one mount, so if all
are in their places, none is anywhere else.
"""

import os
import re
from collections.abc import Mapping, Sequence

from msgspec import Struct

from longrein.workspace.paths import folders_above, is_below, join

_NEW_ROOT = "/newroot"
"""Where bubblewrap builds what will be the root."""

_ESCAPED = re.compile(r"\\([0-7]{3})")


class Meant(Struct, frozen=True):
    """A mount that is to be: what it shows (None: a folder of its own), and whether read-only."""

    shows: str | None
    read_only: bool


class Mount(Struct, frozen=True):
    """A mount that is: where, and which folder or file of which disk it shows."""

    point: str
    disk: str
    shows: str
    options: frozenset[str]
    kind: str


def astray(process: int, meant: Mapping[str, Meant]) -> list[str]:
    """Those places of a sandbox that show something else than was meant.

    `process` is that of bubblewrap in there, which has made all mounts and waits; if it is gone,
    all are wrong. What is meant to be shown is given by paths without links.
    """
    outside, inside = _mounts("self"), _mounts(process, below=_NEW_ROOT)
    wrong: list[str] = []
    for point, one in meant.items():
        found = inside.get(point, [])
        along = len(outside.get(point, ())) and sum(  # comes along with each folder above it
            above != point and is_below(point, above) and other.shows == above
            for above, other in meant.items()
        ) * len(outside[point])
        shows = None if one.shows is None else _shown(one.shows, outside)
        if len(found) != 1 + along or not any(_fits(mount, one, shows) for mount in found):
            wrong.append(point)
    return wrong


def _fits(mount: Mount, meant: Meant, shows: tuple[str, str] | None) -> bool:
    needed = {"nosuid", "nodev", "ro"} if meant.read_only else {"nosuid", "nodev"}
    same = mount.kind == "tmpfs" if shows is None else (mount.disk, mount.shows) == shows
    return same and needed <= mount.options


def _shown(path: str, mounts: Mapping[str, Sequence[Mount]]) -> tuple[str, str]:
    """Which folder or file of which disk a path without links leads to."""
    above = (path, *reversed(folders_above(path)))
    on = next(mounts[folder][-1] for folder in above if folder in mounts)
    below = path[len(on.point) :].strip("/")
    return on.disk, join(on.shows, below) if below else on.shows


def _mounts(process: int | str, *, below: str = "") -> dict[str, list[Mount]]:
    """The mounts that a process has, by where they are; the last of several covers the others."""
    try:
        with open(f"/proc/{process}/mountinfo", "rb") as file:
            lines = os.fsdecode(file.read()).split("\n")
    except OSError:
        lines = []
    found: dict[str, list[Mount]] = {}
    for line in filter(None, lines):
        _, _, disk, shows, point, options, *others = line.split(" ")
        if point.startswith(f"{below}/"):
            point = _plain(point.removeprefix(below))
            kind = others[others.index("-") + 1]
            mount = Mount(point, disk, _plain(shows), frozenset(options.split(",")), kind)
            found.setdefault(point, []).append(mount)
    return found


def _plain(text: str) -> str:
    return _ESCAPED.sub(lambda found: chr(int(found[1], 8)), text) if "\\" in text else text
