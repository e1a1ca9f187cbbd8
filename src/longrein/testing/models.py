"""Conformance checks for models: what every implementation of the port promises.

Each check is a coroutine function that raises `AssertionError` where the promise is broken. It
gets `opens`, which opens the model under test before a provider that answers by a script:

    @asynccontextmanager
    async def opens(replies: Replies) -> AsyncGenerator[Model]:
        async with ScriptedServer(replies) as server:
            model = MyModel(server.url)
            try:
                yield model
            finally:
                await model.close()

    @pytest.mark.parametrize("check", MODEL_CHECKS)
    def test_my_model(check: Check) -> None:
        asyncio.run(check(opens))
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from typing import TypeAlias

import msgspec

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
from longrein.core.messages import Assistant, Message, Text, ToolCall, ToolResult, User
from longrein.core.usage import Usage
from longrein.models.base import (
    CallDelta,
    Delta,
    Model,
    ReasoningDelta,
    Request,
    Stopped,
    TextDelta,
    ToolSpec,
)
from longrein.testing.replies import (
    Reply,
    broken,
    call,
    calls,
    fail,
    pause,
    raw_call,
    reply,
    say,
    think,
)
from longrein.testing.scripted import Replies, Script

Opens: TypeAlias = Callable[[Replies], AbstractAsyncContextManager[Model]]
"""Opens the model under test, answered by these replies."""

Check: TypeAlias = Callable[[Opens], Awaitable[None]]
"""One promise of the port."""


async def text_arrives_whole_and_in_order(opens: Opens) -> None:
    """The text deltas joined are the text; surrogate pairs and other scripts survive."""
    text = "Hello, wörld 🙂 " * 40
    deltas = await _answer(opens, say(text, size=7))
    assert _text(deltas) == text
    assert _stopped(deltas).reason == "end"


async def an_empty_answer_still_stops(opens: Opens) -> None:
    """Nothing said is an answer, too."""
    assert _text(await _answer(opens, reply())) == ""


async def calls_arrive_with_name_id_and_arguments(opens: Opens) -> None:
    """Each parallel call has an index of its own, a name, an id and its whole arguments."""
    deltas = await _answer(opens, calls(call("read", path="ä"), call("read", path="b" * 300)))
    got = _calls(deltas)
    assert [name for name, _, _ in got] == ["read", "read"]
    assert [msgspec.json.decode(text) for _, _, text in got] == [{"path": "ä"}, {"path": "b" * 300}]
    assert len({id for _, id, _ in got}) == 2
    assert _stopped(deltas).reason == "calls"


async def malformed_arguments_are_passed_on(opens: Opens) -> None:
    """Arguments that are not JSON come through as the model wrote them."""
    deltas = await _answer(opens, raw_call("read", '{"path": '))
    assert [text for _, _, text in _calls(deltas)] == ['{"path": ']


async def text_and_reasoning_are_told_apart(opens: Opens) -> None:
    """What was thought is not said."""
    deltas = await _answer(opens, reply(think("Let me think.", "proof"), say("Yes.")))
    thought = "".join(delta.text for delta in deltas if isinstance(delta, ReasoningDelta))
    assert (thought, _text(deltas)) == ("Let me think.", "Yes.")


async def usage_is_reported(opens: Opens) -> None:
    """Input counts everything that was sent, from the cache or not."""
    used = Usage(input=120, output=30, cached=100)
    stopped = _stopped(await _answer(opens, reply(say("Hi"), usage=used)))
    assert stopped.usage is not None
    assert (stopped.usage.input, stopped.usage.output, stopped.usage.cached) == (120, 30, 100)


async def a_cut_answer_says_so(opens: Opens) -> None:
    """Running out of room stops with `length`."""
    assert _stopped(await _answer(opens, say("The ans", stop="length"))).reason == "length"


async def errors_have_their_kinds(opens: Opens) -> None:
    """Each failure of the provider is raised as its kind of `ModelError`."""
    for error in (
        Auth("no"),
        RateLimited("slow"),
        Overloaded("busy"),
        ContextOverflow("long"),
        BadRequest("odd"),
        Filtered("not this"),
        Network("gone"),
    ):
        raised = await _failure(opens, fail(error))
        assert type(raised) is type(error), f"{error.kind} came as {raised!r}"


async def a_hint_to_wait_is_kept(opens: Opens) -> None:
    """The provider's `retry-after` is in the error."""
    raised = await _failure(opens, fail(RateLimited("slow", retry_after=7)))
    assert raised.retry_after == 7


async def a_broken_stream_is_a_network_error(opens: Opens) -> None:
    """A stream that ends before the answer is complete raises, whether reset or merely over."""
    for clean in (False, True):
        raised = await _failure(opens, reply(say("half"), broken(clean=clean)))
        assert isinstance(raised, Network), f"came as {raised!r}"


async def an_error_in_the_middle_is_raised(opens: Opens) -> None:
    """An error that the provider sends inside the stream is not taken for an answer."""
    raised = await _failure(opens, reply(say("half"), fail(Overloaded("busy"))))
    assert raised.again


async def a_conversation_is_sent_whole(opens: Opens) -> None:
    """Calls and results go back to the provider, which goes on from them."""
    script = Script([call("read", path="a"), say("It says data.")])
    asked = ToolCall("call_" + "0" * 31 + "1", "read", '{"path": "a"}')
    result = ToolResult(asked.id, "read", (Text("data"),))
    async with opens(script) as model:
        later = _request(_user("Read a"), Assistant((asked,)), result)
        assert _text(await _listen(model, later)) == "It says data."


async def many_streams_do_not_mix(opens: Opens) -> None:
    """One model serves many requests at once."""

    def echo(request: Request) -> Reply:
        return say(_words(request), size=2)

    async with opens(echo) as model:
        jobs = [_listen(model, _request(_user(f"number {n}"))) for n in range(20)]
        said = [_text(deltas) for deltas in await asyncio.gather(*jobs)]
    assert said == [f"number {n}" for n in range(20)]


async def closing_ends_a_stream_at_once(opens: Opens) -> None:
    """Closing the iterator in the middle of an answer returns, and the model can be used again."""
    async with opens(Script([reply(say("a"), pause(), say("b"))])) as model:
        for _ in range(3):
            stream = model.stream(_request(_user("Hi")))
            await anext(stream)
            async with asyncio.timeout(20):
                await stream.aclose()


async def cancelling_is_not_swallowed(opens: Opens) -> None:
    """A task cancelled while it waits for the next delta ends as cancelled, not as failed."""
    async with opens(Script([reply(say("a"), pause(), say("b"))])) as model:
        task = asyncio.create_task(_listen(model, _request(_user("Hi"))))
        await asyncio.sleep(0.1)
        task.cancel()
        await asyncio.wait([task], timeout=20)
        assert task.cancelled()


async def closing_the_model_twice_is_harmless(opens: Opens) -> None:
    """`close` can be called again."""
    async with opens(Script([say("Hi")])) as model:
        await model.close()
        await model.close()


MODEL_CHECKS: tuple[Check, ...] = (
    text_arrives_whole_and_in_order,
    an_empty_answer_still_stops,
    calls_arrive_with_name_id_and_arguments,
    malformed_arguments_are_passed_on,
    text_and_reasoning_are_told_apart,
    usage_is_reported,
    a_cut_answer_says_so,
    errors_have_their_kinds,
    a_hint_to_wait_is_kept,
    a_broken_stream_is_a_network_error,
    an_error_in_the_middle_is_raised,
    a_conversation_is_sent_whole,
    many_streams_do_not_mix,
    closing_ends_a_stream_at_once,
    cancelling_is_not_swallowed,
    closing_the_model_twice_is_harmless,
)
"""Every promise of the port."""


async def _answer(opens: Opens, said: Reply) -> list[Delta]:
    async with opens(Script([said])) as model:
        return await _listen(model, _request(_user("Hi")))


async def _failure(opens: Opens, said: Reply) -> ModelError:
    try:
        deltas = await _answer(opens, said)
    except ModelError as error:
        return error
    raise AssertionError(f"Nothing was raised; it said {deltas}.")


async def _listen(model: Model, request: Request) -> list[Delta]:
    async with asyncio.timeout(30):
        return [delta async for delta in model.stream(request)]


def _request(*messages: Message) -> Request:
    schema = b'{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}'
    tool = ToolSpec("read", "Read a file.", msgspec.Raw(schema))
    return Request("test:model", "Be brief.", (tool,), messages, _no_blobs)


def _user(text: str) -> User:
    return User((Text(text),))


async def _no_blobs(name: str) -> bytes:
    raise KeyError(name)


def _words(request: Request) -> str:
    last = request.messages[-1]
    assert isinstance(last, User)
    return last.text


def _text(deltas: list[Delta]) -> str:
    _stopped(deltas)
    return "".join(delta.text for delta in deltas if isinstance(delta, TextDelta))


def _stopped(deltas: list[Delta]) -> Stopped:
    """The last delta; it is the only one of its kind."""
    assert [n for n, delta in enumerate(deltas) if isinstance(delta, Stopped)] == [len(deltas) - 1]
    last = deltas[-1]
    assert isinstance(last, Stopped)
    return last


def _calls(deltas: list[Delta]) -> list[tuple[str, str, str]]:
    """Name, id and arguments of each call, by its index."""
    found: dict[int, tuple[str, str, str]] = {}
    for delta in deltas:
        if isinstance(delta, CallDelta):
            name, id, text = found.get(delta.index, ("", "", ""))
            grown = (name + delta.name, id + delta.provider_id, text + delta.arguments)
            found[delta.index] = grown
    return [found[index] for index in sorted(found)]
