"""From one message, or what is not a message yet, to entries."""

from collections.abc import Iterator, Mapping
from typing import assert_never

from msgspec import Struct
from msgspec.structs import replace

from longrein.client.own_words import SOURCE
from longrein.core.children import ChildView
from longrein.core.display import CallView, Writing
from longrein.core.messages import (
    Assistant,
    Content,
    File,
    Message,
    Note,
    Reasoning,
    Text,
    ToolCall,
    ToolResult,
    User,
)
from longrein.core.planning import Todo
from longrein.core.preferences import Reasoning as ReasoningShown
from longrein.core.records import Input
from longrein.tui.view.calls import LOST, WRITING, Standing, called, standing_of_result
from longrein.tui.view.children import children_of
from longrein.tui.view.entries import Entry, Said, Spoke, Thought
from longrein.tui.view.notes import noted
from longrein.tui.view.pieces import Pieces, cut


class Around(Struct, frozen=True):
    """What entries are made from besides their message: where calls stand, by their ids, their
    arguments where a person changed them, children, and the list of todos; how much of what the
    model thought is shown; and what was last being written, in pieces."""

    standing: Mapping[str, Standing]
    views: Mapping[str, CallView] = {}
    children: tuple[ChildView, ...] = ()
    todos: tuple[Todo, ...] = ()
    thoughts: ReasoningShown = "folded"
    written: Pieces = Pieces()


def entries_of(number: int, message: Message, around: Around) -> Iterator[Entry]:
    """The entries of the message with this number. A result is part of the entry of its call."""
    match message:
        case User():
            key = message.input or f"{number}"
            yield Said(key, message.text, _files(message.parts, message.text), message.time)
        case Assistant():
            yield from _assistant(number, message, around)
        case Note():
            yield noted(f"{number}", message)
        case ToolResult():
            if message.call not in around.standing:
                yield called(f"{number}", message.name, "", standing_of_result(message))
        case _:
            assert_never(message)


def _assistant(number: int, message: Assistant, around: Around) -> Iterator[Entry]:
    last = max((n for n, part in enumerate(message.parts) if isinstance(part, Text)), default=-1)
    mark = "interrupted" if message.interrupted else "cut" if message.cut else ""
    texts = thoughts = 0
    for n, part in enumerate(message.parts):
        match part:
            case Text(text=text):
                if text.strip():
                    spoken = [*_spoken(f"{number}.t{texts}", cut(text, around.written))]
                    spoken[0] = replace(spoken[0], time=message.time)
                    spoken[-1] = replace(spoken[-1], mark=mark if n == last else "")
                    yield from spoken
                    texts += 1
            case Reasoning(text=text):
                if text.strip() and around.thoughts != "hidden":
                    shown = around.thoughts == "open"
                    yield Thought(f"{number}.r{thoughts}", text, shown=shown)
                    thoughts += 1
            case ToolCall():
                yield _called(part, around)
            case _:
                assert_never(part)


def _called(call: ToolCall, around: Around) -> Entry:
    view = around.views.get(call.id)
    return called(
        call.id,
        call.name,
        view.arguments if view else call.arguments,
        around.standing.get(call.id, LOST),
        todos=around.todos,
        children=children_of(call.id, around.children),
    )


def _spoken(key: str, pieces: Pieces) -> Iterator[Spoke]:
    """A text in as many entries as it has pieces."""
    for n, (piece, text) in enumerate(pieces):
        where = f"{key}.{n}" if n else key
        yield Spoke(where, text, joined=piece.joined, within=piece.within)


def being_written(
    number: int, writing: Writing, pieces: Pieces, thoughts: ReasoningShown
) -> Iterator[Entry]:
    """What the model is writing, as entries of the message that it will be; `pieces` are those of
    its text."""
    if writing.reasoning.strip() and thoughts != "hidden":
        thinks = not (writing.text or writing.calls)
        yield Thought(f"{number}.r0", writing.reasoning, thinks, thoughts == "open")
    if writing.text.strip():
        *begun, end = _spoken(f"{number}.t0", pieces)
        yield from begun
        yield replace(end, open=not writing.calls)
    for n, (name, arguments) in enumerate(writing.calls):
        yield called(f"{number}.c{n}", name, arguments, WRITING)


def waiting(input: Input) -> Iterator[Entry]:
    """What was said and is not before the model yet; what is queued for later stands elsewhere."""
    match input.kind:
        case "send" | "steer":
            yield Said(
                input.id, input.text, _files(input.parts, input.text), input.time, waits=True
            )
        case "signal":
            if input.source == SOURCE:
                yield noted(input.id, Note(input.text, input.source, input.time))
        case "queue" | "proceed":
            pass
        case _:
            assert_never(input.kind)


def _files(parts: tuple[Content, ...], text: str) -> tuple[str, ...]:
    """The files that went along, but those that the text has marks for."""
    names = (part.name or part.media_type for part in parts if isinstance(part, File))
    return tuple(name for name in names if f"[image: {name}" not in text)
