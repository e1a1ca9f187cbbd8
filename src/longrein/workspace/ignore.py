""".gitignore files: what a search leaves out."""

import re
from collections.abc import Callable

from msgspec import Struct

from longrein.workspace.globs import names_regex
from longrein.workspace.paths import join

LARGEST = 1024 * 1024
"""Bytes of a .gitignore file that is read; a larger one is none."""

_TRAILING = re.compile(r"(?<!\\)[ \t]+\Z")


class _Line(Struct, frozen=True):
    fits: Callable[[str], object]
    only_folders: bool
    keeps: bool


class Ignores(Struct, frozen=True):
    """What the .gitignore files on the way to a folder leave out, the outermost first.

    A walk asks for each entry and does not enter what is left out: nothing below is asked for.

    >>> rules = Ignores().inside("/", "*.log\\n!keep.log\\nbuild/")
    >>> rules.leaves_out("/a.log"), rules.leaves_out("/keep.log")
    (True, False)
    >>> rules.leaves_out("/build"), rules.leaves_out("/build", folder=True)
    (False, True)
    """

    files: tuple[tuple[int, tuple[_Line, ...]], ...] = ()

    def inside(self, folder: str, text: str) -> "Ignores":
        """With the .gitignore of a folder added."""
        lines = tuple(line for one in text.splitlines() if (line := _line(one)))
        return Ignores((*self.files, (len(join(folder, "")), lines))) if lines else self

    def leaves_out(self, path: str, *, folder: bool = False) -> bool:
        """Whether the last line about this path, of the innermost file that has one, is against."""
        for start, lines in reversed(self.files):
            relative = path[start:]
            for line in reversed(lines):
                if (folder or not line.only_folders) and line.fits(relative):
                    return not line.keeps
        return False


def _line(text: str) -> _Line | None:
    text = _TRAILING.sub("", text)
    if not text or text.startswith("#"):
        return None
    keeps = text.startswith("!")
    text = text.removeprefix("!")
    only_folders = text.endswith("/")
    text = text.removesuffix("/")
    parts = text.removeprefix("/").split("/")
    if "" in parts:  # as `a//b`: no path has it
        return None
    if "/" not in text:
        parts = ["**", *parts]
    try:
        return _Line(re.compile(names_regex(parts)).fullmatch, only_folders, keeps)
    except re.error:  # a line that nobody can read leaves nothing out
        return None
