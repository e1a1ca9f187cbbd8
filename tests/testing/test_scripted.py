"""The scripted model in process: what it says is chosen by the request alone."""

import asyncio

import pytest

from longrein.core.errors import BadRequest, Network, RateLimited
from longrein.core.messages import Assistant, Message, Note, Text, ToolResult, User
from longrein.core.usage import Usage
from longrein.models.base import CallDelta, Delta, ReasoningDelta, Request, Stopped, TextDelta
from longrein.testing import (
    Reply,
    Script,
    ScriptedModel,
    broken,
    call,
    calls,
    fail,
    pause,
    raw_call,
    reply,
    say,
    think,
    when,
)
from tests.support import run


async def no_blob(name: str) -> bytes:
    raise KeyError(name)


def request(*messages: Message, system: str = "") -> Request:
    return Request("scripted:one", system, (), messages, no_blob)


def user(text: str) -> User:
    return User((Text(text),))


def assistant(text: str, *, interrupted: bool = False) -> Assistant:
    return Assistant((Text(text),), interrupted=interrupted)


async def heard(model: ScriptedModel, asked: Request) -> list[Delta]:
    return [delta async for delta in model.stream(asked)]


def text_of(script: Script, asked: Request) -> str:
    deltas = run(heard(ScriptedModel(script), asked))
    return "".join(delta.text for delta in deltas if isinstance(delta, TextDelta))


def test_the_reply_is_the_number_of_times_the_model_has_spoken() -> None:
    script = Script([say("one"), say("two")])
    assert text_of(script, request(user("a"))) == "one"
    assert text_of(script, request(user("a"), assistant("one"), user("b"))) == "two"


def test_a_new_model_goes_on_where_the_conversation_stands() -> None:
    script = Script([call("read", path="a"), say("done")])
    result = ToolResult("call_1", "read", (Text("data"),))
    assert text_of(script, request(user("a"), assistant("x"), result)) == "done"


def test_interrupted_messages_count_unless_told_otherwise() -> None:
    asked = request(user("a"), assistant("o", interrupted=True), user("b"))
    assert text_of(Script([say("one"), say("two")]), asked) == "two"
    assert text_of(Script([say("one"), say("two")], count_interrupted=False), asked) == "one"


def test_past_the_end_stands_otherwise_or_a_refusal() -> None:
    asked = request(user("a"), assistant("one"), user("b"))
    assert text_of(Script([say("one")], otherwise=say("more")), asked) == "more"
    with pytest.raises(BadRequest, match="1 replies"):
        run(heard(ScriptedModel(Script([say("one")])), asked))


def test_a_rule_counts_from_the_words_that_it_matches() -> None:
    rule = when("deploy", call("deploy", target="prod"), say("deployed"))
    script = Script([say("first")], rules=[rule], otherwise=say("what?"))
    earlier = (user("hi"), assistant("first"))
    result = ToolResult("call_1", "deploy", (Text("ok"),))
    assert (
        text_of(script, request(*earlier, user("deploy it"), assistant(""), result)) == "deployed"
    )
    assert text_of(script, request(*earlier, user("bye"))) == "what?"


def test_a_note_after_the_words_does_not_hide_them() -> None:
    script = Script(rules=[when("deploy", say("yes"))])
    assert text_of(script, request(user("deploy"), Note("mode: plan"))) == "yes"


def test_a_rule_can_look_at_the_system_prompt() -> None:
    script = Script([say("chat")], rules=[when("Summarise", say("short"), where="system")])
    assert text_of(script, request(user("a"), system="Summarise this.")) == "short"
    assert text_of(script, request(user("a"))) == "chat"


def test_a_function_chooses_freely() -> None:
    def echo(asked: Request) -> Reply:
        return say(f"{len(asked.messages)} messages")

    deltas = run(heard(ScriptedModel(echo), request(user("a"))))
    assert deltas[0] == TextDelta("1 messages")


def test_every_piece_becomes_its_deltas() -> None:
    said = reply(
        think("hmm", "proof"), say("Hello", size=3), call("read", path="a"), usage=Usage(7, 3)
    )
    assert run(heard(ScriptedModel(Script([said])), request(user("a")))) == [
        ReasoningDelta("hmm"),
        ReasoningDelta("", 0, "proof"),
        TextDelta("Hel"),
        TextDelta("lo"),
        CallDelta(0, "", "read", "call_0_0"),
        CallDelta(0, '{"path": "a"}'),
        Stopped("calls", Usage(7, 3)),
    ]


def test_call_ids_differ_within_and_between_replies() -> None:
    script = Script([calls(call("a"), call("b")), call("a")])
    model = ScriptedModel(script)
    first = run(heard(model, request(user("a"))))
    second = run(heard(model, request(user("a"), assistant(""))))
    ids = [d.provider_id for d in first + second if isinstance(d, CallDelta) and d.name]
    assert ids == ["call_0_0", "call_0_1", "call_1_0"]


def test_raw_calls_keep_what_is_wrong_with_them() -> None:
    said = calls(raw_call("a", "{", provider_id=""), raw_call("b", "x", provider_id="", index=0))
    deltas = run(heard(ScriptedModel(Script([said])), request(user("a"))))
    assert deltas[:4] == [
        CallDelta(0, "", "a", ""),
        CallDelta(0, "{"),
        CallDelta(0, "", "b", ""),
        CallDelta(0, "x"),
    ]


def test_an_error_is_raised_as_it_was_given() -> None:
    script = Script([fail(RateLimited("slow down", status=429, retry_after=2.0))])
    with pytest.raises(RateLimited, match="slow down") as caught:
        run(heard(ScriptedModel(script), request(user("a"))))
    assert (caught.value.status, caught.value.retry_after) == (429, 2.0)


def test_a_broken_stream_raises_after_what_came_before() -> None:
    got: list[Delta] = []

    async def listen() -> None:
        model = ScriptedModel(Script([reply(say("half"), broken())]))
        async for delta in model.stream(request(user("a"))):
            got.append(delta)

    with pytest.raises(Network):
        run(listen())
    assert got == [TextDelta("half")]


def test_a_pause_lasts_until_released_or_closed() -> None:
    async def listen() -> tuple[int, list[Delta]]:
        model = ScriptedModel(Script([reply(say("a"), pause(), say("b"))]))
        waiting = asyncio.create_task(heard(model, request(user("a"))))
        cancelled = asyncio.create_task(heard(model, request(user("a"))))
        await asyncio.sleep(0.01)
        cancelled.cancel()
        await asyncio.wait([cancelled])
        left = model.open
        model.release()
        return left, await waiting

    left, deltas = run(listen())
    assert left == 1
    assert deltas[:2] == [TextDelta("a"), TextDelta("b")]


def test_requests_are_kept_within_bounds() -> None:
    async def ask() -> list[int]:
        model = ScriptedModel(Script(otherwise=say("x")), keep=2)
        for count in range(1, 4):
            await heard(model, request(*[user("a")] * count))
        return [len(asked.messages) for asked in model.requests]

    assert run(ask()) == [2, 3]


def test_a_script_survives_json_with_everything_in_it() -> None:
    script = Script(
        [
            reply(
                think("a", "b"), say("\ud800 lone"), raw_call("x", "{"), stop="length", usage=None
            ),
            fail(RateLimited("no", retry_after=1)),
            reply(say("a"), pause(0.5), broken(clean=True)),
        ],
        rules=[when("x", say("y"))],
        otherwise=say("z", delay=0.1),
    )
    assert Script.from_json(script.to_json()) == script
