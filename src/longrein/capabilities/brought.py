"""Folders of Markdown files that the user or a project brings: what is in them, which count, who
wins, and what is wrong with some."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Generic, Protocol, TypeAlias, TypeVar

from msgspec import Struct

from longrein.core.errors import UsageError
from longrein.core.outcomes import Problem
from longrein.workspace.confined import Confined
from longrein.workspace.folders import opened, settled
from longrein.workspace.frontmatter import FrontmatterError
from longrein.workspace.problems import FileProblem, Linked, NotAFile

MOST_BYTES = 65_536
MOST_FILES = 200
MOST_ENTRIES = 2_000
"""Files and folders that are looked at below one folder, whatever they are."""

Counts: TypeAlias = Callable[[Path, bytes], str]
"""Why a folder with this content does not count; empty: it does."""


class Folder(Protocol):
    """A folder that somebody brings. `counts` is asked about one that others may have written."""

    @property
    def path(self) -> str | os.PathLike[str]: ...
    @property
    def root(self) -> str: ...
    @property
    def counts(self) -> Counts | None: ...


class Named(Protocol):
    """What a file of a folder came to, and where the file is."""

    @property
    def name(self) -> str: ...
    @property
    def path(self) -> str: ...


F = TypeVar("F", bound=Folder)
N = TypeVar("N", bound=Named)


class Reading(Struct, Generic[N], frozen=True):
    """What was found in folders by its name, and what was wrong there."""

    found: Mapping[str, N] = {}
    problems: tuple[Problem, ...] = ()


class Sort(Struct, frozen=True):
    """One sort of files: what people call it, and how far it is looked for.

    `kind` is that of every problem, `called` has `{}` for the name of one, `many` are files that
    may not be links. Folders are looked into down to `deepest`. `follows`: where nobody has to
    vouch for a folder, it and its files may be links to anywhere.
    """

    kind: str
    called: str
    many: str
    deepest: int = 0
    follows: bool = False

    def problem(self, path: str | os.PathLike[str], why: str) -> Problem:
        """That something is wrong with a file or a folder."""
        return Problem(self.kind, f"{os.fspath(path)}: {why}")

    def hidden(self, one: Named, by: str) -> Problem:
        """That one of a file is not used: another has its name."""
        why = f"not used: there is another {self.called.format(one.name)} ({by})."
        return self.problem(one.path, why)


def read_folders(folders: Iterable[F], sort: Sort, parse: Callable[[F, str, str], N]) -> Reading[N]:
    """Everything of some folders, the last with a name the one that counts.

    `parse` is given the path of a file in its folder, and its text; it raises `UsageError` and
    FrontmatterError for one that does not count. This never raises because of what is in folders:
    a file that cannot be read is a problem.
    """
    found, problems = dict[str, N](), list[Problem]()
    for folder in folders:
        for one in _read_folder(folder, sort, parse):
            if isinstance(one, Problem):
                problems.append(one)
                continue
            if other := found.get(one.name):
                problems.append(sort.hidden(other, one.path))
            found[one.name] = one
    return Reading(found, tuple(problems))


def whole(folder: Folder, sort: Sort) -> bytes:
    """All files of a folder as its `counts` sees them; empty: there are none."""
    return _together(_texts(folder, sort)[0])


def place_of(folder: Folder) -> str:
    """Where a folder really is. Raises `UsageError` where a link leads out of its root, or out of
    the folder above it where somebody has to vouch for it."""
    above = os.path.dirname(os.path.abspath(folder.path)) if folder.counts else ""
    return settled(folder.path, folder.root or above)


def _read_folder(folder: F, sort: Sort, parse: Callable[[F, str, str], N]) -> Iterator[N | Problem]:
    texts, problems = _texts(folder, sort)
    if texts and folder.counts and (why := folder.counts(Path(folder.path), _together(texts))):
        yield sort.problem(folder.path, why)
        return
    yield from problems
    for below, text in texts.items():
        try:
            yield parse(folder, below, text)
        except (UsageError, FrontmatterError) as error:
            yield sort.problem(f"{folder.path}{below}", str(error))


def _texts(folder: Folder, sort: Sort) -> tuple[dict[str, str], list[Problem]]:
    """The text of each file by its path in the folder, and what cannot be read."""
    texts, problems = dict[str, str](), list[Problem]()
    follow = sort.follows and folder.counts is None
    try:
        place = settled(folder.path) if follow else place_of(folder)
        os.stat(f"{place}/")  # what is no folder is no problem
        files = opened(place)
        for below in _paths(files, sort.deepest):
            if len(texts) == MOST_FILES:
                raise UsageError(
                    f"there are more than {MOST_FILES} files; the others are not looked at."
                )
            try:
                texts[below] = _read(files, below, follow=follow)
            except (OSError, ValueError, UsageError, FileProblem) as error:
                problems.append(sort.problem(f"{folder.path}{below}", _reason(error, sort)))
    except (FileNotFoundError, NotADirectoryError):
        pass
    except (OSError, UsageError, FileProblem) as error:
        problems.append(sort.problem(folder.path, _reason(error, sort)))
    return texts, problems


def _paths(files: Confined, deepest: int) -> Iterator[str]:
    """The Markdown files of a folder, in order. Raises `UsageError` where there is too much."""
    left, waiting = MOST_ENTRIES, [("", "folder")]
    while waiting:
        path, kind = waiting.pop()
        if kind == "folder" and path.count("/") <= deepest:
            listing = files.entries(path or "/", left)
            if listing.more:
                raise UsageError(
                    f"there are more than {MOST_ENTRIES:,} files and folders in it. Keep others "
                    "elsewhere."
                )
            left -= len(listing.entries)
            shown = [one for one in reversed(listing.entries) if one.name[0] != "."]
            waiting += [(f"{path}/{one.name}", one.kind) for one in shown]
        elif path.endswith(".md"):
            yield path


def _read(files: Confined, path: str, *, follow: bool) -> str:
    if follow:
        above, name = os.path.split(settled(f"{files.path}{path}"))
        files, path = opened(above), f"/{name}"
    data = files.read(path, 0, MOST_BYTES + 1).data
    if len(data) > MOST_BYTES:
        raise UsageError(f"this has more than {MOST_BYTES:,} bytes.")
    return data.decode()


def _together(texts: Mapping[str, str]) -> bytes:
    """All files as one text that says where each begins: another division is another text."""
    parts = (f"==> {path[1:]} ({len(text)}) <==\n{text}\n" for path, text in texts.items())
    return "".join(parts).encode()


def _reason(error: OSError | ValueError | UsageError | FileProblem, sort: Sort) -> str:
    match error:
        case UnicodeDecodeError():
            return "this is not a text in UTF-8."
        case Linked():
            return f"this is a link: {sort.many} have to be files themselves."
        case NotAFile():
            return "this is not a regular file."
        case FileProblem():
            return error.says
        case OSError():
            return f"{error.strerror or error}."
        case _:
            return str(error)
