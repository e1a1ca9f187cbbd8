"""What else is installed: programs, and packages that are extras."""

import platform
import sqlite3
from importlib.metadata import PackageNotFoundError, version

from longrein._version import __version__
from longrein.client.port import Check
from longrein.workspace.ripgrep import find_ripgrep

EXTRAS = {
    "genai-prices": ("prices", "what models cost and hold is unknown: no limits of money"),
    "textual": ("app", "there is no terminal app"),
}
"""Packages that change what can be done, the extra that brings them, and what is missing."""


def package_checks() -> list[Check]:
    """Longrein itself, what the file and shell tools use, and the extras."""
    return [
        Check("Longrein", "ok", f"{__version__}, Python {platform.python_version()}"),
        Check("SQLite", "ok", sqlite3.sqlite_version),
        _ripgrep(),
        _parser(),
        *(_extra(package, extra, without) for package, (extra, without) in EXTRAS.items()),
    ]


def how_to_get(package: str) -> str:
    """The commands that install a program."""
    extra = {"bubblewrap": "shell", "ripgrep": "files"}[package]
    return (
        f"Debian, Ubuntu: apt install {package}; Fedora: dnf install {package}; "
        f"Arch: pacman -S {package}; Alpine: apk add {package}; "
        f"anywhere: pip install 'longrein[{extra}]'"
    )


def _ripgrep() -> Check:
    if found := find_ripgrep():
        return Check("ripgrep", "ok", found)
    without = "not there: searches find the same, and take longer"
    return Check("ripgrep", "missing", without, how_to_get("ripgrep"))


def _parser() -> Check:
    parsers = {name: _version(name) for name in ("tree-sitter", "tree-sitter-bash")}
    if not all(parsers.values()):
        found = "not there: no command can be proven harmless"
        return Check("shell parser", "missing", found, "pip install 'longrein[shell]'")
    return Check("shell parser", "ok", ", ".join(f"{name} {v}" for name, v in parsers.items()))


def _extra(package: str, extra: str, without: str) -> Check:
    if found := _version(package):
        return Check(extra, "ok", f"{package} {found}")
    return Check(extra, "missing", f"not there: {without}", f"pip install 'longrein[{extra}]'")


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
