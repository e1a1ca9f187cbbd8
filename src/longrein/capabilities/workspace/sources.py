"""Where the files of a workspace are."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from longrein.capabilities.file_tools.thread import thread_files
from longrein.capabilities.opening import Opening
from longrein.core.errors import UsageError
from longrein.tools.within import Within
from longrein.workspace.base import FileSystem
from longrein.workspace.disk import DiskFiles
from longrein.workspace.memory import MemoryFiles
from longrein.workspace.mounts import Mounts
from longrein.workspace.paths import is_below
from longrein.workspace.stored import StoredFiles

Files: TypeAlias = Callable[[Within[Any, Any]], FileSystem]
"""The file system as the code of one call sees it."""


@dataclass(frozen=True, slots=True)
class Disk:
    """A folder of the disk. Its files have the paths that they have for everybody.

    >>> from longrein import Disk
    >>> Disk("/project/..").folder
    '/'
    """

    path: str | os.PathLike[str]
    folder: str = field(init=False)

    def __post_init__(self) -> None:
        # As links lead: the shell, and what it prints, know the folder by this path.
        object.__setattr__(self, "folder", os.path.realpath(os.fspath(self.path)))


@dataclass(frozen=True, slots=True)
class InThread:
    """Files that live in the thread: forked, exported, rewound and deleted with it.

    >>> from longrein import InThread, Workspace
    >>> Workspace(InThread()).name
    'workspace'
    """


@dataclass(frozen=True, slots=True)
class InStore:
    """Files that all threads of a resource share; `name` tells several of these apart.

    >>> from longrein import InStore
    >>> InStore("memories").name
    'memories'
    """

    name: str = "files"


@dataclass(frozen=True, slots=True)
class Mounted:
    """Several of these in one, each under a path of its own.

    >>> from longrein import InStore, InThread, Mounted
    >>> list(Mounted(InThread(), {"/memories": InStore("memories")}).mounts)
    ['/memories']
    """

    base: "Source"
    mounts: "Mapping[str, Source]"


Source: TypeAlias = Disk | InThread | InStore | Mounted | FileSystem


def folder_of(source: Source) -> str:
    """The folder of the disk that a workspace is in; "" where it is in none.

    Where several are mounted, it is the one they are mounted in.
    """
    match source:
        case Disk(folder=folder):
            return folder
        case Mounted(base=base):
            return folder_of(base)
        case _:
            return ""


def mounts_of(source: Source) -> tuple[str, ...]:
    """The paths under which others are mounted."""
    return tuple(source.mounts) if isinstance(source, Mounted) else ()


def lives_in_thread(source: Source, path: str) -> bool:
    """Whether the files at and below a path live in the thread."""
    match source:
        case InThread():
            return True
        case Mounted(base=base, mounts=mounts):
            for at in sorted(mounts, key=len, reverse=True):
                if is_below(path, at):
                    return lives_in_thread(mounts[at], path)
            return lives_in_thread(base, path)
        case _:
            return False


def has_thread_files(source: Source) -> bool:
    """Whether some of the files live in the thread."""
    if isinstance(source, Mounted):
        return any(has_thread_files(one) for one in (source.base, *source.mounts.values()))
    return isinstance(source, InThread)


def check_source(source: Source) -> None:
    """Raise `UsageError` where there can be no files."""
    match source:
        case Disk(folder=folder):
            if not os.path.isdir(folder):
                raise UsageError(f"There is no folder {folder!r} to work in: make it first.")
            if folder == "/":
                raise UsageError("The whole disk cannot be a workspace: choose a folder of it.")
        case Mounted(base=base, mounts=mounts):
            for one in (base, *mounts.values()):
                check_source(one)
            if any(path.strip("/") == "" for path in mounts):
                raise UsageError("What is mounted needs a path below '/'; the first has '/'.")
            # Two under one path, or a path that is none, are told here and not at the first run.
            Mounts({"/": MemoryFiles(), **{path: MemoryFiles() for path in mounts}})
        case InThread() | InStore():
            pass
        case _:
            if not hasattr(source, "grep"):
                raise UsageError(f"{source!r} is no file system: give a folder, or an object.")


def disk_files(folder: str) -> FileSystem:
    """A folder of the disk under its own path, so that tools and shell speak of the same files."""
    return Mounts({folder: DiskFiles(folder)})


def open_files(source: Source, opening: Opening, disk: FileSystem | None = None) -> Files:
    """The files of a session; `disk` is the folder that they are in, which all sessions share."""
    match source:
        case Disk(folder=folder):
            on_disk = disk or disk_files(folder)
            return lambda ctx: on_disk
        case InThread():
            return thread_files
        case InStore(name=name):
            stored = StoredFiles(opening.store, opening.resource, name=name)
            return lambda ctx: stored
        case Mounted(base=base, mounts=mounts):
            outer = open_files(base, opening, disk)
            inner = {path: _inside(one, opening) for path, one in mounts.items()}
            return lambda ctx: Mounts(
                {"/": outer(ctx), **{at: of(ctx) for at, of in inner.items()}}
            )
        case _:
            return lambda ctx: source


def _inside(source: Source, opening: Opening) -> Files:
    """The files of a mount: a folder of the disk has the path of the mount there, not its own."""
    if isinstance(source, Disk):
        on_disk = DiskFiles(source.folder)
        return lambda ctx: on_disk
    return open_files(source, opening)
