"""How OpenAI responses are streamed: items that open, grow and close, each event numbered."""

from collections.abc import Iterator
from typing import Any

from longrein.core.usage import Usage
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
from longrein.testing.server.wires import Frame, event, openai_error


def stream(reply: Reply, number: int) -> Iterator[Frame]:
    """The whole stream of one reply."""
    return _Writer(number).frames(reply)


class _Writer:
    """The events of one response; what is written so far is kept for those that repeat it."""

    def __init__(self, number: int) -> None:
        self._number = number
        self._sequence = 0
        self._called = 0
        self._done: list[dict[str, Any]] = []
        self._text: str | None = None

    def frames(self, reply: Reply) -> Iterator[Frame]:
        yield self._event("response.created", response=self._response("in_progress"))
        yield self._event("response.in_progress", response=self._response("in_progress"))
        for piece in reply.pieces:
            if isinstance(piece, ReasoningPiece | CallPiece):
                yield from self._close_text()
            match piece:
                case TextPiece():
                    yield from self._write(piece)
                case ReasoningPiece():
                    yield from self._think(piece)
                case CallPiece():
                    yield from self._call(piece)
                case PausePiece() | BreakPiece():
                    yield piece
                case NoisePiece():
                    yield piece.text.encode()
                case ErrorPiece():
                    yield from self._fail(piece)
                    return
        yield from self._close_text()
        yield self._end(reply)

    def _write(self, piece: TextPiece) -> Iterator[bytes]:
        if self._text is None:
            self._text = ""
            yield self._opened(self._message("in_progress"))
            part = _text_part("")
            yield self._content("response.content_part.added", part=part)
        for text in chunks(piece.text, piece.size):
            self._text += text
            yield self._content("response.output_text.delta", delta=text)

    def _close_text(self) -> Iterator[bytes]:
        if self._text is None:
            return
        item = self._message("completed")
        yield self._content("response.output_text.done", text=self._text)
        yield self._content("response.content_part.done", part=item["content"][0])
        yield self._closed(item)
        self._text = None

    def _think(self, piece: ReasoningPiece) -> Iterator[bytes]:
        id = piece.provider_id or f"rs_{self._number}_{len(self._done)}"
        item: dict[str, Any] = {"id": id, "type": "reasoning", "summary": []}
        yield self._opened(item)
        if piece.text:
            place = {"item_id": id, "output_index": len(self._done), "summary_index": 0}
            part = {"type": "summary_text", "text": piece.text}
            empty = part | {"text": ""}
            yield self._event("response.reasoning_summary_part.added", **place, part=empty)
            for text in chunks(piece.text, piece.size):
                yield self._event("response.reasoning_summary_text.delta", **place, delta=text)
            yield self._event("response.reasoning_summary_text.done", **place, text=piece.text)
            yield self._event("response.reasoning_summary_part.done", **place, part=part)
            item = item | {"summary": [part]}
        if piece.signature:
            item = item | {"encrypted_content": piece.signature}
        yield self._closed(item)

    def _call(self, piece: CallPiece) -> Iterator[bytes]:
        id = f"fc_{self._number}_{len(self._done)}"
        item: dict[str, Any] = {
            "id": id,
            "type": "function_call",
            "status": "in_progress",
            "call_id": call_id(piece, self._called, self._number),
            "name": piece.name,
            "arguments": "",
        }
        self._called += 1
        yield self._opened(item)
        place = {"item_id": id, "output_index": len(self._done)}
        for text in chunks(piece.text, piece.size):
            yield self._event("response.function_call_arguments.delta", **place, delta=text)
        whole = piece.text
        yield self._event("response.function_call_arguments.done", **place, arguments=whole)
        yield self._closed(item | {"status": "completed", "arguments": whole})

    def _fail(self, piece: ErrorPiece) -> Iterator[bytes]:
        said = openai_error(piece)[1]
        yield self._event("error", code=said["code"], message=said["message"], param=None)
        failed = {"code": said["code"] or "server_error", "message": said["message"]}
        yield self._event("response.failed", response=self._response("failed", error=failed))

    def _end(self, reply: Reply) -> bytes:
        usage = None if reply.usage is None else _usage(reply.usage)
        reasons = {"length": "max_output_tokens", "filtered": "content_filter", "other": "other"}
        reason = reasons.get(reply.reason)
        if reason is None:
            whole = self._response("completed", usage=usage)
            return self._event("response.completed", response=whole)
        cut = self._response("incomplete", usage=usage, incomplete_details={"reason": reason})
        return self._event("response.incomplete", response=cut)

    def _message(self, status: str) -> dict[str, Any]:
        return {
            "id": f"msg_{self._number}_{len(self._done)}",
            "type": "message",
            "status": status,
            "role": "assistant",
            "content": [_text_part(self._text or "")] if status == "completed" else [],
        }

    def _response(self, status: str, **more: Any) -> dict[str, Any]:
        base: dict[str, Any] = {
            "id": f"resp_{self._number}",
            "object": "response",
            "created_at": 1_700_000_000,
            "status": status,
            "error": None,
            "incomplete_details": None,
            "model": "scripted",
            "output": list(self._done),
            "usage": None,
        }
        return base | more

    def _opened(self, item: dict[str, Any]) -> bytes:
        index = len(self._done)
        return self._event("response.output_item.added", output_index=index, item=item)

    def _closed(self, item: dict[str, Any]) -> bytes:
        self._done.append(item)
        index = len(self._done) - 1
        return self._event("response.output_item.done", output_index=index, item=item)

    def _content(self, name: str, **fields: Any) -> bytes:
        index = len(self._done)
        item = f"msg_{self._number}_{index}"
        return self._event(name, item_id=item, output_index=index, content_index=0, **fields)

    def _event(self, name: str, **fields: Any) -> bytes:
        numbered = {"type": name, "sequence_number": self._sequence, **fields}
        self._sequence += 1
        return event(numbered, name)


def _text_part(text: str) -> dict[str, Any]:
    return {"type": "output_text", "text": text, "annotations": []}


def _usage(usage: Usage) -> dict[str, Any]:
    return {
        "input_tokens": usage.input,
        "input_tokens_details": {"cached_tokens": usage.cached},
        "output_tokens": usage.output,
        "output_tokens_details": {"reasoning_tokens": usage.reasoning},
        "total_tokens": usage.total,
    }
