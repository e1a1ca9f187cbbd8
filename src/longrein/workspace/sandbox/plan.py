"""What a sandbox shows of the disk, as arguments for bubblewrap.

Mounts are made in order, folders before what is in them, so the deepest decides. Where something is
masked below a folder that can be written to, every folder on the way is a mount of its own: such a
folder cannot be renamed, so nobody puts another one in its place.
"""

import os
import stat
import sys
from collections.abc import Iterable, Mapping, Sequence

from longrein.workspace.paths import folders_above, in_order, is_below
from longrein.workspace.sandbox.base import SandboxProblem
from longrein.workspace.sandbox.masks import MOST_MASKS
from longrein.workspace.sandbox.places import Access, Mask, Place
from longrein.workspace.sandbox.system import ETC, SYSTEM

PROTECTED = (".git", ".git/hooks", ".git/config", ".git/config.worktree", ".longrein", ".agents")
"""Read-only below the root where they exist: what is in there runs outside later, or says what may.
`.git` itself only where it is a file, which says where the repository is."""

_RUNNING = (os.path.realpath(sys.prefix), os.path.realpath(sys.base_prefix))

HOME = "/tmp/home"

NAMESPACES = (
    "--unshare-user --unshare-ipc --unshare-pid --unshare-uts --unshare-cgroup-try "
    "--die-with-parent --new-session --cap-drop ALL"
).split()


def protected(root: str) -> list[Mask]:
    """What is read-only below the root though no rule says so."""
    names = [name for name in PROTECTED if os.path.lexists(f"{root}/{name}")]
    paths = {os.path.realpath(f"{root}/{name}"): name for name in names}
    masks: list[Mask] = []
    for path in (*paths, *_RUNNING):
        if path == root or not is_below(path, root):
            continue
        try:
            found = os.stat(path, follow_symlinks=False)
        except OSError:
            continue
        folder = stat.S_ISDIR(found.st_mode)
        if not (folder and paths.get(path) == ".git"):
            masks.append(Mask(path, "read", folder, (found.st_dev, found.st_ino)))
    return masks


def is_inner(place: Mask, places: Iterable[Mask]) -> bool:
    """Whether a place lies in another one."""
    return any(is_below(place.path, one.path) and place.path != one.path for one in places)


def narrowed(masks: Iterable[Mask], by: Sequence[Mask]) -> list[Mask]:
    """Masks in order, where those of `by` and all inside them are read-only at most."""
    found = {mask.path: mask for mask in by}
    for mask in masks:
        inside = any(is_below(mask.path, one.path) for one in by)
        if mask.access == "none" or not inside:
            found[mask.path] = mask
    return sorted(found.values(), key=lambda mask: in_order(mask.path))


def arguments(
    places: Sequence[Place],
    masks: Sequence[Mask],
    *,
    network: bool,
    own_bytes: int | None,
    sockets: Mapping[str, str],
) -> list[str]:
    """All mounts of a sandbox, for bubblewrap. `sockets`: from their paths inside to those outside.

    `own_bytes` bounds the sandbox's own folders; None where bubblewrap cannot do that.
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
        **{inner: ["--ro-bind", outer, inner] for inner, outer in sockets.items()},
        **{place.path: _bind(place.path, place.access) for place in places},
        **_masked(places, masks),
    }
    hidden = [mask.path for mask in masks if mask.access == "none" and mask.folder]
    read_only = [["--remount-ro", path] for path in (*reversed(hidden), "/dev", "/proc", "/")]
    ordered = [steps[path] for path in sorted(steps, key=in_order)]
    return [word for step in (*ordered, *read_only) for word in step]


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
        if os.path.islink(path) and is_below(os.path.realpath(path), "/usr"):
            steps[path] = ["--symlink", os.readlink(path), path]
        elif os.path.exists(path):
            steps[path] = _bind(path, "read")
    return steps


def _masked(places: Sequence[Place], masks: Sequence[Mask]) -> dict[str, list[str]]:
    access: dict[str, Access] = {place.path: place.access for place in places}
    steps: dict[str, list[str]] = {}
    for mask in masks:
        for folder in folders_above(mask.path):
            if folder not in access and (around := _around(folder, access)) is not None:
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


def _around(folder: str, access: Mapping[str, Access]) -> Access | None:
    """What holds for a folder, by the nearest one above it; None outside of all places."""
    return next((access[one] for one in reversed(folders_above(folder)) if one in access), None)


def _mask(mask: Mask) -> list[str]:
    if mask.access != "none":
        return _bind(mask.path, mask.access)
    if mask.folder:
        return ["--perms", "0555", "--tmpfs", mask.path]
    # A device on a mount without devices: opening it is refused, whatever for.
    return ["--ro-bind", "/dev/null", mask.path]


def _bind(path: str, access: Access) -> list[str]:
    return ["--bind" if access == "write" else "--ro-bind", path, path]
