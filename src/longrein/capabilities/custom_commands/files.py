"""Custom commands from folders: what a file says, and what it is called."""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeAlias

from msgspec import Struct

from longrein.capabilities import brought
from longrein.capabilities.custom_commands.template import Template, read_template
from longrein.core.errors import UsageError

COMMANDS = brought.Sort("command", "/{}", "commands", deepest=8)

_NAMES = re.compile(r"(/[A-Za-z0-9_][A-Za-z0-9_.-]*)+")


@dataclass(frozen=True, slots=True)
class CommandFolder:
    """A folder with a Markdown file for each command, also in folders of it. It need not be there.

    `origin` is what it is called in lists. `counts` is asked about a folder that others may have
    written, with all that it holds; without it the folder counts. No link may lead out of `root` on
    the way to it, and its files may be none.

    >>> from pathlib import Path
    >>> from longrein import CommandFolder
    >>> CommandFolder(Path("/project/.longrein/commands"), "project").origin
    'project'
    """

    path: Path
    origin: str = "code"
    root: str = ""
    counts: brought.Counts | None = None


class FoundCommand(Struct, frozen=True):
    """A custom command and where it is from."""

    name: str
    template: Template
    origin: str
    path: str


Reading: TypeAlias = brought.Reading[FoundCommand]


def read_folders(folders: Iterable[CommandFolder], taken: Collection[str] = ()) -> Reading:
    """Every command of some folders, the last with a name the one that counts, and none whose name
    is `taken`. A file that cannot be a command is a problem."""
    return brought.read_folders(folders, COMMANDS, partial(_parse, taken))


def whole(folder: CommandFolder) -> bytes:
    """All files of a folder as `CommandFolder.counts` sees them; empty: there are none."""
    return brought.whole(folder, COMMANDS)


def _parse(taken: Collection[str], folder: CommandFolder, below: str, text: str) -> FoundCommand:
    if not _NAMES.fullmatch(below):
        raise UsageError(
            "use letters, digits, '-', '_' and '.' for the names of files and folders."
        )
    name = below.removesuffix(".md")[1:].replace("/", ":")
    template = read_template(text)
    if name in taken:
        raise UsageError(f"not used: /{name} is a command of Longrein. Give the file another name.")
    return FoundCommand(name, template, folder.origin, f"{folder.path}{below}")
