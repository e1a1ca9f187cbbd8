"""Reading the stream of OpenAI's chat completions, as the many servers that speak it write it."""

from typing import Any, cast

from msgspec import Struct

from longrein.core.errors import Overloaded
from longrein.core.usage import Usage
from longrein.models.base import Delta, ReasoningDelta, Stop, Stopped, TextDelta
from longrein.models.errors import broken
from longrein.models.reading import CallPieces, Forgiving, count, stream_error
from longrein.models.reasoning_details import ReasoningDetails
from longrein.models.secret import Secret

_STOPS: dict[str, Stop] = {
    "stop": "end",
    "end_turn": "end",
    "eos": "end",
    "tool_calls": "calls",
    "function_call": "calls",
    "length": "length",
    "max_tokens": "length",
    "model_length": "length",
    "content_filter": "filtered",
}


class _Function(Struct, gc=False):
    name: Any = None
    arguments: Any = None


class _Call(Struct, gc=False):
    index: Any = None
    id: Any = None
    function: _Function | None = None


class _Delta(Struct, gc=False):
    content: Any = None
    reasoning_content: Any = None
    reasoning: Any = None
    reasoning_details: list[Any] | None = None
    refusal: Any = None
    tool_calls: list[_Call] | None = None


class _Choice(Struct, gc=False):
    delta: _Delta | None = None
    message: _Delta | None = None
    finish_reason: Any = None
    usage: Any = None


class _Chunk(Struct, gc=False):
    choices: list[_Choice] | None = None
    usage: Any = None
    error: Any = None
    object: Any = None


_chunks = Forgiving(_Chunk)


class ChatReply:
    """One answer in the making: events in, deltas out."""

    def __init__(self, secret: Secret) -> None:
        self.done = False
        self._secret = secret
        self._calls = CallPieces()
        self._usage: Usage | None = None
        self._finish = ""
        self._ended = False
        self._refusal = ""
        self._details = ReasoningDetails()
        self._thought = -1
        self._thinking = False

    def take(self, events: list[bytes]) -> list[Delta]:
        out: list[Delta] = []
        decode = _chunks.decode
        for data in events:
            try:
                chunk = decode(data)
            except (ValueError, RecursionError):
                if data.strip() == b"[DONE]":
                    self.done = True
                    out += self.end()
                    break
                chunk = _chunks.mend(data)
            if chunk.choices:
                choice = chunk.choices[0]
                delta = choice.delta or choice.message
                if delta is not None:
                    content = delta.content
                    # The common chunk is nothing but text; it takes no further call.
                    if content.__class__ is str and content:
                        self._thinking = False
                        out.append(TextDelta(content))
                        if (
                            delta.tool_calls
                            or delta.reasoning_details
                            or delta.reasoning_content
                            or delta.reasoning
                        ):
                            self._rest(delta, out)
                    else:
                        self._rest(delta, out)
                if choice.finish_reason:
                    self._finish = str(choice.finish_reason)
                if choice.usage is not None:
                    self._usage = _usage(choice.usage)
            if chunk.usage is not None:
                self._usage = _usage(chunk.usage)
            if chunk.error is not None or chunk.object == "error":
                raise stream_error(data, self._secret)
        return out

    def end(self) -> list[Delta]:
        """The last deltas, once; a stream that has neither finish reason nor [DONE] was cut."""
        if self._ended:
            return []
        if not self.done and not self._finish:
            raise broken("it ended before the answer did")
        if self._finish == "error":
            raise Overloaded("the provider gave up in the middle of the answer")
        out: list[Delta] = []
        self._calls.flush(out)
        signature = self._details.signature()
        if signature:
            out.append(ReasoningDelta("", max(self._thought, 0), signature))
        reason = _STOPS.get(self._finish, "other") if self._finish else "end"
        if reason == "end" and self._calls:
            reason = "calls"
        if self._refusal:
            reason = "filtered"
        out.append(Stopped(reason, self._usage, self._refusal))
        self._ended = True
        return out

    def _rest(self, delta: _Delta, out: list[Delta]) -> None:
        thought = delta.reasoning_content or delta.reasoning
        if thought.__class__ is str:
            self._think(cast("str", thought), out)
        if delta.tool_calls:
            self._thinking = False
            for call in delta.tool_calls:
                function = call.function or _Function()
                self._calls.take(call.index, call.id, function.name, function.arguments, out)
        if delta.reasoning_details:
            self._details.take(delta.reasoning_details)
        if delta.refusal.__class__ is str:
            self._refusal += delta.refusal
        if delta.content.__class__ is list:
            self._parts(delta.content, out)

    def _think(self, text: str, out: list[Delta]) -> None:
        if not self._thinking:
            self._thinking = True
            self._thought += 1
        out.append(ReasoningDelta(text, self._thought))

    def _parts(self, parts: Any, out: list[Delta]) -> None:
        # Mistral's reasoning models send content as a list of text and thinking parts.
        for part in cast("list[Any]", parts):
            fields = cast("dict[str, Any]", part) if isinstance(part, dict) else {}
            text = fields.get("text")
            if isinstance(text, str) and text:
                self._thinking = False
                out.append(TextDelta(text))
            for thought in cast("list[Any]", fields.get("thinking") or []):
                said = cast("dict[str, Any]", thought).get("text")
                if isinstance(said, str) and said:
                    self._think(said, out)


def _usage(fields: Any) -> Usage | None:
    if not isinstance(fields, dict):
        return None
    sent = count(fields, "prompt_tokens")
    said = count(fields, "completion_tokens")
    reasoning = count(fields, "completion_tokens_details", "reasoning_tokens")
    # xAI counts what was thought beside what was said, all others as a part of it.
    if reasoning and count(fields, "total_tokens") == sent + said + reasoning:
        said += reasoning
    return Usage(
        sent,
        said,
        count(fields, "prompt_tokens_details", "cached_tokens")
        or count(fields, "prompt_cache_hit_tokens"),
        count(fields, "prompt_tokens_details", "cache_write_tokens"),
        reasoning,
    )
