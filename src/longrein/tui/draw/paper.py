"""Lines in pieces, drawn for a width or as one line of content."""

from collections.abc import Callable, Mapping, Sequence

from rich.cells import cell_len
from rich.style import Style
from textual.content import Content
from textual.strip import Strip

from longrein.core.visible import visible
from longrein.tui.draw.lines import Span, said, wrapped
from longrein.tui.look import Look
from longrein.tui.view.tones import Line, Tone

STYLES: Mapping[Tone, str] = {
    "": "",
    "prose": "",
    "dim": "$foreground 70%",
    "strong": "bold",
    "accent": "$text-accent",
    "good": "$text-success",
    "warn": "$text-warning",
    "bad": "$text-error",
}


MOST_BESIDE = 0.6
"""How much of the width the other pieces may take before the last one goes below them."""

BELOW = 4


def on_paper(line: Line) -> Content:
    """One line as content, with nothing in it that steers a terminal."""
    return Content.assemble(*((visible(text), STYLES[tone]) for text, tone in line))


def paper(lines: Sequence[Line]) -> Callable[[int, Look], Sequence[Strip]]:
    """What draws the lines for a width: the last piece of each is wrapped beside the others."""

    def draw(width: int, look: Look) -> Sequence[Strip]:
        return [strip for line in lines for strip in _wrapped(line, width, look)]

    return draw


def _wrapped(line: Line, width: int, look: Look) -> list[Strip]:
    if not line:
        return [Strip.blank(0)]
    *before, last = (said(text, _style(tone, look)) for text, tone in line)
    text, style = last
    if not before:
        text = last[0].lstrip(" ")
        before = [(last[0][: len(last[0]) - len(text)], style)]
    spans = _prose(text, look) if line[-1][1] == "prose" else [(text, style)]
    beside = sum(cell_len(piece) for piece, _ in before)
    if beside <= width * MOST_BESIDE:
        return wrapped(spans, width, before, [(" " * beside, style)])
    below = [(" " * BELOW, style)]
    return [*wrapped(before, width), *(wrapped(spans, width, below, below) if text else ())]


def _prose(text: str, look: Look) -> list[Span]:
    """Words with what stands between backticks as code, without them."""
    parts = enumerate(text.split("`"))
    return [(part, look.code if n % 2 else look.text) for n, part in parts if part]


def _style(tone: Tone, look: Look) -> Style:
    match tone:
        case "" | "prose":
            return look.text
        case "dim":
            return look.dim
        case "strong":
            return look.strong
        case "accent":
            return look.accent
        case "good":
            return look.good
        case "warn":
            return look.warn
        case "bad":
            return look.bad
