"""Lines that are drawn for a width and scroll where there are too many."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from textual.events import Resize
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from longrein.tui.around import app_of, look_for
from longrein.tui.look import Look

Drawing: TypeAlias = Callable[[int, Look], Sequence[Strip]]
"""The lines at a width."""

LETTERS = {"k": "up", "j": "down", "space": "pagedown"}
"""The keys that letters stand for where nothing is written."""

KEPT = 2
"""Widths at which lines are kept."""


class Scrolled(ScrollView, can_focus=False):
    """As high as what it shows, up to what its styles allow. Only what is seen is put together."""

    DEFAULT_CSS = """
    Scrolled {
        height: auto;
        overflow-x: hidden;
        scrollbar-size-vertical: 1;
        background: transparent;
        scrollbar-color: $panel;
        scrollbar-background: $background;
        scrollbar-background-hover: $background;
        scrollbar-background-active: $background;
        &:ansi { scrollbar-color: ansi_bright_black; }
    }
    """

    class Moved(Message):
        """Another part is seen, or there is another number of lines below it."""

    def __init__(self, drawing: Drawing, *, classes: str | None = None) -> None:
        super().__init__(classes=classes)
        self._drawing = drawing
        self._drawn: dict[tuple[int, str], Sequence[Strip]] = {}
        """The lines by width and theme. Whether there is a scroll bar is found out at one width,
        and they are shown at another: both are kept."""

    def forget(self) -> None:
        """Draw it anew when it is next needed: what it shows has changed, but not its height."""
        self._drawn.clear()

    def again(self, *, follow: bool = False) -> None:
        """Draw something else, which may have another height, from its beginning.

        `follow`: it is the same with more behind it, so that the end stays in sight where it is,
        and else what is seen now.
        """
        at_end = not self.below
        self.forget()
        if self._inner:  # else it has no place yet: of no width, all would seem to be very high
            self.virtual_size = Size(self.virtual_size.width, len(self._lines(self._inner)))
        if not follow:
            self.scroll_home(animate=False)
        elif at_end:
            self.scroll_end(animate=False)
        self.refresh(layout=True)

    @property
    def _inner(self) -> int:
        return self.scrollable_content_region.width

    @property
    def below(self) -> int:
        """How many lines are below what is seen."""
        return max(self.virtual_size.height - self.scroll_offset.y - self.size.height, 0)

    @property
    def above(self) -> int:
        """How many lines are above what is seen."""
        return self.scroll_offset.y

    def press(self, key: str) -> bool:
        """Scroll as a key says; whether it says anything here."""
        page = max(self.size.height - 1, 1)
        by = {
            "up": -1,
            "down": 1,
            "pageup": -page,
            "pagedown": page,
            "home": -self.above,
            "end": self.below,
        }.get(key)
        if by is not None:
            self.scroll_relative(y=by, animate=False)
        return by is not None

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(self._lines(width))

    def on_resize(self, event: Resize) -> None:
        self.virtual_size = Size(self._inner, len(self._lines(self._inner)))
        self.post_message(self.Moved())

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        self.post_message(self.Moved())

    def render_line(self, y: int) -> Strip:
        lines = self._lines(self._inner)
        at = y + self.scroll_offset.y
        line = lines[at] if at < len(lines) else Strip.blank(0)
        return line.adjust_cell_length(self.size.width).apply_style(self.rich_style)

    def _lines(self, width: int) -> Sequence[Strip]:
        key = (width, app_of(self).theme)
        if key not in self._drawn:
            if len(self._drawn) == KEPT:
                del self._drawn[next(iter(self._drawn))]
            self._drawn[key] = self._drawing(width, look_for(self))
        return self._drawn[key]
