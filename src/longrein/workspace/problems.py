"""What can go wrong with files, in words for whoever asked: mostly a model.

    FileProblem
      BadPath          the path itself cannot be; it was not looked at
      BadPattern       a search pattern that cannot be, or takes too long
      Missing          there is nothing at this path
      Exists           there is something at this path already
      NotAFile         a folder, a device, a pipe or a socket where a file is needed
      NotAFolder       something else where a folder is needed
      Linked           the path is a link, or goes through one
      Outside          the path leads out of the workspace
        Elsewhere      the path is in no part of the workspace
      Changed          the file is not what it was when it was read
      TooLarge         more bytes than are read or written at once
      Refused          the file system does not do this
        Denied         a rule forbids it
        NeedsApproval  a rule asks for a person's yes first

Each says what to do next. A file system raises these and `StoreError`, never an `OSError`.
"""

from collections.abc import Sequence
from typing import Self

from longrein.core.errors import LongreinError

_LONGEST_SHOWN = 300


class FileProblem(LongreinError):
    """Why a file operation was not done; nothing was changed.

    >>> str(Missing("/a.txt", "There is no such file."))
    "'/a.txt': There is no such file."
    """

    def __init__(self, path: str, says: str) -> None:
        super().__init__(path, says)
        self.path = path
        self.says = says

    def __str__(self) -> str:
        return f"{shown(self.path)}: {self.says}" if self.path else self.says

    def below(self, prefix: str) -> Self:
        """The same problem, seen from where this file system is mounted."""
        return type(self)(_below(prefix, self.path), self.says)


class BadPath(FileProblem):
    """The path itself cannot be; no file system was asked."""


class BadPattern(FileProblem):
    """The pattern of a search cannot be read, or takes too long."""


class Missing(FileProblem):
    """There is nothing at this path."""


class Exists(FileProblem):
    """There is something at this path already."""


class NotAFile(FileProblem):
    """A folder, a device, a pipe or a socket is where a file is needed."""


class NotAFolder(FileProblem):
    """Something else is where a folder is needed."""


class Linked(FileProblem):
    """The path is a link or goes through one: operations follow none, `real` does."""


class Outside(FileProblem):
    """The path leads out of the workspace."""


class Elsewhere(Outside):
    """The path is in no part of the workspace: no file can be there. `places` are its parts."""

    def __init__(self, path: str, places: Sequence[str]) -> None:
        named = " and ".join(map(shown, places))
        example = shown(f"{places[0].rstrip('/')}/src/main.py")
        says = f"This is outside of the workspace {named}. Give a path in it, such as {example}."
        super().__init__(path, says)
        self.places = tuple(places)

    def below(self, prefix: str) -> Self:
        return type(self)(_below(prefix, self.path), [_below(prefix, one) for one in self.places])


class Changed(FileProblem):
    """The file is not what it was when the caller read it."""


class TooLarge(FileProblem):
    """More bytes than are read or written at once."""


class Refused(FileProblem):
    """The file system does not do this."""


class Denied(Refused):
    """A rule forbids it."""


class NeedsApproval(Refused):
    """A rule asks for a person's yes first."""


def _below(prefix: str, path: str) -> str:
    return prefix + path if path != "/" else prefix


def shown(path: str) -> str:
    """A path as texts show it: nothing in it that controls a terminal, and not too long.

    >>> shown("/a\\x1b[2J")
    "'/a\\\\x1b[2J'"
    """
    text = repr(path) if path.isprintable() else ascii(path)
    if len(text) <= _LONGEST_SHOWN:
        return text
    return f"{text[:_LONGEST_SHOWN]}... ({len(path):,} characters)"
