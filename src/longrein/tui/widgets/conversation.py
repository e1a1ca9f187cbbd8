"""The conversation: as many entries as there are, of which only what is seen is laid out."""

from collections.abc import Callable
from time import time_ns
from typing import ClassVar, cast

from rich.segment import Segment
from rich.style import Style
from textual._animator import EasingFunction
from textual._types import AnimationLevel, CallbackType
from textual.binding import Binding, BindingType
from textual.events import Blur, Click, Focus, Key, Resize
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import Reactive
from textual.scroll_view import ScrollView
from textual.scrollbar import ScrollBar
from textual.selection import Selection
from textual.strip import Strip

from longrein.tui.draw.excerpt import is_cut
from longrein.tui.look import CURSOR, DARK, Look, look_of
from longrein.tui.scroll.column import Column, Line
from longrein.tui.scroll.drawn import changes_with_time
from longrein.tui.scroll.pen import MARGIN, Pen
from longrein.tui.scroll.selecting import highlighted, place_of, selected_text, whole
from longrein.tui.view.entries import Called, ChildBody
from longrein.tui.view.transcript import Transcript

LEAST_WIDTH = 2
BESIDE = 1
"""Blank cells between what is said and the scroll bar."""

FRAME = 1 / 30
"""Seconds between two drawings: what changes faster than this is not seen anyway."""

NEW_BELOW = "↓ newer below · Ctrl+End"


def _now() -> int:
    return time_ns() // 1_000


class Conversation(ScrollView, can_focus=True):
    """What was said and done, from top to bottom.

    It follows the end while the end is seen. With the focus, a cursor goes over what can be opened.
    `clock` gives the time in microseconds. `typed` is given what somebody types here, if that is
    meant for another place; else some letters are keys.
    """

    class ChildChosen(Message):
        """The person wants to see the conversation of a child."""

        def __init__(self, thread: str) -> None:
            super().__init__()
            self.thread = thread

    class ReadChosen(Message):
        """The person wants to read all of a call."""

        def __init__(self, entry: Called) -> None:
            super().__init__()
            self.entry = entry

    ALLOW_SELECT = True
    FOCUS_ON_CLICK = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {"conversation--cursor", "conversation--new"}
    DEFAULT_CSS = """
    Conversation {
        overflow-x: hidden;
        overflow-y: scroll;
        scrollbar-size-vertical: 1;
        scrollbar-color: $panel;
        scrollbar-background: $background;
        scrollbar-background-hover: $background;
        scrollbar-background-active: $background;
        background: $background;
        color: $foreground;
        &:ansi { scrollbar-color: ansi_bright_black; }
    }
    Conversation > .conversation--cursor { color: $accent; text-style: bold; }
    Conversation > .conversation--new { color: $accent; background: $panel; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "cursor(-1)", "Previous", show=False),
        Binding("down,j", "cursor(1)", "Next", show=False),
        Binding("enter", "choose", "Open", show=False),
        Binding("space", "fold", "Open or close", show=False),
        Binding("o,ctrl+o", "read", "Read all of it", show=False),
    ]

    def __init__(
        self, clock: Callable[[], int] = _now, typed: Callable[[str], None] | None = None
    ) -> None:
        super().__init__()
        self._clock = clock
        self._typed = typed
        self._column = Column(Pen(look_of(DARK)))
        self._page: list[Line] = []
        self._cursor = -1
        """The place of the entry that the cursor is at; -1: it is nowhere."""
        self._ticks = False
        self._clicked = -1
        self._marked = False
        self._base = Style()
        self._selection: Selection | None = None
        self._paints = False
        self._bar: list[Segment] = []

    def show(self, transcript: Transcript) -> None:
        """Show these entries."""
        self._column.now = self._clock()
        self._column.show(transcript)
        self._settle()
        if self.has_focus and self._cursor < 0:
            self._point()

    def redraw(self, look: Look, *, timestamps: bool = False, still: bool = False) -> None:
        """Draw everything in another look."""
        self._column.redraw(Pen(look, timestamps=timestamps, still=still))
        self._settle()

    def toggle_newest(self) -> None:
        """Open or close what the cursor is at, or else the newest tool call: of those that are
        seen, or else of all.

        One that is open and too long for that is closed for the page on which all of it is read.
        """
        newest = len(self._column.entries) - 1
        seen = sorted({line.index for line in self._page if line.number == 0}, reverse=True)
        here = (self._cursor,) if 0 <= self._cursor <= newest else ()
        for index in (*here, *seen, *range(newest, -1, -1)):
            called = isinstance(self._column.entries[index], Called) or index in here
            if called and self._column.opens(index):
                self._column.reveal(index)
                if any(is_cut(line.strip) for line in self._column.rows(index)):
                    self._read(index)
                self._toggle(index)
                return

    def page(self, pages: int) -> None:
        """Scroll by so many windows, less two lines so that the eye finds where it was."""
        self._move(pages * max(self.size.height - 2, 1))

    def to_end(self) -> None:
        """Scroll to the end, and follow it."""
        self._column.end()
        self._settle()

    def text_select_all(self) -> None:
        """Select the entry that was clicked twice."""
        if 0 <= self._clicked < len(self._column.entries):
            self.screen.selections = {self: whole(self._column, self._clicked)}

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        return selected_text(self._column, selection, MARGIN), "\n"

    def render_lines(self, crop: Region) -> list[Strip]:
        """The lines of a part of the window, to be put on the screen."""
        self._base, self._selection = self.rich_style, self.text_selection
        self._paints = True
        try:
            return super().render_lines(crop)
        finally:
            self._paints = False

    def render_line(self, y: int) -> Strip:
        """A line of the window. With it the mouse is told which place in the text it is at; where
        lines are only put on the screen, that would cost most of the time."""
        width, height = self._column.size
        if y >= len(self._page):
            return Strip.blank(width, self._base)
        if y == height - 1 and self._column.unseen:
            return self._marker(width)
        line = self._page[y]
        if not self._paints:
            return line.strip.apply_offsets(0, place_of(line))
        strip = Strip(Segment.apply_style(line.strip, self._base), line.strip.cell_length)
        if line.index == self._cursor and line.number == 0 and self.has_focus:
            strip = self._pointed_at(strip)
        chosen = self._selection
        if chosen is not None and (span := chosen.get_span(place_of(line))) is not None:
            style = self.screen.get_component_rich_style("screen--selection")
            strip = highlighted(strip, span, style)
        return strip

    def _pointed_at(self, strip: Strip) -> Strip:
        """The first line of the entry at the cursor, with a sign between its mark and its text."""
        style = self.get_component_rich_style("conversation--cursor", partial=True)
        sign = Strip([Segment(CURSOR, self._base + style)], 1)
        return Strip.join([strip.crop(0, 1), sign, strip.crop(2)])

    def _marker(self, width: int) -> Strip:
        style = self.get_component_rich_style("conversation--new")
        return Strip([Segment(f" {NEW_BELOW} ".center(width)[:width], style)], width)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Somebody scrolled: a key, the wheel, the scroll bar, a selection beyond the edge."""
        if self._column.size != self._window:
            return  # of a window that is about to be another one
        if round(new_value) >= self.max_scroll_y and new_value > old_value:
            self._column.end()
        else:
            self._column.move(round(new_value) - self._column.top)
        self._settle()

    def scroll_to(
        self,
        x: float | None = None,
        y: float | None = None,
        *,
        animate: bool = True,
        speed: float | None = None,
        duration: float | None = None,
        easing: EasingFunction | str | None = None,
        force: bool = False,
        on_complete: CallbackType | None = None,
        level: AnimationLevel = "basic",
        immediate: bool = False,
    ) -> None:
        """Scroll at once: on the way there it may turn out that things are higher or lower."""
        super().scroll_to(None, y, animate=False, force=force, on_complete=on_complete)

    def action_scroll_end(self) -> None:
        self.to_end()

    def action_page_up(self) -> None:
        self.page(-1)

    def action_page_down(self) -> None:
        self.page(1)

    def action_cursor(self, by: int) -> None:
        """Go to the next thing that can be opened; where there is none, scroll by a line."""
        entries = range(len(self._column.entries))
        index = self._cursor + by if self._cursor >= 0 else self._nearest()
        while index in entries and not self._column.opens(index):
            index += by
        if index not in entries:
            self._move(by)
            return
        self._cursor = index
        self._column.reveal(index)
        self._settle(anew=True)

    def action_choose(self) -> None:
        """Open what the cursor is at: a child's conversation, or the entry itself."""
        child = self._child(self._cursor)
        if child is not None:
            self.post_message(self.ChildChosen(child.thread))
        else:
            self.action_fold()

    def action_fold(self) -> None:
        if 0 <= self._cursor < len(self._column.entries):
            self._toggle(self._cursor)

    def action_read(self) -> None:
        self._read(self._cursor)

    def on_key(self, event: Key) -> None:
        letter = event.character if event.is_printable and event.key != "space" else None
        if letter and self._typed is not None:
            event.stop()
            self._typed(letter)

    def on_focus(self, event: Focus) -> None:
        self._point()

    def _point(self) -> None:
        """Put the cursor where somebody looks first, if there is something to open."""
        self._cursor = self._nearest()
        if self._cursor >= 0:
            self.refresh()

    def on_blur(self, event: Blur) -> None:
        self._cursor = -1
        self.refresh()

    def on_resize(self, event: Resize) -> None:
        self._column.resize(*self._window)
        self._settle(anew=True)

    @property
    def _window(self) -> tuple[int, int]:
        """The size that entries are drawn for, as large as they need it at least."""
        width, height = self.scrollable_content_region.size
        return max(width - BESIDE, LEAST_WIDTH), max(height, 1)

    def on_click(self, event: Click) -> None:
        """Open or close what was clicked; what can be opened only by its first line."""
        if not 0 <= event.y < len(self._page):
            return
        line = self._page[event.y]
        self._clicked = line.index
        if event.y == self.size.height - 1 and self._column.unseen:
            self.to_end()
        elif event.chain == 1 and self.text_selection is None and self._column.opens(line.index):
            child = self._child(line.index)
            if line.number > 0 and child is not None:
                self.post_message(self.ChildChosen(child.thread))
            elif line.number == 0:
                self._toggle(line.index)
            elif is_cut(line.strip):
                self._read(line.index)

    def _read(self, index: int) -> None:
        entry = self._column.entries[index] if 0 <= index < len(self._column.entries) else None
        if isinstance(entry, Called):
            self.post_message(self.ReadChosen(entry))

    def _child(self, index: int) -> ChildBody | None:
        """The child that a call is about: one that works, or the first."""
        entry = self._column.entries[index] if 0 <= index < len(self._column.entries) else None
        bodies = entry.bodies if isinstance(entry, Called) else ()
        children = [body for body in bodies if isinstance(body, ChildBody)]
        working = [child for child in children if child.state in ("running", "waiting")]
        return next(iter([*working, *children]), None)

    def _nearest(self) -> int:
        """The last thing in the window that can be opened."""
        seen = {line.index for line in self._page if line.number == 0}
        return max((index for index in seen if self._column.opens(index)), default=-1)

    def _toggle(self, index: int) -> None:
        self._column.toggle(index)
        self._settle()

    def _move(self, lines: int) -> None:
        self._column.move(lines)
        self._settle()

    def _settle(self, *, anew: bool = False) -> None:
        """Show what is in the window now, and draw those lines that are not what they were."""
        if not self.is_attached:
            return  # whoever lays it out comes by here
        old, self._page = self._page, self._column.page()
        self._sync()
        if anew or len(old) != len(self._page) or self._marked != self._column.unseen:
            self._marked = self._column.unseen
            self.refresh()
        else:
            rows = [n for n, one in enumerate(self._page) if not _same(one, old[n])]
            if rows:
                self.refresh(Region(0, rows[0], self.outer_size.width, rows[-1] - rows[0] + 1))
        if not self._ticks and any(map(self._runs, self._page)):
            self._ticks = True
            self.set_timer(1.0, self._tick)

    def _sync(self) -> None:
        """Tell the scroll bar. Not by the reactive size, which would lay out the whole screen."""
        height, top = self._column.total, self._column.top
        size = cast("Reactive[Size]", ScrollView.virtual_size)
        self.set_reactive(size, Size(self.size.width, height))
        if round(self.scroll_y) != top:
            self.set_scroll(None, top)
        self.scroll_target_y = top
        bar = self.vertical_scrollbar
        bar.set_reactive(ScrollBar.window_virtual_size, height)
        bar.set_reactive(ScrollBar.window_size, self.size.height)
        bar.set_reactive(ScrollBar.position, top)
        # In a long conversation a page is less than the bar can show, and it costs as much to draw.
        if (drawn := _drawn(bar)) != self._bar:
            self._bar = drawn
            bar.refresh()

    def _runs(self, line: Line) -> bool:
        return changes_with_time(self._column.entries[line.index])

    def _tick(self) -> None:
        """A second has passed: show it where something runs, and come again."""
        self._ticks = False
        if self._column.tick(self._clock()):
            self._settle()


def _drawn(bar: ScrollBar) -> list[Segment]:
    """What a scroll bar looks like from top to bottom, but for its colours."""
    height, window = bar.window_virtual_size, bar.window_size
    seen = window if window < height else 0
    return [*bar.renderer.render_bar(bar.size.height, height, seen, bar.position).segments]


def _same(one: Line, other: Line) -> bool:
    return one.strip is other.strip and place_of(one) == place_of(other)
