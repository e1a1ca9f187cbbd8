"""What responses send and what is made of it."""

import json
from typing import Any

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
from longrein.models.base import (
    CallDelta,
    Delta,
    ModelSettings,
    ReasoningDelta,
    Request,
    Stopped,
    TextDelta,
)
from longrein.models.openai_responses import OpenAIResponsesModel
from longrein.models.openai_responses_reply import ResponsesReply
from longrein.models.place import Place
from longrein.models.secret import Secret
from tests.models.provider import request
from tests.support import run

SECRET = Secret("", "NONE")


def event(kind: str, **fields: object) -> bytes:
    return json.dumps({"type": f"response.{kind}", **fields}).encode()


def read(*events: bytes) -> list[Delta]:
    reply = ResponsesReply(SECRET)
    return reply.take(list(events)) + reply.end()


def body(asked: Request, model: str = "gpt-5") -> dict[str, Any]:
    place = Place("test", model, "http://nowhere", SECRET)
    return json.loads(run(OpenAIResponsesModel(place).body(asked)))


DONE = event("completed", response={"id": "r"})


def test_text_and_usage() -> None:
    usage = {
        "input_tokens": 100,
        "output_tokens": 20,
        "input_tokens_details": {"cached_tokens": 64},
        "output_tokens_details": {"reasoning_tokens": 5},
    }
    found = read(
        event("created", response={"id": "r", "instructions": "long"}),
        event("output_text.delta", output_index=0, delta="Hel"),
        event("output_text.delta", output_index=0, delta="lo"),
        event("output_item.done", output_index=0, item={"type": "message", "content": []}),
        event("completed", response={"usage": usage}),
    )
    assert found == [TextDelta("Hel"), TextDelta("lo"), Stopped("end", Usage(100, 20, 64, 0, 5))]


def test_parallel_calls_in_pieces_under_the_providers_call_ids() -> None:
    def added(index: int, id: str, name: str) -> bytes:
        item = {"type": "function_call", "id": f"fc_{id}", "call_id": id, "name": name}
        return event("output_item.added", output_index=index, item={**item, "arguments": ""})

    found = read(
        added(1, "a", "look"),
        added(2, "b", "find"),
        event("function_call_arguments.delta", output_index=1, delta='{"x"'),
        event("function_call_arguments.delta", output_index=2, delta="{}"),
        event("function_call_arguments.delta", output_index=1, delta=":1}"),
        event(
            "output_item.done",
            output_index=1,
            item={"type": "function_call", "call_id": "a", "name": "look", "arguments": '{"x":1}'},
        ),
        DONE,
    )
    assert found == [
        CallDelta(0, "", "look", "a"),
        CallDelta(0, '{"x"'),
        CallDelta(1, "{}", "find", "b"),
        CallDelta(0, ":1}"),
        Stopped("calls"),
    ]


def test_items_that_come_whole_are_understood() -> None:
    call = {"type": "function_call", "call_id": "a", "name": "look", "arguments": "{}"}
    message = {"type": "message", "content": [{"type": "output_text", "text": "all"}]}
    found = read(
        event("output_item.done", output_index=0, item=message),
        event("output_item.done", output_index=1, item=call),
        DONE,
    )
    assert found == [TextDelta("all"), CallDelta(0, "{}", "look", "a"), Stopped("calls")]


def test_reasoning_has_its_summary_its_id_and_its_signature() -> None:
    item = {"type": "reasoning", "id": "rs_1", "encrypted_content": "xyz"}
    found = read(
        event("reasoning_summary_text.delta", output_index=0, summary_index=0, delta="a"),
        event("reasoning_summary_text.delta", output_index=0, summary_index=0, delta="b"),
        event("reasoning_summary_text.delta", output_index=0, summary_index=1, delta="c"),
        event("output_item.done", output_index=0, item=item),
        event("output_text.delta", output_index=1, delta="so"),
        event("output_item.done", output_index=2, item={**item, "id": "rs_2"}),
        DONE,
    )
    assert found == [
        ReasoningDelta("a"),
        ReasoningDelta("b"),
        ReasoningDelta("\n\nc"),
        ReasoningDelta("", 0, "xyz", "rs_1"),
        TextDelta("so"),
        ReasoningDelta("", 1, "xyz", "rs_2"),
        Stopped("end"),
    ]


INCOMPLETE = {
    "max_output_tokens": Stopped("length"),
    "content_filter": Stopped("filtered"),
    "whatever": Stopped("other"),
}


@pytest.mark.parametrize("reason", INCOMPLETE)
def test_incomplete_answers_say_why(reason: str) -> None:
    found = read(event("incomplete", response={"incomplete_details": {"reason": reason}}))
    assert found == [INCOMPLETE[reason]]


def test_a_refusal_is_filtered_with_what_was_said() -> None:
    found = read(event("refusal.delta", delta="no"), DONE)
    assert found == [Stopped("filtered", detail="no")]


def test_odd_events_are_understood() -> None:
    found = read(
        b'{"type":"response.output_text.delta","delta":"a\\ud83d"}',
        b'{"type":"response.output_text.delta","delta":null}',
        b'{"type":"response.something.new","delta":{"x":1}}',
        b'{"type":"keepalive"}',
        DONE,
        b"[DONE]",
    )
    assert found == [TextDelta("a\ufffd"), Stopped("end")]


@pytest.mark.parametrize("broken", [b"{", b"", b"[1]", b'{"type":7,"item":3}'])
def test_what_cannot_be_read_is_a_broken_stream(broken: bytes) -> None:
    with pytest.raises(Network, match="broken stream"):
        read(broken, DONE)


def test_nothing_is_stored_and_reasoning_comes_encrypted() -> None:
    sent = body(request(system="be kind", settings=ModelSettings(effort="low", max_output=1)))
    assert sent["store"] is False
    assert sent["include"] == ["reasoning.encrypted_content"]
    assert sent["reasoning"] == {"effort": "low", "summary": "auto"}
    assert sent["instructions"] == "be kind"
    assert sent["max_output_tokens"] == 16
    assert "include" not in body(request(), "gpt-4o")


def test_reasoning_goes_back_only_to_its_model_and_only_with_what_it_led_to() -> None:
    mine = Reasoning("hm", "sig", "m", "rs_1")
    spoken = Assistant((mine, Reasoning("no", "other", "other", "rs_2"), Text("so"), mine))
    items = body(request(User((Text("hi"),)), spoken))["input"]
    assert items[1:3] == [
        {
            "type": "reasoning",
            "summary": [{"type": "summary_text", "text": "hm"}],
            "encrypted_content": "sig",
            "id": "rs_1",
        },
        {"role": "assistant", "content": "so"},
    ]
    assert [item.get("type") for item in items].count("reasoning") == 1


def test_a_conversation_is_a_list_of_items_under_our_call_ids() -> None:
    picture = File("image/png", url="https://x.org/a.png")
    document = File("application/pdf", url="https://x.org/a.pdf")
    asked = request(
        User((Text("see"), document)),
        Assistant((ToolCall("call_1", "look at", "", "theirs"),)),
        ToolResult("call_1", "look at", (picture,)),
        Note("plan now", "mode"),
    )
    assert body(asked)["input"] == [
        {
            "role": "user",
            "content": [
                {"type": "input_text", "text": "see"},
                {"type": "input_file", "file_url": "https://x.org/a.pdf"},
            ],
        },
        {"type": "function_call", "call_id": "call_1", "name": "look_at", "arguments": "{}"},
        {
            "type": "function_call_output",
            "call_id": "call_1",
            "output": [
                {"type": "input_image", "detail": "auto", "image_url": "https://x.org/a.png"}
            ],
        },
        {"role": "developer", "content": [{"type": "input_text", "text": "plan now"}]},
    ]
