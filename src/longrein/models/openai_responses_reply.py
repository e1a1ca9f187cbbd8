"""Reading the stream of OpenAI's responses."""

from typing import Any, cast

from msgspec import Struct

from longrein.core.usage import Usage
from longrein.models.base import Delta, ReasoningDelta, Stop, Stopped, TextDelta
from longrein.models.errors import broken
from longrein.models.reading import CallPieces, Forgiving, count, stream_error
from longrein.models.secret import Secret

_INCOMPLETE: dict[str, Stop] = {
    "max_output_tokens": "length",
    "max_tokens": "length",
    "content_filter": "filtered",
}
_ENDS = frozenset({"response.completed", "response.incomplete", "response.done"})
_FAILURES = frozenset({"response.failed", "response.cancelled", "error"})


class _Item(Struct, gc=False):
    type: str = ""
    id: Any = None
    call_id: Any = None
    name: Any = None
    arguments: Any = None
    encrypted_content: Any = None
    content: Any = None


class _Response(Struct, gc=False):
    usage: Any = None
    incomplete_details: Any = None
    error: Any = None


class _Event(Struct, gc=False):
    type: str = ""
    delta: Any = None
    output_index: int | None = None
    summary_index: int | None = None
    item: _Item | None = None
    response: _Response | None = None
    error: Any = None


_events = Forgiving(_Event)


class ResponsesReply:
    """One answer in the making: events in, deltas out."""

    def __init__(self, secret: Secret) -> None:
        self.done = False
        self._secret = secret
        self._calls = CallPieces()
        self._refusal = ""
        self._told: set[int | None] = set()
        """Output items whose text came in pieces."""
        self._thoughts: dict[int | None, int] = {}
        self._summary: tuple[int | None, int | None] | None = None

    def take(self, events: list[bytes]) -> list[Delta]:
        out: list[Delta] = []
        decode = _events.decode
        for data in events:
            try:
                event = decode(data)
            except (ValueError, RecursionError):
                if data.strip() == b"[DONE]":
                    continue
                event = _events.mend(data)
            if event.type == "response.output_text.delta":
                self._told.add(event.output_index)
                if event.delta:
                    out.append(TextDelta(event.delta))
            elif event.type == "response.function_call_arguments.delta":
                self._calls.take(event.output_index, None, None, event.delta, out)
            else:
                self._other(event, data, out)
        return out

    def end(self) -> list[Delta]:
        """Nothing more; a stream without its last event was cut."""
        if not self.done:
            raise broken("it ended before the answer did")
        return []

    def _other(self, event: _Event, data: bytes, out: list[Delta]) -> None:
        kind = event.type
        if kind in ("response.reasoning_summary_text.delta", "response.reasoning_text.delta"):
            self._think(event, out)
        elif kind == "response.refusal.delta":
            self._refusal += event.delta if isinstance(event.delta, str) else ""
        elif kind == "response.output_item.added" and event.item is not None:
            if event.item.type == "function_call":
                item = event.item
                id = item.call_id or item.id
                self._calls.take(event.output_index, id, item.name, item.arguments, out)
        elif kind == "response.output_item.done" and event.item is not None:
            self._item(event.output_index, event.item, out)
        elif kind in _ENDS:
            self._stop(event.response or _Response(), out)
        elif kind in _FAILURES or event.error is not None:
            raise stream_error(data, self._secret)

    def _think(self, event: _Event, out: list[Delta]) -> None:
        if not isinstance(event.delta, str) or not event.delta:
            return
        index = self._thoughts.setdefault(event.output_index, len(self._thoughts))
        place = (event.output_index, event.summary_index)
        before, self._summary = self._summary, place
        gap = "\n\n" if before and before[0] == place[0] and before != place else ""
        out.append(ReasoningDelta(gap + event.delta, index))

    def _item(self, index: int | None, item: _Item, out: list[Delta]) -> None:
        """What a finished item holds beyond the pieces that came of it."""
        if item.type == "reasoning":
            number = self._thoughts.setdefault(index, len(self._thoughts))
            signature = item.encrypted_content if isinstance(item.encrypted_content, str) else ""
            id = item.id if isinstance(item.id, str) else ""
            if signature or id:
                out.append(ReasoningDelta("", number, signature, id))
        elif item.type == "function_call" and not self._calls.started(index):
            id = item.call_id or item.id
            self._calls.take(index, id, item.name, item.arguments, out)
        elif item.type == "message" and index not in self._told:
            for part in cast("list[Any]", item.content or []):
                fields = cast("dict[str, Any]", part) if isinstance(part, dict) else {}
                text = fields.get("text")
                if isinstance(text, str) and text:
                    out.append(TextDelta(text))

    def _stop(self, response: _Response, out: list[Delta]) -> None:
        self._calls.flush(out)
        details = response.incomplete_details
        why = cast("dict[str, Any]", details).get("reason") if isinstance(details, dict) else None
        reason: Stop = "calls" if self._calls else "end"
        if why:
            reason = _INCOMPLETE.get(str(why), "other")
        if self._refusal:
            reason = "filtered"
        out.append(Stopped(reason, _usage(response.usage), self._refusal))
        self.done = True


def _usage(fields: Any) -> Usage | None:
    if not isinstance(fields, dict):
        return None
    return Usage(
        count(fields, "input_tokens"),
        count(fields, "output_tokens"),
        count(fields, "input_tokens_details", "cached_tokens"),
        count(fields, "input_tokens_details", "cache_write_tokens"),
        count(fields, "output_tokens_details", "reasoning_tokens"),
    )
