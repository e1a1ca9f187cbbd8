"""A long text in parts, to be read and searched."""

import asyncio
from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.events import Key
from textual.worker import Worker

from longrein.core.errors import LongreinError
from longrein.tui.attempt import attempt
from longrein.tui.draw.whole import WholeDrawing
from longrein.tui.pages.page import Page
from longrein.tui.view.entries import OutputBody
from longrein.tui.view.whole import Section
from longrein.tui.widgets.field import Field
from longrein.tui.widgets.scrolled import LETTERS
from longrein.tui.widgets.searched import Searched

LOADING: tuple[Section, ...] = (("", OutputBody("Loading …")),)


class WholePage(Page[None]):
    """Shows what `load` gives, which is loaded behind the first frame."""

    DEFAULT_CSS = """
    WholePage Searched { height: 1fr; padding: 0 2; }
    WholePage Field { display: none; margin: 1 2 0 2; }
    WholePage.-finding Field { display: block; }
    """
    AUTO_FOCUS = ""
    BINDINGS: ClassVar[list[BindingType]] = [Binding("q", "close", show=False)]

    def __init__(self, heading: str) -> None:
        super().__init__(heading, "PageUp PageDown scroll · / find · n N next, previous")
        self._loaded: tuple[Sequence[Section], str] = LOADING, ""
        self._drawing = WholeDrawing(LOADING)
        self._rows = Searched(lambda width, look: self._drawing(width, look))
        self._field = Field("Find. Enter goes to it · Esc back")
        self._field.disabled = True
        self._wanted = ""
        self._finding: Worker[None] | None = None

    async def load(self) -> tuple[Sequence[Section], str]:
        """The parts, and a note beside the heading."""
        raise NotImplementedError

    def body(self) -> ComposeResult:
        yield self._rows
        yield self._field

    def on_mount(self) -> None:
        attempt(self, self.fill())

    async def fill(self, *, follow: bool = False) -> None:
        """Show what there is to load; `follow` as in `Scrolled.again`."""
        try:
            parts, note = await self.load()
        except LongreinError as error:
            parts, note = (("", OutputBody(str(error))),), ""
        if (parts, note) == self._loaded:
            return
        self._loaded = parts, note
        # Beside the drawing: of a long text this takes longer than a frame.
        made = await asyncio.to_thread(lambda: WholeDrawing(tuple(parts)))
        if self.is_attached:
            self._drawing = made
            self._rows.again(follow=follow)
            self.tell(note)

    def on_key(self, event: Key) -> None:
        finding = self.has_class("-finding")
        if self._typed_ahead(event) if finding else self._pressed(event.key):
            event.stop()

    def _typed_ahead(self, event: Key) -> bool:
        """Whether a key is meant for the line, which has not got the focus yet."""
        if event.key == "enter":
            self._field.take()
        elif event.is_printable:
            self._field.begin(event.character or "")
        return event.key == "enter" or event.is_printable

    def _pressed(self, key: str) -> bool:
        match key:
            case "slash":
                self._ask(True)
                self._field.clear()
                self._field.begin()
            case "n" | "N" if self._wanted:
                self._find(1 if key == "n" else -1)
            case _:
                return self._rows.press(LETTERS.get(key, key))
        return True

    def on_field_written(self, event: Field.Written) -> None:
        event.stop()
        self._ask(False)
        self._wanted = event.text
        if self._wanted:
            self.call_after_refresh(self._find, 1)  # once the rows have the place of the line

    def _find(self, by: int) -> None:
        self._find_no_more()
        self._finding = attempt(self, self._look_for(self._wanted, by))

    def _find_no_more(self) -> None:
        if self._finding is not None:
            self._finding.cancel()

    def on_unmount(self) -> None:
        self._find_no_more()

    async def _look_for(self, words: str, by: int) -> None:
        row = await self._rows.find(words, by)
        if self.is_attached:
            self._rows.go_to(row)
            self.tell("" if row >= 0 else f"no {words!r} in it")

    def _ask(self, asks: bool) -> None:
        """Show or hide the line; hidden, it must not get the focus that was on its way to it."""
        self.set_class(asks, "-finding")
        self._field.disabled = not asks

    def action_close(self) -> None:
        """Close the page, or only the line in which somebody says what to find."""
        if self.has_class("-finding"):
            self._ask(False)
        else:
            self.end()
