"""A provider's refusal, translated once: status, headers and body in, a `ModelError` out."""

import json
import re
from collections.abc import Mapping
from typing import Any, cast

from msgspec import Struct

from longrein.core.errors import (
    Auth,
    BadRequest,
    ContextOverflow,
    Filtered,
    ModelError,
    Network,
    Overloaded,
    RateLimited,
)
from longrein.models.hints import retry_after
from longrein.models.secret import Secret
from longrein.models.wellformed import clean

_LONGEST = 2000

_OVERFLOW = re.compile(
    r"prompt is too long|input is too long|exceeds? the (available )?context|context.?window"
    r"|context.?length|context size|maximum (prompt|context) length|input token count.*exceeds"
    r"|reduce the length of the (messages|input|prompt)|too many (input )?tokens|request too large"
    r"|greater than the context|prompt too long|exceeded model token limit|tokens must be reduced"
    r"|input length.*exceeds?|token limit exceeded|too large for model with",
    re.IGNORECASE,
)
_FILTER = re.compile(
    r"content[ _-]?(filter|policy)|moderation|flagged|usage polic|safety (system|filter)"
    r"|data_inspection_failed|responsible ?ai",
    re.IGNORECASE,
)
# llama.cpp says so with status 500, as if it could be otherwise the next time.
_UNSEEN = re.compile(r"(image|audio) input is not supported", re.IGNORECASE)
_MONEY = re.compile(
    r"insufficient[ _-]?(quota|balance|credits?|funds)|exceeded your current quota|credit balance"
    r"|billing|spend.{0,12}limit|credits? (exhausted|depleted)|payment required|usage limit",
    re.IGNORECASE,
)
_BY_TYPE: dict[str, type[ModelError]] = {
    "authentication_error": Auth,
    "permission_error": Auth,
    "billing_error": Auth,
    "invalid_api_key": Auth,
    "insufficient_quota": Auth,
    "rate_limit_error": RateLimited,
    "rate_limit_exceeded": RateLimited,
    "too_many_requests": RateLimited,
    "overloaded_error": Overloaded,
    "api_error": Overloaded,
    "server_error": Overloaded,
    "internal_server_error": Overloaded,
    "timeout_error": Overloaded,
    "service_unavailable": Overloaded,
    "vector_store_timeout": Overloaded,
    "tool_use_failed": Overloaded,  # Groq: the model wrote a call that does not parse
    "request_too_large": ContextOverflow,
    "context_length_exceeded": ContextOverflow,
    "content_filter": Filtered,
    "content_policy_violation": Filtered,
    "invalid_prompt": Filtered,
    "invalid_request_error": BadRequest,
    "not_found_error": BadRequest,
}


class Complaint(Struct, frozen=True):
    """What a provider says is wrong, whatever shape it says it in."""

    message: str
    names: tuple[str, ...] = ()
    """The machine-readable words that came with it: type and code."""
    status: int = 0


def from_response(
    status: int, headers: Mapping[str, str], body: bytes, secret: Secret, now: float
) -> ModelError:
    """The error that a response of `status` stands for; its text never holds the key."""
    complaint = read_complaint(body)
    hint = retry_after(headers, complaint.message, now)
    text = complaint.message or f"the provider answered with status {status}"
    return _kind(complaint, status)(_shown(text, secret), status=status, retry_after=hint)


def from_stream(value: Any, secret: Secret, now: float) -> ModelError:
    """The error that was sent in the middle of a stream."""
    complaint = _complaint(value)
    hint = retry_after({}, complaint.message, now)
    text = complaint.message or "the provider reported an error in its stream"
    kind = _kind(complaint, complaint.status or 500)
    return kind(_shown(text, secret), status=complaint.status, retry_after=hint)


def advised(error: ModelError, advice: str) -> ModelError:
    """The same error, its text followed by what to do."""
    if not advice:
        return error
    said = str(error).rstrip()
    stop = "" if said.endswith((".", "!", "?")) else "."
    text = f"{said}{stop} {advice}"
    return type(error)(text, status=error.status, retry_after=error.retry_after)


def broken(reason: str) -> Network:
    """A stream that cannot be read on."""
    return Network(f"broken stream: {reason}")


def read_complaint(body: bytes) -> Complaint:
    """What an error body says: JSON of any known shape, or plain text."""
    try:
        return _complaint(json.loads(body))
    except (ValueError, RecursionError):
        return Complaint(re.sub(r"<[^>]*>|\s+", " ", body.decode("utf-8", "replace")).strip())


def _complaint(value: Any) -> Complaint:
    if isinstance(value, list):
        entries = cast("list[Any]", value)
        return _complaint(entries[0]) if entries else Complaint("")
    if not isinstance(value, dict):
        return Complaint(str(value) if value else "")
    outer = cast("dict[str, Any]", value)
    inner = outer.get("error")
    if isinstance(inner, str):
        return Complaint(inner, _names(outer), _status(outer))
    if isinstance(inner, dict):
        outer = cast("dict[str, Any]", inner)
    message = outer.get("message") or outer.get("detail") or outer.get("error") or ""
    if not isinstance(message, str):
        message = json.dumps(message)
    return Complaint(message + _upstream(outer), _names(outer), _status(outer))


def _names(fields: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(v for key in ("code", "type") if isinstance(v := fields.get(key), str))


def _status(fields: Mapping[str, Any]) -> int:
    for key in ("code", "status", "status_code"):
        number = fields.get(key)
        if isinstance(number, str) and number.isdecimal():
            number = int(number[:4])
        if isinstance(number, int) and 400 <= number < 600:
            return number
    return 0


def _upstream(fields: Mapping[str, Any]) -> str:
    # OpenRouter hides what the real provider said one level down.
    metadata = fields.get("metadata")
    raw = cast("dict[str, Any]", metadata).get("raw") if isinstance(metadata, dict) else None
    return f": {raw}" if isinstance(raw, str) and raw else ""


def _kind(complaint: Complaint, status: int) -> type[ModelError]:
    named = next((_BY_TYPE[name] for name in complaint.names if name in _BY_TYPE), None)
    if named is ContextOverflow or status == 413 or _OVERFLOW.search(complaint.message):
        return ContextOverflow
    if status in (402, 429) or named is RateLimited:
        # Money that ran out does not come back by waiting.
        spent = status == 402 or named is Auth or _MONEY.search(complaint.message)
        return Auth if spent else RateLimited
    if named is Filtered or (status in (400, 403, 422) and _FILTER.search(complaint.message)):
        return Filtered
    if status in (401, 403) or (status == 400 and _MONEY.search(complaint.message)):
        return Auth
    if _UNSEEN.search(complaint.message):
        return BadRequest
    if named is not None and named is not BadRequest:
        return named
    if named is BadRequest and status == 500:
        return BadRequest  # only in a stream, which has no status of its own
    return Overloaded if status >= 500 or status in (408, 409, 425) else BadRequest


def _shown(text: str, secret: Secret) -> str:
    return clean(secret.hide(text))[:_LONGEST]
