"""Where in a tree rules forbid what holds around it: what must be mounted differently.

The shell cannot ask, so what a rule asks about is forbidden there.
"""

import errno
import os
import stat
import time
from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from longrein.workspace.descriptors import Descriptor
from longrein.workspace.paths import in_order, is_below, join
from longrein.workspace.rules import FileRule, decide, resolved
from longrein.workspace.sandbox.base import SandboxProblem
from longrein.workspace.sandbox.places import Access, Mask, Place, is_at, lesser, nearest

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


def narrowed(masks: Sequence[Mask], by: Sequence[Mask]) -> list[Mask]:
    """Masks in order, where those of `by` and all inside them give no more than these allow."""
    own: dict[str, Access] = {mask.path: mask.access for mask in masks}
    every = {mask.path: mask for mask in (*masks, *by)}
    found: dict[str, Mask] = {}
    holds: dict[str, Access] = {}
    for path in sorted(every, key=in_order):
        access = own.get(path) or nearest(path, own) or "write"
        for one in by:
            if is_below(path, one.path):
                access = lesser(access, one.access)
        if access != nearest(path, holds):
            found[path] = replace(every[path], access=access)
        holds[path] = access
    return list(found.values())


class Tree:
    """Finds the masks below a place, and finds them again quickly.

    A link that a rule names cannot be mounted on: what it leads to, in the place, is masked. Not
    so if that is a folder around the link, which would be hidden together with all else.

    A folder is listed again only if the disk says that it changed. That time cannot be set by
    whoever changes it; changes of the last moment are not trusted to show.
    """

    def __init__(self, place: Place, rules: Sequence[FileRule]) -> None:
        self._place, self._rules = place, tuple(rules)
        self._restricts = any(rule.effect != "allow" for rule in rules)
        self._allows = any(rule.effect == "allow" or rule.but for rule in rules)
        self._known: dict[str, _Folder] = {}
        self._now = self._rules

    def masks(self) -> list[Mask]:
        """All masks, folders before what is in them. Raises `SandboxProblem` for too many."""
        if not self._restricts:
            return []
        rules = resolved(self._rules, self._place.path)
        known, self._known = self._known if rules == self._now else {}, {}
        self._now = rules
        found: list[Mask] = []
        for mask in self._walk(known):
            found.append(mask)
            if len(found) > MOST_MASKS:
                raise SandboxProblem(
                    f"File rules forbid more than {MOST_MASKS} separate places below "
                    f"{self._place.path!r}, and each must be mounted. Forbid whole folders instead."
                )
        links = (link for folder in self._known.values() for link in folder.links)
        led_to = [mask for mask in map(self._led_to, links) if mask is not None]
        return narrowed(found, led_to) if led_to else found

    def _walk(self, known: dict[str, "_Folder"]) -> Iterator[Mask]:
        top = self._place.path
        access = access_by(self._now, top, self._place.access)
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
            settled = now - found.st_ctime_ns > _SETTLED
            return self._list(path, access, stamp if settled else None)
        except FileNotFoundError:
            return _Folder()
        except OSError:  # who owns it could still make it readable from inside
            return _Folder(masks=(Mask(path, "none", True, (0, 0)),))

    def _list(self, path: str, access: Access, stamp: tuple[int, int, int] | None) -> "_Folder":
        masks: list[Mask] = []
        folders: list[tuple[str, Access]] = []
        links: list[tuple[str, Access]] = []
        opened = Descriptor(os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW))
        if not is_at(opened.number, path):  # what is outside is nobody's business
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
        with os.scandir(opened.number) as entries:
            for entry in entries:
                inner = join(path, entry.name)
                own = access_by(self._now, inner, self._place.access)
                if entry.is_symlink():
                    if lesser(own, access) != access:
                        links.append((inner, own))
                    continue
                folder = entry.is_dir(follow_symlinks=False)
                if own != access and (identity := _identity(entry)):
                    masks.append(Mask(inner, own, folder, identity))
                if folder:
                    folders.append((inner, own))
        return _Folder(stamp, tuple(masks), tuple(folders), tuple(links))

    def _led_to(self, link: tuple[str, Access]) -> Mask | None:
        path, access = link
        try:
            real = os.path.realpath(path)
            found = os.stat(real, follow_symlinks=False)
        except OSError:
            return None
        if is_below(path, real) or not is_below(real, self._place.path):
            return None
        return Mask(real, access, stat.S_ISDIR(found.st_mode), (found.st_dev, found.st_ino))


def _identity(entry: os.DirEntry[str]) -> tuple[int, int] | None:
    try:
        found = entry.stat(follow_symlinks=False)
    except FileNotFoundError:  # which must not keep the others in its folder from being masked
        return None
    return found.st_dev, found.st_ino


class _Folder(Struct, frozen=True):
    """What is known of a folder, with the links in it that rules name. Without a stamp it is looked
    at again."""

    stamp: tuple[int, int, int] | None = None
    masks: tuple[Mask, ...] = ()
    folders: tuple[tuple[str, Access], ...] = ()
    links: tuple[tuple[str, Access], ...] = ()
