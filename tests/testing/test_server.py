"""The scripted provider as a server: connections, choice of reply, failures, the program."""

import asyncio
import json
import signal
import sys
from pathlib import Path

import aiohttp
import pytest

from longrein.core.errors import ModelError, Network, Overloaded, RateLimited, UsageError
from longrein.testing import Script, broken, call, calls, fail, pause, reply, say, when
from longrein.testing.server import ScriptedServer
from tests.support import run
from tests.testing.posting import PATHS, Answer, conversation, post, post_on

WIRES = ("chat", "responses", "messages")


def answers(script: Script, wire: str, *turns: int, fast: bool = False) -> list[Answer]:
    async def ask() -> list[Answer]:
        async with ScriptedServer(script, fast=fast) as server:
            return [await post(server, wire, conversation(wire, n)) for n in turns]

    return run(ask())


@pytest.mark.parametrize("fast", [False, True])
@pytest.mark.parametrize("wire", WIRES)
def test_the_reply_is_chosen_by_the_turns_in_the_request(wire: str, fast: bool) -> None:
    script = Script([say("zero"), say("one"), say("two")])
    bodies = [answer.body for answer in answers(script, wire, 2, 0, 1, fast=fast)]
    assert ["two" in bodies[0], "zero" in bodies[1], "one" in bodies[2]] == [True] * 3


@pytest.mark.parametrize("wire", WIRES)
def test_parallel_calls_are_one_turn_when_counted_in_the_raw_body(wire: str) -> None:
    async def ask() -> Answer:
        async with ScriptedServer(Script([say("zero"), say("one")]), fast=True) as server:
            return await post(server, wire, conversation(wire, 1, parallel=3))

    assert "one" in run(ask()).body


def test_the_raw_count_is_not_fooled_by_what_is_said() -> None:
    body = conversation("chat")
    body["messages"][0]["content"] = 'He wrote {"role":"assistant"} and "role": "assistant".'

    async def ask() -> Answer:
        async with ScriptedServer(Script([say("zero"), say("one")]), fast=True) as server:
            return await post(server, "chat", body)

    assert "zero" in run(ask()).body


def test_fast_needs_a_script_without_rules() -> None:
    with pytest.raises(UsageError):
        ScriptedServer(Script(rules=[when("a", say("b"))]), fast=True)


@pytest.mark.parametrize("wire", WIRES)
def test_rules_see_the_users_words_on_every_wire(wire: str) -> None:
    script = Script(rules=[when("hi", call("read"), say("after"))])
    assert "after" in answers(script, wire, 1)[0].body


@pytest.mark.parametrize("wire", WIRES)
def test_past_the_end_is_a_refusal(wire: str) -> None:
    answer = answers(Script([say("zero")]), wire, 1)[0]
    assert answer.status == 400
    assert "1 replies" in json.loads(answer.body)["error"]["message"]


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize(
    ("error", "status"),
    [
        (RateLimited("slow", retry_after=2.5), 429),
        (Overloaded("busy", status=500), 500),
    ],
)
def test_errors_have_the_vendors_status_and_hints(
    wire: str, error: ModelError, status: int
) -> None:
    answer = answers(Script([fail(error, headers={"x-request-id": "r1"})]), wire, 0)[0]
    assert answer.status == status
    assert json.loads(answer.body)["error"]["message"] == str(error)
    assert answer.headers["x-request-id"] == "r1"
    assert answer.headers.get("retry-after") == ("2.5" if status == 429 else None)


def test_a_body_of_another_shape_is_sent_as_it_is() -> None:
    page = "<html>502 Bad Gateway</html>"
    answer = answers(Script([fail(Overloaded("x", status=502), body=page)]), "chat", 0)[0]
    assert (answer.status, answer.body) == (502, page)
    assert answer.headers["content-type"] == "text/html"


@pytest.mark.parametrize("wire", WIRES)
def test_a_broken_stream_is_a_connection_closed_in_the_middle(wire: str) -> None:
    answer = answers(Script([reply(say("half"), broken(), say("never"))]), wire, 0)[0]
    assert answer.broken
    assert "half" in answer.body
    assert "never" not in answer.body


@pytest.mark.parametrize("wire", WIRES)
def test_a_stream_can_end_cleanly_and_too_early(wire: str) -> None:
    answer = answers(Script([reply(say("half"), broken(clean=True))]), wire, 0)[0]
    assert not answer.broken
    assert not any(mark in answer.body for mark in ("[DONE]", "message_stop", "completed"))


def test_a_network_failure_closes_the_connection_without_an_answer() -> None:
    with pytest.raises(aiohttp.ServerDisconnectedError):
        answers(Script([fail(Network("gone"))]), "chat", 0)


@pytest.mark.parametrize("wire", WIRES)
def test_an_error_in_the_middle_is_the_last_event(wire: str) -> None:
    answer = answers(Script([reply(say("half"), fail(Overloaded("busy")))]), wire, 0)[0]
    assert answer.status == 200
    assert "busy" in json.dumps(answer.events[-1])


def test_one_connection_serves_many_requests() -> None:
    async def ask() -> tuple[int, int, int]:
        script = Script(otherwise=say("x"))
        async with (
            ScriptedServer(script, bodies=True) as server,
            aiohttp.ClientSession() as session,
        ):
            for _ in range(5):
                await post_on(session, server, "chat", conversation("chat"))
            return server.open, server.count, len({posted.body for posted in server.requests})

    assert run(ask()) == (1, 5, 1)


def test_two_hundred_clients_at_once_with_large_bodies() -> None:
    body = conversation("chat")
    body["messages"][0]["content"] = "x" * 200_000
    data = json.dumps(body).encode()

    async def ask() -> tuple[int, int]:
        async with ScriptedServer(Script([say("yes")]), fast=True) as server:
            connector = aiohttp.TCPConnector(limit=0)
            async with aiohttp.ClientSession(connector=connector) as session:
                jobs = [post_on(session, server, "chat", data) for _ in range(200)]
                good = [a.status == 200 and "yes" in a.body for a in await asyncio.gather(*jobs)]
                return sum(good), server.received

    assert run(ask()) == (200, 200 * len(data))


def test_a_client_that_leaves_in_a_pause_is_noticed() -> None:
    async def leave() -> tuple[int, int]:
        async with ScriptedServer(Script([reply(say("wait"), pause())])) as server:
            async with aiohttp.ClientSession() as session:
                body = json.dumps(conversation("chat")).encode()
                async with session.post(server.url + PATHS["chat"], data=body) as response:
                    await response.content.readany()
            while server.open:  # noqa: ASYNC110 - nothing tells of it
                await asyncio.sleep(0.01)
            return server.dropped, server.open

    assert run(leave()) == (1, 0)


def test_after_a_pause_the_connection_goes_on() -> None:
    async def ask() -> list[bool]:
        script = Script([reply(say("a"), pause(0.01), say("b"), delay=0.0)])
        async with ScriptedServer(script) as server, aiohttp.ClientSession() as session:
            got = [await post_on(session, server, "chat", conversation("chat")) for _ in range(3)]
            return ["[DONE]" in answer.body for answer in got] + [server.open == 1]

    assert run(ask()) == [True] * 4


@pytest.mark.parametrize("ending", ["signal", "stdin"])
def test_the_program_prints_its_port_and_ends(tmp_path: Path, ending: str) -> None:
    script = tmp_path / "script.json"
    script.write_text(Script([calls(call("read"), call("read"))]).to_json())

    async def serve() -> tuple[int, int | None]:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            *("-m", "longrein.testing.server", "--script", str(script), "--wire", "chat"),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
        )
        assert process.stdout is not None
        assert process.stdin is not None
        port = int(await process.stdout.readline())
        url = f"http://127.0.0.1:{port}/v1/chat/completions"
        async with aiohttp.request("POST", url, json=conversation("chat")) as response:
            status = response.status
            await response.read()
        async with aiohttp.request("GET", f"http://127.0.0.1:{port}/stats") as response:
            assert (await response.json())["count"] == 1
        if ending == "signal":
            process.send_signal(signal.SIGTERM)
        else:
            process.stdin.close()
        return status, await process.wait()

    assert run(serve()) == (200, 0)
