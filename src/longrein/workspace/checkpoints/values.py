"""What checkpoints speak of: versions of a path, changes, and when they were made.

Paths are bytes in here, because a disk has names that are no text. `shown` gives the text that
people, models and events get.
"""

from typing import Any, Literal, NamedTuple, Protocol, TypeAlias

from msgspec import Struct

MIB = 1024 * 1024

Kind: TypeAlias = Literal["absent", "file", "link", "folder", "unkept"]
"""What was at a path; `unkept` is something whose bytes are not in the store."""

Origin: TypeAlias = Literal["tool", "command", "restore", "foreign"]
"""Who made a change: a file tool, a shell command, a rewind, or somebody else."""

Reason: TypeAlias = Literal[
    "large", "full", "ignored", "git", "unreadable", "special", "mount", "elsewhere"
]
"""Why something is not kept."""

WHY: dict[Reason, str] = {
    "large": "it is too large to be kept",
    "full": "there is no room left for more of this tree",
    "ignored": "a .gitignore file names it",
    "git": "it belongs to the repository, which is never touched",
    "unreadable": "it cannot be read",
    "special": "it is no file: a device, a pipe or a socket",
    "mount": "it is on another disk",
    "elsewhere": "what it was is not kept here",
}


class Keeping(Struct, frozen=True):
    """How much is kept: of a tree before shell commands, and of a file before a tool changes it.

    >>> from longrein import Keeping
    >>> Keeping().largest
    1048576
    """

    largest: int = MIB
    total: int = 500 * MIB
    files: int = 200_000
    largest_by_tool: int = 64 * MIB


class Version(Struct, frozen=True, array_like=True):
    """What is, or was, at a path.

    `digest` is the SHA-256 of a file's bytes, or of what a link says; of something unkept it is a
    stamp that differs when the thing does, and `reason` says why it is not kept.
    """

    kind: Kind
    digest: bytes = b""
    mode: int = 0
    size: int = 0
    reason: Reason | Literal[""] = ""

    def why(self) -> Reason:
        """Why this is not kept."""
        return self.reason or "large"


ABSENT = Version("absent")
FOLDER = Version("folder")


class Row(Struct, frozen=True):
    """One change of one path. `after` is None until it is known.

    `sure` is False for what was found after a call was cut off, or while a job ran in the
    background: they may have done it, or somebody else.
    """

    id: int
    seq: int
    run: str
    call: str
    origin: Origin
    path: bytes
    before: Version
    after: Version | None
    sure: bool = True


Status: TypeAlias = Literal["added", "modified", "deleted", "mode"]


class FileChange(Struct, frozen=True):
    """What became of a file, from the first to the last of some changes.

    `added` and `removed` count lines, and are 0 for what has none, or is too large to compare.
    `before` and `after` are SHA-256 in hexadecimal, "" where there is nothing or it is not kept.
    `denied` is the rule against which a command did this.

    >>> from longrein import FileChange
    >>> FileChange("/project/a.py", "modified", added=2, removed=1).status
    'modified'
    """

    path: str
    status: Status
    added: int = 0
    removed: int = 0
    before: str = ""
    after: str = ""
    denied: str = ""


class Listed(FileChange, frozen=True):
    """A file that a thread changed, with the events that told of it first and last."""

    first: int = 0
    last: int = 0


class LeftOut(Struct, frozen=True):
    """Something that no rewind brings back, and why."""

    path: str
    reason: Reason

    def __str__(self) -> str:
        return f"{self.path}: {WHY[self.reason]}"


class NotKept(Struct, frozen=True):
    """What no rewind brings back: the first paths, and how many there are in all."""

    paths: tuple[LeftOut, ...] = ()
    total: int = 0


class Moment(Protocol):
    """When something happens: the newest event of the thread, the run, and where to note facts."""

    @property
    def run(self) -> str: ...

    @property
    def seq(self) -> int: ...

    def record(self, kind: str, data: Any = None) -> None: ...


class Calling(Moment, Protocol):
    """The same in a tool call."""

    call: str


class Standing(Struct, frozen=True, array_like=True):
    """Where a thread stands: its newest event, and the run for which something happens there."""

    thread: str
    seq: int
    run: str = ""


class When(Struct, frozen=True):
    """A moment as rows keep it. `above` are the threads that a child works for, the nearest first:
    what it changes goes back with each of them."""

    seq: int
    run: str = ""
    call: str = ""
    above: tuple[Standing, ...] = ()


class Whose(NamedTuple):
    """A thread as rows keep it: its key, its id, and that of the root of its tree."""

    key: int
    thread: str
    root: str


def shown(path: bytes) -> str:
    """A path as text: what is no UTF-8 is spelled out.

    >>> shown(b"/caf\\xe9.txt")
    '/caf\\\\xe9.txt'
    """
    return path.decode("utf-8", "backslashreplace")


def status(before: Version, after: Version) -> Status:
    """What the difference between two versions is called."""
    if before.kind in ("absent", "folder"):
        return "added"
    if after.kind in ("absent", "folder"):
        return "deleted"
    same = (before.kind, before.digest) == (after.kind, after.digest)
    return "mode" if same else "modified"
