"""The files of a skill: what the model is told of them, and how it reads them."""

import os
from typing import Any

from msgspec import Struct

from longrein.capabilities.skills.library import Found, Library
from longrein.capabilities.skills.standard import FILE, Skill
from longrein.core.errors import UsageError
from longrein.tools.within import Within
from longrein.workspace.base import FileSystem
from longrein.workspace.confined import Confined
from longrein.workspace.disk import DiskFiles
from longrein.workspace.folders import opened
from longrein.workspace.guarded import Guarded
from longrein.workspace.memory import MemoryFiles
from longrein.workspace.mounts import Mounts
from longrein.workspace.paths import is_below
from longrein.workspace.problems import FileProblem
from longrein.workspace.rules import FileRule, policy

MOST_FILES = 100
"""Files that are listed when a skill is loaded; the others are found with the file tools."""

MOST_LOOKED_AT = 1_000
DEEPEST = 6
_LEFT_OUT = frozenset(("__pycache__", "node_modules"))
_READING = policy([FileRule("deny", ("/**",), ("write",))])


class Resource(Struct, frozen=True):
    """A file of a skill, by its path from there."""

    path: str
    size: int


class Resources(Struct, frozen=True):
    """The files of a skill; `more`: there are others, `out`: links that lead out of it."""

    files: tuple[Resource, ...] = ()
    more: bool = False
    out: tuple[str, ...] = ()


def resources_of(skill: Skill) -> Resources:
    """The files of a skill beside its SKILL.md, by path. Never raises for what is on the disk."""
    if not skill.folder:
        return Resources()
    above, name = os.path.split(skill.folder)
    try:
        return _walk(opened(above), f"/{name}")
    except (OSError, FileProblem, UsageError):  # gone, or never to be read
        return Resources()


def _walk(files: Confined, top: str) -> Resources:
    found: list[Resource] = []
    out: list[str] = []
    waiting, looked = [(top, 1)], 0
    more = False
    while waiting:
        folder, depth = waiting.pop(0)
        listing = files.entries(folder, MOST_LOOKED_AT)
        more = more or listing.more
        for entry in listing.entries:
            looked += 1
            path = f"{folder}/{entry.name}"
            inner = path[len(top) + 1 :]
            if entry.kind == "file" and inner != FILE:
                found.append(Resource(inner, entry.size))
            elif entry.kind == "link" and not _stays(files, path, top):
                out.append(inner)
            elif entry.kind == "folder" and _is_listed(entry.name):
                if depth < DEEPEST:
                    waiting.append((path, depth + 1))
                more = more or depth >= DEEPEST
        if looked > MOST_LOOKED_AT:
            more = more or bool(waiting)
            break
    shown = sorted(found, key=lambda one: one.path)[:MOST_FILES]
    return Resources(tuple(shown), more or len(found) > len(shown), tuple(out))


def _is_listed(name: str) -> bool:
    return not name.startswith(".") and name not in _LEFT_OUT


def _stays(files: Confined, path: str, top: str) -> bool:
    try:
        return is_below(files.real(path), top)
    except (OSError, FileProblem):
        return False


class Mounted:
    """The files of all skills, for the file tools: each below its name, to read only."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._made: tuple[Found | None, FileSystem] = (None, MemoryFiles())

    def __call__(self, ctx: Within[Any, Any]) -> FileSystem:
        found = self._library.found
        if self._made[0] is not found:
            skills = {f"/{name}": _files_of(skill) for name, skill in found.skills.items()}
            there = {path: files for path, files in skills.items() if files is not None}
            self._made = found, Mounts(there) if there else MemoryFiles()
        return self._made[1]


def _files_of(skill: Skill) -> FileSystem | None:
    if not skill.folder:
        return None
    try:
        folder = opened(skill.folder)
        # Of what is open, not of what the path leads to by now.
        return Guarded(DiskFiles(folder.root.place), _READING)
    except UsageError:  # gone, or a link by now: it is reported when it is looked at again
        return None
