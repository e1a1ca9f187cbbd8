"""Which files of a project a command of a hook names, and which it seems to run that are not known.

Nobody can tell what a command runs; but what stands in it in plain sight should be found however it
is written: in quotes, behind an operator, below a folder that the command goes to. A file too many
does no harm.
"""

import hashlib
import os
import re
import shlex
import stat
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from longrein.capabilities.hooks.spec import PROJECT
from longrein.core.errors import UsageError

MOST_BYTES = 16 * 1024 * 1024
MOST_WORDS = 1_000
MOST_FOLDERS = 16

RUNNERS = frozenset(
    "ant bazel bundle bun cargo deno dotnet go gradle grunt gulp just make mvn nox npm npx pnpm "
    "poetry pre-commit pytest rake task tox turbo uv uvx yarn".split()
)
"""What runs things that stand in other files of the project."""

_OF_MACHINE = ("/bin/", "/dev/", "/sbin/", "/usr/")
"""What no project brings."""

_HERE = re.compile(
    rf"\$(?:{'|'.join(PROJECT)}|PWD)\b|\$\{{(?:{'|'.join(PROJECT)}|PWD)\b[^}}]*\}}|\$\(pwd\)|`pwd`"
)
_CUTS = re.compile(r"""[=:,{}`'"]+""")
_LINE = re.compile(r"""[\s;&|()<>'"]""")
_PATH = re.compile(r"[\w.~$*?/+@-]*(?:/|\.(?:sh|bash|py|js|mjs|ts|rb|pl|php|lua))[\w.~$*?/+@-]*")
_WRITES = re.compile(r"[();<>|&]*>[|&]?")


class NamedFiles(Struct, frozen=True):
    """The files of the project that a command names, with a digest of each, and what else it seems
    to run, in words."""

    files: dict[str, str]
    others: tuple[str, ...] = ()


def named_files(command: str, project: Path) -> NamedFiles:
    """What a command that is run in the project names. Raises `UsageError` for one that nobody
    could answer for: it is too long, or a file is too large."""
    words = list(dict.fromkeys(_words(_HERE.sub(".", command))))
    if len(words) > MOST_WORDS:
        raise UsageError(f"a hook has more than {MOST_WORDS:,} words: put it into a script.")
    root = Path(os.path.realpath(project))
    folders, files, others = [root], dict[str, str](), dict[str, None]()
    for word in words:
        found = _found(word, folders, root)
        for path in found:
            if not path.is_dir():
                files[str(path.relative_to(root))] = _digest(path)
            elif path not in folders and len(folders) < MOST_FOLDERS:
                folders.append(path)
        if not found:
            others |= dict.fromkeys(_other(word))
    return NamedFiles(files, tuple(others))


def _words(text: str) -> Iterator[str]:
    """Whatever may be a name in a shell line, also in lines that stand in it in quotes."""
    lines = [text]
    while lines:
        line = lines.pop()
        for word in _named_in(line):
            if word != line and _LINE.search(word):
                lines.append(word)
            yield word
            yield from filter(None, _CUTS.split(word))


def _named_in(line: str) -> Iterator[str]:
    """The words of a line but for those that it writes to: they may change."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.whitespace_split, lexer.commenters = True, ""
    try:
        words = list(lexer)
    except ValueError:  # a quote that is not closed
        words = line.replace('"', " ").replace("'", " ").split()
    before = ""
    for word in words:
        if not _WRITES.fullmatch(before):
            yield word
        before = word


def _found(word: str, folders: list[Path], root: Path) -> list[Path]:
    """The files and folders of the project that a word can mean."""
    found = list[Path]()
    for folder in folders:
        try:
            path = Path(os.path.realpath(folder / word))
            mode = path.stat().st_mode
        except (OSError, ValueError):
            continue
        if path.is_relative_to(root) and (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
            found.append(path)
    return found


def _other(word: str) -> Iterator[str]:
    if word in RUNNERS:
        yield f"what {word} goes on to run"
    elif word == "-m":
        yield "the module behind -m"
    elif _PATH.fullmatch(word) and not word.startswith(("-", *_OF_MACHINE)):
        yield word


def _digest(path: Path) -> str:
    """What is in a file. Raises `UsageError`."""
    try:
        with open(path, "rb", opener=_without_waiting) as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or error}.") from None
    if len(data) > MOST_BYTES:
        raise UsageError(
            f"{path} has more than {MOST_BYTES // 1024**2} MiB: a hook that names it never counts."
        )
    return hashlib.sha256(data).hexdigest()


def _without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NONBLOCK | os.O_NOCTTY)
