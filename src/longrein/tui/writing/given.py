"""What is meant by what a person wrote: a command, a line for the shell, or words."""

import re

from msgspec import Struct

from longrein.tui.writing.draft import Draft

_COMMAND = re.compile(r"/([A-Za-z][\w:-]*)(?=\s|$)")
"""What goes on with a slash is a path."""


class CommandLine(Struct, frozen=True):
    """A command for the app or for what the agent brings."""

    name: str
    arguments: str


class ShellLine(Struct, frozen=True):
    """A line that the person wants to run themselves."""

    line: str


def meant(draft: Draft) -> CommandLine | ShellLine | None:
    """What a draft asks for; None: it is said to the agent.

    Only what is to be seen decides: nothing is run because of how a paste behind a mark begins.

    >>> meant(Draft("/mode plan"))
    CommandLine(name='mode', arguments='plan')
    >>> meant(Draft("/usr/bin is full")) is None
    True
    """
    if draft.text.startswith("!"):
        return ShellLine(draft.said[1:].strip())
    if found := _COMMAND.match(draft.text):
        return CommandLine(found[1], draft.said[found.end() :].strip())
    return None
