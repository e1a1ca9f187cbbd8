"""The list above the editor: what can be chosen with arrows, Tab, Enter or the mouse."""

from dataclasses import dataclass
from typing import ClassVar

from rich.cells import cell_len, set_cell_size
from rich.text import Text
from textual.events import Click
from textual.message import Message
from textual.widget import Widget

from longrein.client.words import brief
from longrein.tui.draw.lines import cut, one_line
from longrein.tui.look import CURSOR
from longrein.tui.view.completing import Completion

ROWS = 8


class Completions(Widget):
    """Hidden when there is nothing to choose. It lies over what is above and moves nothing."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "completions--here",
        "completions--detail",
    }
    DEFAULT_CSS = """
    Completions {
        overlay: screen;
        offset: 0 -100%;
        constrain: inside inside;
        display: none;
        width: 1fr;
        height: auto;
        background: $panel;
        color: $text;
        padding: 0 2 0 0;
        &.-open { display: block; }
        & > .completions--here { color: $text-accent; text-style: bold; }
        & > .completions--detail { color: $text-muted; }
    }
    """

    @dataclass
    class Chosen(Message):
        """A row was clicked."""

        at: int

    def __init__(self) -> None:
        super().__init__()
        self._rows: tuple[Completion, ...] = ()
        self._at = 0

    @property
    def chosen(self) -> Completion | None:
        """The row that is chosen; None where there are no rows."""
        return self._rows[self._at] if self._rows else None

    def show(self, rows: tuple[Completion, ...], at: int = 0) -> None:
        """Offer these, with one of them chosen."""
        if (rows, at) == (self._rows, self._at):
            return
        resized = min(len(rows), ROWS) != min(len(self._rows), ROWS)
        self._rows, self._at = rows, at
        self.set_class(bool(rows), "-open")
        self.refresh(layout=resized)

    def choose(self, at: int) -> None:
        """Choose the row at this place."""
        self.show(self._rows, at)

    def move(self, by: int) -> None:
        """Choose another row; behind the last comes the first."""
        self.show(self._rows, (self._at + by) % len(self._rows) if self._rows else 0)

    def on_click(self, event: Click) -> None:
        event.stop()
        at = self._first + event.y
        if at < len(self._rows):
            self.post_message(self.Chosen(at))

    def render(self) -> Text:
        shown = self._rows[self._first : self._first + ROWS]
        width = self.content_size.width
        widest = max((cell_len(_flat(one.label, width)) for one in shown), default=0)
        room = min(widest, width // 2) if any(one.detail for one in shown) else width - 2
        lines = [
            self._line(one, room, width, here=self._first + n == self._at)
            for n, one in enumerate(shown)
        ]
        return Text("\n", no_wrap=True, end="").join(lines)

    def _line(self, row: Completion, room: int, width: int, *, here: bool) -> Text:
        line = Text(f"{CURSOR if here else ' '} {_fitted(row.label, room)}", end="")
        if here:
            line.stylize(self.get_component_rich_style("completions--here"))
        left = width - cell_len(line.plain) - 2
        if row.detail and left > 8:
            detail = self.get_component_rich_style("completions--detail")
            line.append("  " + _fitted(row.detail, left).rstrip(), detail)
        return line

    @property
    def _first(self) -> int:
        """The first row that is shown: the chosen one is always among them."""
        return min(max(self._at - ROWS // 2, 0), max(len(self._rows) - ROWS, 0))


def _fitted(text: str, width: int) -> str:
    """The text on one line of this width, cut where it is longer."""
    return set_cell_size(cut(_flat(text, width), width), width)


def _flat(text: str, width: int) -> str:
    return one_line(brief(text, width))
