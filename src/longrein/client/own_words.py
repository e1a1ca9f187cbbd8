"""What the agent is told of a command that a person ran, and what a front end reads in that."""

import re

from msgspec import Struct

SOURCE = "shell"
"""The source of what the agent is told of such commands."""

_HEAD = "The user ran this command"
_TOLD = re.compile(_HEAD + r"(?: of (\d+) lines)?:\n\$ (.*)\n\[exit code (-?\d+)\]\s*\Z", re.DOTALL)


class OwnCommand(Struct, frozen=True):
    """A command that has ended, with what it put out."""

    line: str
    output: str
    code: int


def told(ran: OwnCommand) -> str:
    """What the agent is told. A command of several lines says of how many: where it ends and its
    output begins is seen from nothing else."""
    lines = ran.line.count("\n") + 1
    several = f" of {lines} lines" if lines > 1 else ""
    return f"{_HEAD}{several}:\n$ {ran.line}\n{ran.output.rstrip()}\n[exit code {ran.code}]"


def read_told(text: str) -> OwnCommand | None:
    """The command that the agent was told of; None where this tells of none.

    >>> read_told(told(OwnCommand("cd src\\nls", "a.py\\n", 0)))
    OwnCommand(line='cd src\\nls', output='a.py', code=0)
    """
    found = _TOLD.search(text)
    if found is None:
        return None
    lines, count = found[2].split("\n"), int(found[1] or 1)
    return OwnCommand("\n".join(lines[:count]), "\n".join(lines[count:]), int(found[3]))
