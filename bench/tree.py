"""A tree of files to search in: the same one every time."""

import os
from random import Random

from longrein.workspace.rules import FileRule

IN_FOLDER = 16
LINES = 20
RARE = "find_the_needle"
"""Stands in every hundredth file."""

COMMON = "the"
"""Stands in about every fifth line, and so in almost every file."""

_ENDS = ("py", "py", "py", "md", "txt", "js", "json", "ts")
_WORDS = 2_000


def make_tree(root: str, files: int) -> None:
    """Put so many files below a folder, 16 in each of its folders, three names deep.

    With them: a .gitignore, what it names, and what `rules` deny.
    """
    random = Random(4)
    words = [COMMON, *("".join(random.choices("abcdefghij", k=6)) for _ in range(_WORDS))]
    for number in range(files):
        folder, place = divmod(number, IN_FOLDER)
        lines = [" ".join(random.choices(words[:40], k=8)) for _ in range(LINES)]
        if number % 100 == 0:
            lines[LINES // 2] = f"def {RARE}(): ..."
        path = f"{root}/part{folder // 50}/module{folder}/file{place}.{_ENDS[place % len(_ENDS)]}"
        _write(path, "\n".join(lines) + "\n")
    _write(f"{root}/.gitignore", "*.log\nbuild/\n")
    for path in ("part0/trace.log", "build/made.py", "secrets/keys.py", "part0/.env", "cert.pem"):
        _write(f"{root}/{path}", f"{RARE} {COMMON}\n")


def rules(root: str) -> list[FileRule]:
    """What people forbid; `NOT_DENIED` says the same to ripgrep."""
    return [
        FileRule("deny", ("**/.env", f"{root}/secrets/**")),
        FileRule("ask", ("**/*.pem", "**/.ssh/**")),
    ]


NOT_DENIED = ("--glob=!.env", "--glob=!/secrets/**", "--glob=!*.pem", "--glob=!.ssh/**")


def _write(path: str, text: str) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(text)
