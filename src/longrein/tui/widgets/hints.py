"""A line that says which keys do something."""

from itertools import takewhile

from rich.cells import cell_len
from textual.content import Content
from textual.widget import Widget

BETWEEN = " · "


class Hints(Widget):
    """Keys with what they do. Where there is no room for all, the first stays, which is what the
    page is for, and the last: the way out."""

    DEFAULT_CSS = """
    Hints { height: 1; width: 1fr; color: $text-muted; }
    """

    def __init__(self, keys: str) -> None:
        super().__init__()
        self._keys = keys

    def show(self, keys: str) -> None:
        """Say these from now on."""
        self._keys = keys
        self.refresh()

    def render(self) -> Content:
        return Content(fitted(self._keys, self.size.width))


def fitted(keys: str, width: int) -> str:
    """As many of the keys as there is room for, from the first on, and the last of them; where
    there is none even for those two, without what they do.

    >>> fitted("Enter open · Ctrl+X stop it · Esc close", 24)
    'Enter open · Esc close'
    >>> fitted("Ctrl+S approve with your changes · Esc close", 24)
    'Ctrl+S · Esc close'
    """
    *others, last = keys.split(BETWEEN)
    while len(others) > 1 and cell_len(BETWEEN.join((*others, last))) > width:
        others.pop()
    shown = [*others, last]
    for place in range(len(shown)):
        if cell_len(BETWEEN.join(shown)) > width:
            shown[place] = _key(shown[place])
    return BETWEEN.join(shown)


def _key(hint: str) -> str:
    """A hint without what its keys do.

    >>> _key("Left Right effort")
    'Left Right'
    """
    keys = takewhile(lambda word: not word.islower() or len(word) == 1, hint.split())
    return " ".join(keys) or hint
