"""What is said in a thread: messages made of parts, in one form for every provider."""

from collections.abc import Iterable
from typing import Literal, TypeAlias

from msgspec import Struct


class Text(Struct, frozen=True, tag="text"):
    """Plain text."""

    text: str


class Reasoning(Struct, frozen=True, tag="reasoning", omit_defaults=True):
    """What a model thought, with the provider's proof of it.

    `signature` (and `provider_id`, where the provider names its reasoning items) is sent back only
    to `model`, the one that made it. `redacted`: the text was withheld, the signature holds all.
    """

    text: str
    signature: str = ""
    model: str = ""
    provider_id: str = ""
    redacted: bool = False


class ToolCall(Struct, frozen=True, tag="tool_call", omit_defaults=True):
    """A model's wish to call a tool. `arguments` is the raw text, which may not even be JSON.

    `id` is made here and unique in the thread; the provider's own, which may be empty or repeated,
    is only kept.
    """

    id: str
    name: str
    arguments: str
    provider_id: str = ""


class File(Struct, frozen=True, tag="file", omit_defaults=True):
    """A picture, a PDF, any file: its bytes in the store under the hash `blob`, or at a `url`."""

    media_type: str
    blob: str = ""
    url: str = ""
    name: str = ""


Part: TypeAlias = Text | Reasoning | ToolCall | File
Content: TypeAlias = Text | File


def text_in(parts: Iterable[Part]) -> str:
    """What parts say in plain text.

    >>> text_in((Text("Look at "), File("image/png"), Text("this.")))
    'Look at this.'
    """
    return "".join(part.text for part in parts if isinstance(part, Text))


Settled: TypeAlias = Literal[
    "ok",
    "error",
    "timeout",
    "declined",
    "replaced",
    "refused",
    "not_run",
    "interrupted",
    "unknown",
]
"""How a tool call ended; `unknown` means that it may or may not have taken effect."""


class User(Struct, frozen=True, tag="user", omit_defaults=True):
    """What a person said. `input` is the id of the command that brought it, `whole` as in
    `ToolResult`."""

    parts: tuple[Content, ...]
    input: str = ""
    time: int = 0
    whole: str = ""

    @property
    def text(self) -> str:
        return text_in(self.parts)


class Assistant(Struct, frozen=True, tag="assistant", omit_defaults=True):
    """What a model said. `interrupted`: it was stopped in the middle; `cut`: it ran out of room."""

    parts: tuple[Text | Reasoning | ToolCall, ...]
    model: str = ""
    interrupted: bool = False
    cut: bool = False
    time: int = 0

    @property
    def text(self) -> str:
        return text_in(self.parts)

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        return tuple(part for part in self.parts if isinstance(part, ToolCall))


class ToolResult(Struct, frozen=True, tag="tool_result", omit_defaults=True):
    """How one tool call ended, as the model hears it.

    `whole` is the hash of the complete text where the parts show only its head and tail. `took` is
    how long it ran, in microseconds; 0: it did not, or nobody knows.
    """

    call: str
    name: str
    parts: tuple[Content, ...]
    status: Settled = "ok"
    whole: str = ""
    time: int = 0
    took: int = 0

    @property
    def text(self) -> str:
        return text_in(self.parts)


class Note(Struct, frozen=True, tag="note", omit_defaults=True):
    """What a system, not a person, tells the model: a changed mode, a signal, a reminder."""

    text: str
    source: str = ""
    time: int = 0


Message: TypeAlias = User | Assistant | ToolResult | Note
