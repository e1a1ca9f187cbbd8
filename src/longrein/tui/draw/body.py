"""What opens below a tool call: changes, output, todos, texts, children, arguments."""

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import assert_never

from textual.strip import Strip

from longrein.client.words import lines_in
from longrein.core.planning import Todo, TodoStatus
from longrein.core.words import counted
from longrein.tui.draw.diff import draw_diff
from longrein.tui.draw.excerpt import cut_off, head, more, tail
from longrein.tui.draw.lines import Span, indented, room, said, wrapped
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

TAIL, MOST_OUTPUT = 10, 500
"""Rows of output that are shown by themselves, and when a person opens it."""

MOST_OF_FIELD, MOST_FIELDS = 20, 50
"""Rows of one argument, or of one thing to do, and how many of them are shown."""

MOST_MARKDOWN = 16_000
"""Characters of a text that is read elsewhere as a whole: a plan, the answer of a child."""

SIGNS: Mapping[TodoStatus, str] = {"completed": "✓", "in_progress": "▸", "pending": "○"}


def draw_body(body: Body, width: int, look: Look, *, brief: bool) -> Sequence[Strip]:
    """The lines of a body. `brief`: nobody asked for all of it."""
    match body:
        case DiffBody():
            return draw_diff(body, width, look)
        case OutputBody():
            return _output(body, width, look, brief)
        case TodosBody(todos):
            shown = [row for todo in todos[:MOST_FIELDS] for row in _todo(todo, width, look)]
            return [*shown, *_rest(len(todos) - MOST_FIELDS, "todo", width, look)]
        case MarkdownBody(text):
            return _markdown(text, width, look)
        case ChildBody():
            return _child(body, width, look)
        case FieldsBody(fields):
            rows = [_field(name, value, width, look) for name, value in fields[:MOST_FIELDS]]
            rest = _rest(len(fields) - MOST_FIELDS, "argument", width, look)
            return [*chain.from_iterable(rows), *rest]
        case _:
            assert_never(body)


def _output(body: OutputBody, width: int, look: Look, brief: bool) -> list[Strip]:
    if not body.text.strip():
        return wrapped([("no output", look.dim)], width)
    style = look.bad if body.problem else look.dim
    shown = tail(body.text, width, style, TAIL if brief else MOST_OUTPUT)
    if not shown.left:
        return shown.rows
    words = more(shown.left, "earlier")
    above = wrapped([(words, look.dim)], width) if brief else cut_off(words, width, look.dim)
    return [*above, *shown.rows]


def _rest(left: int, what: str, width: int, look: Look) -> list[Strip]:
    words = f"… {counted(left, f'more {what}')}"
    return cut_off(words, width, look.dim) if left > 0 else []


def _markdown(text: str, width: int, look: Look) -> Sequence[Strip]:
    if len(text) <= MOST_MARKDOWN:
        return markdown(text, width, look)
    end = text.rfind("\n", 0, MOST_MARKDOWN) + 1 or MOST_MARKDOWN
    left = more(lines_in(text[end:]))
    return [*markdown(text[:end], width, look), *cut_off(left, width, look.dim)]


def _todo(todo: Todo, width: int, look: Look) -> list[Strip]:
    match todo.status:
        case "completed":
            style, text = look.good, (todo.text, look.dim)
        case "in_progress":
            style, text = look.accent, (todo.doing or todo.text, look.strong)
        case "pending":
            style, text = look.dim, (todo.text, look.text)
        case _:
            assert_never(todo.status)
    first, left = room(((f"{SIGNS[todo.status]} ", style),), width)
    shown = head(text[0].replace("\n", " "), left, text[1], MOST_OF_FIELD)
    rest = cut_off(more(shown.left), left, look.dim) if shown.left else []
    return indented([*shown.rows, *rest], first, (("  ", look.text),) if first else ())


def _child(body: ChildBody, width: int, look: Look) -> list[Strip]:
    told: list[Span] = [said(body.agent, look.strong), said(f"  {body.state}", look.dim)]
    if body.asks:
        told.append((f"  waits for {body.asks} of your answers", look.warn))
    words = head(body.text, width, look.text, TAIL).rows if body.text.strip() else []
    hint = wrapped([("Enter at the cursor opens its conversation", look.dim)], width)
    return [*wrapped(told, width), *words, *hint]


def _field(name: str, value: str, width: int, look: Look) -> list[Strip]:
    label = said(f"{name}: ", look.dim)
    if "\n" not in value.strip("\n") and len(value) <= width * MOST_OF_FIELD:
        return wrapped([label, said(value.strip("\n"), look.text)], width, (), (("  ", look.text),))
    indent, left = room((("  ", look.text),), width)
    shown = head(value, left, look.text, MOST_OF_FIELD)
    rest = cut_off(more(shown.left), left, look.dim) if shown.left else []
    return [*wrapped([label], width), *indented([*shown.rows, *rest], indent)]
