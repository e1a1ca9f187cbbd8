"""A page to read: lines that scroll."""

from collections.abc import Awaitable, Callable, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from longrein.core.errors import LongreinError
from longrein.tui.attempt import attempt
from longrein.tui.pages.page import Page
from longrein.tui.view.tones import Line, line
from longrein.tui.widgets.reading import Reading


def plain(text: str) -> Sequence[Line]:
    """The lines of a text of anybody's."""
    return [line(one) for one in text.removesuffix("\n").split("\n")] if text else []


class TextPage(Page[None]):
    """Lines that are made behind the first frame; what goes wrong stands in their place."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q,enter", "close", show=False),
        Binding("up,k", "scroll('scroll_up')", show=False),
        Binding("down,j", "scroll('scroll_down')", show=False),
        Binding("pageup", "scroll('scroll_page_up')", show=False),
        Binding("pagedown,space", "scroll('scroll_page_down')", show=False),
        Binding("home", "scroll('scroll_home')", show=False),
        Binding("end", "scroll('scroll_end')", show=False),
    ]

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

    def action_scroll(self, how: str) -> None:
        getattr(self.query_one(Reading), how)(animate=False)
