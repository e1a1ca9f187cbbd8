"""Keeps the list of completions in step with what is typed."""

import asyncio
from collections.abc import Sequence

from textual.worker import Worker

from longrein.client.port import CommandInfo
from longrein.core.errors import LongreinError
from longrein.tui.view.completing import (
    Completion,
    TypedPart,
    argument_completions,
    command_completions,
    file_completions,
    part_at,
)
from longrein.tui.widgets.completions import Completions
from longrein.tui.writing.sources import NOTHING, Sources

PAUSE = 0.05
"""Seconds without a key before anything is looked for that takes time."""


class Completer:
    """What is offered for the text before the cursor.

    Typing never waits: whatever is looked for is asked for in the background, and an answer that
    comes too late is dropped.
    """

    def __init__(self, offered: Completions) -> None:
        self._offered = offered
        self._sources = NOTHING
        self._commands: Sequence[CommandInfo] = ()
        self._part: TypedPart | None = None
        self._closed_at: int | None = None
        self._looking: Worker[None] | None = None

    def use(self, sources: Sources) -> None:
        """Look for files and arguments here."""
        self._sources = sources

    def set_commands(self, commands: Sequence[CommandInfo]) -> None:
        """Offer these commands."""
        self._commands = commands

    def follow(self, text: str) -> None:
        """Offer what fits the text before the cursor now."""
        part = part_at(text)
        if part is None or part.start != self._closed_at:
            self._closed_at = None
        if part == self._part:
            return
        if part and self._part and part.start != self._part.start:
            # What is offered is no way to go on with something else, for as long as that is sought.
            self._offered.show(())
        self._part = part
        if self._looking is not None:
            self._looking.cancel()
        if part is None or self._closed_at is not None:
            self._offered.show(())
        elif part.kind == "command":
            self._offered.show(command_completions(self._commands, part.typed))
        else:
            self._looking = self._offered.run_worker(self._look(part), exit_on_error=True)

    def chosen(self, text: str) -> tuple[TypedPart, Completion] | None:
        """What is chosen, if it was offered for this very text."""
        chosen = self._offered.chosen
        if chosen is None or self._part is None or part_at(text) != self._part:
            return None
        return self._part, chosen

    def choose(self, at: int) -> None:
        """Choose one of those that are offered."""
        self._offered.choose(at)

    def move(self, by: int) -> bool:
        """Choose another one; False where nothing is offered."""
        if self._offered.chosen is None:
            return False
        self._offered.move(by)
        return True

    def close(self) -> bool:
        """Offer nothing until something else is begun; False where nothing is offered."""
        if self._offered.chosen is None or self._part is None:
            return False
        self._closed_at = self._part.start
        self._offered.show(())
        return True

    def pass_over(self, text: str) -> None:
        """Offer nothing for a text that was not typed."""
        self._part = part_at(text)
        self._closed_at = self._part.start if self._part else None
        self._offered.show(())

    async def _look(self, part: TypedPart) -> None:
        await asyncio.sleep(PAUSE)
        try:
            found = await self._found(part)
        except LongreinError:  # there is nothing to offer; whoever types is not disturbed
            found = ()
        if part == self._part:
            self._offered.show(found)

    async def _found(self, part: TypedPart) -> tuple[Completion, ...]:
        if part.kind == "file":
            paths = await self._sources.files(part.typed)
            return file_completions(paths, await self._sources.unreadable(paths))
        return argument_completions(await self._sources.arguments(part.command), part.typed)
