"""Every model of Pydantic AI through the one port: the extra `longrein[pydantic-ai]`.

The wires of this package are much cheaper per step; this adapter is for the providers that they do
not speak to.
"""

import json
from collections.abc import AsyncGenerator, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack

from pydantic_ai import exceptions as failures
from pydantic_ai import messages as theirs
from pydantic_ai.direct import model_request_stream
from pydantic_ai.models import Model as TheirModel
from pydantic_ai.models import StreamedResponse, infer_model

from longrein.core.errors import (
    Auth,
    BadRequest,
    ContextOverflow,
    Filtered,
    ModelError,
    Network,
    Overloaded,
    RateLimited,
    UsageError,
)
from longrein.core.usage import Usage
from longrein.models.base import (
    CallDelta,
    Delta,
    Model,
    ReasoningDelta,
    Request,
    Stop,
    Stopped,
    TextDelta,
)
from longrein.models.errors import advised
from longrein.models.files import advice
from longrein.models.pydantic_ai_history import formats, history, parameters, settings

_STOPS: dict[theirs.FinishReason | None, Stop] = {
    "length": "length",
    "content_filter": "filtered",
    "error": "other",
}

_KINDS: tuple[tuple[type[Exception], type[ModelError]], ...] = (
    (failures.ModelContextWindowExceededError, ContextOverflow),
    (failures.ModelAuthenticationError, Auth),
    (failures.ModelQuotaExceededError, Auth),
    (failures.ModelRateLimitError, RateLimited),
    (failures.ModelUnavailableError, Overloaded),
    (failures.ModelServerError, Overloaded),
    (failures.ModelConnectionError, Network),
    (failures.ModelRequestTimeout, Network),
    (failures.ModelRequestRejectedError, BadRequest),
    (failures.ContentFilterError, Filtered),
    (failures.UnexpectedModelBehavior, Overloaded),
    (failures.UserError, BadRequest),
)
"""Their exceptions and ours; the first that fits counts."""


class PydanticAIModel:
    """A model of Pydantic AI, by its name (`google:gemini-...`) or as an object.

    Raises `UsageError` for a name that Pydantic AI does not know, a package that it needs and does
    not find, or a missing key.

    >>> PydanticAIModel("test").wire
    'pydantic_ai'
    """

    def __init__(self, name_or_model: str | TheirModel) -> None:
        try:
            self._model = infer_model(name_or_model)
        except (failures.UserError, ImportError, ValueError) as error:
            raise UsageError(str(error)) from error
        self._formats = formats(self._model)
        self._opened = AsyncExitStack()
        self._open = False

    @property
    def wire(self) -> str:
        return "pydantic_ai"

    async def stream(self, request: Request) -> AsyncGenerator[Delta, None]:
        try:
            async with await self._opened_for(request) as response:
                try:
                    reading = _Reading()
                    async for event in response:
                        for delta in reading.deltas(event):
                            yield delta
                    for delta in reading.end(response):
                        yield delta
                finally:
                    await _hang_up(response)
        except ModelError:
            raise
        except Exception as error:  # Protects the run from whatever a vendor's client raises.
            ours = _translated(error)
            # An adapter that cannot write a request down raises whatever it likes.
            if type(ours) in (BadRequest, ModelError):
                ours = advised(ours, advice(request, self._formats))
            raise ours from error

    async def close(self) -> None:
        self._open = False
        await self._opened.aclose()

    async def _opened_for(self, request: Request) -> AbstractAsyncContextManager[StreamedResponse]:
        if not self._open:
            # The provider keeps one HTTP client from the first request until `close`.
            self._open = True
            await self._opened.enter_async_context(self._model)
        return model_request_stream(
            self._model,
            await history(request, self._model.system, self._formats),
            model_settings=settings(request),
            model_request_parameters=parameters(request.tools),
        )


class _Reading:
    """The deltas of one answer, told from the events of its parts."""

    def __init__(self) -> None:
        self._thoughts: dict[int, int] = {}
        self._calls: dict[int, int] = {}

    def deltas(self, event: theirs.ModelResponseStreamEvent) -> Iterator[Delta]:
        match event:
            case theirs.PartStartEvent(index=place, part=part):
                yield from self._begun(place, part)
            case theirs.PartDeltaEvent(index=place, delta=delta):
                yield from self._grown(place, delta)
            case _:
                pass

    def end(self, response: StreamedResponse) -> Iterator[Delta]:
        """What is only known at the end: signatures, the reason to stop, the usage."""
        whole = response.get()
        if whole.state == "incomplete":
            raise Network("The stream ended before the answer was complete.")
        for place, part in enumerate(whole.parts):
            if isinstance(part, theirs.ThinkingPart) and (part.signature or part.id):
                redacted = not part.content and bool(part.signature)
                index = self._thoughts.setdefault(place, len(self._thoughts))
                yield ReasoningDelta("", index, part.signature or "", part.id or "", redacted)
        otherwise: Stop = "calls" if self._calls else "end"
        yield Stopped(_STOPS.get(whole.finish_reason, otherwise), _usage(whole))

    def _begun(self, place: int, part: theirs.ModelResponsePart) -> Iterator[Delta]:
        match part:
            case theirs.TextPart(content=text):
                if text:
                    yield TextDelta(text)
            case theirs.ThinkingPart(content=text):
                index = self._thoughts.setdefault(place, len(self._thoughts))
                if text:
                    yield ReasoningDelta(text, index)
            case theirs.ToolCallPart():
                index = self._calls.setdefault(place, len(self._calls))
                yield CallDelta(index, _written(part.args), part.tool_name, part.tool_call_id)
            case _:
                pass

    def _grown(self, place: int, delta: theirs.ModelResponsePartDelta) -> Iterator[Delta]:
        match delta:
            case theirs.TextPartDelta(content_delta=text):
                yield TextDelta(text)
            case theirs.ThinkingPartDelta(content_delta=text):
                if text:
                    yield ReasoningDelta(text, self._thoughts[place])
            case theirs.ToolCallPartDelta():
                if place in self._calls:
                    name = delta.tool_name_delta or ""
                    yield CallDelta(self._calls[place], _written(delta.args_delta), name)
            case _:
                pass


def _written(arguments: str | Mapping[str, object] | None) -> str:
    if arguments is None:
        return ""
    return arguments if isinstance(arguments, str) else json.dumps(arguments)


def _usage(whole: theirs.ModelResponse) -> Usage | None:
    told = whole.usage
    if told.unmeasured_requests or not told.has_values():
        return None
    thought = told.details.get("reasoning_tokens") or told.details.get("thoughts_tokens") or 0
    return Usage(
        told.input_tokens,
        told.output_tokens,
        told.cache_read_tokens,
        told.cache_write_tokens,
        thought,
    )


async def _hang_up(response: StreamedResponse) -> None:
    """Close the connection where the answer was not read to its end."""
    try:
        await response.cancel()
    except NotImplementedError:
        pass  # Leaving the context is all that this model knows.
    except failures.ModelAPIError:
        pass  # Some clients report the connection that was just closed on purpose as lost.


def _translated(error: Exception) -> ModelError:
    if isinstance(error, failures.FallbackExceptionGroup):
        return _translated(error.exceptions[0])
    status = error.status_code if isinstance(error, failures.ModelHTTPError) else 0
    hint = error.retry_after if isinstance(error, failures.ModelAPIError) else None
    kinds = (ours for kind, ours in _KINDS if isinstance(error, kind))
    ours = next(kinds, None) or _by_status(status)
    return ours(str(error) or type(error).__name__, status=status, retry_after=hint)


def _by_status(status: int) -> type[ModelError]:
    """For the few adapters that tell no more than the status."""
    if status >= 500:
        return Overloaded
    known = {0: ModelError, 401: Auth, 403: Auth, 408: Network, 429: RateLimited}
    return known.get(status, BadRequest)


_FITS: type[Model] = PydanticAIModel
