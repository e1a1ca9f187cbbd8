"""What all pages have: a frame with a heading and a line that says which keys do something."""

from typing import ClassVar, TypeVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.events import Click
from textual.screen import ModalScreen, Screen
from textual.widgets import Static

from longrein.core.visible import visible
from longrein.tui.around import app_of
from longrein.tui.draw.paper import STYLES
from longrein.tui.look import LOW
from longrein.tui.widgets.hints import Hints
from longrein.tui.widgets.squeezed import Squeezing

R = TypeVar("R")
A = TypeVar("A")

WIDTHS = [(0, "-small"), (100, "-usual")]
HEIGHTS = [(0, "-low"), (LOW, "-high")]

OUT = " · Esc close"


class Frame(Squeezing, Vertical):
    """What a page stands in; where it is too low for all, what can scroll gives up rows."""


class Page(ModalScreen[R]):
    """A page over the conversation. Esc closes it, as does a click beside it."""

    DEFAULT_CSS = """
    Page {
        align: center middle;
        background: $background 60%;
        & > .frame {
            width: 94%;
            max-width: 120;
            height: 86%;
            background: $surface;
            padding: 1;
        }
        &.-small > .frame { width: 100%; height: 100%; padding: 1 0; }
        &.-low > .frame { padding: 0; }
        &:ansi > .frame { border: solid ansi_bright_black; }
        & .heading {
            height: 1; width: 1fr; margin-bottom: 1; padding: 0 2;
            text-wrap: nowrap; text-overflow: ellipsis;
        }
        &.-low .heading { margin-bottom: 0; }
        & Hints { margin-top: 1; padding: 0 2; }
        &.-low Hints { margin-top: 0; }
    }
    """
    HORIZONTAL_BREAKPOINTS = WIDTHS
    VERTICAL_BREAKPOINTS = HEIGHTS
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "close", "Close", show=False)]

    def __init__(self, heading: str, hints: str) -> None:
        super().__init__()
        self._ended = False
        self._heading = heading
        self._hints = hints

    def compose(self) -> ComposeResult:
        with Frame(classes="frame"):
            yield Static(self._head(""), classes="heading")
            yield from self.body()
            yield Hints(f"{self._hints}{OUT}")

    def body(self) -> ComposeResult:
        """What is between the heading and the keys."""
        raise NotImplementedError

    def tell(self, note: str) -> None:
        """Say something beside the heading."""
        self.query_one(".heading", Static).update(self._head(note))

    def _head(self, note: str) -> Content:
        title = Content.styled(visible(self._heading), "bold $text-accent")
        return Content.assemble(title, "  ", (visible(note), STYLES["dim"]))

    async def ask(self, page: Screen[A]) -> A | None:
        """What another page over this one ends with; only for work behind the drawing."""
        return await app_of(self).push_screen_wait(page)

    def end(self, result: R | None = None) -> None:
        """Close the page with a result, once."""
        if self.is_current and not self._ended:
            self._ended = True
            self.dismiss(result)

    def action_close(self) -> None:
        self.end()

    def on_click(self, event: Click) -> None:
        if event.widget is self:
            self.end()
