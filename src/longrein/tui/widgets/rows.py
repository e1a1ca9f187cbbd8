"""A list to choose from, of which only what is seen is drawn."""

from collections.abc import Callable, Sequence
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.binding import Binding, BindingType
from textual.events import Click, Resize
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from longrein.tui.draw.rows import columns, cut, draw_row
from longrein.tui.view.rows import Row

MARGIN = 2
"""Blank cells at the right end."""

NEAR_END = 10
"""Rows before the end at which more are asked for."""


class Rows(ScrollView, can_focus=True):
    """Rows with a cursor. Enter or a click chooses one.

    `alone`: its cursor is seen without the focus, too, which a field beside it may have.
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        f"rows--{part}" for part in ("cursor", "dim", "strong", "accent", "good", "warn", "bad")
    }
    DEFAULT_CSS = """
    Rows {
        height: 1fr;
        background: transparent;
        overflow-x: hidden;
        scrollbar-size-vertical: 1;
        scrollbar-color: $panel;
        scrollbar-color-hover: $primary;
        scrollbar-color-active: $primary;
        scrollbar-background: $surface;
        scrollbar-background-hover: $surface;
        scrollbar-background-active: $surface;
        &:ansi { scrollbar-color: ansi_bright_black; }
        & > .rows--cursor { background: $panel; }
        & > .rows--strong { text-style: bold; }
        & > .rows--dim { color: $text-muted; }
        & > .rows--accent { color: $text-accent; text-style: bold; }
        & > .rows--good { color: $text-success; }
        & > .rows--warn { color: $text-warning; }
        & > .rows--bad { color: $text-error; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "move(-1)", show=False),
        Binding("down", "move(1)", show=False),
        Binding("pageup", "page(-1)", show=False),
        Binding("pagedown", "page(1)", show=False),
        Binding("home", "first", show=False),
        Binding("end", "last", show=False),
        Binding("enter", "choose", show=False),
    ]

    class Moved(Message):
        """The cursor is at another row; None: there is none."""

        def __init__(self, row: Row | None) -> None:
            super().__init__()
            self.row = row

    class Chosen(Message):
        """Somebody chose a row."""

        def __init__(self, row: Row) -> None:
            super().__init__()
            self.row = row

    class NearEnd(Message):
        """The cursor comes to the end: more can be shown."""

    def __init__(self, empty: str = "", *, id: str | None = None, alone: bool = True) -> None:
        super().__init__(id=id)
        self._alone = alone
        self._rows: Sequence[Row] = ()
        self._empty = empty
        self._at = 0
        self._widths: tuple[int, ...] = ()
        self._marks = False

    @property
    def row(self) -> Row | None:
        """The row at the cursor; None where there is none to choose."""
        row = self._rows[self._at] if self._at < len(self._rows) else None
        return None if row is None or row.heading else row

    def show(self, rows: Sequence[Row], empty: str = "", *, key: str | None = None) -> None:
        """Show these, with the cursor at the row `key`, else where it was or at the first.

        `empty` stands there where there are none.
        """
        if rows == self._rows and empty == self._empty and key is None:
            return
        before = self.row
        wanted = key if key is not None else before.key if before else None
        self._rows, self._empty = rows, empty
        self._widths = columns(rows)
        self._marks = any(row.current for row in rows)
        self._at = self._place(wanted)
        self.virtual_size = Size(self._inner, max(len(rows), 1))
        self._reveal()
        self.refresh()
        if self.row != before:
            self.post_message(self.Moved(self.row))

    @property
    def _inner(self) -> int:
        return max(self.scrollable_content_region.width, 1)

    def _place(self, key: str | None) -> int:
        choosable = (place for place, row in enumerate(self._rows) if not row.heading)
        first = next(choosable, 0)
        if not key:
            return first
        named = (place for place, row in enumerate(self._rows) if row.key == key)
        return next(named, first)

    def action_move(self, by: int) -> None:
        """Go up or down, over headings."""
        at = self._at + by
        while 0 <= at < len(self._rows) and self._rows[at].heading:
            at += 1 if by > 0 else -1
        if 0 <= at < len(self._rows):
            self._go(at)
        elif by < 0:
            self.scroll_to(y=0, animate=False)

    def action_page(self, by: int) -> None:
        """Go up or down by what is seen."""
        self._go_near(self._at + by * max(self.size.height - 1, 1))

    def action_first(self) -> None:
        self._go_near(0)

    def action_last(self) -> None:
        self._go_near(len(self._rows) - 1)

    def action_choose(self) -> None:
        """Choose the row at the cursor."""
        if (row := self.row) is not None:
            self.post_message(self.Chosen(row))

    def _go_near(self, at: int) -> None:
        """Go to this row, or to the nearest that is no heading."""
        at = max(0, min(at, len(self._rows) - 1))
        places = sorted(range(max(at - 2, 0), min(at + 3, len(self._rows))), key=_from(at))
        for place in places:
            if not self._rows[place].heading:
                self._go(place)
                return

    def _go(self, at: int) -> None:
        if at != self._at:
            self._at = at
            self._reveal()
            self.refresh()
            self.post_message(self.Moved(self.row))
        if at >= len(self._rows) - NEAR_END:
            self.post_message(self.NearEnd())

    def _reveal(self) -> None:
        """Scroll as little as shows the row at the cursor, with the heading right over it."""
        top = self._at - 1 if self._at and self._rows[self._at - 1].heading else self._at
        height = max(self.size.height, 1)
        if top < self.scroll_offset.y:
            self.scroll_to(y=top, animate=False)
        elif self._at >= self.scroll_offset.y + height:
            self.scroll_to(y=self._at - height + 1, animate=False)

    def on_resize(self, event: Resize) -> None:
        self.virtual_size = Size(self._inner, max(len(self._rows), 1))
        self._reveal()

    def on_click(self, event: Click) -> None:
        at = event.y + self.scroll_offset.y
        if at < len(self._rows) and not self._rows[at].heading:
            self._go(at)
            self.action_choose()

    @property
    def _has_cursor(self) -> bool:
        return self._alone or self.has_focus

    def on_focus(self) -> None:
        self.refresh()

    def on_blur(self) -> None:
        self.refresh()

    def render_line(self, y: int) -> Strip:
        width, at = self.size.width, y + self.scroll_offset.y
        base = self.rich_style
        if at >= len(self._rows):
            said = f"  {self._empty}" if not self._rows and y == 0 else ""
            strip = Strip([Segment(cut(said, width), base + self._style("dim"))])
            return strip.extend_cell_length(width, base)
        here = at == self._at and self.row is not None and self._has_cursor
        if here:
            base += self._style("cursor") + Style(bold=self.has_focus and self._alone)
        pieces = draw_row(
            self._rows[at],
            max(self._inner - MARGIN, 1),
            self._widths,
            marks=self._marks,
            at_cursor=here,
        )
        segments = [
            Segment(text, base + self._style(tone) if tone else base)
            for text, tone in pieces
            if text
        ]
        return Strip(segments).adjust_cell_length(width, base)

    def _style(self, part: str) -> Style:
        """What a part adds to the style of its row: no background but that of the cursor."""
        whole = self.get_component_rich_style(f"rows--{part}")
        if part == "cursor":
            return Style(bgcolor=whole.bgcolor)
        return Style(color=whole.color, bold=whole.bold, dim=whole.dim)


def _from(at: int) -> Callable[[int], int]:
    return lambda place: abs(place - at)
