"""A line that says which keys do something."""

from rich.cells import cell_len
from textual.content import Content
from textual.widget import Widget

BETWEEN = " · "


class Hints(Widget):
    """Keys with what they do. Where there is no room for all, the last one stays: the way out."""

    DEFAULT_CSS = """
    Hints { height: 1; width: 1fr; color: $text-muted; }
    """

    def __init__(self, keys: str) -> None:
        super().__init__()
        self._keys = keys

    def render(self) -> Content:
        return Content(fitted(self._keys, self.size.width))


def fitted(keys: str, width: int) -> str:
    """As many of the keys as there is room for, from the first on, and the last of them.

    >>> fitted("Enter open · Ctrl+X stop it · Esc close", 24)
    'Enter open · Esc close'
    """
    *others, last = keys.split(BETWEEN)
    while others and cell_len(BETWEEN.join((*others, last))) > width:
        others.pop()
    return BETWEEN.join((*others, last))
