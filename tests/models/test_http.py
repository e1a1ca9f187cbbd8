"""What every wire promises of its connection."""

import asyncio
import socket
from collections.abc import AsyncGenerator

import pytest

from longrein.core.errors import BadRequest, ModelError, Network
from longrein.models.base import Delta, Model, Stopped, TextDelta
from longrein.models.http import Endpoint, Http
from longrein.models.openai_chat_reply import ChatReply
from longrein.models.secret import Secret
from tests.models.provider import (
    KEY,
    WHOLE,
    WIRES,
    Answer,
    Provider,
    answered,
    deltas,
    model_at,
    request,
)
from tests.support import run

every_wire = pytest.mark.parametrize("wire", WIRES)


def said(found: list[Delta] | ModelError) -> str:
    assert isinstance(found, list)
    return "".join(delta.text for delta in found if isinstance(delta, TextDelta))


@every_wire
def test_an_answer_is_streamed_and_ends_with_one_stop(wire: str) -> None:
    found = run(answered(wire, Answer(WHOLE[wire])))
    assert found == [TextDelta("Hello"), Stopped("end")]


@every_wire
def test_an_answer_in_single_bytes_is_the_same(wire: str) -> None:
    stream = b"".join(WHOLE[wire])
    found = run(answered(wire, Answer([stream[n : n + 1] for n in range(len(stream))])))
    assert found == [TextDelta("Hello"), Stopped("end")]


@every_wire
def test_the_first_delta_does_not_wait_for_the_rest(wire: str) -> None:
    async def first() -> Delta:
        async with Provider(Answer(WHOLE[wire][:-1], then="hang")) as provider:
            model = model_at(wire, provider.url)
            stream = model.stream(request())
            async for delta in stream:
                await model.close()
                return delta
        raise AssertionError("no delta")

    assert run(first()) == TextDelta("Hello")


@every_wire
def test_cancelling_closes_the_connection_at_once(wire: str) -> None:
    async def cancelled() -> None:
        async with Provider(Answer(WHOLE[wire][:-1], then="hang")) as provider:
            model = model_at(wire, provider.url)
            task = asyncio.create_task(deltas(model, request()))
            await provider.asked.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await asyncio.wait_for(provider.left.wait(), 20)

    run(cancelled())


@every_wire
def test_closing_the_iterator_closes_the_connection_and_not_the_others(wire: str) -> None:
    async def closed() -> None:
        async with Provider(Answer(WHOLE[wire][:-1], then="hang"), Answer(WHOLE[wire])) as provider:
            model = model_at(wire, provider.url)
            stream = model.stream(request())
            assert await anext(stream) == TextDelta("Hello")
            assert isinstance(stream, AsyncGenerator)
            await stream.aclose()
            await asyncio.wait_for(provider.left.wait(), 20)
            assert said(await deltas(model, request())) == "Hello"

    run(closed())


@every_wire
def test_a_connection_is_kept_for_the_next_request(wire: str) -> None:
    async def twice() -> int:
        async with Provider(Answer(WHOLE[wire])) as provider:
            model = model_at(wire, provider.url)
            for _ in range(3):
                assert [delta async for delta in model.stream(request())]
            await model.close()
            return provider.connections

    assert run(twice()) == 1


@every_wire
def test_a_server_that_does_not_hang_up_is_not_waited_for(wire: str) -> None:
    found = run(answered(wire, Answer(WHOLE[wire], then="hang")))
    assert said(found) == "Hello"


@every_wire
@pytest.mark.parametrize("kept", [0, 1])
@pytest.mark.parametrize("then", ["end", "cut"])
def test_a_stream_that_breaks_off_is_a_network_error(wire: str, kept: int, then: str) -> None:
    answer = Answer(WHOLE[wire][:kept], then="cut" if then == "cut" else "end")
    found = run(answered(wire, answer))
    assert isinstance(found, Network)
    assert found.again


@every_wire
def test_an_event_that_is_not_json_is_a_broken_stream(wire: str) -> None:
    found = run(answered(wire, Answer([b"data: {nonsense\n\n", *WHOLE[wire]])))
    assert isinstance(found, Network)
    assert "broken stream" in str(found)


@every_wire
def test_nobody_listening_is_a_network_error(wire: str) -> None:
    with pytest.raises(Network):
        run(deltas(model_at(wire, "http://127.0.0.1:1"), request()))


@every_wire
def test_an_address_that_is_none_is_a_bad_request(wire: str) -> None:
    with pytest.raises(BadRequest):
        run(deltas(model_at(wire, "http://[nowhere"), request()))


def no_advice() -> str:
    return ""


def test_a_silent_stream_is_broken_off() -> None:
    async def silent() -> list[Delta]:
        async with Provider(Answer(WHOLE["chat"][:1], then="hang")) as provider:
            secret = Secret("", "NONE")
            http = Http(Endpoint(provider.url, {}, secret, idle_seconds=0.05))

            async def body() -> bytes:
                return b"{}"

            try:
                return [delta async for delta in http.stream(body, ChatReply(secret), no_advice)]
            finally:
                await http.close()

    with pytest.raises(Network, match=r"no data for 0\.05 seconds"):
        run(silent())


def test_a_slow_reader_is_not_taken_for_a_silent_provider() -> None:
    async def slow(idle: float) -> list[Delta]:
        async with Provider(Answer(WHOLE["chat"])) as provider:
            secret = Secret("", "NONE")
            http = Http(Endpoint(provider.url, {}, secret, idle_seconds=idle))

            async def body() -> bytes:
                return b"{}"

            found: list[Delta] = []
            async for delta in http.stream(body, ChatReply(secret), no_advice):
                found.append(delta)
                await asyncio.sleep(idle * 2)
            await http.close()
            return found

    try:
        found = run(slow(0.05))
    except Network:  # on a busy machine the provider was silent: once more, slowly
        found = run(slow(5))
    assert said(found) == "Hello"


@every_wire
def test_the_key_is_sent_and_never_told(wire: str) -> None:
    async def refused() -> tuple[str, str]:
        echo = b'{"error":{"message":"Incorrect API key: %s"}}' % KEY.encode()
        async with Provider(Answer([echo], 401, {"Content-Type": "application/json"})) as provider:
            with pytest.raises(ModelError) as caught:
                await deltas(model_at(wire, provider.url), request())
            return str(provider.seen[0].headers), str(caught.value)

    headers, error = run(refused())
    assert KEY in headers
    assert KEY not in error
    assert "[secret:TEST_API_KEY]" in error


@every_wire
def test_a_redirect_is_not_followed_with_the_key(wire: str) -> None:
    async def redirected() -> int:
        async with Provider(Answer(WHOLE[wire])) as elsewhere:
            away = Answer([], 307, {"Location": elsewhere.url})
            async with Provider(away) as provider:
                with pytest.raises(ModelError):
                    await deltas(model_at(wire, provider.url), request())
            return len(elsewhere.seen)

    assert run(redirected()) == 0


@every_wire
def test_one_model_object_serves_several_event_loops(wire: str) -> None:
    async def ask(model: Model) -> str:
        async with Provider(Answer(WHOLE[wire]), listening=listening.dup()):
            return said(await deltas(model, request()))

    with socket.create_server(("127.0.0.1", 0)) as listening:
        model = model_at(wire, f"http://127.0.0.1:{listening.getsockname()[1]}")
        assert [run(ask(model)), run(ask(model))] == ["Hello", "Hello"]


def test_many_streams_at_once_do_not_wait_for_each_other() -> None:
    async def many() -> list[str]:
        async with Provider(Answer(WHOLE["chat"])) as provider:
            model = model_at("chat", provider.url)

            async def one() -> str:
                return said([delta async for delta in model.stream(request())])

            found = await asyncio.gather(*(one() for _ in range(150)))
            await model.close()
            return found

    assert run(many()) == ["Hello"] * 150
