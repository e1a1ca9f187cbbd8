"""`/history`: a thread's whole conversation as Markdown, also what is in no request any more.

It is cut into files of a fixed number of messages, each made when it is read. Whatever was said
stands quoted, so nothing in it passes for a message that it is not.
"""

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from typing import assert_never

from longrein.core.messages import (
    Assistant,
    Content,
    Message,
    Note,
    Text,
    ToolCall,
    ToolResult,
    User,
)
from longrein.core.offload import arguments_path, input_path, left_out, result_path

PER_FILE = 40
"""Messages of one file."""

MOST = 2_000
"""Characters of the arguments or the result of a call that are shown here."""

INDEX = "index.md"
_FIRST_WORDS = 80


class History:
    """The conversation by files: `index.md`, then `0001.md` and so on.

    `messages` gives what was said, and is asked once.

    >>> said = [User((Text("Hello"),)), Assistant((Text("Hi."),))]
    >>> History(lambda: said).names()
    ['index.md', '0001.md']
    """

    def __init__(self, messages: Callable[[], Sequence[Message]]) -> None:
        self._messages = messages
        self._made: Sequence[Message] | None = None

    def names(self) -> Sequence[str]:
        return [INDEX, *(_name(number) for number in range(1, self._count + 1))]

    async def text(self, name: str) -> str | None:
        if name == INDEX:
            return self._index()
        number = int(name[:-3]) if name[:-3].isdecimal() and name.endswith(".md") else 0
        if not 1 <= number <= self._count or name != _name(number):
            return None
        first = (number - 1) * PER_FILE
        blocks = [
            "\n\n".join(_rendered(message, at))
            for at, message in enumerate(self._part(number), first + 1)
        ]
        return "\n\n".join(blocks) + "\n"

    @property
    def _said(self) -> Sequence[Message]:
        if self._made is None:
            self._made = self._messages()
        return self._made

    @property
    def _count(self) -> int:
        return -(-len(self._said) // PER_FILE)

    def _part(self, number: int) -> Sequence[Message]:
        return self._said[(number - 1) * PER_FILE : number * PER_FILE]

    def _index(self) -> str:
        lines = [f"{len(self._said):,} messages. Search all of them with grep."]
        for number in range(1, self._count + 1):
            part, first = self._part(number), (number - 1) * PER_FILE
            asked = next((one for one in part if isinstance(one, User)), part[0])
            numbers = f"{first + 1}-{first + len(part)}"
            lines.append(f"{_name(number)}: {numbers}{_at(part[0].time)}: {_first_words(asked)}")
        return "\n".join(lines) + "\n"


def _name(number: int) -> str:
    return f"{number:04}.md"


def _rendered(message: Message, number: int) -> Iterator[str]:
    match message:
        case User(parts=parts, input=input):
            yield f"## {number} user{_at(message.time)}"
            yield from _content(parts)
            if message.whole:
                yield f"(all of it: {input_path(input)})"
        case Assistant():
            stopped = ", interrupted" if message.interrupted else ""
            yield f"## {number} assistant{_at(message.time)}{stopped}"
            if message.text.strip():
                yield _quoted(message.text)
            for call in message.calls:
                yield from _call(call)
        case ToolResult(name=name, status=status):
            yield f"## {number} result of {_line(name)}: {status}{_at(message.time)}"
            path = result_path(message.call)
            short = _bounded(message.text, path)
            if message.whole and short is message.text:
                yield f"(all of it: {path})"
            yield from _content((Text(short), *_files(message.parts)))
        case Note(text=text, source=source):
            yield f"## {number} note{f' of {_line(source)}' if source else ''}{_at(message.time)}"
            yield _quoted(text)
        case _:
            assert_never(message)


def _call(call: ToolCall) -> Iterator[str]:
    yield f"calls {_line(call.name)} ({_line(call.id)}):"
    yield _quoted(_bounded(call.arguments, arguments_path(call.id)))


def _content(parts: Sequence[Content]) -> Iterator[str]:
    for part in parts:
        if isinstance(part, Text):
            yield _quoted(part.text)
        else:
            yield f"(a file: {_line(part.name or part.url)}, {_line(part.media_type)})"


def _files(parts: Sequence[Content]) -> Iterator[Content]:
    return (part for part in parts if not isinstance(part, Text))


def _bounded(text: str, path: str) -> str:
    if len(text) <= MOST:
        return text
    half = MOST // 2
    return f"{text[:half]}\n{left_out(len(text) - MOST, 'characters', path)}\n{text[-half:]}"


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}" if line else ">" for line in text.strip("\n").split("\n"))


def _first_words(message: Message) -> str:
    said = message.text[: 4 * _FIRST_WORDS]
    if not said.strip() and isinstance(message, Assistant):
        said = f"calls {', '.join(call.name for call in message.calls)}"
    return _line(said)


def _line(text: str) -> str:
    return " ".join(text.split())[:_FIRST_WORDS]


def _at(time: int) -> str:
    try:
        return f", {datetime.fromtimestamp(time // 1_000_000, UTC):%Y-%m-%d %H:%M} UTC"
    except (OverflowError, OSError, ValueError):  # no time that a calendar has
        return ""
