"""Lines that scroll, in which words can be found."""

import asyncio

from textual.strip import Strip

from longrein.tui.draw.long import CONTINUED
from longrein.tui.widgets.scrolled import Drawing, Scrolled

AT_ONCE = 1_000
"""Rows that are looked through before somebody else has a turn."""


class Searched(Scrolled):
    """Where words were found last is marked, a third below the top."""

    def __init__(self, drawing: Drawing) -> None:
        super().__init__(drawing)
        self._found = (-1, 0)
        """The row that was found last, and the width at which it is this row."""

    async def find(self, words: str, by: int) -> int:
        """The next row with these words, or the one before where `by` is -1; behind the last comes
        the first. -1: there is none."""
        rows, wanted = self._lines(self._inner), words.casefold()
        begin = self._marked if self._marked >= 0 else self.above - by
        for step in range(1, len(rows) + 1):
            at = (begin + by * step) % len(rows)
            # What is too long for a row goes on in the next, words among it.
            below = rows[at + 1].text if at + 1 < len(rows) else ""
            rest = below[len(CONTINUED) :] if below.startswith(CONTINUED) else ""
            if 0 <= f"{rows[at].text}{rest}".casefold().find(wanted) < len(rows[at].text):
                return at
            if step % AT_ONCE == 0:
                await asyncio.sleep(0)
        return -1

    def go_to(self, row: int) -> None:
        """Mark what was found, and show it; -1: nothing was."""
        self._found = (row, self._inner)
        if row >= 0:
            self.scroll_to(y=max(row - self.size.height // 3, 0), animate=False)
        self.refresh()

    @property
    def _marked(self) -> int:
        row, width = self._found
        return row if width == self._inner else -1

    def render_line(self, y: int) -> Strip:
        line = super().render_line(y)
        if y + self.scroll_offset.y != self._marked:
            return line
        return line.apply_style(self.screen.get_component_rich_style("screen--selection"))
