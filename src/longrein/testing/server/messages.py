"""Anthropic messages."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from longrein.core.messages import (
    Assistant,
    Content,
    File,
    Message,
    Reasoning,
    Text,
    ToolCall,
    ToolResult,
    User,
)
from longrein.core.usage import Usage
from longrein.models.base import Request, Stop, ToolSpec
from longrein.testing.replies import (
    BreakPiece,
    CallPiece,
    ErrorKind,
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
from longrein.testing.server.wires import Frame, Refused, Wire, decode, event, no_blobs

_STOPS: dict[Stop, str] = {
    "end": "end_turn",
    "calls": "tool_use",
    "length": "max_tokens",
    "filtered": "refusal",
    "other": "other",
}

_ERRORS: dict[ErrorKind, tuple[int, str, str]] = {
    "auth": (401, "authentication_error", ""),
    "rate_limited": (429, "rate_limit_error", ""),
    "overloaded": (529, "overloaded_error", ""),
    "context_overflow": (400, "invalid_request_error", "prompt is too long: "),
    "filtered": (400, "invalid_request_error", "Output blocked by content filtering policy: "),
    "bad_request": (400, "invalid_request_error", ""),
    "network": (502, "api_error", ""),
}


class _Block(Struct):
    type: str
    text: str = ""
    thinking: str = ""
    signature: str = ""
    data: str = ""
    id: str = ""
    name: str = ""
    input: msgspec.Raw = msgspec.Raw(b"{}")
    tool_use_id: str = ""
    content: "str | list[_Block]" = ""


class _Message(Struct):
    role: str
    content: str | list[_Block]


class _Tool(Struct):
    name: str
    description: str = ""
    input_schema: msgspec.Raw = msgspec.Raw(b"{}")


class _Body(Struct):
    model: str
    max_tokens: int
    messages: list[_Message]
    system: str | list[_Block] = ""
    tools: list[_Tool] = []
    stream: bool = False


class MessagesWire:
    """`POST /v1/messages`."""

    path = "/v1/messages"

    def read(self, body: bytes, *, strict: bool) -> Request:
        sent = decode(body, _Body)
        request = Request(
            model=sent.model,
            system="\n".join(block.text for block in _blocks(sent.system)),
            tools=tuple(ToolSpec(t.name, t.description, t.input_schema) for t in sent.tools),
            messages=[common for message in sent.messages for common in _common(message)],
            load=no_blobs,
        )
        if strict:
            _check_shape(sent)
            check(request, streamed=sent.stream)
        return request

    def spoken(self, body: bytes) -> int:
        return body.count(b'"role":"assistant"') + body.count(b'"role": "assistant"')

    def reports(self, body: bytes) -> bool:
        return True

    def frames(self, reply: Reply, number: int, *, usage: bool) -> Iterator[Frame]:
        yield _start(reply, number)
        yield _event("ping")
        blocks = called = 0
        writing = False
        for piece in reply.pieces:
            if writing and isinstance(piece, ReasoningPiece | CallPiece):
                yield _event("content_block_stop", index=blocks)
                blocks, writing = blocks + 1, False
            match piece:
                case TextPiece():
                    if not writing:
                        yield _open(blocks, {"type": "text", "text": ""})
                        writing = True
                    for text in chunks(piece.text, piece.size):
                        yield _more(blocks, {"type": "text_delta", "text": text})
                case ReasoningPiece():
                    yield from _thought(piece, blocks)
                    blocks += 1
                case CallPiece():
                    yield from _call(piece, blocks, call_id(piece, called, number))
                    blocks, called = blocks + 1, called + 1
                case PausePiece() | BreakPiece():
                    yield piece
                case NoisePiece():
                    yield piece.text.encode()
                case ErrorPiece():
                    yield event(_error(piece)[1], "error")
                    return
        if writing:
            yield _event("content_block_stop", index=blocks)
        yield _end(reply)
        yield _event("message_stop")

    def failure(self, error: ErrorPiece) -> tuple[int, bytes]:
        status, said = _error(error)
        return status, json.dumps(said).encode()


def _common(message: _Message) -> list[Message]:
    blocks = _blocks(message.content)
    if message.role == "assistant":
        return [Assistant(tuple(_said(block) for block in blocks))]
    results: list[Message] = [
        ToolResult(block.tool_use_id, "", _contents(_blocks(block.content)))
        for block in blocks
        if block.type == "tool_result"
    ]
    rest = _contents([block for block in blocks if block.type != "tool_result"])
    return [*results, User(rest)] if rest or not results else results


def _blocks(content: str | list[_Block]) -> list[_Block]:
    if isinstance(content, str):
        return [_Block("text", text=content)] if content else []
    return content


def _contents(blocks: Sequence[_Block]) -> tuple[Content, ...]:
    return tuple(Text(b.text) if b.type == "text" else File(b.type) for b in blocks)


def _said(block: _Block) -> Text | Reasoning | ToolCall:
    match block.type:
        case "text":
            return Text(block.text)
        case "thinking":
            return Reasoning(block.thinking, block.signature)
        case "redacted_thinking":
            return Reasoning("", block.data, redacted=True)
        case "tool_use":
            return ToolCall(block.id, block.name, bytes(block.input).decode())
        case kind:
            raise Refused(f"messages: unexpected block {kind!r} of the assistant")


def _check_shape(sent: _Body) -> None:
    if sent.max_tokens < 1:
        raise Refused("max_tokens: must be at least 1")
    for place, message in enumerate(sent.messages):
        if message.role != ("assistant" if place % 2 else "user"):
            raise Refused(f"messages.{place}: roles must alternate between user and assistant")
        if not isinstance(message.content, str):
            _check_blocks(message.content, place)


def _check_blocks(blocks: list[_Block], place: int) -> None:
    kinds = [block.type for block in blocks]
    results = kinds.count("tool_result")
    if "tool_result" in kinds[results:]:
        raise Refused(f"messages.{place}: tool_result blocks must come first")
    if kinds and kinds[-1] in ("thinking", "redacted_thinking"):
        raise Refused(f"messages.{place}: the final block cannot be thinking")
    if any(block.type == "thinking" and not block.signature for block in blocks):
        raise Refused(f"messages.{place}: thinking.signature: field required")


def _start(reply: Reply, number: int) -> bytes:
    message: dict[str, Any] = {
        "id": f"msg_{number}",
        "type": "message",
        "role": "assistant",
        "model": "scripted",
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
    }
    if reply.usage is not None:
        message["usage"] = _usage(reply.usage)
    return _event("message_start", message=message)


def _usage(usage: Usage) -> dict[str, int]:
    # This vendor counts as input only what neither came from its cache nor went to it.
    return {
        "input_tokens": usage.input - usage.cached - usage.cache_written,
        "cache_creation_input_tokens": usage.cache_written,
        "cache_read_input_tokens": usage.cached,
        "output_tokens": min(usage.output, 1),
    }


def _thought(piece: ReasoningPiece, index: int) -> Iterator[bytes]:
    if piece.redacted:
        yield _open(index, {"type": "redacted_thinking", "data": piece.signature})
    else:
        yield _open(index, {"type": "thinking", "thinking": "", "signature": ""})
        for text in chunks(piece.text, piece.size):
            yield _more(index, {"type": "thinking_delta", "thinking": text})
        yield _more(index, {"type": "signature_delta", "signature": piece.signature})
    yield _event("content_block_stop", index=index)


def _call(piece: CallPiece, index: int, id: str) -> Iterator[bytes]:
    yield _open(index, {"type": "tool_use", "id": id, "name": piece.name, "input": {}})
    yield _more(index, {"type": "input_json_delta", "partial_json": ""})
    for text in chunks(piece.text, piece.size):
        yield _more(index, {"type": "input_json_delta", "partial_json": text})
    yield _event("content_block_stop", index=index)


def _end(reply: Reply) -> bytes:
    stopped = {"stop_reason": _STOPS[reply.reason], "stop_sequence": None}
    if reply.usage is None:
        return _event("message_delta", delta=stopped)
    return _event("message_delta", delta=stopped, usage={"output_tokens": reply.usage.output})


def _open(index: int, block: dict[str, Any]) -> bytes:
    return _event("content_block_start", index=index, content_block=block)


def _more(index: int, delta: dict[str, Any]) -> bytes:
    return _event("content_block_delta", index=index, delta=delta)


def _event(name: str, **fields: Any) -> bytes:
    return event({"type": name, **fields}, name)


def _error(error: ErrorPiece) -> tuple[int, dict[str, Any]]:
    status, kind, prefix = _ERRORS[error.kind]
    said = {"type": kind, "message": prefix + error.message}
    return error.status or status, {"type": "error", "error": said, "request_id": "req_scripted"}


_FITS: type[Wire] = MessagesWire
