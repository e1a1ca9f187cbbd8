"""How high an entry will be, before it is drawn: near enough for a scroll bar, at little cost."""

from typing import assert_never

from longrein.tui.draw.body import TAIL
from longrein.tui.draw.entry import FOLDED
from longrein.tui.draw.lines import PROSE
from longrein.tui.view.entries import (
    Body,
    Called,
    ChildBody,
    DiffBody,
    Entry,
    FieldsBody,
    MarkdownBody,
    OutputBody,
    Said,
    Spoke,
    Thought,
    TodosBody,
    Told,
)

_MOST_OF_A_BODY = 200


def estimated(entry: Entry, width: int, opened: bool) -> int:
    """About how many lines an entry takes at this width; at least one."""
    match entry:
        case Said(text=text, files=files):
            lines = _lines(text, min(width, PROSE))
            return (lines if opened else min(lines, FOLDED + 1)) + len(files)
        case Spoke(text=text):
            return _lines(text, min(width, PROSE))
        case Thought(text=text):
            return 1 + (_lines(text, min(width, PROSE)) if opened else 0)
        case Called(bodies=bodies):
            return 1 + (sum(_body(body, width) for body in bodies) if opened else 0)
        case Told(text=text, whole=whole):
            lines = _lines(text, min(width, PROSE))
            return lines + (_lines(whole, min(width, PROSE)) if opened and whole else 0)
        case _:
            assert_never(entry)


def cut_short(entry: Entry, width: int) -> bool:
    """Whether an entry shows less of itself than there is, though it is not closed."""
    match entry:
        case Called(bodies=bodies):
            outputs = (body.text for body in bodies if isinstance(body, OutputBody))
            return any(_lines(text, width) > TAIL for text in outputs)
        case Said(text=text) | Told(text=text):
            return _lines(text, min(width, PROSE)) > FOLDED
        case Spoke() | Thought():
            return False
        case _:
            assert_never(entry)


def _body(body: Body, width: int) -> int:
    match body:
        case DiffBody(text=text) | OutputBody(text=text) | MarkdownBody(text=text):
            return min(_lines(text, width), _MOST_OF_A_BODY)
        case TodosBody(todos=todos):
            return len(todos)
        case ChildBody():
            return 2
        case FieldsBody(fields=fields):
            return min(sum(_lines(value, width) for _, value in fields), _MOST_OF_A_BODY)
        case _:
            assert_never(body)


def _lines(text: str, width: int) -> int:
    return text.count("\n") + len(text) // max(width, 1) + 1
