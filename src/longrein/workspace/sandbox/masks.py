"""Where in a tree rules forbid what holds around it: what must be mounted differently.

The shell cannot ask, so what a rule asks about is forbidden there.
"""

import os
import stat
import time
from collections.abc import Iterator, Sequence

from msgspec import Struct

from longrein.workspace.rules import FileRule, decide
from longrein.workspace.sandbox.base import SandboxProblem
from longrein.workspace.sandbox.places import Access, Mask, Place

MOST_MASKS = 500
"""More places than this are not mounted one by one: each costs time, and the kernel has a limit."""

_SETTLED = 50_000_000
"""Nanoseconds after which a change shows in the time of a folder, whatever the clock's step."""


def access_by(rules: Sequence[FileRule], path: str, most: Access) -> Access:
    """What a command may do with a path where without rules it could do `most`.

    >>> rules = [FileRule("deny", ("/project/lib/**",), ("write",)), FileRule("ask", ("**/.env",))]
    >>> [access_by(rules, f"/project/{name}", "write") for name in ("a", "lib/a", ".env")]
    ['write', 'read', 'none']
    """
    if most == "none" or decide(rules, path, "read").effect != "allow":
        return "none"
    if most == "read" or decide(rules, path, "write").effect != "allow":
        return "read"
    return "write"


class Tree:
    """Finds the masks below a place, and finds them again quickly.

    A folder is listed again only if the disk says that it changed. That time cannot be set by
    whoever changes it; changes of the last moment are not trusted to show.
    """

    def __init__(self, place: Place, rules: Sequence[FileRule]) -> None:
        self._place, self._rules = place, tuple(rules)
        self._restricts = any(rule.effect != "allow" for rule in rules)
        self._allows = any(rule.effect == "allow" for rule in rules)
        self._known: dict[str, _Folder] = {}

    def masks(self) -> list[Mask]:
        """All masks, folders before what is in them. Raises `SandboxProblem` for too many."""
        if not self._restricts:
            return []
        known, self._known = self._known, {}
        found: list[Mask] = []
        for mask in self._walk(known):
            found.append(mask)
            if len(found) > MOST_MASKS:
                raise SandboxProblem(
                    f"File rules forbid more than {MOST_MASKS} separate places below "
                    f"{self._place.path!r}, and each must be mounted. Forbid whole folders instead."
                )
        return found

    def _walk(self, known: dict[str, "_Folder"]) -> Iterator[Mask]:
        top = self._place.path
        access = access_by(self._rules, top, self._place.access)
        found = os.stat(top, follow_symlinks=False)
        if access != self._place.access:
            yield Mask(top, access, stat.S_ISDIR(found.st_mode), (found.st_dev, found.st_ino))
        rest: list[tuple[str, Access]] = [(top, access)] if stat.S_ISDIR(found.st_mode) else []
        while rest:
            path, access = rest.pop()
            if access == "none" and not self._allows:
                continue
            folder = self._known[path] = self._look(path, access, known.get(path))
            yield from folder.masks
            rest += folder.folders

    def _look(self, path: str, access: Access, known: "_Folder | None") -> "_Folder":
        """What is in a folder, listed only if it is not known as it is."""
        now = time.time_ns()
        try:
            found = os.stat(path, follow_symlinks=False)
            stamp = (found.st_dev, found.st_ino, found.st_ctime_ns)
            if known is not None and known.stamp == stamp:
                return known
            masks, folders = self._list(path, access)
        except FileNotFoundError:
            return _Folder(None, (), ())
        except OSError:  # who owns it could still make it readable from inside
            return _Folder(None, (Mask(path, "none", True, (0, 0)),), ())
        return _Folder(stamp if now - found.st_ctime_ns > _SETTLED else None, masks, folders)

    def _list(
        self, path: str, access: Access
    ) -> tuple[tuple[Mask, ...], tuple[tuple[str, Access], ...]]:
        masks: list[Mask] = []
        folders: list[tuple[str, Access]] = []
        with os.scandir(path) as entries:
            for entry in entries:
                if entry.is_symlink():  # rules are about what it leads to
                    continue
                own = access_by(self._rules, entry.path, self._place.access)
                folder = entry.is_dir(follow_symlinks=False)
                if own != access:
                    found = entry.stat(follow_symlinks=False)
                    masks.append(Mask(entry.path, own, folder, (found.st_dev, found.st_ino)))
                if folder:
                    folders.append((entry.path, own))
        return tuple(masks), tuple(folders)


class _Folder(Struct, frozen=True):
    """What is known of a folder. Without a stamp it is looked at again."""

    stamp: tuple[int, int, int] | None
    masks: tuple[Mask, ...]
    folders: tuple[tuple[str, Access], ...]
