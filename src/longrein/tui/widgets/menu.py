"""A list to choose from: one of it, or several."""

from collections.abc import Sequence

from textual.events import Click
from textual.message import Message
from textual.strip import Strip

from longrein.tui.draw.menu import draw_menu
from longrein.tui.look import Look
from longrein.tui.widgets.scrolled import Scrolled


class Menu(Scrolled):
    """Numbered items. Arrows move; Enter, the number or a click chooses.

    Where `several` can be taken, Space, the number or a click marks one, and Enter takes them all.
    Whoever has the focus hands keys on to `press`.
    """

    class Chosen(Message):
        """The person is done: with one item, or with all that are marked."""

        def __init__(self, items: tuple[int, ...]) -> None:
            super().__init__()
            self.items = items

    def __init__(self, items: Sequence[str], *, at: int = 0, several: bool = False) -> None:
        super().__init__(self._draw)
        self._items = items
        self._at = at
        self._marked: frozenset[int] | None = frozenset() if several else None
        self._owners: list[int] = []

    @property
    def marked(self) -> tuple[int, ...]:
        """The items that are marked, in their order."""
        return tuple(sorted(self._marked or ()))

    def take(self) -> None:
        """Be done: with the item at the cursor, or with all that are marked."""
        self.post_message(self.Chosen((self._at,) if self._marked is None else self.marked))

    def has(self, key: str) -> bool:
        """Whether a key is the number of an item."""
        return key.isdecimal() and 1 <= int(key) <= len(self._items)

    def press(self, key: str) -> bool:
        """Do what a key says; whether it says anything here."""
        last = len(self._items) - 1
        match key:
            case "up":
                self.point(max(self._at - 1, 0))
            case "down":
                self.point(min(self._at + 1, last))
            case "home":
                self.point(0)
            case "end":
                self.point(last)
            case "enter":
                self.take()
            case "space" if self._marked is not None:
                self._touch(self._at)
            case _ if self.has(key):
                self._touch(int(key) - 1)
            case _:
                return False
        return True

    def on_click(self, event: Click) -> None:
        row = event.y + self.scroll_offset.y
        if row < len(self._owners):
            self._touch(self._owners[row])

    def _touch(self, item: int) -> None:
        """Mark the item or, where only one is wanted, choose it."""
        self._at = item
        if self._marked is None:
            self.post_message(self.Chosen((item,)))
        else:
            self._marked ^= {item}
        self._redraw()

    def point(self, item: int) -> None:
        """Go to an item."""
        self._at = item
        self._redraw()

    def _redraw(self) -> None:
        self.forget()
        self.refresh()
        rows = [row for row, owner in enumerate(self._owners) if owner == self._at]
        if rows and rows[0] < self.scroll_offset.y:
            self.scroll_to(y=rows[0], animate=False)
        elif rows and rows[-1] >= self.scroll_offset.y + self.size.height:
            self.scroll_to(y=rows[-1] - self.size.height + 1, animate=False)

    def _draw(self, width: int, look: Look) -> Sequence[Strip]:
        rows = draw_menu(self._items, self._at, self._marked, width, look)
        self._owners = [owner for owner, _ in rows]
        return [strip for _, strip in rows]
