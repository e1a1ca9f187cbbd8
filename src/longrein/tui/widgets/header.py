"""The header line at the upper end."""

from rich.cells import cell_len
from textual.content import Content
from textual.widget import Widget

from longrein.tui.draw.paper import on_paper
from longrein.tui.draw.rows import cut, one_line
from longrein.tui.view.header import HeaderView

MARGIN = 2


class Header(Widget):
    """Where the agent works, what the thread is called, and whether all is what it seems."""

    DEFAULT_CSS = """
    Header { height: 1; width: 1fr; background: transparent; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._view = HeaderView("", "")

    def show(self, view: HeaderView) -> None:
        """Show this; what is shown already is not drawn again."""
        if view != self._view:
            self._view = view
            self.refresh()

    def render(self) -> Content:
        width = max(self.size.width - 2 * MARGIN, 0)
        label = cut(one_line(self._view.label), width)
        room = max(width - cell_len(label) - 2 * bool(label), 0)
        place, title = one_line(self._view.place), one_line(self._view.title)
        # A long title leaves room for where it is; half of it is the title's in any case.
        title = cut(title, max(room - cell_len(place) - 3, room // 2))
        place = cut(place, room - cell_len(title) - 3)
        between = " · " if place and title else ""
        gap = width - sum(cell_len(text) for text in (place, between, title, label))
        return on_paper(
            (
                (" " * MARGIN, ""),
                (place, "dim"),
                (between, "dim"),
                (title, "dim"),
                (" " * max(gap, 0), ""),
                (label, "warn"),
            )
        )
