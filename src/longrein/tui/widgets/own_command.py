"""A command of the person's own, while it runs: its line and the end of what it puts out."""

from collections import deque

from textual.content import Content
from textual.widget import Widget

from longrein.tui.draw.paper import STYLES
from longrein.tui.draw.rows import cut, one_line

FRONT, END = "! ", "   Esc ends it"
DIM = STYLES["dim"]
ROWS = 8
LONGEST = 2_000
"""Characters of a line that are kept."""


class OwnCommand(Widget):
    """Shown only while a command runs; what it came to is part of the conversation afterwards."""

    DEFAULT_CSS = """
    OwnCommand {
        height: auto; padding: 0 2 0 0; display: none; text-wrap: nowrap; text-overflow: ellipsis;
    }
    OwnCommand.-running { display: block; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._line = ""
        self._rows: deque[str] = deque([""], maxlen=ROWS)
        self._drawn = True

    def begin(self, line: str) -> None:
        self._line = one_line(line)
        self._rows = deque([""], maxlen=ROWS)
        self.add_class("-running")
        self._draw()

    def hear(self, text: str) -> None:
        """More of its output: drawn with the next frame, however much of it there is."""
        first, *rest = text.split("\n")
        self._rows[-1] = (self._rows[-1] + first)[-LONGEST:]
        self._rows.extend(row[-LONGEST:] for row in rest[-ROWS:])
        if self._drawn:
            self._drawn = False
            self.set_timer(1 / 20, self._draw)

    def end(self) -> None:
        self.remove_class("-running")

    def _draw(self) -> None:
        self._drawn = True
        self.refresh(layout=True)

    def render(self) -> Content:
        room = max(self.size.width - len(FRONT) - len(END), 1)
        line = Content.assemble(FRONT, cut(self._line, room), (END, DIM))
        rows = [Content.styled(f"  {one_line(row)}", DIM) for row in self._rows if row]
        return Content("\n").join((line, *rows))
