"""A row of things to choose: by their letters, by arrows and Enter, or by mouse."""

from collections.abc import Sequence
from typing import ClassVar

from rich.segment import Segment
from textual.events import Click
from textual.geometry import Size
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from longrein.tui.view.choices import Option, placed, worded


class Choices(Widget):
    """The options, one of them highlighted. Whoever has the focus hands it keys."""

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

    def press(self, key: str) -> bool:
        """Do what a key says; whether it says anything here. Behind the last comes the first."""
        if key in ("left", "right"):
            self._at = (self._at + (1 if key == "right" else -1)) % len(self._options)
            self.refresh()
        elif key == "enter":
            self.post_message(self.Chosen(self._options[self._at].key))
        elif any(key == option.key for option in self._options):
            self.post_message(self.Chosen(key))
        else:
            return False
        return True

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return placed(self._options, width)[-1].row + 1

    def render_line(self, y: int) -> Strip:
        segments: list[Segment] = []
        used = 0
        for at, place in enumerate(placed(self._options, self.size.width)):
            if place.row != y:
                continue
            segments += [Segment(" " * (place.start - used), self.rich_style), *self._drawn(at)]
            used = place.end
        return Strip(segments).adjust_cell_length(self.size.width, self.rich_style)

    def _drawn(self, at: int) -> list[Segment]:
        option, base = self._options[at], self.rich_style
        if at == self._at:
            here = base + self.get_component_rich_style("choices--here", partial=True)
            return [Segment(worded(option), here)]
        key = base + self.get_component_rich_style("choices--key", partial=True)
        label = base + self.get_component_rich_style("choices--label", partial=True)
        return [Segment(f" {option.key} ", key), Segment(f"{option.label} ", label)]

    def on_click(self, event: Click) -> None:
        for at, place in enumerate(placed(self._options, self.size.width)):
            if place.row == event.y and place.start <= event.x < place.end:
                self._at = at
                self.refresh()
                self.post_message(self.Chosen(self._options[at].key))
