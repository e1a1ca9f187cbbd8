"""What was said and is not sent yet, between the conversation and the editor."""

from collections.abc import Sequence

from rich.text import Text
from textual.timer import Timer
from textual.widget import Widget

from longrein.client.words import brief
from longrein.tui.draw.lines import cut, one_line
from longrein.tui.writing.draft import Draft

ROWS = 3
"""Drafts that are shown."""

SOON = 0.1
"""Seconds that a draft has to be sent in: nothing comes up for a moment only."""

BAR, WAITS = "│ ", "  waits to be sent"
LEAST = 10
"""Cells that a text has before the words beside it."""


class Unsent(Widget):
    """Shows drafts that are on their way, for as long as something else has to be done first."""

    DEFAULT_CSS = """
    Unsent { height: auto; display: none; color: $text-muted; padding: 0 2 0 0; }
    Unsent.-waiting { display: block; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._drafts: Sequence[Draft] = ()
        self._timer: Timer | None = None

    def show(self, drafts: Sequence[Draft]) -> None:
        """Show these, the oldest first."""
        self._drafts = drafts
        if self._timer is not None:
            self._timer.stop()
        if drafts and not self.has_class("-waiting"):
            self._timer = self.set_timer(SOON, self._draw)
        else:
            self._draw()

    def _draw(self) -> None:
        self.set_class(bool(self._drafts), "-waiting")
        self.refresh(layout=True)

    def render(self) -> Text:
        width = self.content_size.width or 80
        lines = [_line(draft, width) for draft in self._drafts[:ROWS]]
        if (more := len(self._drafts) - ROWS) > 0:
            lines.append(cut(f"{BAR}… {more} more", width))
        return Text("\n".join(lines), no_wrap=True, end="")


def _line(draft: Draft, width: int) -> str:
    room = width - len(BAR) - len(WAITS)
    words = one_line(brief(draft.text, max(room, LEAST)))
    return f"{BAR}{cut(words, max(room, LEAST))}{WAITS if room >= LEAST else ''}"
