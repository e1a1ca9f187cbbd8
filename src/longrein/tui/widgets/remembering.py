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
from longrein.tui.widgets.squeezed import Squeezing

WAYS = "Yes, and do not ask again for …   Enter says yes · Esc back"

WIDE = 48
"""Cells that all scopes need side by side; with less there is the chosen one."""

_SCOPES: tuple[Scope, ...] = tuple(SCOPES.values())
_USUAL = _SCOPES.index("thread")


class Remembering(Squeezing, Vertical):
    """The ways to remember a yes, from the narrowest on; left and right choose how far it goes."""

    DEFAULT_CSS = """
    Remembering {
        height: auto;
        min-height: 4;
        & > Static { height: auto; color: $text-muted; }
        & > .way { min-height: 1; }
        & > .scope { margin-top: 1; }
        & > Menu { min-height: 2; max-height: 12; }
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
        yield Static(WAYS, classes="way", markup=False)
        yield self._menu
        yield Static(classes="scope")

    def press(self, key: str) -> bool:
        """Do what a key says; whether it says anything here."""
        by = {"left": -1, "right": 1}.get(key)
        if by is not None:
            self._move(by)
        elif self._menu.has(key):  # only Enter says yes
            self._menu.point(int(key) - 1)
        else:
            return self._menu.press(key)
        return True

    def on_click(self, event: Click) -> None:
        if event.widget is not None and event.widget.has_class("scope"):
            self._move(1)

    def on_menu_chosen(self, event: Menu.Chosen) -> None:
        event.stop()
        self.post_message(self.Chosen(event.items[0], _SCOPES[self._scope]))

    def on_resize(self) -> None:
        self._tell()

    def _move(self, by: int) -> None:
        self._scope = (self._scope + by) % len(SCOPES)
        self._tell()

    def _tell(self) -> None:
        self.query_one(".scope", Static).update(self._scopes())

    def _scopes(self) -> Content:
        words = [
            (f" {scope} ", "reverse bold $text-accent" if number == self._scope else "")
            for number, scope in enumerate(SCOPES)
            if number == self._scope or self.size.width >= WIDE
        ]
        return Content.assemble("in ", *words, "  ← →")
