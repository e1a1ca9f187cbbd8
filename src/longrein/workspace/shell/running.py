"""`running`: every command that a line runs, also through programs that run others."""

import re

from msgspec import Struct
from msgspec.structs import replace

from longrein.workspace.shell.parse import TOO_LONG, parse
from longrein.workspace.shell.script import Command, Redirection, Script
from longrein.workspace.shell.wrappers import INTERPRETERS, inner

DEEPEST = 8
MOST_WORDS = 20_000
"""In all commands of a line, those inside others counted."""

TOO_DEEP = "its commands are nested too deep"
TOO_MANY = "it runs too many commands"
UNREADABLE = (TOO_LONG, TOO_DEEP, TOO_MANY)
"""Why commands may be missing altogether."""

STATEFUL = frozenset(
    ". alias bind cd chdir coproc declare enable eval exec export fc getopts hash "
    "history let local mapfile popd printf pushd read readarray readonly set shift shopt "
    "source trap typeset ulimit umask unalias unset".split()
)
"""Builtins that change what later commands of the line mean. Of `printf`, only `-v` and `%n`."""

EVALUATING = frozenset(
    "[ [[ declare export getopts let local mapfile printf read readarray readonly test typeset "
    "unset wait".split()
)
"""Builtins that take a word for the name of a variable, and run what its subscript says."""


class Running(Struct, frozen=True):
    """The commands of a line, from the outside in, and the redirections of its groups.

    `unproven` says why rules that permit cannot go by them; where it is empty they run exactly as
    they stand here, in the folder in which the line is run, and none changes what another means.
    """

    script: Script
    commands: tuple[Command, ...]
    redirections: tuple[Redirection, ...] = ()
    unproven: str = ""


def running(line: str, folder: str = "") -> Running:
    """The commands that a line runs, those inside `timeout 5 ...` or `sh -c '...'` too.

    >>> [command.name for command in running("timeout 5 sh -c 'git push'").commands]
    ['timeout', 'sh', 'git']
    >>> running("cd /etc && ls").unproven
    'cd changes what the other commands mean'
    """
    script = parse(line)
    found, loose, reasons = _collect(script)
    stays = [one for one in found if not _is_staying(one, folder)]
    if reason := _interplay(stays):
        reasons.append(reason)
    unproven = next((one for one in UNREADABLE if one in reasons), "".join(reasons[:1]))
    commands = tuple(found if unproven else stays or found)
    return Running(script, commands, tuple(loose), unproven)


def _collect(script: Script) -> tuple[list[Command], list[Redirection], list[str]]:
    """All commands, the redirections of groups, and why these are not sure."""
    found, loose = list[Command](), [*script.redirections]
    reasons = [script.unproven] if script.unproven else []
    left = MOST_WORDS
    waiting = [(command, 0) for command in reversed(script.commands)]
    while waiting and left > 0:
        command, depth = waiting.pop()
        left -= len(command.words) + 1
        found.append(command)
        for one in inner(command):
            if not one.sure:
                reasons.append(f"what {command.name} runs cannot be told")
            if depth >= DEEPEST:
                reasons.append(TOO_DEEP)
            elif isinstance(one.what, str):
                within = parse(one.what)
                reasons += [within.unproven] if within.unproven else []
                loose += within.redirections
                waiting += [(each, depth + 1) for each in reversed(within.commands)]
            else:
                again = replace(command, words=one.what, assignments=(), redirections=())
                waiting.append((again, depth + 1))
    return found, loose, [*reasons, TOO_MANY] if waiting else reasons


_COUNTS = re.compile(r"%[^%A-Za-z]*[hlLjzt]*n")
_SUBSCRIPT = re.compile(r"[\[`$]")


def _interplay(commands: list[Command]) -> str:
    """Why commands that are known one by one do not mean what they say."""
    for command in commands:
        name, arguments = command.name, command.arguments
        if name in EVALUATING and any(_SUBSCRIPT.search(one) for one in arguments):
            return f"{name} may run what stands in its words"
        options_only = all(one.startswith("-") for one in arguments)
        if name in INTERPRETERS and command.place and options_only:
            return f"{name} runs what it reads"
        if len(commands) > 1 and (not name or _changes(name, arguments)):
            return f"{name or 'an assignment'} changes what the other commands mean"
    return ""


def _changes(name: str, arguments: tuple[str, ...]) -> bool:
    if name == "printf":
        return any(one.startswith("-v") or _COUNTS.search(one) for one in arguments)
    return name in STATEFUL


def _is_staying(command: Command, folder: str) -> bool:
    """Whether a command only goes to the folder in which the line runs anyway."""
    texts = [word.text for word in command.words]
    plain = not (command.assignments or command.redirections)
    return bool(folder) and plain and texts == ["cd", folder]
