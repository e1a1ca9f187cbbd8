"""The port that every model fits: one method, a request in, a stream of deltas out."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from typing import Any, Literal, Protocol, TypeAlias

import msgspec
from msgspec import Struct

from longrein.core.messages import Message
from longrein.core.usage import Usage

Effort: TypeAlias = Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"]
"""How deeply to think; a model that does not have a level gets the nearest that it has."""

Media: TypeAlias = Literal["image", "pdf", "audio", "video"]
"""What a model can be shown beside text."""


class ToolSpec(Struct, frozen=True):
    """A tool as the model is told of it. `schema` is the JSON schema of its arguments, encoded."""

    name: str
    description: str
    schema: msgspec.Raw


class ModelSettings(Struct, frozen=True, omit_defaults=True):
    """What can be asked of a model beside the words. None leaves it to the provider.

    `extra` is merged into the body as it is, for what only one provider knows. `media` is what the
    model takes beside text; None: images and PDFs. What it does not take, or its wire has no shape
    for, is told in a note where it stood.

    >>> from longrein import Agent, ModelSettings
    >>> Agent("thinker", settings=ModelSettings(effort="high")).settings.effort
    'high'
    >>> ModelSettings(media=()).media  # a model that reads nothing but text
    ()
    """

    max_output: int | None = None
    temperature: float | None = None
    effort: Effort | None = None
    extra: Mapping[str, Any] = {}
    media: tuple[Media, ...] | None = None


class Request(Struct, frozen=True):
    """One model call.

    `messages` is well formed: each tool call has exactly one result, after it and before the next
    assistant message. Requests of one `prefix` share their beginning: `messages` only ever grows,
    `system` and `tools` stay, so a wire may keep what it encoded in `scratch`, a dict that lives as
    long as the prefix does. `load` gives the bytes of a file's blob.
    """

    model: str
    system: str
    tools: tuple[ToolSpec, ...]
    messages: Sequence[Message]
    load: Callable[[str], Awaitable[bytes]]
    settings: ModelSettings = ModelSettings()
    prefix: str = ""
    scratch: dict[str, Any] = {}


class TextDelta(Struct, frozen=True, gc=False):
    """More of the text."""

    text: str


class ReasoningDelta(Struct, frozen=True, gc=False):
    """More of the reasoning part number `index`; signature and id come once, whole."""

    text: str
    index: int = 0
    signature: str = ""
    provider_id: str = ""
    redacted: bool = False


class CallDelta(Struct, frozen=True, gc=False):
    """More of the tool call number `index` of this reply: name and id once, arguments in pieces."""

    index: int
    arguments: str = ""
    name: str = ""
    provider_id: str = ""


Stop: TypeAlias = Literal["end", "calls", "length", "filtered", "other"]


class Stopped(Struct, frozen=True, gc=False):
    """The last delta: why the model stopped, and what the call used (None: nobody said)."""

    reason: Stop
    usage: Usage | None = None
    detail: str = ""
    """For `filtered`: what the provider said about it."""


Delta: TypeAlias = TextDelta | ReasoningDelta | CallDelta | Stopped


class Model(Protocol):
    """Something that answers requests.

    `stream` yields deltas and ends with exactly one `Stopped`; a stream that breaks before raises
    `Network`. Every failure is a `ModelError`. Closing the iterator closes the connection. One
    model object serves many sessions at once.
    """

    @property
    def wire(self) -> str:
        """What tells encoded fragments apart: same wire, same bytes for a message."""
        ...

    def stream(self, request: Request) -> AsyncGenerator[Delta, None]: ...

    async def close(self) -> None:
        """Let go of connections."""
        ...
