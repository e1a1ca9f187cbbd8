"""`CustomCommands`: what people say again and again, by a name."""

import os
from collections.abc import Collection, Iterable, Sequence
from functools import partial
from pathlib import Path

from longrein.capabilities.base import Capability
from longrein.capabilities.contexts import CommandContext, SlashCommand
from longrein.capabilities.custom_commands.files import (
    CommandFolder,
    FoundCommand,
    Reading,
    read_folders,
)
from longrein.core.errors import UsageError
from longrein.core.outcomes import Problem


class CustomCommands(Capability):
    """Commands from Markdown files: what is in the file is said to the agent.

    The file `git/commit.md` is the command `/git:commit`. `$ARGUMENTS` in it stands for all that
    was typed after the name, `$1` to `$9` for its words, `$$` for a dollar sign. The later of
    `folders` wins over the earlier one; commands whose names are `taken` do not count. A file that
    was edited counts as it is when its command is given; a new one when a session is opened.

    >>> from longrein import Agent, CustomCommands
    >>> agent = Agent("assistant", capabilities=[CustomCommands(["commands"])])
    """

    def __init__(
        self,
        folders: Iterable[CommandFolder | str | os.PathLike[str]],
        *,
        taken: Collection[str] = (),
    ) -> None:
        self._folders = tuple(_folder(one) for one in folders)
        self._taken = frozenset(taken)
        self._found = self.look()

    def look(self) -> Reading:
        """The commands as they are now, and what is wrong."""
        return read_folders(self._folders, self._taken)

    def commands(self) -> Sequence[SlashCommand]:
        self._found = self.look()
        return [self._command(one) for one in self._found.found.values()]

    def problems(self) -> Sequence[Problem]:
        return self._found.problems

    def _command(self, one: FoundCommand) -> SlashCommand:
        hint, about = one.template.hint, one.template.description
        say = partial(self._say, one.name)
        return SlashCommand(one.name, about, say, hint=hint, gives_way=True)

    def _say(self, name: str, ctx: CommandContext, arguments: str) -> None:
        reading = self.look()
        if name not in reading.found:
            why = [one.message for one in reading.problems]
            raise UsageError(" ".join((f"There is no command /{name} any more.", *why)))
        template = reading.found[name].template
        if template.mode:
            ctx.switch_mode(template.mode)
        ctx.send(template.filled(arguments))


def _folder(given: CommandFolder | str | os.PathLike[str]) -> CommandFolder:
    return given if isinstance(given, CommandFolder) else CommandFolder(Path(given))
