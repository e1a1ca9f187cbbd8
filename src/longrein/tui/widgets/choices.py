"""A row of things to choose: by their letters, by arrows and Enter, or by mouse."""

from collections.abc import Sequence
from typing import ClassVar

from msgspec.structs import replace
from rich.segment import Segment
from textual.events import Click
from textual.geometry import Size
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from longrein.tui.around import app_of
from longrein.tui.look import LOW
from longrein.tui.view.choices import Option, placed, worded


class Choices(Widget):
    """The options, one of them highlighted. Whoever has the focus hands it keys.

    Where they would take more than a third of a low screen, only the highlighted one is in words.
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {"choices--here", "choices--key", "choices--label"}
    DEFAULT_CSS = """
    Choices {
        height: auto;
        width: 1fr;
        & > .choices--here { background: $panel; color: $text-accent; text-style: bold reverse; }
        & > .choices--key { color: $text-accent; text-style: bold; }
        & > .choices--label { color: $foreground; }
    }
    """

    class Chosen(Message):
        """Somebody chose an option."""

        def __init__(self, key: str) -> None:
            super().__init__()
            self.key = key

    def __init__(self, options: Sequence[Option], first: int = 0) -> None:
        super().__init__()
        self._options = options
        self._at = first

    @property
    def at(self) -> str:
        """The key of the option that is highlighted."""
        return self._options[self._at].key

    def has(self, key: str) -> bool:
        """Whether one of the options is chosen by this key."""
        return any(key == option.key for option in self._options)

    def move(self, key: str) -> bool:
        """Highlight the next as an arrow says; whether it is one. Behind the last is the first."""
        by = {"left": -1, "right": 1}.get(key)
        if by is not None:
            self._at = (self._at + by) % len(self._options)
            self.refresh(layout=True)
        return by is not None

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return placed(self._shown(width), width)[-1].row + 1

    def _shown(self, width: int) -> Sequence[Option]:
        height = app_of(self).size.height
        if height >= LOW or placed(self._options, width)[-1].row < height // 3:
            return self._options
        return [
            option if at == self._at else replace(option, label="")
            for at, option in enumerate(self._options)
        ]

    def render_line(self, y: int) -> Strip:
        segments: list[Segment] = []
        used = 0
        options = self._shown(self.size.width)
        for at, place in enumerate(placed(options, self.size.width)):
            if place.row != y:
                continue
            blank = Segment(" " * (place.start - used), self.rich_style)
            segments += [blank, *self._drawn(options[at], here=at == self._at)]
            used = place.end
        return Strip(segments).adjust_cell_length(self.size.width, self.rich_style)

    def _drawn(self, option: Option, *, here: bool) -> list[Segment]:
        base = self.rich_style
        if here:
            highlight = base + self.get_component_rich_style("choices--here", partial=True)
            return [Segment(worded(option), highlight)]
        key = base + self.get_component_rich_style("choices--key", partial=True)
        label = base + self.get_component_rich_style("choices--label", partial=True)
        front = f" {option.key} "
        return [Segment(front, key), Segment(worded(option).removeprefix(front), label)]

    def on_click(self, event: Click) -> None:
        for at, place in enumerate(placed(self._shown(self.size.width), self.size.width)):
            if place.row == event.y and place.start <= event.x < place.end:
                self._at = at
                self.refresh(layout=True)
                self.post_message(self.Chosen(self._options[at].key))
