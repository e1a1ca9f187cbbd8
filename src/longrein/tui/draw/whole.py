"""All of a call as rows: of long texts only what is seen is put together."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TypeAlias, assert_never

from rich.style import Style
from textual.strip import Strip

from longrein.core.visible import visible
from longrein.tui.draw.body import SIGNS
from longrein.tui.draw.diff import draw_diff
from longrein.tui.draw.lines import strip
from longrein.tui.draw.long import Joined, Lines, harmless
from longrein.tui.draw.markdown import markdown
from longrein.tui.look import Look
from longrein.tui.view.entries import (
    Body,
    ChildBody,
    DiffBody,
    FieldsBody,
    MarkdownBody,
    OutputBody,
    TodosBody,
)
from longrein.tui.view.whole import Section

LONGEST = 32_000
"""Characters of a change or of Markdown that is drawn as such; more is shown as it was written."""

BLANK = strip([])


Part: TypeAlias = Callable[[int, Look], Sequence[Strip]]


class WholeDrawing:
    """Sections one below the other, each below its title where there are several.

    It is made before it is drawn: to make a long text harmless takes longer than a frame.
    """

    def __init__(self, sections: Sequence[Section]) -> None:
        self._parts = tuple(_parts(sections))

    def __call__(self, width: int, look: Look) -> Sequence[Strip]:
        return Joined(part(width, look) for part in self._parts)


def _parts(sections: Sequence[Section]) -> Iterator[Part]:
    for number, (title, body) in enumerate(sections):
        if number:
            yield lambda _, look: [BLANK]
        if len(sections) > 1:
            yield partial(_heading, title)
        yield from _body(body)


def _body(body: Body) -> Iterator[Part]:
    match body:
        case OutputBody(text, problem):
            yield _plain(text, _bad if problem else _text)
        case DiffBody(text) if len(text) <= LONGEST:
            yield lambda width, look: draw_diff(body, width, look, complete=True)
        case MarkdownBody(text) if len(text) <= LONGEST:
            yield lambda width, look: markdown(visible(text, strict=True), width, look)
        case DiffBody(text) | MarkdownBody(text):
            yield _plain(text, _text)
        case FieldsBody(fields):
            for name, value in fields:
                yield _plain(f"{name}:", _dim)
                yield _plain(value, _text)
        case TodosBody(todos):
            for todo in todos:
                yield _plain(f"{SIGNS[todo.status]} {todo.text}", _text)
        case ChildBody():
            yield _plain(f"{body.agent}  {body.state}", _dim)
            yield _plain(body.text, _text)
        case _:
            assert_never(body)


def _plain(text: str, style: Callable[[Look], Style]) -> Part:
    lines = harmless(text.removesuffix("\n").split("\n"))
    return lambda width, look: Lines(lines, width, style(look), look.dim)


def _heading(title: str, _: int, look: Look) -> Sequence[Strip]:
    return [strip([(title, look.heading)])]


def _text(look: Look) -> Style:
    return look.text


def _dim(look: Look) -> Style:
    return look.dim


def _bad(look: Look) -> Style:
    return look.bad
