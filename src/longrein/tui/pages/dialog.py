"""Small pages that ask one thing: to choose, or to write a line."""

from collections.abc import Callable, Sequence

from rich.segment import Segment
from textual.app import ComposeResult
from textual.events import Key, Paste
from textual.strip import Strip

from longrein.tui.draw.asks import text_rows, worded
from longrein.tui.grace import SECONDS, WRITING, Grace
from longrein.tui.holding import Held
from longrein.tui.look import LOW, Look
from longrein.tui.opening import Choice
from longrein.tui.pages.page import Page
from longrein.tui.widgets.card import Body
from longrein.tui.widgets.field import Field
from longrein.tui.widgets.menu import Menu
from longrein.tui.widgets.scrolled import Drawing

FRAME = """
{name} > .frame {{ height: auto; max-height: 90%; max-width: 76; }}
{name}.-small > .frame {{ height: auto; }}
{name}.-low > .frame {{ max-height: 100%; }}
{name} Body {{ padding: 0 2; }}
{name} .answer {{ margin-top: 1; }}
{name}.-low .answer {{ margin-top: 0; }}
"""

AROUND, AROUND_LOW = 10, 3
"""Rows of a framed page that are neither its text nor an answer; the second on a low screen."""


class Dialog(Page[str]):
    """A question with some answers; the result is the value of the chosen one, None for Esc.

    Arrows and Enter choose, as do the number and the letter of an answer; the other keys that move
    scroll what is asked. `shown` is what it is about, to be checked line by line. `default` is the
    value that the cursor stands at first. `grace` is for a question that comes uncalled: what is
    typed or clicked during it was meant for something else, and `typed` gets the letters.
    """

    DEFAULT_CSS = FRAME.format(name="Dialog")

    def __init__(
        self,
        title: str,
        text: str,
        choices: Sequence[Choice],
        default: str = "",
        *,
        shown: str = "",
        grace: Grace | None = None,
        typed: Callable[[str], object] | None = None,
    ) -> None:
        super().__init__(title, "↑ ↓ Enter choose")
        self._text = Body(_words(text, shown), self._room)
        self._text.display = bool(text or shown)
        self._choices = choices
        self._grace = grace
        self._held = Held(self, grace.hold if grace else 0, self._choose)
        self._typed = typed
        values = [one.value for one in choices]
        self._menu = Menu(
            [f"{one.label} ({one.key})" if one.key else one.label for one in choices],
            at=values.index(default) if default in values else 0,
        )
        self._menu.add_class("answer")

    def body(self) -> ComposeResult:
        yield self._text
        yield self._menu

    def _room(self, height: int) -> int:
        room = height * 9 // 10 - AROUND if height >= LOW else height - AROUND_LOW
        return room - len(self._choices)

    def on_mount(self) -> None:
        if self._grace is not None:
            self._grace.begin()

    def on_key(self, event: Key) -> None:
        if event.key == "escape":
            return
        written = event.character if event.is_printable else None
        if self._held:
            event.stop()
            self._follow(self._held.drop(), event.key, written)
        elif not self._is_too_soon and (self._scrolls(event.key) or self._chooses(event)):
            event.stop()
        elif self._grace is not None:
            writing = written and not self._answers(written)
            self._grace.begin(WRITING if writing else SECONDS)
            event.stop()
            self._hand_on(written)

    def _follow(self, letter: str, key: str, written: str | None) -> None:
        """A key came behind a letter that is held: with another letter it is a word."""
        if key == "enter":
            self._choose(letter)
        elif written and self._grace is not None:
            self._grace.begin(WRITING)
            self._hand_on(letter + written)

    def on_paste(self, event: Paste) -> None:
        event.stop()
        self._hand_on(event.text)

    def _hand_on(self, text: str | None) -> None:
        if self._typed is not None and text:
            self._typed(text)

    @property
    def _is_too_soon(self) -> bool:
        return self._grace is not None and not self._grace.over

    def _answers(self, letter: str) -> list[str]:
        return [one.value for one in self._choices if one.key and one.key == letter]

    def _chooses(self, event: Key) -> bool:
        letter = event.character or ""
        if self._answers(letter) or self._menu.has(letter):
            self._held.hold(letter)
            return True
        return self._menu.press(event.key)

    def _choose(self, letter: str) -> None:
        for value in self._answers(letter):
            self.end(value)
            return
        self._menu.press(letter)

    def _scrolls(self, key: str) -> bool:
        return key not in ("up", "down") and self._text.press(key)

    def on_menu_chosen(self, event: Menu.Chosen) -> None:
        event.stop()
        if not self._is_too_soon:
            self.end(self._choices[event.items[0]].value)


class LineDialog(Page[str]):
    """A line to write; the result is what was written, None for Esc. `secret`: it is not shown.

    `value` stands in it to begin with.
    """

    DEFAULT_CSS = f"{FRAME.format(name='LineDialog')}LineDialog .answer {{ padding: 0 2; }}"

    def __init__(self, title: str, text: str, *, secret: bool = False, value: str = "") -> None:
        super().__init__(title, "Enter confirms")
        self._said = text
        self._field = Field("", secret=secret, value=value)
        self._field.add_class("answer")

    def body(self) -> ComposeResult:
        if self._said:
            yield Body(_words(self._said))
        yield self._field

    def on_mount(self) -> None:
        self._field.begin()

    def on_field_written(self, event: Field.Written) -> None:
        event.stop()
        self.end(event.text)


def _words(text: str, shown: str = "") -> Drawing:
    def draw(width: int, look: Look) -> Sequence[Strip]:
        words = [Strip([Segment(row, look.text)]) for row in worded(text, width)] if text else []
        between = [Strip([])] if text and shown else []
        return [*words, *between, *text_rows(shown, width, look.text, look.dim)]

    return draw
