"""Pydantic AI's own test model, answering by a script."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import datetime
from typing import Any, TypeAlias

from pydantic_ai import exceptions, messages, usage
from pydantic_ai.models import ModelRequestParameters, StreamedResponse
from pydantic_ai.models.function import AgentInfo, DeltaThinkingPart, DeltaToolCall, FunctionModel
from pydantic_ai.settings import ModelSettings
from pydantic_ai.tools import RunContext

from longrein.core.messages import Assistant, Message, Text, ToolCall, ToolResult, User
from longrein.models.base import Request, Stop
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
    chunks,
)
from longrein.testing.scripted import Replies

Chunk: TypeAlias = str | dict[int, DeltaToolCall] | dict[int, DeltaThinkingPart]

REASONS: dict[Stop, messages.FinishReason] = {
    "end": "stop",
    "calls": "tool_call",
    "length": "length",
    "filtered": "content_filter",
    "other": "error",
}

FAILURES: dict[ErrorKind, Exception] = {
    "auth": exceptions.ModelAuthenticationError("told", "no key"),
    "rate_limited": exceptions.ModelRateLimitError("told", "slow", retry_after=7),
    "overloaded": exceptions.ModelOverloadedError("told", "busy"),
    "context_overflow": exceptions.ModelContextWindowExceededError("told", "long"),
    "filtered": exceptions.ContentFilterError("not this"),
    "bad_request": exceptions.ModelRequestRejectedError("told", "odd"),
    "network": exceptions.ModelConnectionError("told", "gone"),
}


class ToldModel(FunctionModel):
    """Answers by `replies`; keeps what it was asked in `seen`."""

    def __init__(self, replies: Replies) -> None:
        super().__init__(stream_function=self.answer)
        self.replies = replies
        self.seen: list[list[messages.ModelMessage]] = []
        self.infos: list[AgentInfo] = []
        self.open = 0

    async def answer(
        self, asked: list[messages.ModelMessage], info: AgentInfo
    ) -> AsyncIterator[Chunk]:
        self.seen.append(asked)
        self.infos.append(info)
        self.open += 1
        try:
            async for chunk in _chunks(self.replies(_request(asked))):
                yield chunk
        finally:
            self.open -= 1

    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[messages.ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: RunContext[Any] | None = None,
    ) -> AsyncGenerator[StreamedResponse]:
        said = self.replies(_request(messages))
        async with super().request_stream(
            messages, model_settings, model_request_parameters, run_context
        ) as response:
            response.finish_reason = REASONS[said.reason]
            yield _Measured(response, said)


class _Measured(StreamedResponse):
    """The same answer with the usage that the script gives it."""

    def __init__(self, inner: StreamedResponse, said: Reply) -> None:
        super().__init__(inner.model_request_parameters)
        self.inner = inner
        self.said = said

    def __aiter__(self) -> AsyncIterator[messages.ModelResponseStreamEvent]:
        return self.inner.__aiter__()

    def _get_event_iterator(self) -> AsyncIterator[messages.ModelResponseStreamEvent]:
        return self.inner.__aiter__()

    def get(self) -> messages.ModelResponse:
        return replace(self.inner.get(), usage=self.usage)

    @property
    def usage(self) -> usage.RequestUsage:
        if self.said.usage is None:
            return usage.RequestUsage()
        return usage.RequestUsage(
            input_tokens=self.said.usage.input,
            output_tokens=self.said.usage.output,
            cache_read_tokens=self.said.usage.cached,
        )

    async def close_stream(self) -> None:
        await self.inner.close_stream()

    @property
    def model_name(self) -> str:
        return "told"

    @property
    def provider_name(self) -> str:
        return "function"

    @property
    def provider_url(self) -> None:
        return None

    @property
    def timestamp(self) -> datetime:
        return self.inner.timestamp


async def _chunks(said: Reply) -> AsyncIterator[Chunk]:
    yield ""
    for place, piece in enumerate(said.pieces):
        match piece:
            case TextPiece():
                for text in chunks(piece.text, piece.size):
                    yield text
            case ReasoningPiece():
                yield {place: DeltaThinkingPart(content=piece.text, signature=piece.signature)}
            case CallPiece():
                id = piece.provider_id or f"call_{place}"
                yield {place: DeltaToolCall(piece.name, "", tool_call_id=id)}
                for text in chunks(piece.text, piece.size):
                    yield {place: DeltaToolCall(json_args=text)}
            case ErrorPiece():
                raise FAILURES[piece.kind]
            case BreakPiece():
                raise FAILURES["network"]
            case PausePiece():
                await asyncio.sleep(60 if piece.seconds is None else piece.seconds)
            case NoisePiece():
                pass


def _request(asked: list[messages.ModelMessage]) -> Request:
    common = [message for theirs in asked for message in _common(theirs)]
    return Request("told", "", (), common, _no_blobs)


def _common(message: messages.ModelMessage) -> list[Message]:
    if isinstance(message, messages.ModelResponse):
        calls = [p for p in message.parts if isinstance(p, messages.ToolCallPart)]
        return [
            Assistant(
                tuple(ToolCall(p.tool_call_id, p.tool_name, p.args_as_json_str()) for p in calls)
            )
        ]
    found: list[Message] = []
    for part in message.parts:
        if isinstance(part, messages.ToolReturnPart):
            found.append(ToolResult(part.tool_call_id, part.tool_name, ()))
        elif isinstance(part, messages.UserPromptPart):
            texts = [part.content] if isinstance(part.content, str) else part.content
            found.append(User(tuple(Text(text) for text in texts if isinstance(text, str))))
    return found


async def _no_blobs(name: str) -> bytes:
    raise KeyError(name)
