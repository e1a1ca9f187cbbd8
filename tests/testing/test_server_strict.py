"""What the strict server refuses: whatever some provider would."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from longrein.testing import Script, say
from longrein.testing.server import ScriptedServer
from tests.support import run
from tests.testing.posting import Answer, conversation, post

Body = dict[str, Any]
Change = Callable[[Body], object]


def refusal(wire: str, change: Change, turns: int = 1) -> tuple[int, str]:
    body = conversation(wire, turns)
    change(body)

    async def ask() -> Answer:
        async with ScriptedServer(Script(otherwise=say("fine"))) as server:
            return await post(server, wire, body)

    answer = run(ask())
    return answer.status, answer.body


def assert_refused(wire: str, change: Change, why: str, turns: int = 1) -> None:
    status, body = refusal(wire, change, turns)
    assert status == 400
    assert why in json.loads(body)["error"]["message"]


@pytest.mark.parametrize("wire", ["chat", "responses", "messages"])
@pytest.mark.parametrize("turns", [0, 1, 3])
def test_a_good_conversation_is_accepted(wire: str, turns: int) -> None:
    assert refusal(wire, lambda body: None, turns)[0] == 200


CHAT: dict[str, tuple[Change, str]] = {
    "no messages": (lambda b: b.update(messages=[]), "at least one"),
    "assistant first": (lambda b: b["messages"].pop(0), "first message"),
    "assistant last": (
        lambda b: b["messages"].append({"role": "assistant", "content": "x"}),
        "must end",
    ),
    "call without result": (
        lambda b: b["messages"].__setitem__(2, {"role": "user", "content": "x"}),
        "without a result",
    ),
    "result without call": (
        lambda b: b["messages"][2].update(tool_call_id="call_x"),
        "has no call",
    ),
    "two results": (lambda b: b["messages"].append(b["messages"][2]), "has no call"),
    "repeated ids": (lambda b: b["messages"].extend(b["messages"][1:3]), "unique"),
    "empty id": (lambda b: _call(b).update(id=""), "does not match"),
    "odd id": (lambda b: _call(b).update(id="call.1"), "does not match"),
    "odd tool name": (lambda b: _call(b)["function"].update(name="a b"), "does not match"),
    "arguments not JSON": (lambda b: _call(b)["function"].update(arguments="{"), "not JSON"),
    "arguments not an object": (
        lambda b: _call(b)["function"].update(arguments="[]"),
        "not an object",
    ),
    "empty text": (lambda b: b["messages"][0].update(content=""), "non-whitespace"),
    "blank text": (lambda b: b["messages"][0].update(content=" \n"), "non-whitespace"),
    "no content": (lambda b: b["messages"][0].update(content=[]), "empty"),
    "empty result": (lambda b: b["messages"][2].update(content=""), "non-whitespace"),
    "lone surrogate": (lambda b: b["messages"][0].update(content="\ud800"), ""),
    "not streamed": (lambda b: b.update(stream=False), "stream"),
    "two tools of one name": (lambda b: b.update(tools=[_tool("a"), _tool("a")]), "unique"),
    "odd declared name": (lambda b: b.update(tools=[_tool("a.b")]), "does not match"),
    "schema not an object": (lambda b: b.update(tools=[_tool("a", type="array")]), "schema"),
    "unknown role": (lambda b: b["messages"][0].update(role="robot"), "role"),
}


def _call(body: Body) -> Body:
    return body["messages"][1]["tool_calls"][0]


def _tool(name: str, type: str = "object") -> Body:
    return {"type": "function", "function": {"name": name, "parameters": {"type": type}}}


@pytest.mark.parametrize("name", CHAT)
def test_chat_refuses(name: str) -> None:
    assert_refused("chat", *CHAT[name])


MESSAGES: dict[str, tuple[Change, str]] = {
    "two user messages in a row": (
        lambda b: b["messages"].append({"role": "user", "content": "x"}),
        "alternate",
    ),
    "no max_tokens": (lambda b: b.pop("max_tokens"), "max_tokens"),
    "text before results": (
        lambda b: b["messages"][2]["content"].insert(0, {"type": "text", "text": "x"}),
        "come first",
    ),
    "input not an object": (
        lambda b: b["messages"][1]["content"][0].update(input=[]),
        "not an object",
    ),
    "thinking last": (
        lambda b: b["messages"][1]["content"].append(
            {"type": "thinking", "thinking": "x", "signature": "y"}
        ),
        "cannot be thinking",
    ),
    "thinking unsigned": (
        lambda b: b["messages"][1]["content"].insert(0, {"type": "thinking", "thinking": "x"}),
        "signature",
    ),
    "empty text block": (
        lambda b: b["messages"][1]["content"].insert(0, {"type": "text", "text": ""}),
        "non-whitespace",
    ),
}


@pytest.mark.parametrize("name", MESSAGES)
def test_messages_refuses(name: str) -> None:
    assert_refused("messages", *MESSAGES[name])


RESPONSES: dict[str, tuple[Change, str]] = {
    "reasoning alone": (
        lambda b: b["input"].append({"type": "reasoning", "id": "rs_1", "summary": []}),
        "required following item",
    ),
    "foreign item id": (lambda b: b["input"][2].update(id="call_1"), "begins with 'fc'"),
    "output without call": (lambda b: b["input"].pop(2), "has no call"),
    "unknown item": (lambda b: b["input"].append({"type": "thing"}), "unknown item"),
}


@pytest.mark.parametrize("name", RESPONSES)
def test_responses_refuses(name: str) -> None:
    assert_refused("responses", *RESPONSES[name])


def test_bytes_that_are_not_utf8_are_refused() -> None:
    async def ask() -> Answer:
        async with ScriptedServer(Script([say("fine")])) as server:
            return await post(server, "chat", b'{"model":"m","messages":[{"role":"\xff"}]}')

    assert run(ask()).status == 400


def test_a_lenient_server_refuses_nothing_that_it_can_read() -> None:
    async def ask() -> Answer:
        async with ScriptedServer(Script([say("fine")]), strict=False) as server:
            return await post(server, "chat", {"model": "m", "messages": []})

    assert run(ask()).status == 200
