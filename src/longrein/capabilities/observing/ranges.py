"""Which messages can be observed, and how many tokens they take."""

from collections.abc import Sequence
from typing import assert_never

from longrein.context.estimate import estimate_messages, estimate_tokens
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

SAMPLE = 200
"""Characters of the beginning, the middle and the end by which a long text is judged."""
_AROUND = 10
"""What stands around a message."""


class Meter:
    """Counts the tokens of a conversation that grows, each message once."""

    __slots__ = ("_first", "_last", "_sums")

    def __init__(self) -> None:
        self._first = 0
        self._sums = [0]
        self._last: Message | None = None

    def count(self, messages: Sequence[Message], start: int) -> None:
        """Know the tokens of all messages from `start` on."""
        counted = self._first + len(self._sums) - 1
        if not self._first <= start <= counted <= len(messages) or (
            counted > self._first and messages[counted - 1] is not self._last
        ):
            # Another conversation: the thread was rewound, or read anew.
            self._first, self._sums, counted = start, [0], start
        if start > self._first:
            del self._sums[: start - self._first]
            self._first = start
        if counted < len(messages):
            for message in messages[counted:]:
                self._sums.append(self._sums[-1] + tokens_of(message))
            self._last = messages[len(messages) - 1]

    def between(self, start: int, end: int) -> int:
        """The tokens of the messages from `start` up to `end`, which were counted before."""
        return self._sums[end - self._first] - self._sums[start - self._first]


def tokens_of(message: Message) -> int:
    """What one message takes in a request, about: it is looked at after every step, so of a long
    text only a sample is."""
    if isinstance(message, Note):
        return _AROUND + _sampled(message.text)
    files = sum(_file(part) for part in message.parts if isinstance(part, File))
    return _AROUND + _sampled("\n".join(map(_text, message.parts))) + files


def _text(part: Part) -> str:
    match part:
        case Text(text=text) | Reasoning(text=text):
            return text
        case ToolCall(name=name, arguments=arguments):
            return f"{name} {arguments}"
        case File(name=name):
            return name
        case _:
            assert_never(part)


def _file(part: File) -> int:
    return estimate_messages((User((part,)),))


def _sampled(text: str) -> int:
    if len(text) <= 3 * SAMPLE:
        return estimate_tokens(text)
    middle = (len(text) - SAMPLE) // 2
    some = text[:SAMPLE] + text[middle : middle + SAMPLE] + text[-SAMPLE:]
    return estimate_tokens(some) * len(text) // len(some)


def closed(messages: Sequence[Message], start: int) -> int:
    """Up to where messages from `start` on can be observed: before the newest step and what that
    step answers, which may still be going on."""
    end = len(messages) - 1
    while end >= start and not isinstance(messages[end], Assistant):
        end -= 1
    while end > start and isinstance(messages[end - 1], User | Note):
        end -= 1
    return max(end, start)


def portion(messages: Sequence[Message], meter: Meter, start: int, end: int, most: int) -> int:
    """Up to where whole steps from `start` on take at most so many tokens: at least one step, and
    not beyond `end`."""
    cuts = [n for n in range(start + 1, end) if not isinstance(messages[n], ToolResult)] + [end]
    fitting = [n for n in cuts if meter.between(start, n) <= most]
    return max(fitting, default=cuts[0])
