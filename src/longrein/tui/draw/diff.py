"""Changes of files: lines with their numbers and a sign in front, nothing hidden in them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.style import Style
from textual.strip import Strip

from longrein.core.visible import visible
from longrein.tui.draw.excerpt import cut_off, more
from longrein.tui.draw.lines import LEAST, TAB, Span, breaks_hard, strip, wrapped
from longrein.tui.look import Look
from longrein.tui.view.entries import DiffBody

MOST_LINES = 200
LONGEST_LINE = 2_000
"""Characters of one line of a change; what is longer is no text that is read."""

_HUNK = re.compile(r"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@")


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of a change: its sign, its number where it is known. A sign of `@`: about others."""

    sign: str
    text: str
    number: int = 0


def draw_diff(body: DiffBody, width: int, look: Look, *, complete: bool = False) -> list[Strip]:
    """The lines of a change, at most 200 of them. `complete`: all, with nothing cut off."""
    lines = body.text.removesuffix("\n").split("\n", -1 if complete else MOST_LINES)
    left = lines.pop().count("\n") + 1 if len(lines) > MOST_LINES and not complete else 0
    read = [_Line("+", line, n) for n, line in enumerate(lines, 1)] if body.whole else _read(lines)
    shown = _plain_heads(list(read))
    wide = len(str(max((line.number for line in shown), default=0)))
    gutter = wide + 1 if any(line.number for line in shown) else 0
    gutter = gutter if width - gutter - 2 >= LEAST else 0
    rows = [row for line in shown for row in _rows(line, gutter, width, look, complete)]
    return [*rows, *cut_off(more(left), width, look.dim)] if left else rows


def _read(lines: Sequence[str]) -> Iterator[_Line]:
    """Lines with their numbers, as the heads of hunks tell them.

    Where those tell none, all that follows is the hunk; what is before the first names the files.
    """
    old = new = old_left = new_left = 0
    begun = counted = False
    for line in lines:
        sign = line[:1] or " "
        if found := _HUNK.match(line):
            old, new = int(found[1]), int(found[3])
            old_left, new_left = int(found[2] or 1), int(found[4] or 1)
            begun = counted = True
            yield _Line("@", line)
        elif line.startswith("@@"):
            begun, counted = True, False
            yield _Line("@", line)
        elif (
            sign not in "+- "
            or (counted and old_left <= 0 and new_left <= 0)
            or (not begun and line.startswith(("--- ", "+++ ")))
        ):
            yield _Line("@", line)
        else:
            yield _Line(sign, line[1:], (old if sign == "-" else new) if counted else 0)
            old, old_left = old + (sign != "+"), old_left - (sign != "+")
            new, new_left = new + (sign != "-"), new_left - (sign != "-")


def _plain_heads(lines: Sequence[_Line]) -> list[_Line]:
    """The lines without what is told elsewhere: the only file, and the counts of hunks."""
    files = sum(line.sign == "@" and line.text.startswith("+++ ") for line in lines)
    shown = list[_Line]()
    for line in lines:
        if line.sign != "@":
            shown.append(line)
        elif line.text.startswith("@@"):
            section = line.text.split("@@", 2)[-1].strip()
            if section or shown:
                shown.append(_Line("@", f"… {section}".strip()))
        elif files > 1 or not line.text.startswith(("--- ", "+++ ")):
            shown.append(line)
    return shown


def _rows(line: _Line, gutter: int, width: int, look: Look, complete: bool) -> Iterator[Strip]:
    said = line.text if complete else line.text[:LONGEST_LINE].removesuffix("\r")
    text = visible(said, strict=True).expandtabs(TAB)
    if len(line.text) > LONGEST_LINE and not complete:
        text += "…"
    if line.sign == "@":
        yield from wrapped([(text, look.diff_hunk)], width)
        return
    style = _style(line.sign, look)
    number = str(line.number).rjust(gutter - 1) if gutter and line.number else " " * (gutter - 1)
    first: list[Span] = [(f"{number} " if gutter else "", look.dim), (f"{line.sign} ", style)]
    rest: list[Span] = [(" " * gutter, look.dim), ("… ", look.dim)]
    for n, (start, stop) in enumerate(breaks_hard(text, max(width - gutter - 2, 1))):
        yield strip([*(rest if n else first), (text[start:stop], style)])


def _style(sign: str, look: Look) -> Style:
    return {"+": look.diff_add, "-": look.diff_del}.get(sign, look.text)
