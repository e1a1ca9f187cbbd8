"""What somebody says yes or no to, as lines: all of it, with nothing hidden in it."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, lru_cache

from rich.style import Style
from textual.strip import Strip

from longrein.client.telling import NOT_ALL
from longrein.tui.draw.diff import draw_diff
from longrein.tui.draw.lines import LEAST, breaks, said_lines, strip
from longrein.tui.draw.long import Joined, Lines, Plain, harmless
from longrein.tui.look import Look
from longrein.tui.view.asks import ApprovalAsk
from longrein.tui.view.entries import DiffBody

NOWHERE = "/dev/null"

MOST_WORDED = 20_000
"""Characters of a question that is put together before it is seen."""

_WHERE = ("in /", "isolated by ")
_DOUBTS = ("not clear: ", "not proven harmless: ", "not isolated ")


class ApprovalDrawing:
    """What wants to run: its arguments, what it would do, what it touches, the rule that asks."""

    def __init__(self, ask: ApprovalAsk) -> None:
        self._told = ask.told

    @cached_property
    def _given(self) -> Plain:
        return harmless(self._told.given)

    @cached_property
    def _uncut(self) -> Plain:
        return harmless((NOT_ALL, *self._told.uncut) if self._told.cut else self._told.uncut)

    def __call__(self, width: int, look: Look) -> Sequence[Strip]:
        told = self._told
        # Dangers come first: the end of a long list may be out of sight.
        rest = [line for line in told.preview if line not in told.dangers]
        rule = [f"asked by the rule {told.rule}"] if told.rule else []
        return Joined(
            (
                [strip([(row, look.bad)]) for line in told.dangers for row in worded(line, width)],
                Lines(self._given, width, look.text, look.dim),
                [*(_diff(told.preview, width, look) if told.diff else _plain(rest, width, look))],
                Lines(self._uncut, width, look.text, look.dim),
                _lines(told.touched, width, look.text, look),
                _lines(rule, width, look.dim, look),
            )
        )


def text_rows(text: str, width: int, style: Style, mark: Style) -> Sequence[Strip]:
    """The rows of a text as it is; no text has none."""
    return Lines(_harmless(text), width, style, mark)


@lru_cache(4)  # it is drawn for several widths
def _harmless(text: str) -> Plain:
    return harmless(text.split("\n") if text else ())


def question_rows(text: str, width: int, look: Look) -> Sequence[Strip]:
    """The rows of a question, broken between words; of a very long one, as it is."""
    if len(text) > MOST_WORDED:
        return text_rows(text, width, look.text, look.dim)
    return [strip([(row, look.text)]) for row in worded(text, width)]


def worded(text: str, width: int) -> list[str]:
    """The rows of a text that is read rather than checked: broken between words."""
    return [
        line[start:end]
        for line in said_lines(text, strict=True)
        for start, end in breaks(line, max(width, LEAST))
    ]


def _lines(lines: Sequence[str], width: int, style: Style, look: Look) -> Lines:
    return Lines(harmless(lines), width, style, look.dim)


def _plain(lines: Iterable[str], width: int, look: Look) -> Iterator[Strip]:
    for line in lines:
        yield from _lines((line,), width, _style(line, look), look)


def _style(line: str, look: Look) -> Style:
    if line.startswith(_DOUBTS):
        return look.warn
    return look.dim if line.startswith(_WHERE) else look.text


def _diff(lines: Sequence[str], width: int, look: Look) -> Iterator[Strip]:
    """A change with the file that it is of; where there is no change in lines, as it is told."""
    heads = [line for line in lines[:2] if line.startswith(("--- ", "+++ "))]
    if len(heads) == 2:
        yield from _lines((_file(*(line[4:] for line in heads)),), width, look.strong, look)
        lines = lines[2:]
    if any(line.startswith("@@ ") for line in lines):
        yield from draw_diff(DiffBody("\n".join(lines)), width, look, complete=True)
    else:
        yield from _plain(lines, width, look)


def _file(before: str, after: str) -> str:
    """The file of a change, and what becomes of it."""
    if before == NOWHERE:
        return f"{after} (new)"
    if after == NOWHERE:
        return f"{before} (removed)"
    return after if before == after else f"{before} → {after}"
