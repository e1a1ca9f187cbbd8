"""`/cost`: what a thread has used, and what it cost."""

from collections.abc import Sequence

from longrein.client.port import ThreadClient
from longrein.tui.pages.text import TextPage
from longrein.tui.view.cost import cost_lines
from longrein.tui.view.tones import Line


class CostPage(TextPage):
    """The account of a thread."""

    def __init__(self, thread: ThreadClient) -> None:
        async def make() -> Sequence[Line]:
            return cost_lines(thread.display)

        super().__init__("Cost", make)
