"""All of a call, to be read from beginning to end: what came of it, and its arguments."""

from typing import TypeAlias, assert_never

from msgspec import Struct
from msgspec.structs import replace

from longrein.core.display import Display
from longrein.core.messages import Assistant, ToolResult
from longrein.tui.view.arguments import read_arguments
from longrein.tui.view.calls import (
    LOST,
    Standing,
    called,
    standing_of_result,
    standing_of_view,
)
from longrein.tui.view.entries import (
    Body,
    Called,
    ChildBody,
    DiffBody,
    FieldsBody,
    MarkdownBody,
    OutputBody,
    TodosBody,
)
from longrein.tui.view.shapes import Given, fields

Section: TypeAlias = tuple[str, Body]
"""A title, and what stands below it."""


_END = 4_000
"""Characters at the end of a text, of which a result has at least so many."""


class Recorded(Struct, frozen=True):
    """A call as it was made, and where it stands."""

    name: str
    arguments: str
    standing: Standing


def recorded(shown: Display, call: str) -> Recorded | None:
    """What a thread has of a call; None of one that no model made, or that is being written."""
    view = next((one for one in shown.calls if one.id == call), None)
    standing = standing_of_view(view) if view else LOST
    for message in reversed(shown.messages):
        if isinstance(message, ToolResult) and message.call == call:
            standing = standing_of_result(message)
        elif isinstance(message, Assistant):
            for made in message.calls:
                if made.id == call:
                    arguments = view.arguments if view else made.arguments
                    return Recorded(made.name, arguments, standing)
    return None


def sections(entry: Called, record: Recorded | None, whole: str = "") -> tuple[Section, ...]:
    """All of a call; `whole` is what it said, where the record has only head and tail of that."""
    if record is None:
        return tuple((_title(body), body) for body in entry.bodies)
    given, standing = record.arguments, record.standing
    bodies = [body for body in entry.bodies if not whole or isinstance(body, ChildBody)]
    if whole:
        bodies += called(entry.key, record.name, given, replace(standing, text=whole)).bodies
    made = [(_title(body), body) for body in bodies if not isinstance(body, FieldsBody)]
    said = any(isinstance(body, OutputBody | MarkdownBody) for body in bodies)
    result = _behind(whole, standing.text) if whole else "" if said else standing.text
    if result.strip():
        made.append(("Result", OutputBody(result)))
    asked = fields(Given(read_arguments(given), given, standing.state, standing.text))
    return (*made, *(("Arguments", body) for body in asked))


def _behind(whole: str, result: str) -> str:
    """What a result says behind the end of what a command put out: its exit code, say."""
    end = set(whole[-_END:].split("\n"))
    lines = result.rstrip("\n").split("\n")
    last = next((n for n in range(len(lines), 0, -1) if lines[n - 1] in end), 0)
    return "\n".join(lines[last:])


def _title(body: Body) -> str:
    match body:
        case DiffBody():
            return "Changes"
        case OutputBody():
            return "Output"
        case TodosBody():
            return "Todos"
        case MarkdownBody():
            return "Text"
        case ChildBody():
            return "Subagent"
        case FieldsBody():
            return "Arguments"
        case _:
            assert_never(body)
