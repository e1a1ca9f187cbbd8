"""`prove`: whether a line only looks at files inside its folder, so that it may run unasked.

Proven is a line in the small grammar whose every command stands in the table of harmless commands
with nothing but the options named there. Whatever is not proven may still be harmless; it is asked
about.
"""

import re
from collections.abc import Iterator

from msgspec import Struct

from longrein.workspace.paths import is_below
from longrein.workspace.shell import tables
from longrein.workspace.shell.places import resolved
from longrein.workspace.shell.running import Running
from longrein.workspace.shell.script import Command, Redirection
from longrein.workspace.shell.tables import Harmless


class Proof(Struct, frozen=True):
    """Whether a line is proven harmless, or why not.

    `commands` are those that are proven by themselves, in a line that is not proven too. `reads`
    are the files and folders that they look at, absolute and with links not resolved; `beneath`:
    also at everything in those folders. Of a line that is not proven, the folder in which it runs
    is not among them: whatever else it runs may look there as well.
    """

    safe: bool
    reason: str = ""
    reads: tuple[str, ...] = ()
    beneath: bool = False
    commands: tuple[Command, ...] = ()


def prove(run: Running, folder: str) -> Proof:
    """Whether the commands of a line are harmless in a folder (absolute, links resolved).

    >>> from longrein.workspace.shell.running import running
    >>> prove(running("cat a.txt | wc -l"), "/project").reads
    ('/project/a.txt',)
    >>> prove(running("sort -o a.txt a.txt"), "/project").reason
    'sort has an option that is not in the table of harmless commands: -o'
    >>> [command.name for command in prove(running("make | tail -5"), "/project").commands]
    ['tail']
    """
    if run.unproven:
        return Proof(False, run.unproven)
    reasons, looks = list[str](), list[tuple[Command, _Look]]()
    for command in run.commands:
        try:
            looks.append((command, _look(command, folder)))
        except _Unproven as reason:
            reasons.append(str(reason))
    reads = dict.fromkeys(path for _, look in looks for path in look.paths)
    return Proof(
        not reasons,
        "".join(reasons[:1]),
        tuple(path for path in reads if path != folder or not reasons),
        any(look.beneath for _, look in looks),
        tuple(command for command, _ in looks),
    )


class _Unproven(Exception):
    """Why a line is not proven harmless."""


class _Look(Struct, frozen=True):
    paths: tuple[str, ...] = ()
    beneath: bool = False


def _look(command: Command, folder: str) -> _Look:
    """What a harmless command looks at. Raises `_Unproven` for any other."""
    if command.until == "&":
        raise _Unproven("it leaves something running")
    if command.assignments:
        raise _Unproven("it sets a variable")
    if not all(_is_harmless(one) for one in command.redirections):
        raise _Unproven("it writes or reads a file by a redirection")
    name = command.words[0].text
    match name:
        case "git":
            return _git(command.arguments)
        case "find":
            return _find(command.arguments, folder)
        case _ if name in tables.HARMLESS:
            return _listed(name, tables.HARMLESS[name], command.arguments, folder)
        case _:
            raise _Unproven(f"{name} is not in the table of harmless commands")


def _is_harmless(one: Redirection) -> bool:
    return one.operator == ">&" or one.target.text == "/dev/null"


def _git(arguments: tuple[str, ...]) -> _Look:
    if arguments not in tables.GIT:
        raise _Unproven("what git runs here is decided by the configuration of the repository")
    return _Look()


def _find(arguments: tuple[str, ...], folder: str) -> _Look:
    words = list(arguments)
    paths = list[str]()
    while words and not words[0].startswith(("-", "(", "!", ",")):
        paths.append(words.pop(0))
    while words:
        word = words.pop(0)
        if word in tables.FIND_VALUED and words:
            words.pop(0)
        elif word not in tables.FIND:
            raise _unknown_option("find", word)
    return _Look(tuple(_inside(path, folder) for path in paths or ["."]), True)


def _listed(name: str, known: Harmless, arguments: tuple[str, ...], folder: str) -> _Look:
    if known.operands == "words":
        return _Look()
    options, operands = _split(name, known, arguments)
    paths = _paths(name, known, options, operands)
    beneath = known.beneath == "always" or any(one in options for one in known.beneath.split())
    if not paths and (known.here or beneath):
        paths = ["."]
    return _Look(tuple(_inside(path, folder) for path in paths if path != "-"), beneath)


def _split(name: str, known: Harmless, arguments: tuple[str, ...]) -> tuple[set[str], list[str]]:
    """The options that are given, without their values, and the other words."""
    options, operands = set[str](), list[str]()
    words = list(arguments)
    while words:
        word = words.pop(0)
        if word == "--":
            return options, operands + words
        if not word.startswith("-") or word == "-":
            operands.append(word)
        elif word.startswith("--"):
            options.add(_long(name, known, word, words))
        elif not (name in ("head", "tail") and word[1:].isdecimal()):
            options.update(_short(name, known, word, words))
    return options, operands


def _long(name: str, known: Harmless, word: str, rest: list[str]) -> str:
    option, given, _ = word.partition("=")
    listed = known.long.split()
    if f"{option}=" in listed and (given or rest):
        if not given:
            rest.pop(0)
    elif f"{option}[=]" not in listed and (option not in listed or given):
        raise _unknown_option(name, option)
    return option


def _short(name: str, known: Harmless, word: str, rest: list[str]) -> Iterator[str]:
    for at, letter in enumerate(word[1:], start=2):
        if letter in known.valued and (at < len(word) or rest):
            if at == len(word):
                rest.pop(0)
            yield f"-{letter}"
            return
        if letter not in known.flags:
            raise _unknown_option(name, f"-{letter}")
        yield f"-{letter}"


def _paths(name: str, known: Harmless, options: set[str], operands: list[str]) -> list[str]:
    """Which of the operands are files that are looked at."""
    first = operands[0] if operands else ""
    match known.operands:
        case "none" if operands:
            raise _Unproven(f"{name} is proven only without further words")
        case "none" | "text" | "words":
            _check_text(name, first)
            return []
        case "one path" if len(operands) > 1:
            raise _Unproven(f"{name} is proven only with one file: it may write to the second")
        case "script, paths":
            if not re.fullmatch(tables.SED_SCRIPT, first):
                raise _Unproven(f"{name} is proven only for printing lines by their numbers")
            return operands[1:]
        case "pattern, paths":
            listing = {"-e", "--regexp", "--files", "--type-list"} & options
            return operands if listing else operands[1:]
        case "one path" | "paths":
            return operands


def _check_text(name: str, first: str) -> None:
    if name == "date" and first and not first.startswith("+"):
        raise _Unproven("date sets the clock")
    if name == "printf" and not re.fullmatch(tables.PRINTF_FORMAT, first, re.DOTALL):
        raise _Unproven("printf is proven only with plain formats")


def _inside(path: str, folder: str) -> str:
    found = resolved(path, folder)
    if found is None or not is_below(found, folder.rstrip("/") or "/"):
        raise _Unproven("it looks at something outside the folder")
    return found


def _unknown_option(name: str, option: str) -> _Unproven:
    return _Unproven(
        f"{name} has an option that is not in the table of harmless commands: {option}"
    )
