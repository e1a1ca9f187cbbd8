"""What of the system is visible in a sandbox, and which variables get in."""

import os
import sys
from collections.abc import Iterable, Mapping

from longrein.workspace.paths import is_below
from longrein.workspace.sandbox.places import Access, Place, nearest, real_path

SYSTEM = tuple("/usr /bin /sbin /lib /lib32 /lib64 /libx32 /nix/store /gnu/store".split())
"""Programs and libraries, read-only."""

ETC = (
    "alternatives crypto-policies fonts group hosts java-11-openjdk java-17-openjdk "
    "java-21-openjdk ld.so.cache locale.conf localtime mime.types nsswitch.conf os-release passwd "
    "perl pki/ca-trust pki/tls/cert.pem pki/tls/certs pki/tls/openssl.cnf protocols python3 "
    "resolv.conf services ssl/cert.pem ssl/certs ssl/openssl.cnf terminfo timezone"
).split()
"""What programs look up in /etc, none of it secret: private keys stand beside certificates."""

_LET_IN = frozenset(
    "COLORTERM COLUMNS LANG LANGUAGE LC_ADDRESS LC_ALL LC_COLLATE LC_CTYPE LC_IDENTIFICATION "
    "LC_MEASUREMENT LC_MESSAGES LC_MONETARY LC_NAME LC_NUMERIC LC_PAPER LC_TELEPHONE LC_TIME LINES "
    "LOGNAME NO_COLOR SOURCE_DATE_EPOCH TERM TZ USER".split()
)
_USUAL_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def python_folders() -> list[str]:
    """Where the interpreter and its library are, if not in what is visible anyway.

    >>> all(folder.startswith("/") for folder in python_folders())
    True
    """
    prefix = os.path.realpath(sys.base_prefix)
    home = os.path.realpath(os.path.expanduser("~"))
    # Right in somebody's home: then not the whole of it.
    parts = [f"{prefix}/bin", f"{prefix}/lib"] if is_below(home, prefix) else [prefix]
    return [part for part in parts if os.path.isdir(part) and not _is_in(part, SYSTEM)]


def shell() -> str:
    """The shell that runs lines: bash, or what there is."""
    return next((one for one in ("/bin/bash", "/usr/bin/bash") if os.path.exists(one)), "/bin/sh")


def environment(
    given: Mapping[str, str], *, home: str, places: Iterable[Place] | None = None
) -> dict[str, str]:
    """The variables that commands see: what is on the list, and no other.

    `places`: what commands see and what they can write to. Of the PATH only folders stay that they
    see and cannot write to, so that a name always means the same program.

    >>> places = [Place("/usr", "read"), Place("/usr/src/project", "write")]
    >>> path = "/x:/usr/src/project/bin:/usr/bin"
    >>> environment({"TZ": "UTC", "API_KEY": "1", "PATH": path}, home="/h", places=places)
    {'TZ': 'UTC', 'HOME': '/h', 'PATH': '/usr/bin'}
    """
    let_in = {name: value for name, value in given.items() if name in _LET_IN}
    path = [folder for folder in given.get("PATH", "").split(":") if folder.startswith("/")]
    if places is not None:
        access: dict[str, Access] = {place.path: place.access for place in places}
        path = [folder for folder in path if _stays(folder, access)]
    return {**let_in, "HOME": home, "PATH": ":".join(path) or _USUAL_PATH}


def _stays(folder: str, access: Mapping[str, Access]) -> bool:
    """Whether a folder is read-only, by all its names."""
    names = os.path.normpath(folder), real_path(folder)
    return all(name and nearest(f"{name}/program", access) == "read" for name in names)


def _is_in(path: str, places: Iterable[str]) -> bool:
    return any(is_below(path, place) for place in places)
