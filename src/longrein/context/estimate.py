"""How many tokens a text or a request will take, told without a tokenizer.

A provider's own count is exact but comes after the call; its tokenizer is large, or secret. So what
was counted is taken as it is, and only what is new is estimated, by what kinds of characters it is
made of. The weights were fitted to OpenAI's two published vocabularies (o200k and cl100k) over
prose of forty languages, code and the output of machines, and rounded up. Against the larger of the
two counts the estimate is

- 30 to 40 % above it for English and for code, which is room for the providers that count more;
- 5 to 25 % above it for JSON, logs, tables, digests and other output of machines;
- from 20 % below to 50 % above it for most other languages. Newer vocabularies are kinder to other
  scripts than Latin: against o200k alone it is nowhere more than 15 % below, and up to four times
  too high for the scripts of South Asia;
- far too high for long runs of blanks, and for lines drawn with characters.
"""

from collections.abc import Iterable, Sequence
from typing import assert_never

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
from longrein.core.usage import Usage
from longrein.models.base import ToolSpec

PICTURE = 5_000
"""An image: as many tokens as the largest that a provider does not shrink."""
DOCUMENT = 30_000
"""A PDF: ten pages, each as text and as a picture."""
OTHER_FILE = 10_000
"""Any other file: forty kilobytes of text."""

_MESSAGE = 10
"""What stands around a message: its role, the tags of a note, the id of a result."""
_CALL = 20
"""What stands around a tool call or the declaration of a tool."""
_TOOLS = 500
"""What providers tell a model about the use of tools, whichever they are."""


def estimate_input(
    messages: Sequence[Message], system: str, tools: Sequence[ToolSpec], last: Usage, seen: int
) -> int:
    """The tokens that a request with these messages will take, rather too many than too few.

    `last` is what the provider counted for the last call to the same model, `seen` how many of
    `messages` that call's request and answer were: only the others are looked at. Where nothing was
    counted, everything is estimated.

    >>> from longrein.core.messages import Text, User
    >>> said = [User((Text("Hello!"),)), Assistant((Text("Hi."),)), User((Text("How are you?"),))]
    >>> estimate_input(said, "Be brief.", (), Usage(input=20, output=4), seen=2)
    39
    """
    if last.total:
        return last.total + estimate_messages(messages[seen:])
    return estimate_opening(system, tools) + estimate_messages(messages)


def estimate_opening(system: str, tools: Sequence[ToolSpec]) -> int:
    """The tokens that a request takes before its first message."""
    return estimate_tokens(system) + _declared(tools)


def estimate_messages(messages: Iterable[Message]) -> int:
    """The tokens of messages, each with what stands around it."""
    return sum(_MESSAGE + _message(message) for message in messages)


def estimate_tokens(text: str) -> int:
    """The tokens of a text, rather too many than too few; see the module for how many.

    >>> estimate_tokens("The quick brown fox jumps over the lazy dog.")
    13
    >>> estimate_tokens("")
    0
    """
    kinds = text.encode("utf-8", "replace").translate(_KINDS, _FOLLOWING)
    hundredths = (
        _WORD * _runs(kinds, _LETTERS)
        + _NUMBER * _runs(kinds, _DIGITS)
        + _HUMP * kinds.count(b"aA")
        + _BLANKS * kinds.count(b"  ")
        + sum(weight * kinds.count(kind) for kind, weight in _WEIGHTS)
    )
    return -(-hundredths // 100)


def _runs(kinds: bytes, table: bytes) -> int:
    return (b" " + kinds.translate(table)).count(b" x")


def _message(message: Message) -> int:
    match message:
        case Note(text=text):
            return estimate_tokens(text)
        case User(parts=parts) | Assistant(parts=parts) | ToolResult(parts=parts):
            return sum(_part(part) for part in parts)
        case _:
            assert_never(message)


def _part(part: Part) -> int:
    match part:
        case Text(text=text):
            return estimate_tokens(text)
        case Reasoning(text=text, signature=signature):
            # What was thought may be withheld; its proof is as long as the thought was.
            return max(estimate_tokens(text), len(signature) // 4)
        case ToolCall(name=name, arguments=arguments):
            return _CALL + estimate_tokens(name) + estimate_tokens(arguments)
        case File(media_type=kind):
            return _file(kind)
        case _:
            assert_never(part)


def _file(media_type: str) -> int:
    if media_type.startswith("image/"):
        return PICTURE
    return DOCUMENT if media_type.startswith("application/pdf") else OTHER_FILE


def _declared(tools: Sequence[ToolSpec]) -> int:
    texts = [f"{tool.name} {tool.description} {bytes(tool.schema).decode()}" for tool in tools]
    return sum(_CALL + estimate_tokens(text) for text in texts) + (_TOOLS if tools else 0)


_SCRIPTS: tuple[tuple[int, int, bytes], ...] = (
    (0x00, 0xFF, b"."),  # whatever is not named below: punctuation
    (0x09, 0x09, b" "),
    (0x0A, 0x0D, b"n"),
    (0x20, 0x20, b" "),
    (0x30, 0x39, b"0"),
    (0x41, 0x5A, b"A"),
    (0x61, 0x7A, b"a"),
    (0xC2, 0xCD, b"l"),  # Latin with marks
    (0xCE, 0xCF, b"g"),  # Greek
    (0xD0, 0xD3, b"c"),  # Cyrillic
    (0xD4, 0xD5, b"m"),  # Armenian
    (0xD6, 0xDF, b"w"),  # Hebrew, Arabic
    (0xE0, 0xE1, b"i"),  # South and South-East Asia, Georgian, Vietnamese marks
    (0xE2, 0xE2, b"s"),  # symbols
    (0xE3, 0xED, b"h"),  # Chinese, Japanese, Korean
    (0xEE, 0xEF, b"s"),
    (0xF0, 0xFF, b"e"),  # emoji, rare characters
)
"""The kind of a character by its first byte in UTF-8, which tells the script; the last counts."""

_FOLLOWING = bytes(range(0x80, 0xC0))
"""All bytes of a character but its first."""

_WEIGHTS: tuple[tuple[bytes, int], ...] = (
    (b"a", 20),
    (b"A", 35),
    (b"0", 40),
    (b".", 70),
    (b"n", 80),
    (b"l", 200),
    (b"g", 105),
    (b"c", 70),
    (b"m", 220),
    (b"w", 100),
    (b"i", 175),
    (b"s", 100),
    (b"h", 130),
    (b"e", 350),
)
"""Hundredths of a token for each character; a single blank belongs to the word after it."""

_WORD = 50
"""For each run of Latin letters, beside its letters."""
_NUMBER = 120
"""For each run of digits, beside its digits."""
_HUMP = 150
"""Where a capital follows a small letter: inside names of code, and in what is encoded as text."""
_BLANKS = 30
"""For every two blanks in a row."""


def _kinds() -> bytes:
    table = bytearray(256)
    for first, last, kind in _SCRIPTS:
        table[first : last + 1] = kind * (last + 1 - first)
    return bytes(table)


def _marked(kinds: bytes) -> bytes:
    return bytes(ord("x") if kind in kinds else ord(" ") for kind in range(256))


_KINDS = _kinds()
_LETTERS = _marked(b"aAl")
_DIGITS = _marked(b"0")
