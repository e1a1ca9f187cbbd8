"""`/context`: where the tokens of a request go."""

from collections.abc import Sequence

from longrein.client.port import ThreadClient
from longrein.tui.pages.text import TextPage
from longrein.tui.view.context import context_lines
from longrein.tui.view.tones import Line


class ContextPage(TextPage):
    """The report of a thread."""

    def __init__(self, thread: ThreadClient) -> None:
        async def make() -> Sequence[Line]:
            return context_lines(await thread.context(), thread.display.model)

        super().__init__("Context", make)
