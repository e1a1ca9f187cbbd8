"""What the tests of the scripted server share: bodies of every wire, and a bare client."""

import json
from collections.abc import Mapping
from typing import Any

import aiohttp
from msgspec import Struct

from longrein.testing.server import ScriptedServer

PATHS: Mapping[str, str] = {
    "chat": "/v1/chat/completions",
    "responses": "/v1/responses",
    "messages": "/v1/messages",
}


class Answer(Struct, frozen=True):
    """Status, headers and the whole body of an answer; `broken` where it was cut off."""

    status: int
    headers: dict[str, str]
    body: str
    broken: bool = False

    @property
    def events(self) -> list[dict[str, Any]]:
        """The data of all server-sent events but the closing mark."""
        lines = [line[6:] for line in self.body.split("\n") if line.startswith("data: ")]
        return [json.loads(line) for line in lines if line != "[DONE]"]


def conversation(wire: str, turns: int = 0, *, parallel: int = 1, **more: Any) -> dict[str, Any]:
    """A request in which the model has called `parallel` tools `turns` times already."""
    ids = [[f"call_{turn}_{place}" for place in range(parallel)] for turn in range(turns)]
    messages = [message for turn in ids for message in _TURNS[wire](turn)]
    if wire == "responses":
        first = {"role": "user", "content": [{"type": "input_text", "text": "hi"}]}
        return {"model": "m", "stream": True, "input": [first, *messages], **more}
    body: dict[str, Any] = {"model": "m", "stream": True, "max_tokens": 100}
    return body | {"messages": [{"role": "user", "content": "hi"}, *messages]} | more


def _chat_turn(ids: list[str]) -> list[dict[str, Any]]:
    function = {"name": "read", "arguments": "{}"}
    calls = [{"id": id, "type": "function", "function": function} for id in ids]
    return [
        {"role": "assistant", "content": None, "tool_calls": calls},
        *({"role": "tool", "tool_call_id": id, "content": "data"} for id in ids),
    ]


def _responses_turn(ids: list[str]) -> list[dict[str, Any]]:
    call = {"type": "function_call", "name": "read", "arguments": "{}"}
    text = {"type": "output_text", "text": "I read."}
    return [
        {"type": "message", "role": "assistant", "content": [text]},
        *(call | {"call_id": id} for id in ids),
        *({"type": "function_call_output", "call_id": id, "output": "data"} for id in ids),
    ]


def _messages_turn(ids: list[str]) -> list[dict[str, Any]]:
    call: dict[str, Any] = {"type": "tool_use", "name": "read", "input": {}}
    result = {"type": "tool_result", "content": "data"}
    return [
        {"role": "assistant", "content": [call | {"id": id} for id in ids]},
        {"role": "user", "content": [result | {"tool_use_id": id} for id in ids]},
    ]


_TURNS = {"chat": _chat_turn, "responses": _responses_turn, "messages": _messages_turn}


async def post(server: ScriptedServer, wire: str, body: dict[str, Any] | bytes) -> Answer:
    """The server's answer to one request on a connection of its own."""
    async with aiohttp.ClientSession() as session:
        return await post_on(session, server, wire, body)


async def post_on(
    session: aiohttp.ClientSession, server: ScriptedServer, wire: str, body: dict[str, Any] | bytes
) -> Answer:
    """The same on the connections of a session."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    async with session.post(server.url + PATHS[wire], data=data) as response:
        got = b""
        try:
            async for chunk in response.content.iter_any():
                got += chunk
        except aiohttp.ClientPayloadError:
            return Answer(response.status, {}, got.decode(), broken=True)
        headers = {name.lower(): value for name, value in response.headers.items()}
        return Answer(response.status, headers, got.decode())
