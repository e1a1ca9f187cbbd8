"""A provider for tests: a real HTTP server on the loopback that says what it is told to say."""

import asyncio
import socket
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Literal

import msgspec
from msgspec import Struct

from longrein.core.errors import ModelError
from longrein.core.messages import Message, Text, User
from longrein.models.anthropic import AnthropicModel
from longrein.models.base import Delta, Model, ModelSettings, Request, ToolSpec
from longrein.models.openai_chat import OpenAIChatModel
from longrein.models.openai_responses import OpenAIResponsesModel
from longrein.models.place import Place, Quirks
from longrein.models.secret import Secret

KEY = "sk-very-secret-0123456789"
MODELS = {
    "chat": OpenAIChatModel,
    "responses": OpenAIResponsesModel,
    "anthropic": AnthropicModel,
}
WIRES = tuple(MODELS)


class Answer(Struct, frozen=True):
    """What is sent for one request, and how it goes on after the last chunk."""

    chunks: Sequence[bytes] = ()
    status: int = 200
    headers: Mapping[str, str] = MappingProxyType({"Content-Type": "text/event-stream"})
    then: Literal["end", "hang", "cut"] = "end"


class Seen(Struct, frozen=True):
    """One request as it came in."""

    path: str
    headers: Mapping[str, str]
    body: bytes


class Provider:
    """Serves `answers` in order, the last one for ever."""

    def __init__(self, *answers: Answer, listening: socket.socket | None = None) -> None:
        self._listening = listening or socket.create_server(("127.0.0.1", 0))
        self.seen: list[Seen] = []
        self.connections = 0
        self.asked = asyncio.Event()
        """Set when an answer is under way."""
        self.left = asyncio.Event()
        """Set when a client has closed its connection."""
        self._answers = list(answers)

    async def __aenter__(self) -> "Provider":
        self._server = await asyncio.start_server(self._serve, sock=self._listening)
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            while True:
                self.seen.append(await _read(reader))
                answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
                await _write(writer, answer)
                self.asked.set()
                if answer.then == "cut":
                    writer.transport.abort()
                    return
                if answer.then == "hang":
                    await reader.read()
                    return
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            self.left.set()
            writer.close()


async def _read(reader: asyncio.StreamReader) -> Seen:
    head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
    headers = {
        name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:])
    }
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Seen(head[0].split(" ")[1], headers, body)


async def _write(writer: asyncio.StreamWriter, answer: Answer) -> None:
    head = [f"HTTP/1.1 {answer.status} Whatever", "Transfer-Encoding: chunked"]
    head += [f"{name}: {value}" for name, value in answer.headers.items()]
    writer.write("\r\n".join(head).encode() + b"\r\n\r\n")
    for chunk in filter(None, answer.chunks):
        writer.write(b"%x\r\n%s\r\n" % (len(chunk), chunk))
        await writer.drain()
    if answer.then == "end":
        writer.write(b"0\r\n\r\n")
    await writer.drain()


def event(value: object) -> bytes:
    """One server-sent event that holds `value` as JSON."""
    return b"data: " + msgspec.json.encode(value) + b"\n\n"


WHOLE: dict[str, list[bytes]] = {
    "chat": [
        event({"choices": [{"delta": {"content": "Hello"}}]}),
        event({"choices": [{"delta": None, "finish_reason": "stop"}]}),
        b"data: [DONE]\n\n",
    ],
    "responses": [
        event({"type": "response.output_text.delta", "output_index": 0, "delta": "Hello"}),
        event({"type": "response.completed", "response": {}}),
    ],
    "anthropic": [
        event({"type": "message_start", "message": {}}),
        event({"type": "content_block_delta", "index": 0, "delta": {"text": "Hello"}}),
        event({"type": "message_delta", "delta": {"stop_reason": "end_turn"}}),
        event({"type": "message_stop"}),
    ],
}
"""For each wire an answer that says Hello."""


def model_at(
    wire: str, url: str, model: str = "m", *, quirks: Quirks | None = None, key: str = KEY
) -> Model:
    """A model of the wire that talks to `url`."""
    place = Place("test", model, url, Secret(key, "TEST_API_KEY"), quirks or Quirks())
    return MODELS[wire](place)


async def no_blobs(blob: str) -> bytes:
    raise AssertionError(f"nobody should ask for {blob}")


def request(
    *messages: Message,
    system: str = "",
    tools: tuple[ToolSpec, ...] = (),
    settings: ModelSettings | None = None,
    model: str = "m",
) -> Request:
    """A request of these messages; a greeting without any."""
    return Request(
        model,
        system,
        tools,
        list(messages) or [User((Text("hi"),))],
        no_blobs,
        settings or ModelSettings(),
    )


async def deltas(model: Model, asked: Request) -> list[Delta]:
    """The whole answer; the model is closed."""
    try:
        return [delta async for delta in model.stream(asked)]
    finally:
        await model.close()


async def answered(wire: str, answer: Answer) -> list[Delta] | ModelError:
    """What comes of one answer: its deltas, or the error that it ends with."""
    async with Provider(answer) as provider:
        try:
            return await deltas(model_at(wire, provider.url), request())
        except ModelError as error:
            return error
