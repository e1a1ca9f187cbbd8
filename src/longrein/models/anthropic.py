"""The wire of Anthropic's messages."""

from collections.abc import Sequence
from typing import Any

from msgspec import Raw

from longrein.core.messages import (
    Assistant,
    Content,
    Note,
    Reasoning,
    Text,
    ToolCall,
    ToolResult,
    User,
)
from longrein.models.anthropic_reply import AnthropicReply
from longrein.models.base import Request, ToolSpec
from longrein.models.body import offered, settings_body
from longrein.models.claude import beta_headers, output_fields
from longrein.models.files import SEEN, Files, Medium, Words
from longrein.models.place import Place
from longrein.models.turns import Side, Turns
from longrein.models.wellformed import NO_OUTPUT, arguments, call_id, encode, note_text, tool_name
from longrein.models.wire import WireModel

_VERSION = "2023-06-01"
_MARK = {"type": "ephemeral"}
_MARKED = b',"cache_control":{"type":"ephemeral"}}'
_NO_TOOLS = b',"tools":' + encode(
    [
        {
            "name": "none",
            "description": "No tool can be called now.",
            "input_schema": {"type": "object"},
        }
    ]
)
_NO_CHOICE = b',"tool_choice":{"type":"none"}'


class AnthropicModel(WireModel):
    """A model behind `/v1/messages`.

    Four places are marked for the prompt cache: the end of the tools, of the system prompt, and of
    the last two user turns, so that a request finds what the one before it has written.
    """

    def __init__(self, place: Place) -> None:
        key = place.key.reveal()
        headers = {"anthropic-version": _VERSION, **beta_headers(place.model)}
        if key:
            headers["x-api-key"] = key
        super().__init__(
            place,
            wire="anthropic",
            path="/v1/messages",
            headers=headers,
            dialect=AnthropicDialect(),
            fields=self._begin,
            reply=AnthropicReply,
        )

    def _begin(self, request: Request, turns: Turns) -> bytes:
        fields: dict[str, Any] = {"model": self._place.model, "stream": True}
        fields |= output_fields(self._place.model, request.settings)
        body = settings_body(fields, request.settings.extra)
        # Calls in the history are refused where no tools are defined.
        return body + _NO_TOOLS + _NO_CHOICE if turns.called and not request.tools else body


class AnthropicDialect:
    """How Anthropic writes a conversation: turns of blocks, results before everything said."""

    formats = SEEN

    def opening(self, system: str, tools: Sequence[ToolSpec]) -> bytes:
        specs: list[dict[str, Any]] = [
            {"name": name, "description": tool.description, "input_schema": schema}
            for name, tool, schema in offered(tools)
        ]
        fragment = b""
        if specs:
            specs[-1]["cache_control"] = _MARK
            fragment += b',"tools":' + encode(specs)
        if system.strip():
            block = {"type": "text", "text": system, "cache_control": _MARK}
            fragment += b',"system":' + encode([block])
        return fragment + b',"messages":['

    def said(self, message: User | Note, files: Files) -> list[bytes]:
        if isinstance(message, Note):
            return [encode({"type": "text", "text": note_text(message)})]
        return [encode(block) for part in message.parts for block in _blocks(part, files)]

    def result(self, message: ToolResult, files: Files) -> tuple[bytes, list[bytes]]:
        blocks = [block for part in message.parts for block in _blocks(part, files)]
        plain = all(block["type"] == "text" for block in blocks)
        result: dict[str, Any] = {
            "type": "tool_result",
            "tool_use_id": call_id(message.call),
            "content": blocks or NO_OUTPUT,
        }
        # An error may hold nothing but text.
        if message.status != "ok" and plain:
            result["is_error"] = True
        return encode(result), []

    def spoke(self, message: Assistant, model: str) -> bytes:
        blocks = [block for part in message.parts for block in _spoken(part, model)]
        # Thinking that led to nothing, cut off before the first word, is refused.
        while blocks and blocks[-1]["type"] in ("thinking", "redacted_thinking"):
            blocks.pop()
        return encode({"role": "assistant", "content": blocks}) if blocks else b""

    def close(self, results: Sequence[bytes], said: Sequence[bytes]) -> Side:
        blocks = [*results, *said]
        begin = b'{"role":"user","content":[' + b",".join(blocks)
        return Side(begin + b"]}", begin[:-1] + _MARKED + b"]}")


def _spoken(part: Text | Reasoning | ToolCall, model: str) -> list[dict[str, Any]]:
    if isinstance(part, Text):
        return [{"type": "text", "text": part.text}] if part.text.strip() else []
    if isinstance(part, ToolCall):
        return [
            {
                "type": "tool_use",
                "id": call_id(part.id),
                "name": tool_name(part.name),
                "input": Raw(arguments(part.arguments)),
            }
        ]
    if part.model != model or not part.signature:
        return []
    if part.redacted:
        return [{"type": "redacted_thinking", "data": part.signature}]
    return [{"type": "thinking", "thinking": part.text, "signature": part.signature}]


def _blocks(part: Content, files: Files) -> list[dict[str, Any]]:
    if isinstance(part, Text):
        return [{"type": "text", "text": part.text}] if part.text.strip() else []
    match files.show(part):
        case Words(text):
            return [{"type": "text", "text": text}]
        case Medium(kind="pdf", name=name) as document:
            return [{"type": "document", "source": _source(document), "title": name}]
        case Medium() as picture:
            return [{"type": "image", "source": _source(picture)}]


def _source(medium: Medium) -> dict[str, str]:
    if medium.url:
        return {"type": "url", "url": medium.url}
    return {"type": "base64", "media_type": medium.media_type, "data": medium.data}
