"""What Landlock must allow below a place so that nothing masked is allowed."""

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, TypeAlias

from longrein.workspace.paths import folders_above, is_below
from longrein.workspace.sandbox.base import SandboxProblem
from longrein.workspace.sandbox.places import Access, Mask, Place, lesser

Granted: TypeAlias = Literal["list", "read", "write"]
"""`list`: the names in folders, and nothing of what is in the files."""

MOST_GRANTS = 1_000


def grants(place: Place, masks: Sequence[Mask]) -> list[tuple[str, Granted]]:
    """What is allowed, where. What is allowed in a folder is allowed in all below it, so around a
    mask everything is named by itself. Raises `SandboxProblem` where that is too much."""
    own: dict[str, Access] = {mask.path: mask.access for mask in masks}
    least: dict[str, Access] = {}
    for mask in masks:
        for folder in folders_above(mask.path):
            if is_below(folder, place.path):
                least[folder] = lesser(least.get(folder, "write"), mask.access)
    found: list[tuple[str, Granted]] = []
    for grant in _around(place.path, place.access, own, least):
        found.append(grant)
        if len(found) > MOST_GRANTS:
            raise SandboxProblem(
                f"File rules forbid parts of {place.path!r}, and Landlock would have to allow more "
                f"than {MOST_GRANTS} others one by one. Install bubblewrap, which can hide files, "
                "or forbid whole folders."
            )
    return found


def _around(
    path: str, around: Access, own: Mapping[str, Access], least: Mapping[str, Access]
) -> Iterator[tuple[str, Granted]]:
    access = own.get(path, around)
    below = lesser(access, least.get(path, access))
    if below != "none":
        yield path, below
    elif access != "none":
        yield path, "list"
    if path not in least:
        return
    try:
        entries = list(os.scandir(path))
    except OSError:  # it is gone, or no folder any more
        return
    for entry in entries:
        given = own.get(entry.path, access) == below and entry.path not in least
        if not given and not entry.is_symlink():
            yield from _around(entry.path, access, own, least)
