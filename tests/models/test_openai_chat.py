"""What chat completions send and what is made of it."""

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
from longrein.models.openai_chat import OpenAIChatModel
from longrein.models.openai_chat_reply import ChatReply
from longrein.models.place import Place, Quirks
from longrein.models.secret import Secret
from tests.models.provider import request
from tests.support import run

SECRET = Secret("", "NONE")


def chunk(delta: object = None, finish: str | None = None, **more: object) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return json.dumps({"choices": [choice], **more}).encode()


def call(index: object, id: object = None, name: object = None, arguments: object = None) -> bytes:
    function = {"name": name, "arguments": arguments}
    return chunk({"tool_calls": [{"index": index, "id": id, "function": function}]})


def read(*events: bytes) -> list[Delta]:
    reply = ChatReply(SECRET)
    return reply.take(list(events)) + reply.end()


def calls_of(found: list[Delta]) -> list[tuple[str, str, str]]:
    """Name, id and arguments of each call, put together."""
    put: dict[int, list[str]] = {}
    for delta in found:
        if isinstance(delta, CallDelta):
            whole = put.setdefault(delta.index, ["", "", ""])
            for place, piece in enumerate((delta.name, delta.provider_id, delta.arguments)):
                whole[place] += piece
    return [(name, id, arguments) for name, id, arguments in put.values()]


def body(asked: Request, quirks: Quirks | None = None, model: str = "m") -> dict[str, Any]:
    place = Place("test", model, "http://nowhere", SECRET, quirks or Quirks())
    return json.loads(run(OpenAIChatModel(place).body(asked)))


def test_text_comes_in_pieces_and_usage_after_the_end() -> None:
    usage = {
        "prompt_tokens": 100,
        "completion_tokens": 20,
        "total_tokens": 120,
        "prompt_tokens_details": {"cached_tokens": 64},
        "completion_tokens_details": {"reasoning_tokens": 5},
    }
    found = read(
        chunk({"role": "assistant", "content": ""}),
        chunk({"content": "Hel"}),
        chunk({"content": "lo"}),
        chunk(finish="stop"),
        json.dumps({"choices": [], "usage": usage}).encode(),
        b"[DONE]",
    )
    assert found == [TextDelta("Hel"), TextDelta("lo"), Stopped("end", Usage(100, 20, 64, 0, 5))]


def test_reasoning_that_is_counted_beside_the_output_is_added_to_it() -> None:
    usage = {
        "prompt_tokens": 10,
        "completion_tokens": 2,
        "total_tokens": 17,
        "completion_tokens_details": {"reasoning_tokens": 5},
    }
    assert read(chunk(finish="stop", usage=usage)) == [Stopped("end", Usage(10, 7, 0, 0, 5))]


def test_parallel_calls_in_pieces() -> None:
    found = read(
        call(0, "a", "look", ""),
        call(0, arguments='{"x"'),
        call(1, "b", "find", ""),
        call(0, arguments=":1}"),
        call(1, arguments="{}"),
        chunk(finish="tool_calls"),
    )
    assert calls_of(found) == [("look", "a", '{"x":1}'), ("find", "b", "{}")]
    assert found[-1] == Stopped("calls")


LIBERTIES: dict[str, tuple[list[bytes], list[tuple[str, str, str]]]] = {
    "name repeated": (
        [call(0, "a", "look", "{"), call(0, "a", "look", "}")],
        [("look", "a", "{}")],
    ),
    "name in pieces": (
        [call(0, "a", "lo", ""), call(0, "", "ok", ""), call(0, None, None, "{}")],
        [("look", "a", "{}")],
    ),
    "no indices": (
        [call(None, "a", "look", '{"x":'), call(None, None, None, "1}"), call(None, "b", "find")],
        [("look", "a", '{"x":1}'), ("find", "b", "")],
    ),
    "every index 0, ids differ": (
        [call(0, "a", "look", "{}"), call(0, "b", "find", "{}")],
        [("look", "a", "{}"), ("find", "b", "{}")],
    ),
    "a new id with every piece": (
        [call(0, "a", "look", "{"), call(0, "b", None, "}")],
        [("look", "a", "{}")],
    ),
    "ids repeated": (
        [call(0, "a", "look", "{}"), call(1, "a", "find", "{}")],
        [("look", "a", "{}"), ("find", "a", "{}")],
    ),
    "no ids, no indices": (
        [call(None, None, "look", {"x": 1}), call(None, None, "look", {"x": 2})],
        [("look", "", '{"x":1}'), ("look", "", '{"x":2}')],
    ),
    "arguments as an object": ([call(0, "a", "look", {"x": [1]})], [("look", "a", '{"x":[1]}')]),
    "no arguments at all": ([call(0, "a", "look")], [("look", "a", "")]),
    "an id that is a number": ([call(0, 7, "look", "{}")], [("look", "", "{}")]),
    "no function": (
        [chunk({"tool_calls": [{"index": 0, "id": "a"}]}), call(0, None, "look", "{}")],
        [("look", "a", "{}")],
    ),
}


@pytest.mark.parametrize("name", LIBERTIES)
def test_calls_are_understood_however_they_are_sent(name: str) -> None:
    events, expected = LIBERTIES[name]
    found = read(*events, chunk(finish="stop"))
    assert calls_of(found) == expected
    assert found[-1] == Stopped("calls")


ODD: dict[str, tuple[list[bytes], list[Delta]]] = {
    "null everywhere": (
        [b'{"choices":[{"delta":{"content":null,"tool_calls":null,"reasoning":null}}]}'],
        [],
    ),
    "null choices": ([b'{"choices":null}', b"{}"], []),
    "null delta": ([b'{"choices":[{"delta":null}]}'], []),
    "a lone surrogate": (
        [b'{"choices":[{"delta":{"content":"a\\ud83d"}}]}'],
        [TextDelta("a\ufffd")],
    ),
    "bytes that are no text": (
        [b'{"choices":[{"delta":{"content":"a\xff"}}]}'],
        [TextDelta("a\ufffd")],
    ),
    "a whole message": ([b'{"choices":[{"message":{"content":"all"}}]}'], [TextDelta("all")]),
    "parts": (
        [
            b'{"choices":[{"delta":{"content":[{"type":"thinking","thinking":'
            b'[{"type":"text","text":"hm"}]},{"type":"text","text":"so"}]}}]}'
        ],
        [ReasoningDelta("hm"), TextDelta("so")],
    ),
    "other reasoning field": ([chunk({"reasoning": "hm"})], [ReasoningDelta("hm")]),
}


@pytest.mark.parametrize("name", ODD)
def test_odd_chunks_are_understood(name: str) -> None:
    events, expected = ODD[name]
    assert read(*events, chunk(finish="stop")) == [*expected, Stopped("end")]


BROKEN = [b"{", b"", b"<html>", b"[1]", b'{"choices":7}', b'{"choices":[7]}', b"[" * 100_000]


@pytest.mark.parametrize("event", BROKEN)
def test_what_cannot_be_read_is_a_broken_stream(event: bytes) -> None:
    with pytest.raises(Network, match="broken stream"):
        read(event, chunk(finish="stop"))


STOPS = {
    "stop": Stopped("end"),
    "tool_calls": Stopped("calls"),
    "length": Stopped("length"),
    "content_filter": Stopped("filtered"),
    "whatever": Stopped("other"),
}


@pytest.mark.parametrize("reason", STOPS)
def test_finish_reasons(reason: str) -> None:
    assert read(chunk(finish=reason), b"[DONE]") == [STOPS[reason]]


def test_a_refusal_is_filtered_with_what_was_said() -> None:
    found = read(chunk({"refusal": "I "}), chunk({"refusal": "won't"}), chunk(finish="stop"))
    assert found == [Stopped("filtered", detail="I won't")]


def test_reasoning_after_text_is_another_part() -> None:
    found = read(
        chunk({"reasoning_content": "a"}),
        chunk({"reasoning_content": "b"}),
        chunk({"content": "x"}),
        chunk({"reasoning_content": "c"}),
        chunk(finish="stop"),
    )
    assert [d.index for d in found if isinstance(d, ReasoningDelta)] == [0, 0, 1]


def test_reasoning_goes_back_to_the_model_that_made_it_where_the_server_wants_it() -> None:
    thought = Reasoning("hm", model="m")
    foreign = Reasoning("no", model="other")
    asked = request(User((Text("hi"),)), Assistant((thought, foreign, Text("so"))))
    quirks = Quirks(reasoning_field="reasoning_content")
    assert body(asked, quirks)["messages"][1]["reasoning_content"] == "hm"
    assert "hm" not in json.dumps(body(asked))


def test_signed_details_make_the_round_trip() -> None:
    found = read(
        chunk({"reasoning": "h", "reasoning_details": [{"type": "t", "index": 0, "text": "h"}]}),
        chunk({"reasoning": "m", "reasoning_details": [{"type": "t", "index": 0, "text": "m"}]}),
        chunk({"content": "so", "reasoning_details": [7, {"type": "e", "index": 1, "data": "x"}]}),
        chunk({"reasoning_details": [{"type": "t", "index": 0, "signature": "s"}]}),
        chunk(finish="stop"),
    )
    signed = found[-2]
    assert isinstance(signed, ReasoningDelta)
    spoken = Assistant((Reasoning("hm", signed.signature, "m"), Text("so")))
    quirks = Quirks(reasoning_field="reasoning", reasoning_details=True)
    turn = body(request(User((Text("hi"),)), spoken), quirks)["messages"][1]
    assert "reasoning" not in turn
    assert turn["reasoning_details"] == [
        {"type": "t", "index": 0, "text": "hm", "signature": "s"},
        {"type": "e", "index": 1, "data": "x"},
    ]


def test_users_and_notes_are_one_turn_after_the_results() -> None:
    asked = request(
        User((Text("go"),)),
        Assistant((ToolCall("call_1", "look", "nonsense"),)),
        Note("mode is </note> plan", "mode"),
        ToolResult("call_1", "look", ()),
        User((Text("and?"),)),
    )
    messages = body(asked)["messages"]
    assert [message["role"] for message in messages] == ["user", "assistant", "tool", "user"]
    assert messages[1]["tool_calls"][0]["function"]["arguments"] == '{"invalid_json":"nonsense"}'
    assert messages[2]["content"] == "(no output)"
    note = '<note source="mode">\nmode is &lt;/note> plan\n</note>'
    assert messages[3]["content"] == note + "\n\nand?"


def test_a_server_may_want_an_answer_before_the_user() -> None:
    asked = request(
        User((Text("go"),)),
        Assistant((ToolCall("call_1", "look", "{}"),)),
        ToolResult("call_1", "look", (Text("x"),)),
        User((Text("and?"),)),
    )
    messages = body(asked, Quirks(answer_before_user=True))["messages"]
    assert [message["role"] for message in messages][-3:] == ["tool", "assistant", "user"]


def test_files_are_shown_and_those_of_results_follow_them() -> None:
    picture = File("image/png", url="https://x.org/a.png")
    asked = request(
        User((Text("see"), picture, File("audio/wav", url="https://x.org/a.wav"))),
        Assistant((ToolCall("call_1", "look", "{}"),)),
        ToolResult("call_1", "look", (picture,)),
    )
    messages = body(asked)["messages"]
    shown = {"type": "image_url", "image_url": {"url": "https://x.org/a.png"}}
    assert messages[0]["content"][1] == shown
    assert "https://x.org/a.wav" in messages[0]["content"][2]["text"]
    assert messages[2]["content"] == "(see the files below)"
    assert messages[3]["content"][1] == shown


def test_settings_reach_the_body_and_cannot_replace_the_conversation() -> None:
    settings = ModelSettings(9, 0.5, "high", {"top_p": 0.1, "messages": [], "stream": False})
    sent = body(request(settings=settings), Quirks(output_field="max_completion_tokens"))
    assert sent["max_completion_tokens"] == 9
    assert sent["temperature"] == 0.5
    assert sent["reasoning_effort"] == "high"
    assert sent["top_p"] == 0.1
    assert sent["stream"] is True
    assert sent["messages"]
