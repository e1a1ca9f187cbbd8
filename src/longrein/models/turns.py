"""The conversation of one prefix, encoded once and joined again for every request.

Providers want turns that alternate: a user's side (tool results first, then what was said), then
the assistant. Messages are added as they come; a user's side stays open until an assistant message
closes it, so only what is new since the last one is encoded, and everything older is copied.
"""

from collections.abc import Sequence
from typing import NamedTuple, Protocol, cast

from longrein.core.messages import Assistant, Message, Note, Text, ToolResult, User
from longrein.models.base import Request, ToolSpec
from longrein.models.files import Blobs, Files, Formats, load_blobs, taken
from longrein.models.wellformed import FILLER

_FILLER = User((Text(FILLER),))


class Side(NamedTuple):
    """A user's side, encoded; `marked` also asks the provider to keep its cache up to here."""

    plain: bytes
    marked: bytes


class Dialect(Protocol):
    """How one wire writes each thing; the pieces of `said` and `result` are what `close` joins."""

    def opening(self, system: str, tools: Sequence[ToolSpec]) -> bytes:
        """Everything of the body that comes before the first turn and stays for the prefix."""
        ...

    @property
    def formats(self) -> Formats:
        """The media that it has a shape for."""
        ...

    def said(self, message: User | Note, files: Files) -> list[bytes]: ...

    def result(self, message: ToolResult, files: Files) -> tuple[bytes, list[bytes]]:
        """The result, and what has to be said beside it because a result cannot hold it."""
        ...

    def spoke(self, message: Assistant, model: str) -> bytes:
        """An assistant's turn; empty where nothing of it is left."""
        ...

    def close(self, results: Sequence[bytes], said: Sequence[bytes]) -> Side: ...


class Turns:
    """The encoded turns of one prefix and how far they reach."""

    def __init__(self, dialect: Dialect, request: Request) -> None:
        self.opening = dialect.opening(request.system, request.tools)
        self.called = False
        """Whether a tool call or its result is among the turns."""
        self._dialect = dialect
        self._model = request.model
        self._key = _key(request)
        self._formats = taken(dialect.formats, request.settings.media)
        self._count = 0
        self._last: Message | None = None
        self._older = bytearray()
        self._side = Side(b"", b"")
        self._spoke = b""
        self._results: list[bytes] = []
        self._said: list[bytes] = []
        self._open: Side | None = None

    def reach_into(self, request: Request, dialect: Dialect) -> bool:
        """Whether what is encoded here is the beginning of `request` in this dialect."""
        count = self._count
        return (
            self._dialect is dialect
            and self._key == _key(request)
            and count <= len(request.messages)
            and (count == 0 or request.messages[count - 1] is self._last)
        )

    @property
    def count(self) -> int:
        """How many messages are encoded."""
        return self._count

    def add(self, messages: Sequence[Message], blobs: Blobs) -> None:
        """Encode what comes next."""
        files = Files(blobs, self._formats)
        for message in messages:
            if isinstance(message, Assistant):
                self._add_assistant(message)
            elif isinstance(message, ToolResult):
                self.called = True
                result, beside = self._dialect.result(message, files)
                self._results.append(result)
                self._said += beside
                self._open = None
            else:
                self._said += self._dialect.said(message, files)
                self._open = None
            self._last = message
            self._count += 1

    def _add_assistant(self, message: Assistant) -> None:
        spoke = self._dialect.spoke(message, self._model)
        if not spoke:
            return
        side = self._closed()
        self._older += self._side.plain
        self._older += self._spoke
        self._side = Side(side.plain + b",", side.marked + b",")
        self._spoke = spoke + b","
        self._results = []
        self._said = []
        self._open = None

    def pieces(self) -> tuple[bytes | bytearray, ...]:
        """What, joined, is the content of the array of turns."""
        return self._older, self._side.marked, self._spoke, self._closed().marked

    def _closed(self) -> Side:
        if self._open is None:
            said = self._said
            if not self._results and not said:
                said = self._dialect.said(_FILLER, Files({}, {}))
            self._open = self._dialect.close(self._results, said)
        return self._open


def _key(request: Request) -> tuple[object, ...]:
    """All that what is encoded depends on, beside the messages."""
    return request.model, request.system, request.tools, request.settings.media


async def turns_of(request: Request, dialect: Dialect, wire: str) -> Turns:
    """All of `request`'s messages, encoded; what `scratch` has of them is not encoded again.

    A scratch that belongs to another conversation, or to a longer one, is left alone and replaced.
    """
    while True:
        kept = cast("Turns | None", request.scratch.get(wire))
        turns = kept if kept and kept.reach_into(request, dialect) else Turns(dialect, request)
        start = turns.count
        new = request.messages[start:]
        blobs = await load_blobs(new, request.load)
        # Another call of the same prefix may have encoded them while the blobs were read.
        if turns.count == start:
            turns.add(new, blobs)
            request.scratch[wire] = turns
            return turns
