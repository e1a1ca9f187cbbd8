"""A page to read: lines that scroll."""

from collections.abc import Awaitable, Callable, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.events import Key

from longrein.core.errors import LongreinError
from longrein.tui.attempt import attempt
from longrein.tui.pages.page import Page
from longrein.tui.view.tones import Line, line
from longrein.tui.widgets.reading import Reading
from longrein.tui.widgets.scrolled import LETTERS


def plain(text: str) -> Sequence[Line]:
    """The lines of a text of anybody's."""
    return [line(one) for one in text.removesuffix("\n").split("\n")] if text else []


class TextPage(Page[None]):
    """Lines that are made behind the first frame; what goes wrong stands in their place."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("q,enter", "close", show=False)]

    def __init__(
        self,
        heading: str,
        make: Callable[[], Awaitable[Sequence[Line]]],
        hints: str = "PageUp PageDown scroll",
    ) -> None:
        super().__init__(heading, hints)
        self._make = make

    def body(self) -> ComposeResult:
        yield Reading((line("Loading …", "dim"),))

    def on_mount(self) -> None:
        attempt(self, self._fill())

    async def _fill(self) -> None:
        try:
            made = await self._make()
        except LongreinError as error:
            made = plain(str(error))
        if self.is_attached:
            self.query_one(Reading).show(made)

    def on_key(self, event: Key) -> None:
        if self.query_one(Reading).press(LETTERS.get(event.key, event.key)):
            event.stop()
