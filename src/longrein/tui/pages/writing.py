"""A page to write or to change a text of several lines."""

from collections.abc import Callable
from typing import ClassVar, TypeAlias

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Static, TextArea

from longrein.core.visible import visible
from longrein.tui.attempt import tell
from longrein.tui.outside import EditOutside
from longrein.tui.pages.page import Page
from longrein.tui.view.asks import Heard
from longrein.tui.writing.begun import NOWHERE, Place

Taken: TypeAlias = Callable[[str, Heard], None]

EMPTY = "Write something first."
THROWN = "Esc again throws away what you changed."


def not_blank(text: str) -> str:
    """What is wrong with a text where any will do."""
    return "" if text.strip() else EMPTY


class WritingPage(Page[bool]):
    """Ctrl+S hands the text to `take` and closes the page once that was well; the text is kept
    until then. `does` says what comes of it, `check` what is wrong with a text before it is tried,
    `file` what kind of text it is to an editor, `place` where it may have been begun before. The
    result is whether it was taken."""

    DEFAULT_CSS = """
    WritingPage TextArea { height: 1fr; border: none; padding: 0 2; background: $panel; }
    WritingPage TextArea:focus { border: none; }
    WritingPage .problem {
        height: auto; max-height: 5; padding: 0 2; color: $text-error; display: none;
    }
    WritingPage .problem.-told { display: block; margin-top: 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "take", show=False, priority=True),
        Binding("ctrl+g", "outside", show=False, priority=True),
    ]

    def __init__(
        self,
        heading: str,
        text: str,
        take: Taken,
        *,
        does: str,
        file: str,
        check: Callable[[str], str] = not_blank,
        place: Place = NOWHERE,
    ) -> None:
        super().__init__(heading, f"Ctrl+S {does} · Ctrl+G your editor")
        self._before = text
        self._take = take
        self._check = check
        self._file = file
        self._place = place
        self._area = TextArea(place.text or text, compact=True, highlight_cursor_line=False)
        self._warned = False

    def body(self) -> ComposeResult:
        yield self._area
        yield Static(classes="problem", markup=False)

    def on_mount(self) -> None:
        self._area.focus()

    def action_take(self) -> None:
        text = self._area.text
        problem = self._check(text)
        self._tell(problem)
        if not problem:
            self._take(text, self._heard)

    def action_outside(self) -> None:
        self.post_message(EditOutside(self._area.text, self._file, self._written))

    def action_close(self) -> None:
        if self._area.text == self._before or self._warned:
            self._place.write("")
            self.end(False)
        else:
            self._tell(THROWN)
            self._warned = True

    def on_text_area_changed(self) -> None:
        self._warned = False
        self._place.write(self._area.text)

    def _written(self, text: str) -> None:
        self._area.load_text(text)

    def _heard(self, problem: str) -> None:
        if not problem:
            self.end(True)
        elif self.is_attached:
            self._tell(problem)
        else:  # closed before the answer came
            tell(self, problem, "error")

    def _tell(self, problem: str) -> None:
        told = self.query_one(".problem", Static)
        told.update(visible(problem))
        told.set_class(bool(problem), "-told")
