"""A long table that is being written, row by row."""

from collections.abc import Sequence

from textual.strip import Strip

from longrein.tui.draw.blocks import Unit, table_of, units
from longrein.tui.draw.table import Layout, row_lines, table
from longrein.tui.look import Look


class Grid:
    """The rows of a table as they come, below those that it has in `unit`."""

    def __init__(self, unit: Unit, source: Sequence[str], width: int, look: Look) -> None:
        self._width, self._look = width, look
        self._head = source[unit.start : unit.start + 2]
        self._begun = table_of(unit.tokens, source, look)
        self._layout = Layout.of(self._begun, width)

    def begun(self) -> list[Strip]:
        """The table as far as it was there at first."""
        return table(self._begun, self._width, self._look)

    def more(self, lines: Sequence[str]) -> tuple[list[Strip], int]:
        """Those of the lines that are further rows, drawn, and how many they are."""
        source = [*self._head, *lines]
        found = units("\n".join(source))[0]
        rows = table_of(found.tokens, source, self._look).rows[1:]
        return row_lines(rows, self._layout, self._width, self._look, begun=True), len(rows)
