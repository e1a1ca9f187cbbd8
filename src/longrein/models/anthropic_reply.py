"""Reading the stream of Anthropic's messages."""

from typing import Any, cast

from msgspec import Struct

from longrein.core.usage import Usage
from longrein.models.base import Delta, ReasoningDelta, Stop, Stopped, TextDelta
from longrein.models.errors import broken
from longrein.models.reading import CallPieces, Forgiving, count, stream_error
from longrein.models.secret import Secret

_STOPS: dict[str, Stop] = {
    "end_turn": "end",
    "stop_sequence": "end",
    "tool_use": "calls",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "filtered",
}


class _Block(Struct, gc=False):
    type: str = ""
    id: Any = None
    name: Any = None
    input: Any = None
    text: Any = None
    thinking: Any = None
    signature: Any = None
    data: Any = None


class _Delta(Struct, gc=False):
    type: str = ""
    text: Any = None
    partial_json: Any = None
    thinking: Any = None
    signature: Any = None
    stop_reason: Any = None
    stop_details: Any = None


class _Message(Struct, gc=False):
    usage: Any = None


class _Event(Struct, gc=False):
    type: str = ""
    index: int | None = None
    delta: _Delta | None = None
    content_block: _Block | None = None
    message: _Message | None = None
    usage: Any = None
    error: Any = None


_events = Forgiving(_Event)


class AnthropicReply:
    """One answer in the making: events in, deltas out."""

    def __init__(self, secret: Secret) -> None:
        self.done = False
        self._secret = secret
        self._calls = CallPieces()
        self._inputs: dict[int | None, Any] = {}
        """Arguments that came whole at a call's start, as long as no piece of them came."""
        self._thoughts: dict[int | None, int] = {}
        self._signatures: dict[int | None, str] = {}
        self._usage: dict[str, Any] = {}
        self._stop = ""
        self._detail = ""

    def take(self, events: list[bytes]) -> list[Delta]:
        out: list[Delta] = []
        decode = _events.decode
        for data in events:
            try:
                event = decode(data)
            except (ValueError, RecursionError):
                event = _events.mend(data)
            if event.type == "content_block_delta":
                delta = event.delta
                if delta is not None:
                    if delta.text:
                        out.append(TextDelta(delta.text))
                    else:
                        self._delta(event.index, delta, out)
            else:
                self._other(event, data, out)
        return out

    def end(self) -> list[Delta]:
        """The last deltas, once; a stream that never said why it stopped was cut."""
        if self.done:
            return []
        if not self._stop:
            raise broken("it ended before the answer did")
        out: list[Delta] = []
        for index in (*self._signatures, *self._inputs):
            self._close(index, out)
        self._calls.flush(out)
        out.append(Stopped(_STOPS.get(self._stop, "other"), self._counted(), self._detail))
        self.done = True
        return out

    def _delta(self, index: int | None, delta: _Delta, out: list[Delta]) -> None:
        if delta.partial_json:
            self._inputs.pop(index, None)
            self._calls.take(index, None, None, delta.partial_json, out)
        elif delta.thinking:
            out.append(ReasoningDelta(delta.thinking, self._thought(index)))
        elif delta.signature:
            self._thought(index)
            self._signatures[index] = self._signatures.get(index, "") + delta.signature

    def _other(self, event: _Event, data: bytes, out: list[Delta]) -> None:
        if event.type == "content_block_start" and event.content_block is not None:
            self._start(event.index, event.content_block, out)
        elif event.type == "content_block_stop":
            self._close(event.index, out)
        elif event.type == "message_start" and event.message is not None:
            self._count(event.message.usage)
        elif event.type == "message_delta":
            self._count(event.usage)
            if event.delta is not None and event.delta.stop_reason:
                self._stop = str(event.delta.stop_reason)
                self._detail = _refusal(event.delta.stop_details)
        elif event.type == "message_stop":
            self._stop = self._stop or "end_turn"
            out += self.end()
        elif event.type == "error" or event.error is not None:
            raise stream_error(data, self._secret)

    def _start(self, index: int | None, block: _Block, out: list[Delta]) -> None:
        if block.type == "tool_use":
            self._calls.take(index, block.id, block.name, None, out)
            if block.input:
                self._inputs[index] = block.input
        elif block.type == "redacted_thinking":
            signature = str(block.data or "")
            out.append(ReasoningDelta("", self._thought(index), signature, redacted=True))
        elif block.type == "thinking":
            if block.thinking:
                out.append(ReasoningDelta(block.thinking, self._thought(index)))
            if block.signature:
                self._signatures[index] = str(block.signature)
        elif block.type == "text" and block.text:
            out.append(TextDelta(block.text))

    def _close(self, index: int | None, out: list[Delta]) -> None:
        signature = self._signatures.pop(index, "")
        if signature:
            out.append(ReasoningDelta("", self._thought(index), signature))
        whole = self._inputs.pop(index, None)
        if whole is not None:
            self._calls.take(index, None, None, whole, out)

    def _thought(self, index: int | None) -> int:
        return self._thoughts.setdefault(index, len(self._thoughts))

    def _count(self, usage: Any) -> None:
        # Later figures are running totals, and leave out what did not change.
        if isinstance(usage, dict):
            fields = cast("dict[str, Any]", usage)
            self._usage |= {name: value for name, value in fields.items() if value is not None}

    def _counted(self) -> Usage | None:
        if not self._usage:
            return None
        cached = count(self._usage, "cache_read_input_tokens")
        written = count(self._usage, "cache_creation_input_tokens")
        return Usage(
            count(self._usage, "input_tokens") + cached + written,
            count(self._usage, "output_tokens"),
            cached,
            written,
            count(self._usage, "output_tokens_details", "thinking_tokens"),
        )


def _refusal(details: Any) -> str:
    if not isinstance(details, dict):
        return ""
    fields = cast("dict[str, Any]", details)
    said = (fields.get("category"), fields.get("explanation"))
    return ": ".join(text for text in said if isinstance(text, str) and text)
