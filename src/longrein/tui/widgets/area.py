"""The field that is written in: several lines, with marks that are one thing each."""

import re
from collections.abc import Callable
from typing import ClassVar

from msgspec.structs import replace
from rich.text import Text
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.document._document import EditResult, Location
from textual.events import Key, Paste
from textual.widgets import TextArea

from longrein.tui.around import app_of
from longrein.tui.writing.draft import Draft
from longrein.tui.writing.ordered import actions

_LEFT_TO_OTHERS = frozenset(("ctrl+c", "super+c", "ctrl+d", "ctrl+z", "pageup", "pagedown"))
"""Keys of a text area that mean something else in the app."""


class Area(TextArea):
    """A text area whose marks are written, passed and deleted as a whole.

    `press` is told of every key first and says whether it was meant for it; `paste` gets what is
    pasted. Both are called at once, so that what is typed next finds what they made of it.
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {"area--mark"}
    DEFAULT_CSS = """
    Area {
        height: auto;
        width: 1fr;
        max-height: 40vh;
        border: none;
        padding: 0;
        background: transparent;
        scrollbar-size-vertical: 1;
        &:focus { border: none; }
        & .area--mark { color: $text-accent; }
        & .text-area--placeholder { color: $text-muted; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("alt+b,alt+left", "cursor_word_left", show=False),
        Binding("alt+f,alt+right", "cursor_word_right", show=False),
        Binding("alt+d", "delete_word_right", show=False),
        Binding("ctrl+underscore,ctrl+minus", "undo", show=False),
    ]

    def __init__(self, press: Callable[[Key], bool], paste: Callable[[str], object]) -> None:
        self._press = press
        self._paste = paste
        self._known = Draft()
        super().__init__(highlight_cursor_line=False)
        self.cursor_blink = False
        self.match_cursor_bracket = False

    @property
    def draft(self) -> Draft:
        """What is written now."""
        return replace(self._known, text=self.text).trimmed

    @property
    def before_cursor(self) -> str:
        """The text up to the cursor."""
        return self.get_text_range((0, 0), self.cursor_location)

    @property
    def at_top(self) -> bool:
        """Whether the cursor is on the first row, as it is shown."""
        return self.navigator.is_first_wrapped_line(self.cursor_location)

    @property
    def at_bottom(self) -> bool:
        """Whether the cursor is on the last row, as it is shown."""
        return self.navigator.is_last_wrapped_line(self.cursor_location)

    def load(self, draft: Draft) -> None:
        """Write this instead; what was there can be had back by undoing."""
        self._known = draft.knowing(self.draft)
        self.history.checkpoint()
        self.replace(draft.text, (0, 0), self.document.end, maintain_selection_offset=False)
        self.history.checkpoint()

    def forget(self) -> None:
        """Have nothing to undo: what was written is said."""
        self.history.clear()

    def know(self, draft: Draft) -> None:
        """Know what the marks of this draft stand for, besides those known already."""
        self._known = draft.knowing(self._known)

    def write(self, text: str, *, instead_of: int = 0) -> None:
        """Write at the cursor, in the place of so many characters before it, or of a selection."""
        start, end = sorted(self.selection)
        if instead_of:
            before = self.before_cursor[: -instead_of or None]
            start, end = _end_of(before), self.cursor_location
        self.replace(text, start, end, maintain_selection_offset=False)

    def swap(self, old: str, new: str) -> bool:
        """Write something else where a text stands first; False where it does not."""
        before, found, _ = self.text.partition(old)
        if found:
            self.replace(new, _end_of(before), _end_of(before + old))
        return bool(found)

    async def on_key(self, event: Key) -> None:
        if self._press(event):
            event.stop()
            event.prevent_default()
        elif action := _ACTIONS.get(event.key):
            event.stop()
            event.prevent_default()
            await self.run_action(action)
        elif event.is_printable and event.key.startswith(("alt+", "ctrl+", "super+")):
            event.prevent_default()  # a key with a meaning of its own, not a letter

    def on_paste(self, event: Paste) -> None:
        event.stop()
        event.prevent_default()
        self._paste(event.text)

    def action_paste(self) -> None:
        self._paste(app_of(self).clipboard)

    def get_line(self, line_index: int) -> Text:
        line = super().get_line(line_index)
        for start, end in self._marks_in(line_index):
            line.stylize(self.get_component_rich_style("area--mark", partial=True), start, end)
        return line

    def clamp_visitable(self, location: Location) -> Location:
        row, column = super().clamp_visitable(location)
        for start, end in self._marks_in(row):
            if start < column < end:
                return row, start if column - start < end - column else end
        return row, column

    def get_cursor_left_location(self) -> Location:
        return self._out_of_mark(super().get_cursor_left_location(), right=False)

    def get_cursor_right_location(self) -> Location:
        return self._out_of_mark(super().get_cursor_right_location(), right=True)

    def get_cursor_word_left_location(self) -> Location:
        return self._out_of_mark(super().get_cursor_word_left_location(), right=False)

    def get_cursor_word_right_location(self) -> Location:
        return self._out_of_mark(super().get_cursor_word_right_location(), right=True)

    def delete(
        self, start: Location, end: Location, *, maintain_selection_offset: bool = True
    ) -> EditResult:
        first, last = sorted((start, end))
        first, last = self._out_of_mark(first, right=False), self._out_of_mark(last, right=True)
        return super().delete(first, last, maintain_selection_offset=maintain_selection_offset)

    def _out_of_mark(self, location: Location, *, right: bool) -> Location:
        row, column = location
        for start, end in self._marks_in(row):
            if start < column < end:
                return row, end if right else start
        return location

    def _marks_in(self, row: int) -> list[tuple[int, int]]:
        marks = self._known.marks
        if not marks or row >= self.document.line_count:
            return []
        any_mark = "|".join(map(re.escape, marks))
        return [found.span() for found in re.finditer(any_mark, self.document.get_line(row))]

    def suggest(self, text: str) -> None:
        """Show this where nothing is written."""
        self.placeholder = Content(text)


_ACTIONS = actions((*TextArea.BINDINGS, *Area.BINDINGS), but=_LEFT_TO_OTHERS)


def _end_of(text: str) -> Location:
    """Where a text ends that begins at the start."""
    return text.count("\n"), len(text) - text.rfind("\n") - 1
