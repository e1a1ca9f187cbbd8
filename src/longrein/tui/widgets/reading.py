"""Lines to read, which fill their place and scroll in it."""

from collections.abc import Sequence

from longrein.tui.draw.paper import paper
from longrein.tui.view.tones import Line
from longrein.tui.widgets.scrolled import Scrolled


class Reading(Scrolled):
    """Lines that are wrapped for the width that there is."""

    DEFAULT_CSS = """
    Reading {
        height: 1fr;
        padding: 0 2;
        scrollbar-background: $surface;
        scrollbar-background-hover: $surface;
        scrollbar-background-active: $surface;
    }
    """

    def __init__(self, lines: Sequence[Line] = (), *, classes: str | None = None) -> None:
        super().__init__(lambda width, look: paper(self._read)(width, look), classes=classes)
        self._read = lines

    def show(self, lines: Sequence[Line]) -> None:
        """Show other lines, from the first; what is shown already is not drawn again."""
        if lines != self._read:
            self._read = lines
            self.again()
