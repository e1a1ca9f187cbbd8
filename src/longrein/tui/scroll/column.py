"""Entries one below the other behind a window: what of them is seen, and what happens to it.

The window hangs on a line of an entry, not on a number of lines from the top: what becomes of other
entries, and how high those are that nobody has seen yet, does not move it. At the end of the column
it hangs on the end.
"""

from collections.abc import Iterator, Sequence

from msgspec import Struct
from textual.strip import Strip

from longrein.tui.scroll.drawn import Draw, Drawn, Opening, changes_with_time
from longrein.tui.scroll.estimates import cut_short, estimated
from longrein.tui.scroll.heights import Heights
from longrein.tui.view.entries import Called, Entry, Spoke, Thought, Told
from longrein.tui.view.transcript import NOTHING, Transcript

FAR = 5
"""Windows further than which nothing on the way is drawn."""

GAP = Strip.blank(0)


class Line(Struct, frozen=True, eq=False):
    """A line of the window: the place of its entry, its number there (gaps are below 0), and it."""

    index: int
    number: int
    strip: Strip


class Column:
    """The entries of a transcript behind a window of a size.

    `unseen`: something new stands below the window.
    """

    def __init__(self, draw: Draw) -> None:
        self._drawn = Drawn(draw)
        self._heights = Heights()
        self._wanted: dict[str, Opening] = {}
        self._shown: Transcript = NOTHING
        self._index, self._line = 0, 0
        self._width, self._height = 80, 24
        self.now = 0
        self.at_end = True
        self.unseen = False

    @property
    def entries(self) -> Sequence[Entry]:
        return self._shown.entries

    @property
    def size(self) -> tuple[int, int]:
        """The width and the height of the window."""
        return self._width, self._height

    @property
    def total(self) -> int:
        """How many lines there are, as far as that is known."""
        return self._heights.total

    @property
    def top(self) -> int:
        """How many lines are above the window, as far as that is known."""
        return self._heights.top(self._index) + self._line if self.entries else 0

    def show(self, transcript: Transcript) -> None:
        """Show other entries; those that stay keep what was found out about them."""
        old, new = self._shown.entries, transcript.entries
        if transcript.after is None:  # of another thread
            self.at_end = True
            self._wanted.clear()
        follows = transcript.after is self._shown.mark and self._shown is not NOTHING
        since, touched = (transcript.since, transcript.touched) if follows else (0, ())
        while since < min(len(old), len(new)) and old[since] is new[since]:
            since += 1
        if since == len(old) == len(new) and not touched:
            self._shown = transcript
            return
        kept = [(old[n].key, self._heights[n]) for n in range(since, len(old))]
        self._heights.cut(since)
        self._shown = transcript
        self._forget_gone(since, [key for key, _ in kept])
        for index in range(since, len(new)):
            # The height that it had is the best guess for what is much the same.
            place = index - since
            same = place < len(kept) and kept[place][0] == new[index].key
            self._heights.append(kept[place][1] if same else self._estimated(index))
        self.unseen = self.unseen or (not self.at_end and since < len(new))
        self._hold()

    def resize(self, width: int, height: int) -> None:
        """Another window; the line at its top stays about where it is."""
        if width != self._width and self.entries:
            was = max(self._heights[self._index], 1)
            self._width = width
            self._heights = Heights(self._estimated(n) for n in range(len(self.entries)))
            self._line = self._line * self._exact(self._index) // was
        self._width, self._height = width, height
        self._hold()

    def redraw(self, draw: Draw) -> None:
        """Draw everything in another way."""
        self._drawn.clear(draw)

    def tick(self, now: int) -> bool:
        """It is this time now; whether that is seen in the window."""
        self.now = now
        running = {
            line.index for line in self.page() if changes_with_time(self.entries[line.index])
        }
        for index in running:
            self._drawn.forget(self.entries[index])
        return bool(running)

    def move(self, lines: int) -> None:
        """Move the window down, or up by a negative number of lines."""
        if not self.entries:
            return
        if abs(lines) > FAR * self._height:
            self.jump(self.top + lines)
            return
        self.at_end = False
        index, line = self._index, self._line + lines
        while line < 0 and index:
            index -= 1
            line += self._exact(index)
        while index < len(self.entries) - 1 and line >= (height := self._exact(index)):
            line -= height
            index += 1
        self._index, self._line = index, max(line, 0)
        self._hold()

    def jump(self, top: int) -> None:
        """Move the window to where about so many lines are above it."""
        if not self.entries:
            return
        self.at_end = False
        self._index = self._heights.find(max(top, 0))
        line = max(top, 0) - self._heights.top(self._index)
        was = max(self._heights[self._index], 1)
        self._line = line * self._exact(self._index) // was
        self._hold()

    def end(self) -> None:
        """Move the window to the end, to stay there."""
        self.at_end = True
        self._hold()

    def opens(self, index: int) -> bool:
        """Whether there is more to see of an entry than one line, or than was cut short."""
        entry = self.entries[index]
        if isinstance(entry, Called):
            return bool(entry.bodies)
        if isinstance(entry, Told) and entry.whole:
            return True
        return isinstance(entry, Thought) or cut_short(entry, self._width)

    def opening(self, index: int) -> Opening:
        """How far an entry is open."""
        entry = self.entries[index]
        shown = isinstance(entry, Called | Thought) and entry.shown
        by_itself: Opening = "brief" if shown else "closed"
        return self._wanted.get(entry.key, by_itself)

    def toggle(self, index: int) -> None:
        """Open an entry or close it; its first line stays where it is, if it is in the window and
        what opens can be seen below it. The end is followed on where all of that is seen with it.

        One that is open by itself and was cut short for that is shown whole first.
        """
        lines = ((line.index, line.number >= 0) for line in self.page())
        row = next((n for n, line in enumerate(lines) if line == (index, True)), -1)
        entry, now = self.entries[index], self.opening(index)
        opens = now == "closed" or (now == "brief" and cut_short(entry, self._width))
        self._wanted[entry.key] = "full" if opens else "closed"
        if row >= 0:
            self._index, self._line = index, self._gap(index)
            room = max(self._height - (self._exact(index) - self._line), 0)
            self.at_end = self.at_end and self._left_below() <= 0
            self._back(min(row, room) if opens else row)
        self._hold()

    def reveal(self, index: int) -> None:
        """Move the window no further than it takes to see the first lines of an entry."""
        rows = [line.index for line in self.page()]
        if index in rows and not self._first_above(index):
            return
        self.at_end = False
        below = bool(rows) and index > rows[0]
        self._index, self._line = index, 0
        self._back(max(self._height - self._exact(index), 0) if below else 0)
        self._hold()

    def page(self) -> list[Line]:
        """What is in the window, from top to bottom; fewer lines than it has where that is all."""
        rows: list[Line] = []
        index, line = self._index, self._line
        while len(rows) < self._height and index < len(self.entries):
            for row in self._rows(index, line):
                rows.append(row)
                if len(rows) == self._height:
                    break
            index, line = index + 1, 0
        return rows

    def rows(self, index: int) -> list[Line]:
        """Every line of an entry, with the gap before it."""
        return [*self._rows(index, 0)]

    def _rows(self, index: int, start: int) -> Iterator[Line]:
        gap, lines = self._gap(index), self._lines(index)
        self._heights[index] = gap + len(lines)
        for number in range(start, gap):
            yield Line(index, number - gap, GAP)
        for number in range(max(start - gap, 0), len(lines)):
            yield Line(index, number, lines[number])

    def _hold(self) -> None:
        """Put the window where it hangs, with everything in it drawn: no further than the end."""
        if not self.entries:
            self._index, self._line, self.at_end = 0, 0, True
            return
        self._index = min(self._index, len(self.entries) - 1)
        self._line = min(self._line, self._exact(self._index) - 1)
        if not self.at_end:
            self.at_end = self._left_below() <= 0
        if self.at_end:
            self.unseen = False
            last = len(self.entries) - 1
            self._index, self._line = last, self._exact(last)
            self._back(self._height)

    def _left_below(self) -> int:
        """How many lines there are below the window; no more than one is counted."""
        seen, index = -self._line, self._index
        while seen <= self._height and index < len(self.entries):
            seen += self._exact(index)
            index += 1
        return seen - self._height

    def _back(self, lines: int) -> None:
        """Go up by so many lines, no further than the beginning."""
        self._line -= lines
        while self._line < 0 and self._index:
            self._index -= 1
            self._line += self._exact(self._index)
        self._line = max(self._line, 0)

    def _first_above(self, index: int) -> bool:
        """Whether the first line of an entry is above the window."""
        return index < self._index or (index == self._index and self._line > self._gap(index))

    def _exact(self, index: int) -> int:
        """The height of an entry, for which it is drawn."""
        self._heights[index] = height = self._gap(index) + len(self._lines(index))
        return height

    def _lines(self, index: int) -> Sequence[Strip]:
        return self._drawn.lines(self.entries[index], self._width, self.opening(index), self.now)

    def _estimated(self, index: int) -> int:
        entry = self.entries[index]
        return self._gap(index) + estimated(entry, self._width, self.opening(index) != "closed")

    def _gap(self, index: int) -> int:
        """Blank lines before an entry: none between what the model does, or inside of a block."""
        if not index:
            return 0
        before, entry = self.entries[index - 1], self.entries[index]
        joined = isinstance(entry, Spoke) and entry.joined
        return 0 if joined or (_dense(before) and _dense(entry)) else 1

    def _forget_gone(self, since: int, keys: list[str]) -> None:
        """What a person opened counts for what was there then, not for what comes in its place."""
        if self._wanted and keys:
            still = {self.entries[n].key for n in range(since, len(self.entries))}
            for key in keys:
                if key not in still:
                    self._wanted.pop(key, None)


def _dense(entry: Entry) -> bool:
    return isinstance(entry, Called | Thought)
