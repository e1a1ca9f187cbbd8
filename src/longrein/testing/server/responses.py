"""OpenAI responses."""

import json
import re
from collections.abc import Iterator

import msgspec
from msgspec import Struct

from longrein.core.messages import (
    Assistant,
    Content,
    File,
    Message,
    Note,
    Reasoning,
    Text,
    ToolCall,
    ToolResult,
    User,
)
from longrein.models.base import Request, ToolSpec
from longrein.testing.replies import ErrorPiece, Reply
from longrein.testing.server.responses_events import stream
from longrein.testing.server.strict import check
from longrein.testing.server.wires import Frame, Refused, Wire, decode, no_blobs, openai_error

_ITEM = re.compile(rb'": ?"(function_call(?:_output)?|reasoning|assistant|user)"')


class _Part(Struct):
    type: str
    text: str = ""


class _Item(Struct):
    type: str = "message"
    id: str = ""
    role: str = ""
    content: str | list[_Part] | None = None
    call_id: str = ""
    name: str = ""
    arguments: str = ""
    output: str | list[_Part] = ""
    summary: list[_Part] = []
    encrypted_content: str | None = None


class _Tool(Struct):
    name: str
    description: str = ""
    parameters: msgspec.Raw = msgspec.Raw(b'{"type":"object"}')


class _Body(Struct):
    model: str
    input: str | list[_Item]
    instructions: str | None = None
    tools: list[_Tool] = []
    stream: bool = False


class ResponsesWire:
    """`POST /v1/responses`."""

    path = "/v1/responses"

    def read(self, body: bytes, *, strict: bool) -> Request:
        sent = decode(body, _Body)
        items = (
            [_Item(role="user", content=sent.input)] if isinstance(sent.input, str) else sent.input
        )
        request = Request(
            model=sent.model,
            system=sent.instructions or "",
            tools=tuple(ToolSpec(t.name, t.description, t.parameters) for t in sent.tools),
            messages=_common(items),
            load=no_blobs,
        )
        if strict:
            _check_items(items)
            check(request, streamed=sent.stream)
        return request

    def spoken(self, body: bytes) -> int:
        turns = 0
        speaking = False
        for found in _ITEM.finditer(body):
            model = found.group(1) in (b"function_call", b"reasoning", b"assistant")
            turns += model and not speaking
            speaking = model
        return turns

    def reports(self, body: bytes) -> bool:
        return True

    def frames(self, reply: Reply, number: int, *, usage: bool) -> Iterator[Frame]:
        return stream(reply, number)

    def failure(self, error: ErrorPiece) -> tuple[int, bytes]:
        status, said = openai_error(error)
        return status, json.dumps({"error": said}).encode()


def _common(items: list[_Item]) -> list[Message]:
    messages: list[Message] = []
    said: list[Text | Reasoning | ToolCall] = []
    for item in items:
        parts = _said(item)
        if parts is not None:
            said.extend(parts)
            continue
        if said:
            messages.append(Assistant(tuple(said)))
            said = []
        messages.append(_heard(item))
    return [*messages, Assistant(tuple(said))] if said else messages


def _said(item: _Item) -> list[Text | Reasoning | ToolCall] | None:
    """What the model said by this item; None where somebody else did."""
    match item.type, item.role:
        case "reasoning", _:
            text = "\n".join(part.text for part in item.summary)
            return [Reasoning(text, item.encrypted_content or "", provider_id=item.id)]
        case "function_call", _:
            return [ToolCall(item.call_id, item.name, item.arguments)]
        case "message", "assistant":
            return [part for part in _contents(item.content) if isinstance(part, Text)]
        case _:
            return None


def _heard(item: _Item) -> Message:
    match item.type, item.role:
        case "function_call_output", _:
            return ToolResult(item.call_id, "", _contents(item.output))
        case "message", "user":
            return User(_contents(item.content))
        case "message", "developer" | "system":
            parts = _contents(item.content)
            return Note("\n".join(part.text for part in parts if isinstance(part, Text)))
        case kind, role:
            raise Refused(f"input: unknown item {kind!r} of {role!r}")


def _contents(content: str | list[_Part] | None) -> tuple[Content, ...]:
    if content is None:
        return ()
    if isinstance(content, str):
        return (Text(content),)
    return tuple(Text(part.text) if "text" in part.type else File(part.type) for part in content)


def _check_items(items: list[_Item]) -> None:
    prefixes = {"reasoning": "rs", "function_call": "fc"}
    for place, item in enumerate(items):
        prefix = prefixes.get(item.type, "msg" if item.role == "assistant" else "")
        if item.id and not item.id.startswith(prefix):
            raise Refused(f"input[{place}].id: expected an ID that begins with '{prefix}'")
        if item.type == "reasoning" and not _goes_on(items, place):
            raise Refused(
                f"Item {item.id!r} of type 'reasoning' was provided without its"
                " required following item."
            )


def _goes_on(items: list[_Item], place: int) -> bool:
    return place + 1 < len(items) and _said(items[place + 1]) is not None


_FITS: type[Wire] = ResponsesWire
