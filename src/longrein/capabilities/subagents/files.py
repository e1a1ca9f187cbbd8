"""Subagents from files: the folders that hold them, and what a file comes to."""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from msgspec import Struct

from longrein.capabilities import brought
from longrein.capabilities.subagents.parsing import parse_agent
from longrein.capabilities.subagents.spec import Subagent
from longrein.core.errors import UsageError

AGENTS = brought.Sort("subagent", "{!r}", "a project's subagents", follows=True)


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
    counts: brought.Counts | None = None


class FoundAgent(Struct, frozen=True):
    """A subagent and where it is from: `code`, `default`, or the source and path of its file."""

    agent: Subagent
    source: str
    path: str = ""

    @property
    def name(self) -> str:
        return self.agent.name


def read_folders(folders: Iterable[AgentFolder]) -> brought.Reading[FoundAgent]:
    """Every subagent of some folders, the last with a name the one that counts. A file that cannot
    be read as a subagent is a problem."""
    return brought.read_folders(folders, AGENTS, _parse)


def as_folder(given: AgentFolder | str | os.PathLike[str]) -> AgentFolder:
    """A folder that code names, which counts. Raises `UsageError` for anything else."""
    if isinstance(given, AgentFolder):
        return given
    if not isinstance(given, str | os.PathLike):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise UsageError(f"files of Subagents are folders, not {given!r}.")
    return AgentFolder(Path(given))


def whole(folder: AgentFolder) -> bytes:
    """All files of a folder as `AgentFolder.counts` sees them; empty: there are none."""
    return brought.whole(folder, AGENTS)


def _parse(folder: AgentFolder, below: str, text: str) -> FoundAgent:
    path = Path(f"{folder.path}{below}")
    return FoundAgent(parse_agent(text, path.stem, folder.root), folder.source, str(path))
