"""What a sandbox shows of the disk, as arguments for bubblewrap.

Mounts are made in order, folders before what is in them, so the deepest decides. Where something is
masked below a folder that can be written to, every folder on the way is a mount of its own: such a
folder cannot be renamed, so nobody puts another one in its place.
"""

import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice

from msgspec import Struct

from longrein.workspace.paths import folders_above, in_order, is_below
from longrein.workspace.protected import IN_REPOSITORY, PROTECTED, REPOSITORY
from longrein.workspace.sandbox.base import SandboxProblem
from longrein.workspace.sandbox.masks import MOST_MASKS
from longrein.workspace.sandbox.mounted import Meant
from longrein.workspace.sandbox.places import Access, Mask, Place, nearest, real_path
from longrein.workspace.sandbox.system import ETC, SYSTEM

MOST_MODULES = 20
"""If a repository has more submodules than this, all of those are read-only as a whole."""

_RUNNING = (os.path.realpath(sys.prefix), os.path.realpath(sys.base_prefix))

HOME = "/tmp/home"

NAMESPACES = (
    "--unshare-user --unshare-ipc --unshare-pid --unshare-uts --unshare-cgroup-try "
    "--die-with-parent --new-session --cap-drop ALL"
).split()


def protected(root: str) -> list[Mask]:
    """What is read-only below the root though no rule says so, as far as it exists."""
    masks: dict[str, Mask] = {}
    for path in (*_RUNNING, *_lasting(root)):
        real = real_path(path)
        if real == root or not is_below(real, root):
            continue
        try:
            found = os.stat(real, follow_symlinks=False)
        except OSError:  # it went away just now
            continue
        folder = stat.S_ISDIR(found.st_mode)
        masks[real] = Mask(real, "read", folder, (found.st_dev, found.st_ino))
    return list(masks.values())


def _lasting(root: str) -> Iterator[str]:
    """What is in the table, right below the root: deeper ones are not looked for."""
    for name in (pattern.rpartition("/")[2] for pattern in PROTECTED):
        path = f"{root}/{name}"
        if name == REPOSITORY and os.path.isdir(path):
            yield from _in_repository(path)
        else:
            yield path


def _in_repository(folder: str) -> Iterator[str]:
    """What in a repository says what is run: in its own, of its work trees, of its submodules."""
    modules = list(islice(_modules(f"{folder}/modules"), MOST_MODULES + 1))
    if len(modules) > MOST_MODULES:
        modules = []
        yield f"{folder}/modules"
    worktrees = (f"{folder}/worktrees/{name}" for name in _names(f"{folder}/worktrees"))
    for one in (folder, *worktrees, *modules):
        yield from (f"{one}/{name}" for name in IN_REPOSITORY)


def _modules(folder: str) -> Iterator[str]:
    """The repositories of submodules; their names may have slashes, and they may have their own."""
    for name in _names(folder):
        module = f"{folder}/{name}"
        if os.path.lexists(f"{module}/HEAD"):
            yield module
            yield from _modules(f"{module}/modules")
        elif os.path.isdir(module) and not os.path.islink(module):
            yield from _modules(module)


def _names(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def is_inner(place: Mask, places: Iterable[Mask]) -> bool:
    """Whether a place lies in another one."""
    return any(is_below(place.path, one.path) and place.path != one.path for one in places)


class Layout(Struct, frozen=True):
    """What a sandbox shows: words for bubblewrap, and the mounts that must come of them."""

    words: list[str]
    meant: dict[str, Meant]


def layout(
    places: Sequence[Place],
    masks: Sequence[Mask],
    *,
    network: bool,
    own_bytes: int | None,
    sockets: Mapping[str, str],
    gate: Sequence[str] = (),
    pin: Callable[[str], int] | None = None,
) -> Layout:
    """All mounts of a sandbox, for bubblewrap. `sockets`: from their paths inside to those outside.

    `own_bytes` bounds the sandbox's own folders; None where bubblewrap cannot do that. `gate`: what
    it is to do after the mounts that whoever writes in the workspace could lead astray. `pin` opens
    what can be written to: bubblewrap makes what is missing of where it mounts, in that and in no
    other.
    """
    size = ["--size", str(own_bytes)] if own_bytes is not None else []
    steps: dict[str, list[str]] = {
        **_system(network),
        "/proc": ["--proc", "/proc"],
        "/dev": ["--dev", "/dev"],
        "/dev/shm": ["--perms", "1777", *size, "--tmpfs", "/dev/shm"],
        "/tmp": ["--perms", "1777", *size, "--tmpfs", "/tmp"],
        HOME: ["--perms", "0700", "--dir", HOME],
        **_var_tmp(places),
        **{
            inner: _bind(os.path.realpath(outer), "read", inner) for inner, outer in sockets.items()
        },
        **{place.path: _bind(place.path, place.access) for place in places},
        **_masked(places, masks),
    }
    hidden = [mask.path for mask in masks if mask.access == "none" and mask.folder]
    ordered = [_pinned(steps[path], pin) for path in sorted(steps, key=in_order)]
    words = [
        *chain.from_iterable(ordered),
        *chain.from_iterable(("--remount-ro", path) for path in reversed(hidden)),
        *gate,
        *"--remount-ro /dev --remount-ro /proc --remount-ro /".split(),
    ]
    return Layout(words, dict(_meant(steps, frozenset(hidden))))


def _meant(
    steps: Mapping[str, Sequence[str]], hidden: frozenset[str]
) -> Iterator[tuple[str, Meant]]:
    for path, step in steps.items():
        match step:
            case ["--bind" | "--ro-bind" as how, source, _]:
                yield path, Meant(source, how == "--ro-bind")
            case [*_, "--tmpfs", _]:
                yield path, Meant(None, path in hidden)
            case _:
                pass


def _pinned(step: list[str], pin: Callable[[str], int] | None) -> list[str]:
    if pin is None or step[0] != "--bind":
        return step
    _, path, at = step
    return ["--bind-fd", f"{pin(path)}", at]


def _var_tmp(places: Sequence[Place]) -> dict[str, list[str]]:
    """The second name of /tmp, unless something real is there."""
    if any(is_below(place.path, "/var/tmp") for place in places):
        return {}
    return {"/var/tmp": ["--symlink", "/tmp", "/var/tmp"]}


def _system(network: bool) -> dict[str, list[str]]:
    """What of the system is there."""
    steps: dict[str, list[str]] = {}
    for path in (*SYSTEM, *(f"/etc/{name}" for name in ETC)):
        if path == "/etc/resolv.conf" and not network:
            continue
        real = real_path(path)
        if real != path and is_below(real, "/usr") and os.path.islink(path):
            steps[path] = ["--symlink", os.readlink(path), path]
        elif real:
            steps[path] = _bind(real, "read", path)
    return steps


def _masked(places: Sequence[Place], masks: Sequence[Mask]) -> dict[str, list[str]]:
    access: dict[str, Access] = {place.path: place.access for place in places}
    steps: dict[str, list[str]] = {}
    for mask in masks:
        for folder in folders_above(mask.path):
            if folder not in access and (around := nearest(folder, access)) is not None:
                access[folder] = around
                if around != "none":
                    steps[folder] = _bind(folder, around)
        access[mask.path] = mask.access
        steps[mask.path] = _mask(mask)
    if len(steps) > MOST_MASKS:
        raise SandboxProblem(
            f"File rules need {len(steps)} mounts, and {MOST_MASKS} are the most. Forbid whole "
            "folders instead of single files."
        )
    return steps


def _mask(mask: Mask) -> list[str]:
    if mask.access != "none":
        return _bind(mask.path, mask.access)
    if mask.folder:
        return ["--perms", "0555", "--tmpfs", mask.path]
    # A device on a mount without devices: opening it is refused, whatever for.
    return _bind("/dev/null", "read", mask.path)


def _bind(path: str, access: Access, at: str = "") -> list[str]:
    return ["--bind" if access == "write" else "--ro-bind", path, at or path]
