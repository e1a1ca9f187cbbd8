"""The wire of OpenAI's responses, without anything kept on OpenAI's side."""

from collections.abc import Sequence
from typing import Any

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
from longrein.models.base import Request, ToolSpec
from longrein.models.body import offered, settings_body
from longrein.models.efforts import accepted, nearest
from longrein.models.files import SEEN, Files, Medium, Words
from longrein.models.openai_responses_reply import ResponsesReply
from longrein.models.place import Place
from longrein.models.turns import Side, Turns
from longrein.models.wellformed import NO_OUTPUT, arguments, call_id, encode, tool_name
from longrein.models.wire import WireModel, bearer


class OpenAIResponsesModel(WireModel):
    """A model behind `/responses`. Reasoning travels encrypted, nothing is stored there."""

    def __init__(self, place: Place) -> None:
        super().__init__(
            place,
            wire="openai_responses",
            path="/responses",
            headers=bearer(place.key),
            dialect=ResponsesDialect(),
            fields=self._begin,
            reply=ResponsesReply,
        )

    def _begin(self, request: Request, turns: Turns) -> bytes:
        settings = request.settings
        fields: dict[str, Any] = {"model": self._place.model, "stream": True, "store": False}
        efforts = accepted(self._place.model, self._place.quirks.efforts)
        if efforts:
            fields["include"] = ["reasoning.encrypted_content"]
            effort = nearest(settings.effort, efforts) if settings.effort else None
            if effort == "none":
                fields["reasoning"] = {"effort": "none"}
            elif effort is not None:
                fields["reasoning"] = {"effort": effort, "summary": "auto"}
        if settings.max_output is not None:
            # The smallest number that is accepted.
            fields["max_output_tokens"] = max(16, settings.max_output)
        if settings.temperature is not None:
            fields["temperature"] = settings.temperature
        return settings_body(fields, settings.extra)


class ResponsesDialect:
    """How responses write a conversation: as items, each complete in itself."""

    formats = SEEN

    def opening(self, system: str, tools: Sequence[ToolSpec]) -> bytes:
        specs = [
            {
                "type": "function",
                "name": name,
                "description": tool.description,
                "parameters": schema,
                "strict": False,
            }
            for name, tool, schema in offered(tools)
        ]
        fragment = b',"tools":' + encode(specs) if specs else b""
        instructions = b',"instructions":' + encode(system) if system.strip() else b""
        return fragment + instructions + b',"input":['

    def said(self, message: User | Note, files: Files) -> list[bytes]:
        if isinstance(message, Note):
            if not message.text.strip():
                return []
            part = {"type": "input_text", "text": message.text}
            return [encode({"role": "developer", "content": [part]})]
        parts = [part for content in message.parts for part in _parts(content, files)]
        return [encode({"role": "user", "content": parts})] if parts else []

    def result(self, message: ToolResult, files: Files) -> tuple[bytes, list[bytes]]:
        parts = [part for content in message.parts for part in _parts(content, files)]
        plain = all(part["type"] == "input_text" for part in parts)
        text = "\n\n".join(part["text"] for part in parts) if plain else ""
        item = {
            "type": "function_call_output",
            "call_id": call_id(message.call),
            "output": (text or NO_OUTPUT) if plain else parts,
        }
        return encode(item), []

    def spoke(self, message: Assistant, model: str) -> bytes:
        items: list[bytes] = []
        thoughts: list[bytes] = []
        for part in message.parts:
            if isinstance(part, Reasoning):
                if part.model == model and part.signature:
                    thoughts.append(_thought(part))
                continue
            item = _item(part)
            if item:
                # Reasoning is refused without the item that it led to.
                items += thoughts
                items.append(item)
                thoughts = []
        return b",".join(items)

    def close(self, results: Sequence[bytes], said: Sequence[bytes]) -> Side:
        side = b",".join((*results, *said))
        return Side(side, side)


def _item(part: Text | ToolCall) -> bytes:
    if isinstance(part, Text):
        if not part.text.strip():
            return b""
        return encode({"role": "assistant", "content": part.text})
    return encode(
        {
            "type": "function_call",
            "call_id": call_id(part.id),
            "name": tool_name(part.name),
            "arguments": arguments(part.arguments).decode(),
        }
    )


def _thought(part: Reasoning) -> bytes:
    summary = [{"type": "summary_text", "text": part.text}] if part.text else []
    item = {"type": "reasoning", "summary": summary, "encrypted_content": part.signature}
    if part.provider_id:
        item["id"] = part.provider_id
    return encode(item)


def _parts(part: Content, files: Files) -> list[dict[str, Any]]:
    if isinstance(part, Text):
        return [{"type": "input_text", "text": part.text}] if part.text.strip() else []
    match files.show(part):
        case Words(text):
            return [{"type": "input_text", "text": text}]
        case Medium(kind="pdf", url=url) if url:
            return [{"type": "input_file", "file_url": url}]
        case Medium(kind="pdf", name=name) as document:
            return [{"type": "input_file", "filename": name, "file_data": document.address}]
        case Medium() as picture:
            return [{"type": "input_image", "detail": "auto", "image_url": picture.address}]
