"""All of a call as rows: of long texts only what is seen is put together."""

from collections.abc import Iterator, Sequence
from functools import cache
from typing import assert_never

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


class WholeDrawing:
    """Sections one below the other, each below its title where there are several.

    It is made before it is drawn: to make a long text harmless takes longer than a frame.
    """

    def __init__(self, sections: Sequence[Section]) -> None:
        self._sections = sections
        self._lines = cache(_lines)
        for _, body in sections:
            if isinstance(body, OutputBody):
                self._lines(body.text)

    def __call__(self, width: int, look: Look) -> Sequence[Strip]:
        return Joined(self._parts(width, look))

    def _parts(self, width: int, look: Look) -> Iterator[Sequence[Strip]]:
        for number, (title, body) in enumerate(self._sections):
            if number:
                yield [BLANK]
            if len(self._sections) > 1:
                yield [strip([(title, look.heading)])]
            yield from self._body(body, width, look)

    def _body(self, body: Body, width: int, look: Look) -> Iterator[Sequence[Strip]]:
        match body:
            case OutputBody(text, problem):
                yield self._plain(text, width, look.bad if problem else look.text, look)
            case DiffBody(text) if len(text) <= LONGEST:
                yield draw_diff(body, width, look, complete=True)
            case MarkdownBody(text) if len(text) <= LONGEST:
                yield markdown(visible(text, strict=True), width, look)
            case DiffBody(text) | MarkdownBody(text):
                yield self._plain(text, width, look.text, look)
            case FieldsBody(fields):
                for name, value in fields:
                    yield self._plain(f"{name}:", width, look.dim, look)
                    yield self._plain(value, width, look.text, look)
            case TodosBody(todos):
                for todo in todos:
                    text = f"{SIGNS[todo.status]} {todo.text}"
                    yield self._plain(text, width, look.text, look)
            case ChildBody():
                yield self._plain(f"{body.agent}  {body.state}", width, look.dim, look)
                yield self._plain(body.text, width, look.text, look)
            case _:
                assert_never(body)

    def _plain(self, text: str, width: int, style: Style, look: Look) -> Lines:
        return Lines(self._lines(text), width, style, look.dim)


def _lines(text: str) -> Sequence[str]:
    return harmless(text.removesuffix("\n").split("\n"))
