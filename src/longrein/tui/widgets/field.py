"""One line to write, with what it is for."""

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.events import Paste
from textual.message import Message
from textual.widgets import Input, Static

from longrein.tui.widgets.squeezed import Squeezing
from longrein.tui.writing.begun import NOWHERE, Place


class Line(Input):
    """What is pasted into it becomes one line, and none of it is lost."""

    def on_paste(self, event: Paste) -> None:
        event.stop()
        event.prevent_default()
        self.replace(_in_one_line(event.text), *self.selection)


class Field(Squeezing, Vertical):
    """A label and a line. Enter takes what was written, Esc is left to whoever is around it.

    `place` is where it may have been begun before.
    """

    DEFAULT_CSS = """
    Field {
        height: auto;
        & > Static { height: auto; min-height: 1; color: $text-muted; }
        & > Input { height: 1; border: none; padding: 0; background: $panel; }
        & > Input:focus { border: none; background: $panel; }
    }
    """

    class Written(Message):
        """The person wrote this."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    def __init__(
        self, label: str, *, secret: bool = False, value: str = "", place: Place = NOWHERE
    ) -> None:
        super().__init__()
        self._place = place
        self._label = label
        self._input = Line(value, password=secret, select_on_focus=False, compact=True)

    def compose(self) -> ComposeResult:
        yield Static(self._label, markup=False)
        yield self._input

    @property
    def text(self) -> str:
        return self._input.value

    def begin(self, text: str = "") -> None:
        """Take the focus, with more text at the end of what is written."""
        self._input.value = (self.text or self._place.text) + _in_one_line(text)
        self._input.focus()
        self._input.action_end()

    def clear(self) -> None:
        """Write nothing."""
        self._input.value = ""

    def take(self) -> None:
        """Take what is written."""
        self.post_message(self.Written(self.text))

    def on_input_changed(self, event: Input.Changed) -> None:
        self._place.write(self.text)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.take()


def _in_one_line(text: str) -> str:
    return " ".join(line for line in text.replace("\0", "").splitlines() if line)
