"""The other side of every ratio: a bare aiohttp client that makes the same requests.

It keeps each message's encoded bytes and joins them, parses each chunk with msgspec, runs the
tool, and stores nothing.
"""

import argparse
import asyncio
import uuid
from typing import Any

import aiohttp
import msgspec
from msgspec import Struct

from bench.cpu import cpu_seconds
from bench.workload import MODEL, PROMPT, SYSTEM, TOOL, found

_encode = msgspec.json.Encoder().encode
_HEADERS = {"Content-Type": "application/json", "Accept": "text/event-stream"}


class _Function(Struct):
    name: str = ""
    arguments: str = ""


class _Call(Struct):
    function: _Function


class _Delta(Struct):
    content: str | None = None
    tool_calls: list[_Call] = []


class _Choice(Struct):
    delta: _Delta


class _Chunk(Struct):
    choices: list[_Choice] = []


class _Arguments(Struct):
    path: str
    line: int


_chunks = msgspec.json.Decoder(_Chunk)
_arguments = msgspec.json.Decoder(_Arguments)


class Reply:
    """A reply in the making: its text and the one call in it."""

    def __init__(self) -> None:
        self.text: list[str] = []
        self.name = ""
        self.arguments: list[str] = []

    def take(self, event: bytes) -> None:
        data = event[6:]
        if data == b"[DONE]":
            return
        for choice in _chunks.decode(data).choices:
            delta = choice.delta
            if delta.content:
                self.text.append(delta.content)
            for call in delta.tool_calls:
                self.name = self.name or call.function.name
                self.arguments.append(call.function.arguments)


async def ask(client: aiohttp.ClientSession, url: str, body: bytes) -> Reply:
    """Post a request and read its answer to the end."""
    reply, rest = Reply(), b""
    async with client.post(url, data=body, headers=_HEADERS) as response:
        async for piece in response.content.iter_any():
            events = (rest + piece).split(b"\n\n")
            rest = events.pop()
            for event in events:
                reply.take(event)
    return reply


async def look(path: str, line: int) -> str:
    """The tool."""
    return found(path, line)


def _messages(reply: Reply, arguments: str, result: str) -> list[bytes]:
    id = f"call_{uuid.uuid4().hex}"
    function = {"name": reply.name, "arguments": arguments}
    spoke: dict[str, Any] = {"role": "assistant", "content": "".join(reply.text) or None}
    spoke["tool_calls"] = [{"id": id, "type": "function", "function": function}]
    return [_encode(spoke), _encode({"role": "tool", "tool_call_id": id, "content": result})]


async def converse(client: aiohttp.ClientSession, url: str) -> None:
    """One conversation, until the model calls no tool."""
    fields = {"model": MODEL, "stream": True, "stream_options": {"include_usage": True}}
    head = _encode({**fields, "tools": [TOOL]})[:-1] + b',"messages":['
    said = [
        _encode({"role": "system", "content": SYSTEM}),
        _encode({"role": "user", "content": PROMPT}),
    ]
    while True:
        reply = await ask(client, url, b"".join((head, b",".join(said), b"]}")))
        if not reply.name:
            return
        arguments = "".join(reply.arguments)
        asked = _arguments.decode(arguments)
        said += _messages(reply, arguments, await look(asked.path, asked.line))


async def measure(url: str, sessions: int) -> float:
    """CPU seconds of so many conversations at once."""
    connector = aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(connector=connector) as client:
        before = cpu_seconds()
        await asyncio.gather(
            *(converse(client, f"{url}/chat/completions") for _ in range(sessions))
        )
        return cpu_seconds() - before


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--url", required=True)
    parser.add_argument("--sessions", type=int, required=True)
    given = parser.parse_args()
    print(asyncio.run(measure(given.url, given.sessions)))


if __name__ == "__main__":
    main()
