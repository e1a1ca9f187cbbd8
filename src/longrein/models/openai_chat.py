"""The wire of OpenAI's chat completions, which most providers and local servers speak."""

from collections.abc import Sequence
from typing import Any

from msgspec import Raw

from longrein.core.messages import Assistant, Content, Note, Reasoning, Text, ToolResult, User
from longrein.models.base import Media, Request, ToolSpec
from longrein.models.body import offered, settings_body
from longrein.models.efforts import accepted, nearest
from longrein.models.files import SEEN, Files, Formats, Medium, Words
from longrein.models.openai_chat_reply import ChatReply
from longrein.models.place import Place, Quirks
from longrein.models.reasoning_details import sent_back
from longrein.models.turns import Side, Turns
from longrein.models.wellformed import (
    NO_OUTPUT,
    arguments,
    call_id,
    encode,
    note_text,
    short_call_id,
    tool_name,
)
from longrein.models.wire import WireModel, bearer

_BREAK = b"\\n\\n"
_HEARD = b'{"role":"assistant","content":"OK."}'
_SOUNDS = {
    "audio/wav": "wav",
    "audio/wave": "wav",
    "audio/x-wav": "wav",
    "audio/mpeg": "mp3",
    "audio/mp3": "mp3",
}
_FORMATS: Formats = {
    **SEEN,
    **dict[str, Media].fromkeys(_SOUNDS, "audio"),
    "video/mp4": "video",
    "video/mpeg": "video",
    "video/webm": "video",
}


class OpenAIChatModel(WireModel):
    """A model behind `/chat/completions`.

    A chat server holds no files in tool results: they are shown in the user's turn that follows.
    """

    def __init__(self, place: Place) -> None:
        super().__init__(
            place,
            wire="openai_chat",
            path="/chat/completions",
            headers=bearer(place.key),
            dialect=ChatDialect(place.quirks),
            fields=self._begin,
            reply=ChatReply,
        )

    def _begin(self, request: Request, turns: Turns) -> bytes:
        quirks, settings = self._place.quirks, request.settings
        fields: dict[str, Any] = {"model": self._place.model, "stream": True}
        if quirks.stream_usage:
            fields["stream_options"] = {"include_usage": True}
        if settings.max_output is not None:
            fields[quirks.output_field] = settings.max_output
        if settings.temperature is not None:
            fields["temperature"] = settings.temperature
        if settings.effort is not None:
            efforts = accepted(self._place.model, quirks.efforts)
            if effort := nearest(settings.effort, efforts):
                fields["reasoning_effort"] = effort
        return settings_body(fields, settings.extra)


class ChatDialect:
    """How chat completions write a conversation.

    Pieces of what was said are JSON strings, joined into one where nothing else is among them:
    every server accepts a string, not every server a list.
    """

    formats = _FORMATS

    def __init__(self, quirks: Quirks) -> None:
        self._call_id = short_call_id if quirks.short_call_ids else call_id
        self._reasoning_field = quirks.reasoning_field
        self._reasoning_details = quirks.reasoning_details
        self._between = [_HEARD] if quirks.answer_before_user else []

    def opening(self, system: str, tools: Sequence[ToolSpec]) -> bytes:
        specs = [
            {
                "type": "function",
                "function": {"name": name, "description": tool.description, "parameters": schema},
            }
            for name, tool, schema in offered(tools)
        ]
        fragment = b',"tools":' + encode(specs) if specs else b""
        first = encode({"role": "system", "content": system}) + b"," if system.strip() else b""
        return fragment + b',"messages":[' + first

    def said(self, message: User | Note, files: Files) -> list[bytes]:
        if isinstance(message, Note):
            return [encode(note_text(message))]
        return [piece for part in message.parts for piece in _piece(part, files)]

    def result(self, message: ToolResult, files: Files) -> tuple[bytes, list[bytes]]:
        pieces = [piece for part in message.parts for piece in _piece(part, files)]
        words = [piece for piece in pieces if piece.startswith(b'"')]
        media = [piece for piece in pieces if not piece.startswith(b'"')]
        name = tool_name(message.name)
        beside = [encode(f"(from the tool {name})"), *media] if media else []
        if not words:
            words = [encode("(see the files below)" if media else NO_OUTPUT)]
        result = encode(
            {
                "role": "tool",
                "tool_call_id": self._call_id(message.call),
                "content": Raw(_joined(words)),
            }
        )
        return result, beside

    def spoke(self, message: Assistant, model: str) -> bytes:
        text = "".join(p.text for p in message.parts if isinstance(p, Text))
        calls = [
            {
                "id": self._call_id(call.id),
                "type": "function",
                "function": {
                    "name": tool_name(call.name),
                    "arguments": arguments(call.arguments).decode(),
                },
            }
            for call in message.calls
        ]
        if not text.strip() and not calls:
            return b""
        turn: dict[str, Any] = {"role": "assistant", "content": text if text.strip() else None}
        turn |= self._thoughts(message, model)
        if calls:
            turn["tool_calls"] = calls
        return encode(turn)

    def _thoughts(self, message: Assistant, model: str) -> dict[str, Any]:
        own = [p for p in message.parts if isinstance(p, Reasoning) and p.model == model]
        if own and self._reasoning_details:
            details = sent_back([part.signature for part in own])
            if details:
                return {"reasoning_details": details}
        thought = "".join(part.text for part in own)
        return {self._reasoning_field: thought} if thought and self._reasoning_field else {}

    def close(self, results: Sequence[bytes], said: Sequence[bytes]) -> Side:
        turns = list(results)
        if said:
            if results:
                turns += self._between
            if all(piece.startswith(b'"') for piece in said):
                content = _joined(said)
            else:
                content = b"[" + b",".join(_part(piece) for piece in said) + b"]"
            turns.append(b'{"role":"user","content":' + content + b"}")
        side = b",".join(turns)
        return Side(side, side)


def _piece(part: Content, files: Files) -> list[bytes]:
    if isinstance(part, Text):
        return [encode(part.text)] if part.text.strip() else []
    match files.show(part):
        case Words(text):
            return [encode(text)]
        case Medium(kind="pdf" | "audio", url=url, name=name) as medium if url:
            return [encode(f"[the {medium.kind} file{name and f' {name}'} is at {url}]")]
        case Medium() as medium:
            return [encode(_shown(medium))]


def _shown(medium: Medium) -> dict[str, Any]:
    match medium.kind:
        case "image":
            return {"type": "image_url", "image_url": {"url": medium.address}}
        case "pdf":
            file = {"filename": medium.name, "file_data": medium.address}
            return {"type": "file", "file": file}
        case "audio":
            sound = {"data": medium.data, "format": _SOUNDS[medium.media_type]}
            return {"type": "input_audio", "input_audio": sound}
        case "video":
            # Not of OpenAI: what OpenRouter and vLLM take.
            return {"type": "video_url", "video_url": {"url": medium.address}}


def _part(piece: bytes) -> bytes:
    return b'{"type":"text","text":' + piece + b"}" if piece.startswith(b'"') else piece


def _joined(strings: Sequence[bytes]) -> bytes:
    return b'"' + _BREAK.join(string[1:-1] for string in strings) + b'"'
