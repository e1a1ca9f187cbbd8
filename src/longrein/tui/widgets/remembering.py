"""What a yes is to be remembered for, and where."""

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.events import Click
from textual.message import Message
from textual.widgets import Static

from longrein.client.remembering import SCOPES
from longrein.core.policy import Scope
from longrein.tui.widgets.menu import Menu

_SCOPES: tuple[Scope, ...] = tuple(SCOPES.values())
_USUAL = _SCOPES.index("thread")


class Remembering(Vertical):
    """The ways to remember a yes, from the narrowest on; left and right choose how far it goes."""

    DEFAULT_CSS = """
    Remembering {
        height: auto;
        & > Static { height: auto; color: $text-muted; }
        & > .scope { margin-top: 1; }
        & > Menu { max-height: 12; }
    }
    """

    class Chosen(Message):
        """The person chose the way with this number."""

        def __init__(self, way: int, scope: Scope) -> None:
            super().__init__()
            self.way = way
            self.scope: Scope = scope

    def __init__(self, ways: Sequence[str]) -> None:
        super().__init__()
        self._menu = Menu(ways)
        self._scope = _USUAL

    def compose(self) -> ComposeResult:
        yield Static("Yes, and do not ask again for …   Enter says yes · Esc back", markup=False)
        yield self._menu
        yield Static(self._scopes(), classes="scope")

    def press(self, key: str) -> bool:
        """Do what a key says; whether it says anything here."""
        by = {"left": -1, "right": 1}.get(key)
        if by is None:
            return self._menu.press(key)
        self._move(by)
        return True

    def on_click(self, event: Click) -> None:
        if event.widget is not None and event.widget.has_class("scope"):
            self._move(1)

    def on_menu_chosen(self, event: Menu.Chosen) -> None:
        event.stop()
        self.post_message(self.Chosen(event.items[0], _SCOPES[self._scope]))

    def _move(self, by: int) -> None:
        self._scope = (self._scope + by) % len(SCOPES)
        self.query_one(".scope", Static).update(self._scopes())

    def _scopes(self) -> Content:
        words = [
            (f" {scope} ", "reverse bold $text-accent" if number == self._scope else "")
            for number, scope in enumerate(SCOPES)
        ]
        return Content.assemble("in ", *words, "  ← →")
