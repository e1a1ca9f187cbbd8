"""A block of code that is being written, line by line."""

from markdown_it.token import Token
from textual.strip import Strip

from longrein.tui.draw.blocks import INDENT, label, language
from longrein.tui.draw.code import code_piece, complete
from longrein.tui.draw.lines import TAB, indented, room
from longrein.tui.look import Look


class Fence:
    """The lines of a block of code as they come. `opening` is its first line, as it was written."""

    def __init__(self, token: Token, opening: str, width: int, look: Look) -> None:
        self._token, self._look, self._width = token, look, width
        self._language = language(token)
        self._deep = len(opening) - len(opening.lstrip(" "))
        self._indent, self._left = room(((INDENT, look.text),), width)
        self._piece = list[str]()

    def label(self) -> list[Strip]:
        """The name of its language."""
        return label(self._token, self._width, self._look)

    def closed_by(self, line: str) -> bool:
        """Whether the block ends with this line."""
        run = line.strip(" \t")
        mark = self._token.markup
        return (
            len(line) - len(line.lstrip(" ")) < 4
            and line.lstrip(" ")[:1] == mark[0]
            and run == mark[0] * len(run)
            and len(run) >= len(mark)
        )

    def add(self, line: str) -> list[Strip]:
        """Take a complete line; what is complete with it."""
        line = self._inside(line)
        if not complete(self._piece, line):
            self._piece.append(line)
            return []
        ready, self._piece = self._piece, [line]
        return self._drawn(ready)

    def rest(self, partial: str = "") -> list[Strip]:
        """What is not complete, with the line that is being written at its end.

        That is left out while it may become the end of the block.
        """
        if not partial or not partial.strip(f" {self._token.markup[0]}"):
            return self._drawn(self._piece)
        partial = self._inside(partial)
        if complete(self._piece, partial):
            return [*self._drawn(self._piece), *self._drawn([partial])]
        return self._drawn([*self._piece, partial])

    def _inside(self, line: str) -> str:
        blanks = min(self._deep, len(line) - len(line.lstrip(" ")))
        return line[blanks:].expandtabs(TAB)

    def _drawn(self, piece: list[str]) -> list[Strip]:
        lines = code_piece(piece, self._language, self._left, self._look)
        return indented(lines, self._indent)
