"""Entries of a conversation as lines: marks in the first column, texts from the third on."""

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from operator import attrgetter
from typing import assert_never

from rich.cells import cell_len
from rich.style import Style
from textual.strip import Strip

from longrein.client.figures import SECOND, lasted
from longrein.tui.draw.body import draw_body
from longrein.tui.draw.excerpt import Excerpt, cut_off, head, is_cut, more
from longrein.tui.draw.lines import (
    PROSE,
    Span,
    Spans,
    cropped,
    indented,
    room,
    said,
    strip,
    wrapped,
)
from longrein.tui.draw.markdown import markdown
from longrein.tui.look import Look
from longrein.tui.view.entries import (
    Called,
    CallState,
    Entry,
    OutputBody,
    Said,
    Spoke,
    Thought,
    Told,
)

MARGIN = 2
FOLDED, MOST_SAID = 12, 500
"""Rows of what a person said, folded and opened."""

LEAST_TOOK, MOST_TENTHS = SECOND // 10, 9_950_000
"""What took less than the first is not told; tenths of a second only below the other."""

_PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".svg")
_SIGNS: Mapping[CallState, tuple[str, Callable[[Look], Style], str]] = {
    "writing": ("○", attrgetter("dim"), ""),
    "ready": ("○", attrgetter("dim"), ""),
    "asks": ("?", attrgetter("warn"), "waits for you"),
    "running": ("●", attrgetter("accent"), ""),
    "ok": ("✓", attrgetter("good"), ""),
    "failed": ("✗", attrgetter("bad"), "failed"),
    "declined": ("✗", attrgetter("warn"), "declined"),
    "stopped": ("-", attrgetter("dim"), "stopped"),
    "unknown": ("!", attrgetter("warn"), "may have run"),
}
"""The mark of each state, its style, and the word where no other says it."""

_MARKS = {"": "", "interrupted": "interrupted", "cut": "cut: the answer was too long"}
_COUNT = re.compile(r"([+-][\d,]+)")


def draw(
    entry: Entry, width: int, look: Look, opened: bool, now: int, *, still: bool = False
) -> Sequence[Strip]:
    """The lines of an entry, none wider than `width` cells (at least 2). `now` in microseconds.

    An entry that is `shown` by itself shows less of its output than one that a person opened.
    `still`: nothing blinks.
    """
    match entry:
        case Said():
            return _said(entry, width, look, MOST_SAID if opened else FOLDED)
        case Spoke():
            return _spoke(entry, width, look)
        case Thought():
            return _thought(entry, width, look, opened)
        case Called():
            return _called(entry, width, look, opened, now, still)
        case Told():
            return _told(entry, width, look, opened)
        case _:
            assert_never(entry)


def _said(entry: Said, width: int, look: Look, most: int) -> list[Strip]:
    bar, left = room((("│ ", look.dim if entry.waits else look.bar),), width)
    style = look.dim if entry.waits else look.said
    left = min(left, PROSE)
    shown = head(entry.text, left, style, most) if entry.text else None
    rows = list(shown.rows) if shown else []
    rows += _left(shown, left, look) if shown else []
    for name in entry.files:
        kind = "image" if name.lower().endswith(_PICTURES) else "file"
        rows += wrapped([said(f"[{kind}: {name}]", look.dim)], left)
    if entry.waits:
        rows += wrapped([("waits to be read", look.dim)], left)
    return indented(rows or [strip([])], bar)


def _spoke(entry: Spoke, width: int, look: Look) -> Sequence[Strip]:
    lines = markdown(entry.text, width, look, margin=MARGIN, within=entry.within)
    if not entry.mark:
        return lines
    margin, left = room(((" " * MARGIN, look.text),), width)
    return [*lines, *indented(wrapped([(_MARKS[entry.mark], look.warn)], left), margin)]


def _thought(entry: Thought, width: int, look: Look, opened: bool) -> list[Strip]:
    title = "Thinking" if entry.open else "Thought"
    if not opened:
        text = entry.text[-4 * width :] if entry.open else entry.text[: 4 * width]
        lines = [line for line in text.split("\n") if line.strip()]
        words = lines[-1 if entry.open else 0].strip("*# ") if lines else ""
        spans: list[Span] = [("▸ ", look.dim), (title, look.dim)]
        if words:
            spans.append(said(f" · {words}", look.dim))
        return [strip(cropped(spans, width, look.dim))]
    margin, left = room(((" " * MARGIN, look.dim),), width)
    shown = head(entry.text.strip("\n"), min(left, PROSE), look.dim, MOST_SAID)
    return [
        strip(cropped([("▾ ", look.dim), (title, look.dim)], width, look.dim)),
        *indented([*shown.rows, *_left(shown, left, look)], margin),
    ]


def _called(
    entry: Called, width: int, look: Look, opened: bool, now: int, still: bool
) -> list[Strip]:
    lines = [_headline(entry, width, look, opened, now, still)]
    if opened and entry.bodies:
        hook, left = room((("  └ ", look.dim),), width)
        rest = (("    ", look.dim),) if hook else ()
        parts = [draw_body(body, left, look, brief=entry.shown) for body in entry.bodies]
        if entry.cut and not entry.shown and not any(map(is_cut, chain.from_iterable(parts))):
            parts.insert(0, cut_off("… this is not all of it", left, look.dim))
        for drawn in parts:
            lines += indented(drawn, hook, rest)
            hook = rest
    return lines


def _headline(entry: Called, width: int, look: Look, opened: bool, now: int, still: bool) -> Strip:
    """What it does, what came of it and how long it took; where room is short, less of the longer
    of the first two."""
    sign, style, word = _SIGNS[entry.state]
    if entry.state == "running" and now // SECOND % 2 and not still:
        sign = "○"
    front = [(f"{sign} ", style(look)), said(entry.verb, look.strong)]
    what = [said(f" {entry.object}" if entry.object else "", look.text)]
    gist = _gist(word if opened and _says_it(entry) else entry.gist or word, look)
    time = [said(f"  {told}", look.dim)] if (told := _time(entry, now)) else []
    left = width - _cells((*front, *time))
    gist = cropped(gist, max(left - _cells(what), left // 2), look.dim)
    what = cropped(what, left - _cells(gist), look.dim)
    return strip(cropped([*front, *what, *gist, *time], width, look.dim))


def _says_it(entry: Called) -> bool:
    """Whether what came of it stands in a body, too."""
    gist = entry.gist.removesuffix("…")
    outputs = (body.text for body in entry.bodies if isinstance(body, OutputBody))
    return bool(gist) and any(text.lstrip().startswith(gist) for text in outputs)


def _gist(gist: str, look: Look) -> list[Span]:
    """What came of it: lines that were added and removed have the colours of changes."""
    if not gist:
        return []
    styles = {"+": look.diff_add, "-": look.diff_del}
    nothing = ("+0", "-0")
    parts = _COUNT.split(gist) if _COUNT.fullmatch(gist.split(" ")[0]) else [gist]
    return [
        ("  ", look.dim),
        *(
            said(one, look.dim if one in nothing else styles.get(one[:1], look.dim))
            for one in parts
            if one
        ),
    ]


def _time(entry: Called, now: int) -> str:
    if entry.state == "running" and entry.began:
        return lasted(now - entry.began)
    if entry.took % SECOND and LEAST_TOOK <= entry.took < MOST_TENTHS:
        return f"{entry.took / SECOND:.1f}s"
    return lasted(entry.took + SECOND // 2) if entry.took >= LEAST_TOOK else ""


def _told(entry: Told, width: int, look: Look, opened: bool) -> list[Strip]:
    match entry.tone:
        case "quiet":
            mark, style = ("· ", look.dim), look.dim
        case "warn":
            mark, style = ("! ", look.warn), look.text
        case "bad":
            mark, style = ("✗ ", look.bad), look.text
        case _:
            assert_never(entry.tone)
    first, left = room((mark,), width)
    left = min(left, PROSE)
    texts = [(entry.text, style), *([(entry.whole, look.dim)] if opened and entry.whole else [])]
    shown = [head(text, left, of, MOST_SAID if opened else FOLDED) for text, of in texts]
    rows = [row for one in shown for row in (*one.rows, *_left(one, left, look))]
    return indented(rows, first, (("  ", look.dim),) if first else ())


def _left(shown: Excerpt, width: int, look: Look) -> list[Strip]:
    return wrapped([(more(shown.left), look.dim)], width) if shown.left else []


def _cells(spans: Spans) -> int:
    return sum(cell_len(text) for text, _ in spans)
