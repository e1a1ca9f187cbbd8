"""What the scripted server streams on each wire."""

from typing import Any

from longrein.core.usage import Usage
from longrein.testing import Reply, Script, call, noise, reply, say, think
from longrein.testing.server import ScriptedServer
from tests.support import run
from tests.testing.posting import Answer, conversation, post

FULL = reply(
    think("hmm", "proof"),
    say("Hello", size=3),
    call("read", path="a"),
    usage=Usage(input=100, output=20, cached=60, cache_written=10, reasoning=5),
)


def answer(said: Reply, wire: str, **more: Any) -> Answer:
    async def ask() -> Answer:
        async with ScriptedServer(Script([said])) as server:
            return await post(server, wire, conversation(wire, **more))

    return run(ask())


def test_chat_streams_choices_then_usage_then_the_mark() -> None:
    got = answer(FULL, "chat", stream_options={"include_usage": True})
    deltas = [event["choices"][0]["delta"] for event in got.events[:-1]]
    assert deltas == [
        {"role": "assistant", "content": ""},
        {"reasoning_content": "hmm"},
        {"content": "Hel"},
        {"content": "lo"},
        {
            "tool_calls": [
                {
                    "index": 0,
                    "id": "call_0_0",
                    "type": "function",
                    "function": {"name": "read", "arguments": ""},
                }
            ]
        },
        {"tool_calls": [{"index": 0, "function": {"arguments": '{"path": "a"}'}}]},
        {},
    ]
    assert got.events[-2]["choices"][0]["finish_reason"] == "tool_calls"
    assert got.events[-1]["usage"]["prompt_tokens"] == 100
    assert got.events[-1]["usage"]["prompt_tokens_details"] == {"cached_tokens": 60}
    assert got.body.endswith("data: [DONE]\n\n")


def test_chat_tells_the_usage_only_if_asked() -> None:
    assert all("usage" not in event for event in answer(FULL, "chat").events)


def test_messages_streams_blocks_that_open_and_close() -> None:
    events = answer(FULL, "messages").events
    assert [event["type"] for event in events] == [
        "message_start",
        "ping",
        *("content_block_start", "content_block_delta", "content_block_delta"),
        "content_block_stop",
        *("content_block_start", "content_block_delta", "content_block_delta"),
        "content_block_stop",
        *("content_block_start", "content_block_delta", "content_block_delta"),
        "content_block_stop",
        "message_delta",
        "message_stop",
    ]
    assert [event["index"] for event in events[2:-2]] == [0] * 4 + [1] * 4 + [2] * 4
    assert events[4]["delta"] == {"type": "signature_delta", "signature": "proof"}
    assert events[-2]["delta"]["stop_reason"] == "tool_use"


def test_messages_counts_cached_input_apart() -> None:
    events = answer(FULL, "messages").events
    usage = events[0]["message"]["usage"]
    assert (usage["input_tokens"], usage["cache_read_input_tokens"]) == (30, 60)
    assert events[-2]["usage"] == {"output_tokens": 20}


def test_messages_withholds_redacted_reasoning() -> None:
    events = answer(reply(think("", "blob", redacted=True), say("Hi")), "messages").events
    assert events[2]["content_block"] == {"type": "redacted_thinking", "data": "blob"}


def test_responses_streams_numbered_events_of_items() -> None:
    events = answer(FULL, "responses").events
    assert [event["sequence_number"] for event in events] == list(range(len(events)))
    done = [e["item"] for e in events if e["type"] == "response.output_item.done"]
    assert [item["type"] for item in done] == ["reasoning", "message", "function_call"]
    assert done[0]["encrypted_content"] == "proof"
    assert done[1]["content"][0]["text"] == "Hello"
    assert done[2]["arguments"] == '{"path": "a"}'
    assert events[-1]["type"] == "response.completed"
    assert events[-1]["response"]["output"] == done
    assert events[-1]["response"]["usage"]["output_tokens_details"] == {"reasoning_tokens": 5}


def test_responses_cut_by_length_are_incomplete() -> None:
    last = answer(say("Hel", stop="length"), "responses").events[-1]
    assert last["type"] == "response.incomplete"
    assert last["response"]["incomplete_details"] == {"reason": "max_output_tokens"}


def test_lone_surrogates_and_noise_go_out_as_they_are() -> None:
    said = reply(say("\ud800"), noise(": keep-alive\n\n"))
    for wire in ("chat", "responses", "messages"):
        body = answer(said, wire).body
        assert '"\\ud800"' in body
        assert "\n: keep-alive\n\n" in body
