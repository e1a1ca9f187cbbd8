"""Subagents from files: the folders that hold them, which win, and what is wrong with some."""

import errno
import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from msgspec import Struct

from longrein.capabilities.subagents.parsing import parse_agent
from longrein.capabilities.subagents.spec import Subagent
from longrein.core.errors import UsageError
from longrein.core.outcomes import Problem
from longrein.workspace.confined import Confined
from longrein.workspace.folders import opened, settled
from longrein.workspace.frontmatter import FrontmatterError

MOST_BYTES = 65_536
MOST_FILES = 200
KIND = "subagent"
"""The kind of every problem that files have."""

Counts = Callable[[Path, bytes], str]
"""Why a folder with this content does not count; empty: it does."""


@dataclass(frozen=True, slots=True)
class AgentFolder:
    """A folder with a Markdown file for each subagent.

    `source` is what it is called in lists. Paths of file rules that do not begin with '/' or '**'
    begin at `root`. `counts` is asked about a folder that others may have written, with all that it
    holds; without it the folder counts. No link may lead out of `root`, or out
    of the folder above, on the way to such a folder, and its files may be none.

    >>> from pathlib import Path
    >>> from longrein import AgentFolder, Subagents
    >>> folder = AgentFolder(Path("/project/agents"), "team")
    >>> [one.source for one in Subagents(files=[folder]).found]
    ['default']
    """

    path: Path
    source: str = "files"
    root: str = ""
    counts: Counts | None = None


class FoundAgent(Struct, frozen=True):
    """A subagent and where it is from: `code`, `default`, or the source and path of its file."""

    agent: Subagent
    source: str
    path: str = ""


class Reading(Struct, frozen=True):
    """What was found in folders, and what was wrong there."""

    found: tuple[FoundAgent, ...] = ()
    problems: tuple[Problem, ...] = ()


def read_folders(folders: Iterable[AgentFolder]) -> Reading:
    """Every subagent of some folders, the last with a name the one that counts.

    Never raises because of what is in them: a file that cannot be read as a subagent is a problem.
    """
    found: dict[str, FoundAgent] = {}
    problems: list[Problem] = []
    for folder in folders:
        for one in _read_folder(folder):
            if isinstance(one, Problem):
                problems.append(one)
                continue
            if other := found.get(one.agent.name):
                problems.append(replaced(other, one))
            found[one.agent.name] = one
    return Reading(tuple(found.values()), tuple(problems))


def replaced(other: FoundAgent, by: FoundAgent) -> Problem:
    """That a subagent of a file is not used: another has its name."""
    return _problem(
        other.path, f"not used: there is another {other.agent.name!r} ({by.path or by.source})."
    )


def as_folder(given: AgentFolder | str | os.PathLike[str]) -> AgentFolder:
    """A folder that code names, which counts. Raises `UsageError` for anything else."""
    if isinstance(given, AgentFolder):
        return given
    if not isinstance(given, str | os.PathLike):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise UsageError(f"files of Subagents are folders, not {given!r}.")
    return AgentFolder(Path(given))


def whole(folder: AgentFolder) -> bytes:
    """All files of a folder as `AgentFolder.counts` sees them; empty: there are none."""
    return _together(_texts(folder)[0])


def _read_folder(folder: AgentFolder) -> Iterator[FoundAgent | Problem]:
    texts, problems = _texts(folder)
    if texts and folder.counts and (why := folder.counts(folder.path, _together(texts))):
        yield _problem(str(folder.path), why)
        return
    yield from problems
    for path, text in texts.items():
        try:
            agent = parse_agent(text, path.stem, folder.root)
        except (UsageError, FrontmatterError) as error:
            yield _problem(str(path), str(error))
        else:
            yield FoundAgent(agent, folder.source, str(path))


def _texts(folder: AgentFolder) -> tuple[dict[Path, str], list[Problem]]:
    texts, problems = dict[Path, str](), list[Problem]()
    try:
        files = _opened(folder) if folder.counts else None
        place = Path(files.root.place) if files else folder.path
        for name in _names(place):
            path = folder.path / name
            try:
                texts[path] = _read(place / name, follow=files is None)
            except (OSError, ValueError) as error:
                problems.append(_problem(str(path), _reason(error)))
    except (FileNotFoundError, NotADirectoryError):
        pass
    except (OSError, UsageError) as error:
        problems.append(_problem(str(folder.path), _reason(error)))
    return texts, problems


def _opened(folder: AgentFolder) -> Confined:
    """A folder that others may have written, open: links that are put in its place later lead
    nowhere. Raises `UsageError` where one does now."""
    real = settled(folder.path, folder.root or str(folder.path.parent))
    os.stat(real)  # one that is not there is no problem
    return opened(real)


def _names(folder: Path) -> list[str]:
    found = sorted(one for one in os.listdir(folder) if one.endswith(".md") and one[0] != ".")
    if len(found) > MOST_FILES:
        raise OSError(errno.E2BIG, f"there are more than {MOST_FILES} files", str(folder))
    return found


def _read(path: Path, *, follow: bool) -> str:
    """The text of a small regular file. Never waits; raises `OSError`, ValueError for no text."""
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
    handle = os.open(path, flags if follow else flags | os.O_NOFOLLOW)
    with open(handle, "rb") as file:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise OSError(errno.EINVAL, "this is not a regular file", str(path))
        data = file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise OSError(errno.EFBIG, f"this has more than {MOST_BYTES:,} bytes", str(path))
    return data.decode()


def _together(texts: Mapping[Path, str]) -> bytes:
    """All files as one text that says where each begins: another division is another text."""
    parts = (f"==> {path.name} ({len(text)}) <==\n{text}\n" for path, text in texts.items())
    return "".join(parts).encode()


def _reason(error: OSError | ValueError | UsageError) -> str:
    if isinstance(error, UsageError):
        return str(error)
    if isinstance(error, UnicodeDecodeError):
        return "this is not a text in UTF-8."
    if isinstance(error, OSError) and error.errno == errno.ELOOP:
        return "this is a link: a project's subagents have to be files themselves."
    return f"{(error.strerror if isinstance(error, OSError) else '') or error}."


def _problem(path: str, text: str) -> Problem:
    return Problem(KIND, f"{path}: {text}")
