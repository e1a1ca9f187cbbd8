"""OpenAI chat completions, as most providers and local servers speak it."""

import json
from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import Struct

from longrein.core.messages import Assistant, File, Message, Note, Text, ToolCall, ToolResult, User
from longrein.core.usage import Usage
from longrein.models.base import Request, Stop, ToolSpec
from longrein.testing.replies import (
    BreakPiece,
    CallPiece,
    ErrorPiece,
    NoisePiece,
    PausePiece,
    ReasoningPiece,
    Reply,
    TextPiece,
    call_id,
    chunks,
)
from longrein.testing.server.strict import check
from longrein.testing.server.wires import (
    Frame,
    Refused,
    Wire,
    decode,
    event,
    no_blobs,
    openai_error,
)

_STOPS: dict[Stop, str] = {
    "end": "stop",
    "calls": "tool_calls",
    "length": "length",
    "filtered": "content_filter",
    "other": "other",
}


class _Part(Struct):
    type: str
    text: str = ""


class _Function(Struct):
    name: str
    arguments: str


class _Call(Struct):
    id: str
    function: _Function


class _Message(Struct):
    role: str
    content: str | list[_Part] | None = None
    tool_calls: list[_Call] = []
    tool_call_id: str = ""


class _Declared(Struct):
    name: str
    description: str = ""
    parameters: msgspec.Raw = msgspec.Raw(b'{"type":"object"}')


class _Tool(Struct):
    function: _Declared


class _Body(Struct):
    model: str
    messages: list[_Message]
    tools: list[_Tool] = []
    stream: bool = False


class ChatWire:
    """`POST /v1/chat/completions`."""

    path = "/v1/chat/completions"

    def read(self, body: bytes, *, strict: bool) -> Request:
        sent = decode(body, _Body)
        led = bool(sent.messages) and sent.messages[0].role in ("system", "developer")
        declared = [tool.function for tool in sent.tools]
        request = Request(
            model=sent.model,
            system=_text(sent.messages[0].content) if led else "",
            tools=tuple(ToolSpec(t.name, t.description, t.parameters) for t in declared),
            messages=[_common(message) for message in sent.messages[led:]],
            load=no_blobs,
        )
        if strict:
            check(request, streamed=sent.stream)
        return request

    def spoken(self, body: bytes) -> int:
        return body.count(b'"role":"assistant"') + body.count(b'"role": "assistant"')

    def reports(self, body: bytes) -> bool:
        return b'"include_usage":true' in body or b'"include_usage": true' in body

    def frames(self, reply: Reply, number: int, *, usage: bool) -> Iterator[Frame]:
        yield _chunk(number, {"role": "assistant", "content": ""})
        called = 0
        for piece in reply.pieces:
            match piece:
                case TextPiece():
                    for text in chunks(piece.text, piece.size):
                        yield _chunk(number, {"content": text})
                case ReasoningPiece():
                    for text in chunks(piece.text, piece.size):
                        yield _chunk(number, {"reasoning_content": text})
                case CallPiece():
                    yield from _call_frames(piece, called, number)
                    called += 1
                case PausePiece() | BreakPiece():
                    yield piece
                case NoisePiece():
                    yield piece.text.encode()
                case ErrorPiece():
                    yield event({"error": openai_error(piece)[1]})
                    return
        yield _chunk(number, {}, _STOPS[reply.reason])
        if usage and reply.usage is not None:
            yield event(_head(number) | {"choices": [], "usage": _usage(reply.usage)})
        yield b"data: [DONE]\n\n"

    def failure(self, error: ErrorPiece) -> tuple[int, bytes]:
        status, said = openai_error(error)
        return status, json.dumps({"error": said}).encode()


def _common(message: _Message) -> Message:
    match message.role:
        case "user":
            return User(_contents(message.content))
        case "assistant":
            asked = (
                ToolCall(c.id, c.function.name, c.function.arguments) for c in message.tool_calls
            )
            texts = (part for part in _contents(message.content) if isinstance(part, Text))
            return Assistant((*texts, *asked))
        case "tool":
            return ToolResult(message.tool_call_id, "", _contents(message.content))
        case "system" | "developer":
            return Note(_text(message.content))
        case role:
            raise Refused(f"messages: unknown role {role!r}")


def _contents(content: str | list[_Part] | None) -> tuple[Text | File, ...]:
    if content is None:
        return ()
    if isinstance(content, str):
        return (Text(content),)
    return tuple(Text(part.text) if part.type == "text" else File(part.type) for part in content)


def _text(content: str | list[_Part] | None) -> str:
    return "\n".join(part.text for part in _contents(content) if isinstance(part, Text))


def _call_frames(piece: CallPiece, place: int, number: int) -> Iterator[bytes]:
    index = place if piece.index is None else piece.index
    named = {"name": piece.name, "arguments": ""}
    begun = {"index": index, "id": call_id(piece, place, number), "type": "function"}
    yield _chunk(number, {"tool_calls": [begun | {"function": named}]})
    for text in chunks(piece.text, piece.size):
        yield _chunk(number, {"tool_calls": [{"index": index, "function": {"arguments": text}}]})


def _head(number: int) -> dict[str, Any]:
    return {
        "id": f"chatcmpl-{number}",
        "object": "chat.completion.chunk",
        "created": 1_700_000_000,
        "model": "scripted",
    }


def _chunk(number: int, delta: dict[str, Any], finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return event(_head(number) | {"choices": [choice]})


def _usage(usage: Usage) -> dict[str, Any]:
    return {
        "prompt_tokens": usage.input,
        "completion_tokens": usage.output,
        "total_tokens": usage.total,
        "prompt_tokens_details": {"cached_tokens": usage.cached},
        "completion_tokens_details": {"reasoning_tokens": usage.reasoning},
    }


_FITS: type[Wire] = ChatWire
