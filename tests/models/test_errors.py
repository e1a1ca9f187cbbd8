"""Each way to be refused, and how long to wait."""

import json

import pytest

from longrein.core.errors import (
    Auth,
    BadRequest,
    ContextOverflow,
    Filtered,
    ModelError,
    Overloaded,
    RateLimited,
)
from longrein.models.errors import from_response, from_stream
from longrein.models.hints import retry_after
from longrein.models.secret import Secret
from tests.models.provider import KEY, WIRES, Answer, answered, event
from tests.support import run

SECRET = Secret(KEY, "TEST_API_KEY")
NOW = 1_800_000_000.0

REFUSALS: list[tuple[int, str, type[ModelError]]] = [
    (401, '{"error":{"message":"Incorrect API key","code":"invalid_api_key"}}', Auth),
    (401, '{"type":"error","error":{"type":"authentication_error","message":"bad key"}}', Auth),
    (403, '{"error":{"message":"Your key may not use this model"}}', Auth),
    (403, '{"error":{"message":"Your input was flagged by moderation","code":403}}', Filtered),
    (402, '{"error":{"message":"Insufficient credits"}}', Auth),
    (400, '{"error":{"message":"Your credit balance is too low"}}', Auth),
    (429, '{"error":{"message":"Rate limit reached","code":"rate_limit_exceeded"}}', RateLimited),
    (429, '{"type":"error","error":{"type":"rate_limit_error","message":"slow"}}', RateLimited),
    (429, '{"error":{"message":"You exceeded your current quota, see billing"}}', Auth),
    (429, '{"error":{"message":"no","code":"insufficient_quota"}}', Auth),
    (429, '{"error":{"message":"Request too large for gpt on tokens per min"}}', ContextOverflow),
    (529, '{"type":"error","error":{"type":"overloaded_error","message":"busy"}}', Overloaded),
    (500, '{"type":"error","error":{"type":"api_error","message":"oops"}}', Overloaded),
    (500, '{"error":{"message":"image input is not supported","type":"server_error"}}', BadRequest),
    (503, "<html><body>Service Unavailable</body></html>", Overloaded),
    (408, "", Overloaded),
    (400, '{"error":{"message":"x","code":"context_length_exceeded"}}', ContextOverflow),
    (400, '{"error":{"message":"prompt is too long: 213462 tokens > 200000"}}', ContextOverflow),
    (400, '{"error":"the request exceeds the available context size"}', ContextOverflow),
    (500, '{"error":{"message":"tokens is greater than the context length"}}', ContextOverflow),
    (413, '{"error":{"type":"request_too_large","message":"big"}}', ContextOverflow),
    (400, '{"error":{"message":"no","code":"content_filter"}}', Filtered),
    (400, '{"error":{"message":"your prompt was flagged","code":"invalid_prompt"}}', Filtered),
    (400, '{"error":{"message":"failed to call a function","code":"tool_use_failed"}}', Overloaded),
    (400, '{"error":{"type":"invalid_request_error","message":"no such field"}}', BadRequest),
    (404, '{"error":{"message":"no such model","code":"model_not_found"}}', BadRequest),
    (422, '{"detail":[{"loc":["body"],"msg":"field required"}]}', BadRequest),
    (422, '{"object":"error","message":"bad","type":"invalid_request_error"}', BadRequest),
    (400, '[{"error":{"message":"bad","code":400}}]', BadRequest),
    (400, '"bad"', BadRequest),
    (400, "null", BadRequest),
    (307, "", BadRequest),
]


@pytest.mark.parametrize(("status", "body", "kind"), REFUSALS)
def test_a_refusal_has_its_kind(status: int, body: str, kind: type[ModelError]) -> None:
    error = from_response(status, {}, body.encode(), SECRET, NOW)
    assert type(error) is kind
    assert error.status == status
    assert str(error)
    assert error.again == (kind in (RateLimited, Overloaded))


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("number", range(0, len(REFUSALS), 5))
def test_a_refusal_comes_through_the_wire(wire: str, number: int) -> None:
    status, body, kind = REFUSALS[number]
    assert type(run(answered(wire, Answer([body.encode()], status)))) is kind


@pytest.mark.parametrize("wire", WIRES)
def test_retry_after_comes_through_the_wire(wire: str) -> None:
    found = run(answered(wire, Answer([b"{}"], 429, {"Retry-After": "7.5"})))
    assert isinstance(found, RateLimited)
    assert found.retry_after == 7.5


MIDWAY: list[tuple[str, object, type[ModelError]]] = [
    ("chat", {"error": {"message": "busy", "type": "server_error"}}, Overloaded),
    ("chat", {"error": {"message": "slow down", "code": 429}, "choices": []}, RateLimited),
    ("chat", {"error": {"message": "maximum context length is 5"}}, ContextOverflow),
    ("chat", {"object": "error", "message": "bad", "code": 400}, BadRequest),
    ("chat", {"error": "boom"}, Overloaded),
    ("chat", {"error": {"message": "slow", "code": 429}, "response": {"id": "g"}}, RateLimited),
    ("chat", {"choices": [{"delta": {}, "finish_reason": "error"}]}, Overloaded),
    ("responses", {"type": "error", "code": "server_error", "message": "x"}, Overloaded),
    (
        "responses",
        {"type": "response.failed", "response": {"error": {"code": "rate_limit_exceeded"}}},
        RateLimited,
    ),
    (
        "responses",
        {"type": "response.failed", "response": {"error": {"code": "context_length_exceeded"}}},
        ContextOverflow,
    ),
    (
        "responses",
        {"type": "response.failed", "response": {"error": {"code": "invalid_prompt"}}},
        Filtered,
    ),
    ("anthropic", {"type": "error", "error": {"type": "overloaded_error"}}, Overloaded),
    ("anthropic", {"type": "error", "error": {"type": "rate_limit_error"}}, RateLimited),
    ("anthropic", {"type": "error", "error": {"type": "invalid_request_error"}}, BadRequest),
]


@pytest.mark.parametrize(("wire", "value", "kind"), MIDWAY)
def test_an_error_in_the_middle_of_a_stream_has_its_kind(
    wire: str, value: object, kind: type[ModelError]
) -> None:
    assert type(run(answered(wire, Answer([event(value)])))) is kind


@pytest.mark.parametrize("wire", WIRES)
def test_an_error_sent_as_success_is_still_an_error(wire: str) -> None:
    body = json.dumps({"error": {"message": "busy", "type": "server_error"}}).encode()
    answer = Answer([body], headers={"Content-Type": "application/json"})
    assert type(run(answered(wire, answer))) is Overloaded


def test_no_error_shows_the_key_or_half_a_character() -> None:
    value = {"error": {"message": f"key {KEY} \ud800", "code": 401}}
    for error in (
        from_stream(value, SECRET, NOW),
        from_response(401, {}, f"<p>{KEY}</p>".encode(), SECRET, NOW),
    ):
        assert KEY not in str(error)
        str(error).encode()


HINTS: list[tuple[dict[str, str], str, float | None]] = [
    ({}, "", None),
    ({"retry-after": "20"}, "", 20),
    ({"retry-after": "0.5"}, "", 0.5),
    ({"retry-after": "Fri, 15 Jan 2027 08:00:30 GMT"}, "", 30),
    ({"retry-after": "Fri, 15 Jan 2027 07:00:00 GMT"}, "", 0),
    ({"retry-after": "nonsense"}, "", None),
    ({"retry-after-ms": "1500", "retry-after": "2"}, "", 1.5),
    ({"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "6m0s"}, "", 360),
    ({"x-ratelimit-remaining-tokens": "5", "x-ratelimit-reset-tokens": "6m0s"}, "", None),
    ({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "120ms"}, "", 0.12),
    (
        {
            "anthropic-ratelimit-requests-remaining": "0",
            "anthropic-ratelimit-requests-reset": "2027-01-15T08:00:10Z",
        },
        "",
        10,
    ),
    ({"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1800000004000"}, "", 4),
    ({"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1800000004"}, "", 4),
    ({}, "Rate limit reached. Please try again in 1.5s. Visit us.", 1.5),
    ({}, "Please try again in 2m3.5s.", 123.5),
    ({}, "Please retry after 40 seconds", 40),
    ({}, "Try again later", None),
]


@pytest.mark.parametrize(("headers", "message", "seconds"), HINTS)
def test_hints_are_read(headers: dict[str, str], message: str, seconds: float | None) -> None:
    found = retry_after(headers, message, NOW)
    assert found == (None if seconds is None else pytest.approx(seconds))
