"""Messages as text: what an observer is shown, and what recalling them gives."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import assert_never

from msgspec import Struct

from longrein.capabilities.observing.notes import NAME
from longrein.core.messages import (
    Assistant,
    File,
    Message,
    Note,
    Part,
    Reasoning,
    Text,
    ToolCall,
    ToolResult,
    User,
)

RECALL = "recall"
"""The tool whose results are what was observed before."""

_NOT_SAID = (f"capability:{NAME}", "compaction", "context:")
"""Where notes come from that are no part of what happened: ours, what stands for older messages,
and instructions, which are told again when an epoch begins."""


class Bounds(Struct, frozen=True):
    """How many characters of what is said, of arguments and of results are shown."""

    said: int
    given: int
    result: int


SHOWN = Bounds(said=6_000, given=1_000, result=2_000)
"""For an observer."""


def transcript(messages: Sequence[Message], first: int, most: int) -> str:
    """Messages as an observer is shown them, in at most so many characters or nearly so.

    `first` is the number of the first. What is too long is cut, rather than left out.
    """
    bounds = SHOWN
    while len(text := _told(messages, first, bounds)) > most and bounds.given > 1:
        bounds = Bounds(bounds.said // 2, bounds.given // 2, bounds.result // 2)
    return text


def _told(messages: Iterable[Message], first: int, bounds: Bounds) -> str:
    numbered = enumerate(messages, first)
    return "\n".join(told for n, message in numbered if (told := shown(n, message, bounds)))


def shown(number: int, message: Message, bounds: Bounds) -> str:
    """One message under its number; empty where there is nothing of it to tell."""
    match message:
        case Note(source=source) if source.startswith(_NOT_SAID):
            return ""
        case Note(text=text, source=source):
            said = [_clipped(text, bounds.said)]
            who = f"note of {source}" if source else "note"
        case User(parts=parts):
            said, who = _parts(parts, bounds, bounds.said), "user"
        case Assistant(parts=parts):
            said = _parts(parts, bounds, bounds.said)
            who = "agent (interrupted)" if message.interrupted else "agent"
        case ToolResult(parts=parts, name=name, status=status):
            again = name == RECALL and status == "ok"
            said = ["(earlier messages)"] if again else _parts(parts, bounds, bounds.result)
            who = f"result of {name}" + ("" if status == "ok" else f" ({status})")
        case _:
            assert_never(message)
    text = "\n".join(one for one in said if one)
    when = moment(message.time)
    return f"[{number}] {who}{f', {when}' if when else ''}:\n{text}" if text else ""


def _parts(parts: Sequence[Part], bounds: Bounds, most: int) -> list[str]:
    return [_part(part, bounds, most) for part in parts]


def _part(part: Part, bounds: Bounds, most: int) -> str:
    match part:
        case Text(text=text):
            return _clipped(text, most)
        case Reasoning():
            return ""
        case ToolCall(name=name, arguments=arguments):
            return f"calls {name} {_clipped(arguments, bounds.given)}"
        case File(name=name, media_type=kind):
            return f"[file {name} {kind}]" if name else f"[file {kind}]"
        case _:
            assert_never(part)


def _clipped(text: str, most: int) -> str:
    """A text, or its beginning and end with what is left out between them."""
    text = text.strip()
    if len(text) <= most:
        return text
    head, tail = most - most // 3, most // 3
    return f"{text[:head]}\n... {len(text) - most:,} characters left out ...\n{text[-tail:]}"


def moment(time: int) -> str:
    """A time in microseconds as people write it, in UTC; empty for none.

    >>> moment(1_794_000_000_000_000)
    '2026-11-06 21:20'
    """
    return f"{datetime.fromtimestamp(time / 1e6, UTC):%Y-%m-%d %H:%M}" if time else ""
