"""The first or the last rows of a text, however long it is."""

from collections.abc import Iterator
from dataclasses import dataclass

from rich.style import Style
from textual.strip import Strip

from longrein.core.words import counted
from longrein.tui.draw.lines import said_lines, wrapped

READ_ALL = "Ctrl+O reads all"
CUT = Style.from_meta({"cut": True})

PER_CELL = 6
"""Characters that one cell holds at most: a letter and the marks on it."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Rows of a text, and how many of its lines are not among them."""

    rows: list[Strip]
    left: int


def head(text: str, width: int, style: Style, most: int) -> Excerpt:
    """The first rows of a text, broken between words."""
    rows, whole = list[Strip](), 0
    total = _lines(text)
    for line in text.split("\n", most + 1)[:total]:
        room = most - len(rows)
        fit = list[Strip]()
        for size in _sizes(len(line), width, room + 1):
            fit = wrapped([(_harmless(line[:size]), style)], width)
            if len(fit) > room:
                break
        rows += fit[:room]
        if len(rows) == most and (len(fit) > room or whole + 1 < total):
            return Excerpt(rows, max(total - whole - 1, 1))
        whole += 1
    return Excerpt(rows, total - whole)


def tail(text: str, width: int, style: Style, most: int) -> Excerpt:
    """The last rows of a text, broken between words."""
    rows, whole = list[Strip](), 0
    total = _lines(text)
    for line in reversed(text.removesuffix("\n").rsplit("\n", most)[-most:]):
        room = most - len(rows)
        fit = list[Strip]()
        for size in _sizes(len(line), width, room + 1):
            fit = wrapped([(_harmless(line[-size:]), style)], width)
            if len(fit) > room:
                break
        rows[:0] = fit[-room:]
        whole += 1
        if len(rows) == most:
            break
    return Excerpt(rows, total - whole)


def more(left: int, where: str = "more") -> str:
    """Words for lines that are not shown."""
    return f"… {counted(left, f'{where} line')}"


def cut_off(words: str, width: int, style: Style) -> list[Strip]:
    """Words for what is not shown, with the key that shows all of it; `is_cut` knows them again."""
    return wrapped([(f"{words} · {READ_ALL}", style + CUT)], width)


def is_cut(line: Strip) -> bool:
    """Whether a line says that something is not shown."""
    return any(segment.style is not None and "cut" in segment.style.meta for segment in line)


def _sizes(length: int, width: int, rows: int) -> Iterator[int]:
    """How much of a line may fill so many rows: first what wide letters need, which take longest,
    then more, as long as there is more."""
    size, most = width * rows * 5 // 8 + 1, min(length, width * rows * PER_CELL)
    while size < most:
        yield size
        size += size * 5 // 8
    yield max(most, 1)


def _harmless(line: str) -> str:
    return said_lines(line.removesuffix("\r"))[0]


def _lines(text: str) -> int:
    return text.count("\n") + (text[-1:] != "\n")
