"""A line to search what was said before, in the place of the editor."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.events import Key
from textual.message import Message
from textual.widgets import Input, Label

from longrein.tui.view.completing import Completion
from longrein.tui.view.history import matching
from longrein.tui.widgets.completions import Completions
from longrein.tui.writing.ordered import actions

_ACTIONS = actions(Input.BINDINGS, but=("ctrl+c", "super+c", "ctrl+d"))

NONE = "nothing that was said before fits  "


class SearchField(Input):
    """The words that are searched for. `press` is told of every key first."""

    def __init__(self, press: Callable[[str], bool]) -> None:
        super().__init__(compact=True, select_on_focus=False)
        self._press = press

    async def on_key(self, event: Key) -> None:
        action = _ACTIONS.get(event.key)
        if self._press(event.key):
            event.stop()
            event.prevent_default()
        elif action is not None:
            event.stop()
            event.prevent_default()
            await self.run_action(action)


class HistorySearch(Horizontal):
    """Offers what fits as it is typed. Enter takes one, Esc none."""

    DEFAULT_CSS = """
    HistorySearch {
        height: 1;
        display: none;
        &.-open { display: block; }
        & > Label { color: $text-muted; }
        & > Input {
            width: 1fr; height: 1; border: none; padding: 0; background: transparent;
            &:focus { border: none; }
        }
    }
    """

    @dataclass
    class Closed(Message):
        """The search is over; None: nothing was taken."""

        text: str | None

    def __init__(self, offered: Completions) -> None:
        super().__init__()
        self._offered = offered
        self._texts: tuple[str, ...] = ()
        self._found: tuple[str, ...] = ()
        self._at = 0
        self._field = SearchField(self._pressed)
        self._none = Label(NONE)
        self._keys: dict[str, Callable[[], object]] = {
            "ctrl+r": lambda: self._move(1),
            "down": lambda: self._move(1),
            "ctrl+s": lambda: self._move(-1),
            "up": lambda: self._move(-1),
            "enter": lambda: self.take(self._at),
            "tab": lambda: self.take(self._at),
            "escape": self.close,
            "ctrl+g": self.close,
        }

    def compose(self) -> ComposeResult:
        yield Label("  search ")
        yield self._field
        yield self._none

    @property
    def is_open(self) -> bool:
        return self.has_class("-open")

    def open(self, texts: Sequence[str]) -> None:
        """Search these, the newest first."""
        self._texts = tuple(texts)
        self.add_class("-open")
        self._field.value = ""
        self._field.focus()
        self._search("")

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        if self.is_open:
            self._search(event.value)

    def take(self, at: int) -> None:
        """Take what was found at this place."""
        self._close(self._found[at] if at < len(self._found) else None)

    def close(self) -> None:
        """Take nothing."""
        self._close(None)

    def refocus(self) -> None:
        self._field.focus()

    def _pressed(self, key: str) -> bool:
        act = self._keys.get(key)
        if act is not None:
            act()
        return act is not None

    def _move(self, by: int) -> None:
        if self._found:
            self._at = (self._at + by) % len(self._found)
            self._show()

    def _search(self, query: str) -> None:
        self._found, self._at = matching(self._texts, query), 0
        self._show()

    def _show(self) -> None:
        self._none.display = not self._found
        self._offered.show(tuple(Completion(text, text) for text in self._found), self._at)

    def _close(self, text: str | None) -> None:
        self.remove_class("-open")
        self._offered.show(())
        self.post_message(self.Closed(text))
