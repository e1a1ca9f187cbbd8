"""The rules of the strictest provider of each wire, checked on a body as it is sent."""

import json
import re
from typing import Any

NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
ID = re.compile(r"[a-zA-Z0-9_-]{1,40}")


def check(wire: str, body: bytes) -> dict[str, Any]:
    """The body, decoded; fails where a provider would refuse it."""
    text = body.decode("utf-8")
    value = json.loads(text, object_pairs_hook=_once)
    no_surrogates(value)
    {"chat": check_chat, "responses": check_responses, "anthropic": check_anthropic}[wire](value)
    return value


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    assert len({key for key, _ in pairs}) == len(pairs), f"a field twice: {pairs}"
    return dict(pairs)


def no_surrogates(value: Any) -> None:
    json.dumps(value, ensure_ascii=False).encode("utf-8")


def check_anthropic(body: dict[str, Any]) -> None:
    assert body["max_tokens"] > 0
    assert json.dumps(body).count('"cache_control": {"type": "ephemeral"}') <= 4
    messages = body["messages"]
    roles = [message["role"] for message in messages]
    assert roles == ["user", "assistant"] * (len(roles) // 2) + ["user"]
    open_calls: list[str] = []
    seen: set[str] = set()
    for message in messages:
        blocks = message["content"]
        assert blocks
        if message["role"] == "user":
            assert results_first(blocks, "tool_result")
            results = [b["tool_use_id"] for b in blocks if b["type"] == "tool_result"]
            assert sorted(results) == sorted(open_calls)
            for block in blocks:
                check_block(block)
            open_calls = []
        else:
            open_calls = [b["id"] for b in blocks if b["type"] == "tool_use"]
            assert not seen & set(open_calls)
            seen |= set(open_calls)
            assert blocks[-1]["type"] not in ("thinking", "redacted_thinking")
            for block in blocks:
                check_spoken(block)
    if seen:
        assert body["tools"]


def results_first(blocks: list[Any], kind: str) -> bool:
    kinds = [block["type"] == kind for block in blocks]
    return kinds == sorted(kinds, reverse=True)


def check_block(block: dict[str, Any]) -> None:
    if block["type"] == "text":
        assert block["text"].strip()
    elif block["type"] == "tool_result":
        assert block["content"]
        blocks: list[Any] = [] if isinstance(block["content"], str) else block["content"]
        for inner in blocks:
            check_block(inner)
            assert inner["type"] == "text" or not block.get("is_error")
    else:
        assert block["type"] in ("image", "document")
        assert block["source"]["type"] in ("url", "base64")


def check_spoken(block: dict[str, Any]) -> None:
    if block["type"] == "text":
        assert block["text"].strip()
    elif block["type"] == "tool_use":
        assert NAME.fullmatch(block["name"])
        assert ID.fullmatch(block["id"])
        assert isinstance(block["input"], dict)
    else:
        assert block.get("signature") or block.get("data")


def check_chat(body: dict[str, Any]) -> None:
    messages = [m for m in body["messages"] if m["role"] != "system"]
    assert all(m["role"] != "system" for m in body["messages"][1:])
    open_calls: list[str] = []
    seen: set[str] = set()
    before = "system"
    for message in messages:
        role = message["role"]
        if role == "tool":
            open_calls.remove(message["tool_call_id"])
            assert message["content"].strip()
        else:
            assert not open_calls
            assert role != before
            if role == "user":
                check_content(message["content"])
            else:
                assert before in ("user", "tool")
                open_calls = [check_call(call) for call in message.get("tool_calls", ())]
                assert not seen & set(open_calls)
                seen |= set(open_calls)
                assert (message["content"] or "").strip() or open_calls
        before = role
    assert before in ("user", "tool")
    assert not open_calls


def check_content(content: Any) -> None:
    if isinstance(content, str):
        assert content.strip()
        return
    assert content
    for part in content:
        assert part["type"] in ("text", "image_url", "file", "input_audio", "video_url")
        assert part["type"] != "input_audio" or part["input_audio"]["data"]
        assert part["type"] != "text" or part["text"].strip()


def check_call(call: dict[str, Any]) -> str:
    assert NAME.fullmatch(call["function"]["name"])
    assert ID.fullmatch(call["id"])
    assert isinstance(json.loads(call["function"]["arguments"]), dict)
    return call["id"]


def check_responses(body: dict[str, Any]) -> None:
    assert body["store"] is False
    assert body["input"]
    open_calls: set[str] = set()
    thinking = False
    for item in body["input"]:
        kind = item.get("type", "message")
        if kind == "function_call_output":
            open_calls.remove(item["call_id"])
            assert item["output"]
        elif kind == "function_call":
            assert ID.fullmatch(item["call_id"])
            assert NAME.fullmatch(item["name"])
            assert isinstance(json.loads(item["arguments"]), dict)
            open_calls.add(item["call_id"])
        elif kind == "message":
            assert item["role"] == "assistant" or not open_calls
            assert item["content"]
        assert not thinking or kind in ("function_call", "reasoning") or item["role"] == "assistant"
        thinking = kind == "reasoning"
    assert not open_calls
    assert not thinking
