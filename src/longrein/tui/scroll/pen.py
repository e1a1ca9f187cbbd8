"""How entries are drawn: each for itself, and the one that is being written as it grows."""

from collections.abc import Sequence

from msgspec.structs import replace
from textual.strip import Strip

from longrein.tui.draw.entry import MARGIN, draw
from longrein.tui.draw.markdown import StreamedMarkdown
from longrein.tui.draw.stamp import stamped
from longrein.tui.look import Look
from longrein.tui.scroll.drawn import Opening
from longrein.tui.view.entries import Called, Entry, Said, Spoke


class Pen:
    """Draws entries in a look; `timestamps`: what was said has its time at the right; `still`:
    nothing blinks."""

    def __init__(self, look: Look, *, timestamps: bool = False, still: bool = False) -> None:
        self._look = look
        self._timestamps = timestamps
        self._still = still
        self._growing: tuple[str, int] = ("", 0)
        """The key of what is being written, and the width at which it is drawn."""
        self._stream = StreamedMarkdown(1, look)

    def __call__(self, entry: Entry, width: int, opening: Opening, now: int) -> Sequence[Strip]:
        """The lines of an entry. Those of one that is being written are one list that grows."""
        strips = self._lines(entry, width, opening, now)
        if self._timestamps and isinstance(entry, Said | Spoke) and entry.time:
            return stamped(strips, entry.time, width, self._look)
        return strips

    def _lines(self, entry: Entry, width: int, opening: Opening, now: int) -> Sequence[Strip]:
        if isinstance(entry, Spoke) and not entry.mark and self._goes_on(entry, width):
            return self._stream.show(entry.text)
        if isinstance(entry, Called) and opening == "full":
            entry = replace(entry, shown=False)
        return draw(entry, width, self._look, opening != "closed", now, still=self._still)

    def _goes_on(self, entry: Spoke, width: int) -> bool:
        """Whether an entry is being written, or was until now."""
        if self._growing == (entry.key, width):
            return True
        if entry.open:
            self._growing = (entry.key, width)
            self._stream = StreamedMarkdown(width, self._look, margin=MARGIN, within=entry.within)
        return entry.open
