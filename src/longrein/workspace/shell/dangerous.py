"""`findings`: what in a line is dangerous, each with a reason for the person who is asked.

Looks at every command that `running` finds, also where that is not sure, and errs towards finding.
A line without findings is not thereby harmless: only `prove` proves anything.
"""

import re
from collections.abc import Iterator

from msgspec import Struct

from longrein.workspace.shell.danger_checks import CHECKS
from longrein.workspace.shell.running import UNREADABLE, Running
from longrein.workspace.shell.script import Command
from longrein.workspace.shell.wrappers import INTERPRETERS


class Finding(Struct, frozen=True):
    """Something dangerous: an id that stays the same, a reason for people, and where it is."""

    id: str
    reason: str
    command: str


DANGERS: dict[str, str] = {
    "removes-root": "removes a whole folder tree: the root, a home, or the working folder itself",
    "changes-rights": "changes rights of a folder tree, or lets a program run as another user",
    "writes-device": "formats or overwrites a disk",
    "fork-bomb": "starts itself again and again until the machine stops",
    "runs-download": "runs what it downloads",
    "runs-decoded": "runs text that was encoded, so nobody can read what it does",
    "runs-unknown": "runs a command whose name is made when the line runs",
    "unreadable": "is too long or nested too deep to be read",
    "becomes-root": "runs something as another user, mostly root",
    "git-overwrites": "overwrites or removes what others may have fetched",
    "git-loses": "throws away work that git cannot bring back",
    "git-rewrites": "rewrites the history of the repository",
    "git-helper": "makes git run a program",
    "writes-startup": "writes what runs by itself later: shell profiles, hooks, timers, services",
    "writes-access": "changes who may log in or what they may do",
    "sets-loader": "sets a variable that makes programs load or run something else",
    "schedules": "makes something run later",
    "ends-processes": "ends processes that it did not start",
    "stops-machine": "turns the machine off",
    "turns-off-guard": "turns off a protection, or gets around the sandbox",
    "opens-tunnel": "connects a shell or a file to the network",
    "publishes": "publishes something for everybody",
    "destroys-service": "removes data or services that are not files of the project",
}
"""Every finding by its id, with its reason."""


def findings(run: Running, folder: str) -> tuple[Finding, ...]:
    """What is dangerous in a line that is run in a folder.

    >>> from longrein.workspace.shell.running import running
    >>> [found.id for found in findings(running("nohup rm -rf ~ &"), "/project")]
    ['removes-root']
    """
    found = [
        Finding(danger, DANGERS[danger], _shown(command))
        for command in run.commands
        for danger, check in CHECKS.items()
        if check(command, folder)
    ]
    found += [Finding(one, DANGERS[one], _cut(run.script.line)) for one in _together(run, folder)]
    first = dict[str, Finding]()
    for one in found:
        first.setdefault(one.id, one)
    return tuple(first.values())


_DOWNLOADS = frozenset("curl wget fetch aria2c http https lynx nc ncat ftp scp rsync".split())
_DECODES = re.compile(
    r"base64 .*(?:-d|-D|--decode)|base32 .*-d|xxd .*-r|openssl .*-d|uudecode|gunzip|zcat|\bunhex\b"
)
_SUBSTITUTED = re.compile(r"[$<>]\(|`")
_BOMB = re.compile(r":\s*\(\)\s*\{")


def _together(run: Running, folder: str) -> Iterator[str]:
    """Dangers of commands together, and of redirections of groups."""
    line = run.script.line
    if run.unproven in UNREADABLE:
        yield "unreadable"
    defines = run.script.defines
    if _BOMB.search(line) or any(one.pipeline and one.name in defines for one in run.commands):
        yield "fork-bomb"
    for command in run.commands:
        if command.name in INTERPRETERS or command.name in ("eval", "source", ".", "xargs"):
            before = _fed_by(run, command)
            if any(one.name in _DOWNLOADS for one in before):
                yield "runs-download"
            if any(_DECODES.search(_shown(one)) for one in before):
                yield "runs-decoded"
    loose = Command(redirections=run.redirections)
    yield from (danger for danger, check in CHECKS.items() if check(loose, folder))


def _fed_by(run: Running, command: Command) -> list[Command]:
    """The commands whose output an interpreter runs: before it in a pipe, or inside its words."""
    inside = _SUBSTITUTED.search(command.raw)
    return [
        one
        for one in run.commands
        if (command.place and one.pipeline == command.pipeline and one.place < command.place)
        or (inside and one is not command and one.raw and one.raw in command.raw)
    ]


def _shown(command: Command) -> str:
    return _cut(" ".join(word.text for word in command.words) or command.raw)


def _cut(text: str) -> str:
    return text if len(text) <= 200 else f"{text[:200]}..."
