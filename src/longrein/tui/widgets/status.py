"""The status line at the lower end."""

from textual.content import Content
from textual.events import Click
from textual.message import Message
from textual.widget import Widget

from longrein.tui.draw.paper import on_paper
from longrein.tui.view.status import BETWEEN, MARGIN, PartName, StatusPart, StatusView, fitted


class Status(Widget):
    """One line, never more. A click on a part of it says which one that was."""

    DEFAULT_CSS = """
    Status { height: 1; width: 1fr; background: transparent; }
    """

    class Pressed(Message):
        """Somebody clicked at a part."""

        def __init__(self, part: PartName) -> None:
            super().__init__()
            self.part: PartName = part

    def __init__(self) -> None:
        super().__init__()
        self._view = StatusView(())

    def show(self, view: StatusView) -> None:
        """Show this; what is shown already is not drawn again."""
        if view != self._view:
            self._view = view
            self.refresh()

    def render(self) -> Content:
        return on_paper(tuple((text, part.tone if part else "dim") for text, part in self._spans()))

    def _spans(self) -> list[tuple[str, StatusPart | None]]:
        """The line from left to right, in texts with the part that each is of."""
        view = fitted(self._view, self.size.width)
        left = _joined([part for part in view.parts if not part.right])
        right = _joined([part for part in view.parts if part.right])
        used = view.width - (len(BETWEEN) if left and right else 0)
        gap = " " * max(self.size.width - used, 1)
        return [(" " * MARGIN, None), *left, (gap, None), *right]

    def on_click(self, event: Click) -> None:
        at = 0
        for text, part in self._spans():
            at += Content(text).cell_length
            if event.x < at:
                if part:
                    self.post_message(self.Pressed(part.name))
                return


def _joined(parts: list[StatusPart]) -> list[tuple[str, StatusPart | None]]:
    spans: list[tuple[str, StatusPart | None]] = []
    for part in parts:
        spans += [(BETWEEN, None), (part.text, part)]
    return spans[1:]
