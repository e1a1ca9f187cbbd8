"""What all cards have: a body that scrolls, and a decision that they come to."""

from collections.abc import Callable

from textual.events import Key, Resize
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Static

from longrein.core.commands import Decision
from longrein.core.words import counted
from longrein.tui.around import app_of
from longrein.tui.grace import Grace
from longrein.tui.holding import Held
from longrein.tui.view.asks import Decide
from longrein.tui.widgets.choices import Choices
from longrein.tui.widgets.scrolled import Drawing, Scrolled
from longrein.tui.widgets.squeezed import Squeezing

AROUND = 4
"""Rows of a card that are not its body."""

LEAST_BODY = 2
SMALL = 3
"""Rows of a body that something else was opened below."""


def half(height: int) -> int:
    """The rows of a card's body on a screen of this height."""
    return height // 2 - AROUND


class Body(Squeezing, Widget):
    """Lines that take what `room` they have on the screen, with how many more there are.

    `onward` is how to come to those.
    """

    DEFAULT_CSS = """
    Body {
        height: auto;
        min-height: 1;
        & > Scrolled { min-height: 1; max-height: 50vh; }
        & > Static { height: 1; display: none; color: $text-muted; }
        &.-long > Static { display: block; }
    }
    """

    def __init__(
        self, drawing: Drawing, room: Callable[[int], int] = half, onward: str = ", PageDown"
    ) -> None:
        super().__init__()
        self._onward = onward
        self._lines = Scrolled(drawing)
        self._room = room
        self._more = Static(markup=False)
        self._small = False

    def compose(self):
        yield self._lines
        yield self._more

    def make_small(self, small: bool) -> None:
        """Leave room for something else below it, or take it again."""
        self._small = small
        self._fit()

    def press(self, key: str) -> bool:
        """Scroll as a key says; whether it says anything here."""
        return self._lines.press(key)

    def on_mount(self) -> None:
        self._fit()

    def on_resize(self, event: Resize) -> None:
        self._fit()

    def _fit(self) -> None:
        room = self._room(app_of(self).size.height)
        self._lines.styles.max_height = max(min(room, SMALL) if self._small else room, LEAST_BODY)

    def on_scrolled_moved(self, event: Scrolled.Moved) -> None:
        event.stop()
        above, below = self._lines.above, self._lines.below
        self.set_class(bool(above or below), "-long")
        more = f"… {counted(below, 'more line')}{self._onward}"
        self._more.update(more if below else "all seen, PageUp")


class Card(Squeezing, Widget, can_focus=True):
    """Something to decide on. Keys count once the grace is over."""

    DEFAULT_CSS = """
    Card { height: auto; min-height: 1; }
    """

    class TooSoon(Message):
        """A key was pressed for something else; `text` is what it would have written. `answers`: it
        may be pressed once more in vain, as for the card before."""

        def __init__(self, text: str, *, answers: bool) -> None:
            super().__init__()
            self.text = text
            self.answers = answers

    class Wrote(Message):
        """The person writes something that is no answer: it is for the editor."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    class Left(Message):
        """The person leaves it for later."""

    class Problem(Message):
        """Something about the answer is not right; the person is told."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    def __init__(self, decide: Decide, grace: Grace) -> None:
        super().__init__()
        self.decide = decide
        self.grace = grace
        self._held = Held(self, grace.hold, self._chosen)
        self._hushed = False

    @property
    def busy(self) -> bool:
        """Whether the person is in the middle of an answer."""
        return False

    @property
    def written(self) -> str:
        """What stands in the line that is open."""
        return ""

    def begin(self) -> None:
        """Take the focus, where answers begin."""
        self.focus()

    def page(self, by: int) -> None:
        """Scroll what is asked about."""
        self.query_one(Body).press("pagedown" if by > 0 else "pageup")

    def back(self) -> None:
        """Go back by one step; here, leave it for later."""
        self.post_message(self.Left())

    def answers(self, key: str) -> bool:
        """Whether this letter is an answer, as things stand."""
        raise NotImplementedError

    def act(self, event: Key) -> bool:
        """Do what another key says; whether it says anything here."""
        raise NotImplementedError

    def choose(self, key: str) -> None:
        """Do what the option with this key says."""
        raise NotImplementedError

    def write(self, text: str) -> None:
        """Take letters that are no answer; here, for the editor."""
        self.hush()
        self.post_message(self.Wrote(text))

    def hush(self) -> None:
        """Somebody is writing: until this is attended to again no key is an answer."""
        self._held.drop()
        self._hushed = True

    def attend(self) -> None:
        """Take the focus; from now on keys are answers."""
        self._hushed = False
        self.begin()

    def word(self, letter: str, next: str) -> None:
        """What a letter that is an answer and the one behind it come to."""
        self.write(letter + next)

    def on_key(self, event: Key) -> None:
        written = event.character if event.is_printable else None
        if event.key == "escape":
            event.stop()
            self._held.drop()
            self.back()
        elif not self.has_focus or not self.screen.is_current:
            return
        elif self._hushed:
            event.stop()
            if written:
                self.post_message(self.Wrote(written))
        elif self._held:
            event.stop()
            self._follow(self._held.drop(), event.key, written)
        elif self.is_too_soon(event):
            return
        elif self.answers(event.key):
            event.stop()
            self._held.hold(event.key)
        elif self.act(event):
            event.stop()
        elif written:
            event.stop()
            self.write(written)

    def _follow(self, letter: str, key: str, written: str | None) -> None:
        """A key came behind a letter that is held."""
        if key == "enter":
            self.choose(letter)
        elif written:
            self.word(letter, written)

    def _chosen(self, key: str) -> None:
        if self.has_focus and self.screen.is_current and not self._hushed:
            self.choose(key)

    def on_choices_chosen(self, event: Choices.Chosen) -> None:
        event.stop()
        self.focus()
        if self.grace.over:
            self.choose(event.key)

    def is_too_soon(self, event: Key) -> bool:
        """Whether a key is no answer yet; then what follows at once is none either."""
        if self.grace.over:
            return False
        event.stop()
        self.grace.begin()
        written = event.character if event.is_printable else None
        self.post_message(self.TooSoon(written or "", answers=self.answers(event.key)))
        return True

    def settle(self, command: Decision) -> None:
        """Decide here and now; what is wrong with it stands in the card."""
        self.decide(command, self._heard)

    def _heard(self, problem: str) -> None:
        self.post_message(self.Problem(problem))
