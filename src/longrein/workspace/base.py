"""The port that every file system fits, and what goes in and out of it."""

from collections.abc import AsyncGenerator
from typing import Literal, Protocol, TypeAlias

from msgspec import Struct

Kind: TypeAlias = Literal["file", "folder", "link", "other"]
"""What is at a path; `other` are devices, pipes and sockets, which nothing reads or writes."""

LARGEST = 64 * 1024 * 1024
"""Bytes that are read or written in one piece; `chunks` reads files of any size."""

MOST_ENTRIES = 10_000
"""Entries of a folder that are listed unless told otherwise."""

LONGEST_LINE = 2_000
"""Characters of a line that a search shows."""

UNKNOWN = -1
"""The size of an entry that is made when it is read."""


class Stat(Struct, frozen=True):
    """What is at a path.

    `revision` is another one whenever the content is. `modified` is UTC in microseconds. `target`
    is what a link says, as it stands there.
    """

    kind: Kind
    size: int = 0
    modified: int = 0
    mode: int = 0
    revision: str = ""
    target: str = ""


class Entry(Struct, frozen=True):
    """One name in a folder; its size may be `UNKNOWN`."""

    name: str
    kind: Kind
    size: int = 0
    modified: int = 0


class Listing(Struct, frozen=True):
    """What is in a folder, by name; `more`: these are only the first.

    `unnamed` is how many have a name that no path can have. They are in no listing, but they go
    with the folder.
    """

    entries: tuple[Entry, ...]
    more: bool = False
    unnamed: int = 0


class Content(Struct, frozen=True):
    """Bytes of a file, and what the file was when they were read."""

    data: bytes
    stat: Stat


class Grep(Struct, frozen=True):
    """What to look for: lines of text files that fit `pattern`.

    `pattern` is a regular expression without lookaround and backreferences, or with `literal` the
    text itself; it is matched within lines. `include` is a glob for files. What .gitignore files
    name is left out unless `ignored`. `show`: the lines, with `before` and `after` lines of context
    around them; or only the files; or the files with the number of their lines that fit.

    >>> Grep("TODO", under="/src", include="*.py", literal=True).show
    'lines'
    """

    pattern: str
    under: str = "/"
    include: str = ""
    literal: bool = False
    ignore_case: bool = False
    before: int = 0
    after: int = 0
    show: Literal["lines", "files", "counts"] = "lines"
    ignored: bool = False


class FoundLine(Struct, frozen=True):
    """A line that fits, or (`context`) one beside it. `text` has no line end, and its first
    characters only if the line is very long."""

    path: str
    number: int
    text: str
    context: bool = False


class FoundFile(Struct, frozen=True):
    """A file with lines that fit: how many, or 1 where they were not counted."""

    path: str
    lines: int = 1


Found: TypeAlias = FoundLine | FoundFile


class FileSystem(Protocol):
    """Files under virtual paths: absolute, canonical (`paths.canonical` makes them so), without
    links. Whoever has a path from elsewhere asks `real` first: that is the path that rules are
    about. No operation follows a link, so what a rule allowed is what is touched, whoever swaps
    what in between.

    Every method takes any text as a path and raises `FileProblem`, in words for a model, for what
    cannot be done. Bytes are kept as they are. Streams hold little at a time and go on only while
    somebody reads them; close those that are left early.

    >>> from longrein import FileSystem
    >>> async def count(files: FileSystem) -> int:
    ...     return len((await files.entries("/")).entries)
    """

    async def real(self, path: str, *, last: bool = True) -> str:
        """The path with links resolved, also of what does not exist yet.

        `last=False` leaves the last name alone: to remove or to move a link itself.
        Raises `Outside` for a link that leads out, `Elsewhere` where no file can be.
        """
        ...

    async def stat(self, path: str) -> Stat | None:
        """What is there; None for nothing."""
        ...

    async def entries(self, path: str, limit: int = MOST_ENTRIES) -> Listing:
        """The entries of a folder: the first `limit` by name."""
        ...

    async def read(self, path: str, offset: int = 0, limit: int | None = None) -> Content:
        """Bytes of a file: all, or `limit` from `offset` on. `TooLarge` for over 64 MiB."""
        ...

    def chunks(self, path: str, offset: int = 0) -> AsyncGenerator[bytes, None]:
        """The bytes of a file from `offset` on, piece by piece."""
        ...

    async def write(
        self, path: str, data: bytes, *, expected: str | None = None, mode: int | None = None
    ) -> Stat:
        """Put a file there, all of it or nothing; its folders are made.

        `expected`: the revision that the caller knows, or "" for a file that must be new; `Changed`
        or `Exists` if it is not so. The mode of a file that is there stays, unless given.
        """
        ...

    async def remove(self, path: str, *, recursive: bool = False) -> None:
        """Remove a file, a link (never its target), or a folder: an empty one, or `recursive`."""
        ...

    async def move(self, source: str, target: str, *, replace: bool = False) -> None:
        """Give a file, link or folder another path; `replace` a file that is there."""
        ...

    def glob(
        self, pattern: str, under: str = "/", *, ignored: bool = False
    ) -> AsyncGenerator[str, None]:
        """The paths of files that fit a glob (`globs`), folder by folder and by name.

        What .gitignore files name is left out unless `ignored`, the folder .git always.
        """
        ...

    def grep(self, query: Grep) -> AsyncGenerator[Found, None]:
        """What a search finds, in the order of `glob`. Files that are not text are left out."""
        ...
