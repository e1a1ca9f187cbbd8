"""What Anthropic sends and what is made of it."""

import base64
import json
from typing import Any

import msgspec
import pytest

from longrein.core.errors import Network
from longrein.core.messages import (
    Assistant,
    File,
    Note,
    Reasoning,
    Text,
    ToolCall,
    ToolResult,
    User,
)
from longrein.core.usage import Usage
from longrein.models.anthropic import AnthropicModel
from longrein.models.anthropic_reply import AnthropicReply
from longrein.models.base import (
    CallDelta,
    Delta,
    ReasoningDelta,
    Request,
    Stopped,
    TextDelta,
    ToolSpec,
)
from longrein.models.place import Place
from longrein.models.secret import Secret
from tests.models.provider import request
from tests.support import run

SECRET = Secret("", "NONE")
LOOK = ToolSpec("look", "Looks.", msgspec.Raw(b'{"type":"object"}'))


def event(kind: str, **fields: object) -> bytes:
    return json.dumps({"type": kind, **fields}).encode()


def start(index: int, **block: object) -> bytes:
    return event("content_block_start", index=index, content_block=block)


def delta(index: int, **fields: object) -> bytes:
    return event("content_block_delta", index=index, delta=fields)


def stop(index: int) -> bytes:
    return event("content_block_stop", index=index)


def ending(reason: str, **more: object) -> list[bytes]:
    return [event("message_delta", delta={"stop_reason": reason, **more}), event("message_stop")]


def read(*events: bytes) -> list[Delta]:
    reply = AnthropicReply(SECRET)
    return reply.take(list(events)) + reply.end()


def body(asked: Request, model: str = "claude-opus-5") -> dict[str, Any]:
    place = Place("anthropic", model, "http://nowhere", SECRET)
    return json.loads(run(AnthropicModel(place).body(asked)))


def test_text_and_usage_with_all_that_was_sent() -> None:
    first = {
        "input_tokens": 10,
        "cache_read_input_tokens": 64,
        "cache_creation_input_tokens": 26,
        "output_tokens": 1,
    }
    found = read(
        event("message_start", message={"id": "m", "usage": first}),
        event("ping"),
        start(0, type="text", text=""),
        delta(0, type="text_delta", text="Hel"),
        delta(0, type="text_delta", text="lo"),
        stop(0),
        event(
            "message_delta",
            delta={"stop_reason": "end_turn"},
            usage={"output_tokens": 20, "output_tokens_details": {"thinking_tokens": 5}},
        ),
        event("message_stop"),
    )
    assert found == [TextDelta("Hel"), TextDelta("lo"), Stopped("end", Usage(100, 20, 64, 26, 5))]


def test_parallel_calls_in_pieces() -> None:
    found = read(
        start(0, type="tool_use", id="a", name="look", input={}),
        delta(0, type="input_json_delta", partial_json=""),
        delta(0, type="input_json_delta", partial_json='{"x"'),
        delta(0, type="input_json_delta", partial_json=":1}"),
        stop(0),
        start(1, type="tool_use", id="b", name="find", input={}),
        stop(1),
        start(2, type="tool_use", id="c", name="whole", input={"y": 2}),
        stop(2),
        *ending("tool_use"),
    )
    assert found == [
        CallDelta(0, '{"x"', "look", "a"),
        CallDelta(0, ":1}"),
        CallDelta(1, "", "find", "b"),
        CallDelta(2, '{"y":2}', "whole", "c"),
        Stopped("calls"),
    ]


def test_thinking_has_its_signature_and_may_be_redacted() -> None:
    found = read(
        start(0, type="thinking", thinking="", signature=""),
        delta(0, type="thinking_delta", thinking="hm"),
        delta(0, type="signature_delta", signature="si"),
        delta(0, type="signature_delta", signature="g"),
        stop(0),
        start(1, type="redacted_thinking", data="xyz"),
        stop(1),
        delta(2, type="text_delta", text="so"),
        *ending("end_turn"),
    )
    assert found == [
        ReasoningDelta("hm"),
        ReasoningDelta("", 0, "sig"),
        ReasoningDelta("", 1, "xyz", redacted=True),
        TextDelta("so"),
        Stopped("end"),
    ]


STOPS = {
    "end_turn": "end",
    "stop_sequence": "end",
    "tool_use": "calls",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "pause_turn": "other",
}


@pytest.mark.parametrize("reason", STOPS)
def test_stop_reasons(reason: str) -> None:
    found = read(*ending(reason))[-1]
    assert isinstance(found, Stopped)
    assert found.reason == STOPS[reason]


def test_a_refusal_is_filtered_with_what_was_said() -> None:
    details = {"type": "refusal", "category": "cyber", "explanation": "no"}
    found = read(*ending("refusal", stop_details=details))
    assert found == [Stopped("filtered", detail="cyber: no")]


def test_odd_events_are_understood() -> None:
    found = read(
        b'{"type":"content_block_delta","delta":{"type":"text_delta","text":"a\\ud83d"}}',
        b'{"type":"content_block_delta","index":0,"delta":null}',
        b'{"type":"content_block_delta","index":0,"delta":{"type":"new_delta","x":1}}',
        b'{"type":"something_new","index":0}',
        delta(0, type="signature_delta", signature="never closed"),
        *ending("end_turn"),
    )
    assert found == [
        TextDelta("a\ufffd"),
        ReasoningDelta("", 0, "never closed"),
        Stopped("end"),
    ]


@pytest.mark.parametrize("broken", [b"{", b"", b"[1]", b'{"type":7,"delta":3}'])
def test_what_cannot_be_read_is_a_broken_stream(broken: bytes) -> None:
    with pytest.raises(Network, match="broken stream"):
        read(broken, *ending("end_turn"))


def test_thinking_goes_back_only_to_its_model_and_only_signed() -> None:
    parts = (
        Reasoning("hm", "sig", "m"),
        Reasoning("", "xyz", "m", redacted=True),
        Reasoning("no", "sig", "other"),
        Reasoning("unsigned", "", "m"),
        Text("so"),
        Reasoning("cut off", "sig", "m"),
    )
    sent = body(request(User((Text("hi"),)), Assistant(parts)))
    assert sent["messages"][1]["content"] == [
        {"type": "thinking", "thinking": "hm", "signature": "sig"},
        {"type": "redacted_thinking", "data": "xyz"},
        {"type": "text", "text": "so"},
    ]


def test_the_cache_is_marked_at_tools_system_and_the_last_two_user_turns() -> None:
    asked = request(
        User((Text("one"),)),
        Assistant((Text("two"),)),
        User((Text("three"),)),
        Assistant((ToolCall("call_1", "look", "{}"),)),
        ToolResult("call_1", "look", (Text("x"),)),
        User((Text("four"),)),
        system="be kind",
        tools=(LOOK, msgspec.structs.replace(LOOK, name="find")),
    )
    sent = body(asked)
    assert ["cache_control" in tool for tool in sent["tools"]] == [False, True]
    assert "cache_control" in sent["system"][0]
    marked = [
        ["cache_control" in block for block in message["content"]] for message in sent["messages"]
    ]
    assert marked == [[False], [False], [True], [False], [False, True]]


def test_results_come_first_in_one_turn_and_errors_are_marked() -> None:
    asked = request(
        User((Text("go"),)),
        Assistant((ToolCall("call_1", "look", "[1]"), ToolCall("call_2", "look", "{}"))),
        ToolResult("call_1", "look", (Text("bad"),), "error"),
        Note("plan", 'mo"de'),
        ToolResult("call_2", "look", ()),
        tools=(LOOK,),
    )
    _, spoke, side = body(asked)["messages"]
    assert spoke["content"][0]["input"] == {"invalid_json": "[1]"}
    assert [block["type"] for block in side["content"]] == ["tool_result", "tool_result", "text"]
    assert side["content"][0]["is_error"] is True
    assert side["content"][1]["content"] == "(no output)"
    assert side["content"][2]["text"] == '<note source="mo_de">\nplan\n</note>'


def test_files_are_shown_from_bytes_and_from_urls() -> None:
    async def load(blob: str) -> bytes:
        return b"bytes of " + blob.encode()

    user = User(
        (
            File("image/png", blob="a"),
            File("application/pdf", url="https://x.org/a.pdf", name="a.pdf"),
            File("text/plain", blob="b", name="b.txt"),
            File("audio/wav", blob="c"),
        )
    )
    sent = body(Request("m", "", (), [user], load))["messages"][0]["content"]
    data = base64.b64encode(b"bytes of a").decode()
    assert sent[0]["source"] == {"type": "base64", "media_type": "image/png", "data": data}
    assert sent[1]["source"] == {"type": "url", "url": "https://x.org/a.pdf"}
    assert sent[2]["text"] == '[file "b.txt" of type text/plain]\nbytes of b'
    assert sent[3]["text"] == "[audio, 1 KB: this model cannot hear audio]"


def test_calls_in_the_history_are_accepted_without_tools() -> None:
    asked = request(
        User((Text("go"),)),
        Assistant((ToolCall("call_1", "look", "{}"),)),
        ToolResult("call_1", "look", (Text("x"),)),
    )
    sent = body(asked)
    assert len(sent["tools"]) == 1
    assert sent["tool_choice"] == {"type": "none"}
