"""Markdown that grows: what is complete stays as it was drawn, its last block is drawn anew."""

from collections.abc import Iterable, Sequence

from textual.strip import Strip

from longrein.core.visible import visible
from longrein.tui.draw.blocks import TOP, Above, Unit, below, draw_units, is_prose, units
from longrein.tui.draw.fence import Fence
from longrein.tui.draw.grid import Grid
from longrein.tui.draw.lines import indented, room, strip
from longrein.tui.draw.table import SAMPLE
from longrein.tui.look import Look

LONGEST, MOST_LINES = 16_000, 500
"""Characters and lines of one block; a longer one is drawn in parts, each by itself."""

MOST_PROSE = 4_000
"""As much of a paragraph, which can be drawn in parts without anybody seeing where they meet."""

SIZES = (1_000, MOST_PROSE, LONGEST)
"""How much is looked through for complete blocks: more only where less holds none."""


def markdown(
    text: str, width: int, look: Look, *, margin: int = 0, within: str = ""
) -> Sequence[Strip]:
    """The lines of a Markdown text, each at most `width` cells, `margin` of them blank."""
    return StreamedMarkdown(width, look, margin=margin, within=within).show(text)


class StreamedMarkdown:
    """The lines of a text that grows at its end.

    Showing a longer text costs what its last block costs, however long the text is. Whatever the
    steps in which it grew, the lines are those of the whole text. It may begin `within` a block of
    code, of which this was the first line, or a table, of which this was the head: that stands
    above the first row again.
    """

    def __init__(self, width: int, look: Look, *, margin: int = 0, within: str = "") -> None:
        self._margin, self._width = room(((" " * margin, look.text),) if margin else (), width)
        self._look = look
        self._within = visible(within)
        self._head = f"{within}\n" if _kind(self._within) == "table_open" else ""
        self._begin()

    def show(self, text: str) -> Sequence[Strip]:
        """The lines of the text. It is one list, which changes when more is shown."""
        text = f"{self._head}{text}"
        if not text.startswith(self._text):
            self._begin()
        elif len(text) == len(self._text):
            return self._lines
        self._text = text
        del self._lines[self._settled :]
        while self._settle():
            pass
        self._settled = len(self._lines)
        self._draw_open()
        return self._lines

    def _begin(self) -> None:
        self._text = ""
        self._lines = list[Strip]()
        self._settled = 0
        """How many of the lines are those of complete blocks."""
        self._at = 0
        """Where in the text the first block begins that is not complete."""
        self._read = 0
        """How far the text was looked through for complete blocks."""
        self._above = TOP
        """What stands above that block."""
        self._fence: Fence | None = None
        """The block of code that is open, if one is."""
        self._grid: Grid | None = None
        """The long table that is open, if one is."""
        if (found := units(self._within)) and found[0].kind == "fence":
            self._fence = Fence(found[0].tokens[0], self._within, self._width, self._look)
            self._above = Above("fence")

    def _settle(self) -> bool:
        """Draw what is complete; False where nothing is."""
        if self._fence is not None:
            return self._settle_code(self._fence)
        if self._grid is not None:
            return self._settle_rows(self._grid)
        # Small parts first: a long text is not read again from each of its blocks on.
        for size in SIZES:
            stop, full = self._complete(size)
            if stop > (self._at if full else self._read):
                if self._settle_blocks(stop, full=full, prose=size < LONGEST):
                    return True
                self._read = max(self._read, stop)
        return False

    def _settle_blocks(self, stop: int, *, full: bool, prose: bool) -> bool:
        """Draw the blocks before `stop` that cannot grow any more. `full`: neither can the last,
        if it is `prose`, or whatever it is."""
        part = self._text[self._at : stop]
        source = visible(part).split("\n")
        found = units("\n".join(source))
        if not found or found[0].start:
            self._above = Above(self._above.kind, bool(self._above.kind))
            self._at = stop if not found else self._at + _length(part, found[0].start)
            return True
        first, full = found[0], full and (not prose or is_prose(found[-1]))
        if first.kind == "fence" and ("\n" in part or not prose):
            self._open_fence(first, source[0])
            self._at += _length(part, 1)
            return True
        if first.kind == "table_open" and len(found) == 1 and (full or first.end - 2 > SAMPLE):
            self._open_grid(first, source)
            self._at += _length(part, first.end)
            return True
        fences = (n for n, unit in enumerate(found) if unit.kind == "fence")
        ready = len(found) if full and len(found) == 1 else next(fences, len(found) - 1)
        if not ready:
            return False
        self._put(draw_units(found[:ready], source, self._width, self._look, self._above))
        self._at = stop if ready == len(found) else self._at + _length(part, found[ready].start)
        self._read, self._above = self._at, below(found, ready - 1)
        return True

    def _open_fence(self, unit: Unit, opening: str) -> None:
        self._fence = Fence(unit.tokens[0], opening, self._width, self._look)
        self._put([strip([])] if self._above.apart(unit) else [])
        self._put(self._fence.label())
        self._above = Above("fence")

    def _open_grid(self, unit: Unit, source: Sequence[str]) -> None:
        self._grid = Grid(unit, source, self._width, self._look)
        self._put([strip([])] if self._above.apart(unit) else [])
        self._put(self._grid.begun())
        self._above = Above("table_open")

    def _complete(self, size: int) -> tuple[int, bool]:
        """Where the complete lines end among so many characters, and whether no block is longer."""
        text, at = self._text, self._at
        stop = text.rfind("\n", at, at + size) + 1
        if text.count("\n", at, stop) >= MOST_LINES:
            return at + _length(text[at:stop], MOST_LINES), True
        if size < MOST_PROSE or len(text) - at <= size:
            return stop, False
        return stop or text.rfind(" ", at, at + size) + 1 or at + size, True

    def _settle_code(self, fence: Fence) -> bool:
        end = self._text.find("\n", self._at, self._at + LONGEST) + 1
        if not end:
            if len(self._text) - self._at <= LONGEST:
                return False
            end = self._at + LONGEST
        line = visible(self._text[self._at : end]).removesuffix("\n")
        self._at = self._read = end
        if fence.closed_by(line):
            self._put(fence.rest())
            self._fence = None
        else:
            self._put(fence.add(line))
        return True

    def _settle_rows(self, grid: Grid) -> bool:
        stop = self._text.rfind("\n", self._at, self._at + LONGEST) + 1
        if not stop and len(self._text) - self._at <= LONGEST:
            return False
        part = self._text[self._at : stop]
        rows = visible(part).split("\n")[:-1][:SAMPLE]
        lines, count = grid.more(rows)
        self._put(lines)
        self._at += _length(part, count)
        self._read = self._at
        if not count or count < len(rows):
            self._grid = None
        return True

    def _draw_open(self) -> None:
        """Draw what is not complete: it may look different when there is more of it."""
        source = visible(self._text[self._at :]).split("\n")
        if self._fence is not None:
            self._put(self._fence.rest(source[-1]))
            return
        if self._grid is not None:
            lines, count = self._grid.more(source)
            if count:
                self._put(lines)
                return
        found = units("\n".join(source))
        above = self._above
        if found and found[0].start:
            above = Above(above.kind, bool(above.kind))
        self._put(draw_units(found, source, self._width, self._look, above))

    def _put(self, lines: Iterable[Strip]) -> None:
        self._lines += indented(lines, self._margin) if self._margin else lines


def _kind(text: str) -> str:
    """What a text begins with."""
    found = units(text)
    return found[0].kind if found else ""


def _length(part: str, lines: int) -> int:
    """How many characters so many lines have, with their ends."""
    return sum(len(line) + 1 for line in part.split("\n", lines)[:lines])
