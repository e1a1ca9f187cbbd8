"""`/help`: keys and commands."""

from collections.abc import Sequence

from longrein.client.port import ThreadClient
from longrein.tui.commands import known_commands
from longrein.tui.pages.text import TextPage
from longrein.tui.view.help import help_lines
from longrein.tui.view.tones import Line


class HelpPage(TextPage):
    """Every key, and every command that there is here."""

    def __init__(self, thread: ThreadClient) -> None:
        async def make() -> Sequence[Line]:
            return help_lines(known_commands(await thread.commands()))

        super().__init__("Help", make)
