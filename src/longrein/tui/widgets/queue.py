"""The follow-ups that wait, between the conversation and the editor."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from rich.text import Text
from textual.events import Click, Key
from textual.message import Message
from textual.widget import Widget

from longrein.client.words import brief
from longrein.tui.attempt import tell
from longrein.tui.draw.lines import cut, one_line
from longrein.tui.look import CURSOR, LOW
from longrein.tui.view.queue import QueueView, Waiting, moved
from longrein.tui.widgets.hints import fitted

ROWS, FEW = 4, 2
"""Follow-ups that are shown, and on a low screen."""

QUEUED = "queued · Up edits · said one by one when the work is done"
HELD = "held · Enter lets it go on"
KEYS = "Enter edit · K J move · d remove · Esc back"
TOO_LONG = "This message is too long to be changed here. Remove it and say it anew."


class Queue(Widget, can_focus=True):
    """Shows what waits. With the focus: arrows choose, Enter or e edits, Alt with arrows (or K and
    J) moves, Delete or d removes, Esc goes back to the editor."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"queue--here", "queue--held"}
    DEFAULT_CSS = """
    Queue {
        height: auto;
        display: none;
        color: $text-muted;
        padding: 0 2 0 0;
        &.-waiting { display: block; }
        & > .queue--here { color: $text-accent; text-style: bold; }
        & > .queue--held { color: $text-warning; }
    }
    """

    @dataclass
    class Editing(Message):
        """Somebody wants to change what waits."""

        waiting: Waiting

    @dataclass
    class Removed(Message):
        """What waits should be said no more; `text` is what it was."""

        input: str
        text: str

    @dataclass
    class Reordered(Message):
        """Everything that waits should be in this order."""

        inputs: tuple[str, ...]

    class Released(Message):
        """The queue that is held should go on."""

    class Left(Message):
        """Somebody wants to go back to the editor."""

    def __init__(self) -> None:
        super().__init__()
        self._view = QueueView()
        self._here = ""
        self._top = 0
        self._keys: dict[str, Callable[[], object]] = {
            "up": lambda: self._go(-1),
            "down": lambda: self._go(1),
            "enter": self._edit,
            "e": self._edit,
            "alt+up": lambda: self._move(-1),
            "alt+down": lambda: self._move(1),
            "K": lambda: self._move(-1),
            "J": lambda: self._move(1),
            "delete": self._remove,
            "backspace": self._remove,
            "d": self._remove,
            "escape": self._leave,
            "tab": self._leave,
        }

    @property
    def view(self) -> QueueView:
        return self._view

    def show(self, view: QueueView) -> None:
        """Show these."""
        if view == self._view:
            return
        rows = self._height
        self._view = view
        self._top = min(self._top, max(len(view.waiting) - self._rows, 0))
        self.set_class(bool(view.waiting) or view.held, "-waiting")
        self.refresh(layout=rows != self._height)
        if self.has_focus and not view.waiting:
            self._leave()

    def enter(self) -> bool:
        """Go into the queue, to the last that waits; False where nothing does."""
        if not self._view.waiting:
            return False
        self._choose(self._view.waiting[-1].input)
        self.focus()
        return True

    def on_key(self, event: Key) -> None:
        act = self._keys.get(event.key)
        if act is not None and (self._view.waiting or event.key in ("escape", "tab")):
            event.stop()
            event.prevent_default()
            act()

    def on_click(self, event: Click) -> None:
        event.stop()
        row = event.y - 1  # below the line that says what this is
        if 0 <= row < len(self._shown):
            self._choose(self._shown[row].input)
            self._edit()

    def on_focus(self) -> None:
        self.refresh()

    def on_blur(self) -> None:
        self._top = 0
        self.refresh()

    def _go(self, by: int) -> None:
        at = self._view.index(self._here) + by
        if self._chosen is None:  # it went on its way: nothing is done to another in its place
            self._choose(self._view.waiting[0].input)
        elif at >= len(self._view.waiting):
            self._leave()
        else:
            self._choose(self._view.waiting[max(at, 0)].input)

    def _choose(self, input: str) -> None:
        self._here = input
        at = self._view.index(input)
        self._top = min(max(self._top, at - self._rows + 1), at)
        self.refresh()

    def _edit(self) -> None:
        one = self._chosen
        if one is None:
            return
        if one.whole:
            self.post_message(self.Editing(one))
        else:
            tell(self, TOO_LONG, "warning")

    def _move(self, by: int) -> None:
        view = moved(self._view, self._here, by)
        if view != self._view:
            # Shown at once, so that the next key finds it there.
            self.show(view)
            self._choose(self._here)
            self.post_message(self.Reordered(view.order))

    def _remove(self) -> None:
        one = self._chosen
        if one is None:
            return
        self.post_message(self.Removed(one.input, one.text))
        at, waiting = self._view.index(one.input), self._view.waiting
        beside = waiting[at + 1 : at + 2] or waiting[max(at - 1, 0) : at]
        if beside:
            self._choose(beside[0].input)

    def _leave(self) -> None:
        self.post_message(self.Left())

    @property
    def _chosen(self) -> Waiting | None:
        return next((one for one in self._view.waiting if one.input == self._here), None)

    @property
    def _rows(self) -> int:
        return FEW if self.screen.size.height < LOW else ROWS

    @property
    def _shown(self) -> tuple[Waiting, ...]:
        return self._view.waiting[self._top : self._top + self._rows]

    @property
    def _height(self) -> int:
        return len(self.render().plain.splitlines())

    def render(self) -> Text:
        width = self.content_size.width or 80
        lines = [self._title(width)]
        shown = enumerate(self._shown, self._top + 1)
        lines += (self._line(number, one, width) for number, one in shown)
        more = len(self._view.waiting) - len(self._shown)
        if more > 0:
            lines.append(Text(f"  … {more} more", end=""))
        return Text("\n", no_wrap=True, end="").join(lines)

    def _title(self, width: int) -> Text:
        if self.has_focus:
            return Text(f"  {fitted(KEYS, width - 2)}", end="")
        text = f"  {cut(HELD if self._view.held else QUEUED, width - 2)}"
        held = self.get_component_rich_style("queue--held") if self._view.held else ""
        return Text(text, held, end="")

    def _line(self, number: int, one: Waiting, width: int) -> Text:
        here = self.has_focus and one.input == self._here
        front = f"{CURSOR if here else ' '} {number} "
        names = (file.name or "file" for file in one.files)
        files = "".join(f" [{name}]" for name in names if f"[image: {name}" not in one.text)
        left = width - len(front)
        line = Text(front + cut(one_line(brief(one.text + files, left)), left), end="")
        if here:
            line.stylize(self.get_component_rich_style("queue--here"))
        return line
