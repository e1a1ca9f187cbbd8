"""A scripted provider behind a real socket: HTTP/1.1 by hand, so that no client waits for it."""

import asyncio
import json
from collections import deque
from collections.abc import Iterator
from contextlib import ExitStack
from types import TracebackType
from typing import TypeAlias

from msgspec import Struct

from longrein.core.errors import ModelError, UsageError
from longrein.testing.replies import BreakPiece, ErrorPiece, PausePiece, Reply, fail
from longrein.testing.scripted import Replies, Script, rest, spoken
from longrein.testing.server.chat import ChatWire
from longrein.testing.server.messages import MessagesWire
from longrein.testing.server.responses import ResponsesWire
from longrein.testing.server.wires import Frame, Refused, Wire

_WIRES: dict[str, Wire] = {
    "chat": ChatWire(),
    "responses": ResponsesWire(),
    "messages": MessagesWire(),
}
_STREAMED = (
    b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\n"
    b"cache-control: no-cache\r\ntransfer-encoding: chunked\r\n\r\n"
)
_LAST_CHUNK = b"0\r\n\r\n"
_BUFFER = 1 << 22

Answer: TypeAlias = tuple[bytes | PausePiece, ...]
"""What goes down the socket, with silences in between; an empty last part closes it."""


class Posted(Struct, frozen=True):
    """One request that the server got. `body` is kept only where the server was told to."""

    path: str
    headers: dict[str, str]
    size: int
    body: bytes = b""


class ScriptedServer:
    """A provider on a local port that answers by `replies` on every wire.

    `strict` refuses, with status 400, what the strictest provider would refuse. `fast` chooses the
    reply by counting in the raw body and checks nothing: for benchmarks, with a `Script` without
    rules only. `delay` is the pause before each event where the reply names none. `requests` holds
    the newest `keep` requests (with bodies if `bodies`), `count` and `received` count all requests
    and bytes, `refused` the texts of what was refused, `dropped` the answers whose client left;
    `GET /stats` tells them to other processes.

    >>> from longrein.testing.replies import say
    >>> async def where() -> str:
    ...     async with ScriptedServer(Script([say("Hello")])) as server:
    ...         return f"{server.url}/v1/chat/completions"
    >>> asyncio.run(where()).startswith("http://127.0.0.1:")
    True
    """

    def __init__(
        self,
        replies: Replies,
        *,
        strict: bool = True,
        fast: bool = False,
        bodies: bool = False,
        delay: float | None = None,
        keep: int = 1000,
        port: int = 0,
        wires: tuple[str, ...] = ("chat", "responses", "messages"),
    ) -> None:
        if fast and (not isinstance(replies, Script) or replies.rules):
            raise UsageError("fast=True needs a Script without rules.")
        self.requests: deque[Posted] = deque(maxlen=keep)
        self.refused: deque[str] = deque(maxlen=keep)
        self.count = self.received = self.dropped = 0
        self.port = port
        self._wires = {_WIRES[name].path: _WIRES[name] for name in wires}
        self._choose = _Chooser(replies, strict=strict, fast=fast, delay=delay)
        self._bodies = bodies
        self._closing = ExitStack()
        self._released = asyncio.Event()
        self._clients: dict[asyncio.Task[None], asyncio.StreamWriter] = {}

    @property
    def url(self) -> str:
        """Where it listens, without a path."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def open(self) -> int:
        """How many connections there are."""
        return len(self._clients)

    async def __aenter__(self) -> "ScriptedServer":
        server = await asyncio.start_server(
            self._accept, "127.0.0.1", self.port, limit=_BUFFER, backlog=1024
        )
        self._closing.callback(server.close)
        self.port = server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._closing.close()
        # Not by cancelling: asyncio logs a cancelled connection as a failure.
        for writer in self._clients.values():
            writer.transport.abort()
        await asyncio.gather(*self._clients, return_exceptions=True)

    def release(self) -> None:
        """End every pause without a length, those under way and those still to come."""
        self._released.set()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._clients[task] = writer
        try:
            while await self._serve(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            pass  # The client's business; the next connection is not to suffer.
        finally:
            del self._clients[task]
            writer.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Answer one request; whether the connection lives on."""
        head = await reader.readuntil(b"\r\n\r\n")
        path, headers = _parse(head)
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        if path == "/stats":
            return await self._send((self._stats(),), reader, writer)
        self.count += 1
        self.received += len(body)
        self.requests.append(Posted(path, headers, len(body), body if self._bodies else b""))
        wire = self._wires.get(path)
        answer = _NOT_FOUND if wire is None else self._answer(wire, body)
        return await self._send(answer, reader, writer)

    def _stats(self) -> bytes:
        counts = {"count": self.count, "received": self.received, "dropped": self.dropped}
        body = json.dumps({**counts, "refused": list(self.refused)}).encode()
        return _plain(200, body, "application/json", {})

    def _answer(self, wire: Wire, body: bytes) -> Answer:
        try:
            return self._choose.answer(wire, body)
        except Refused as refusal:
            self.refused.append(str(refusal))
            return _failed(wire, ErrorPiece("bad_request", str(refusal)))

    async def _send(
        self, answer: Answer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        if not any(isinstance(part, PausePiece) for part in answer):
            return await self._write(answer, writer, None)
        # Nothing may come from the client before its answer is complete but its end.
        gone = asyncio.ensure_future(reader.read(1))
        try:
            return await self._write(answer, writer, gone)
        finally:
            gone.cancel()
            await asyncio.gather(gone, return_exceptions=True)

    async def _write(
        self, answer: Answer, writer: asyncio.StreamWriter, gone: "asyncio.Future[bytes] | None"
    ) -> bool:
        for part in answer:
            if isinstance(part, PausePiece):
                if gone is not None and await _silence(part, self._released, gone):
                    self.dropped += 1
                    return False
            elif part:
                writer.write(part)
                await writer.drain()
            else:
                return False
        return True


class _Chooser:
    """From a request's body to the bytes of its answer, encoded once per reply and place."""

    def __init__(self, replies: Replies, *, strict: bool, fast: bool, delay: float | None) -> None:
        self._replies = replies
        self._strict = strict
        self._fast = fast
        self._delay = delay
        self._kept: dict[tuple[str, int, int, bool], Answer] = {}

    def answer(self, wire: Wire, body: bytes) -> Answer:
        usage = wire.reports(body)
        try:
            reply, number = self._chosen(wire, body)
        except ModelError as error:
            return _encoded(wire, fail(error), 0, usage, None)
        if not isinstance(self._replies, Script):
            return _encoded(wire, reply, number, usage, self._delay)
        # A script's replies live as long as it does, so that an id stands for one of them.
        key = (wire.path, id(reply), number, usage)
        kept = self._kept.get(key)
        if kept is None:
            kept = self._kept[key] = _encoded(wire, reply, number, usage, self._delay)
        return kept

    def _chosen(self, wire: Wire, body: bytes) -> tuple[Reply, int]:
        if self._fast and isinstance(self._replies, Script):
            number = wire.spoken(body)
            return self._replies.number(number), number
        request = wire.read(body, strict=self._strict)
        return self._replies(request), spoken(request.messages)


def _encoded(wire: Wire, reply: Reply, number: int, usage: bool, delay: float | None) -> Answer:
    first = next((p for p in reply.pieces if not isinstance(p, PausePiece)), None)
    if isinstance(first, ErrorPiece):
        waits = tuple(piece for piece in reply.pieces if isinstance(piece, PausePiece))
        return waits + (_failed(wire, first) if first.kind != "network" or first.status else (b"",))
    delay = delay if reply.delay is None else reply.delay
    return tuple(_merged(_paced(wire.frames(reply, number, usage=usage), delay)))


def _paced(frames: Iterator[Frame], delay: float | None) -> Iterator[bytes | PausePiece]:
    """The frames as chunks of HTTP, with the pauses between them."""
    yield _STREAMED
    for frame in frames:
        if isinstance(frame, BreakPiece):
            yield _LAST_CHUNK if frame.clean else b""
            return
        if isinstance(frame, PausePiece):
            yield frame
            continue
        if delay is not None:
            yield PausePiece(delay)
        yield b"%x\r\n%b\r\n" % (len(frame), frame)
    yield _LAST_CHUNK


def _merged(parts: Iterator[bytes | PausePiece]) -> Iterator[bytes | PausePiece]:
    """The same with neighbours joined, so that what can go out at once is one write."""
    joined: list[bytes] = []
    for part in parts:
        if isinstance(part, bytes) and part:
            joined.append(part)
            continue
        if joined:
            yield b"".join(joined)
            joined = []
        yield part
    if joined:
        yield b"".join(joined)


async def _silence(
    pause: PausePiece, released: asyncio.Event, gone: "asyncio.Future[bytes]"
) -> bool:
    """Wait as the piece says; whether the client left meanwhile."""
    if pause.seconds == 0:
        await asyncio.sleep(0)
        return gone.done()
    waiting = asyncio.ensure_future(rest(pause, released))
    try:
        await asyncio.wait({waiting, gone}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        waiting.cancel()
    return gone.done()


def _failed(wire: Wire, error: ErrorPiece) -> Answer:
    status, body = wire.failure(error)
    kind = "application/json"
    headers = dict(error.headers)
    if error.body:
        body, kind = error.body.encode(), headers.pop("content-type", "text/html")
    if error.retry_after is not None:
        headers.setdefault("retry-after", f"{error.retry_after:g}")
    return (_plain(status, body, kind, headers),)


def _plain(status: int, body: bytes, kind: str, headers: dict[str, str]) -> bytes:
    lines = [f"HTTP/1.1 {status} Scripted", f"content-type: {kind}", f"content-length: {len(body)}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode() + body


_NOT_FOUND: Answer = (
    _plain(
        404, json.dumps({"error": {"message": "No such path"}}).encode(), "application/json", {}
    ),
)


def _parse(head: bytes) -> tuple[str, dict[str, str]]:
    first, *lines = head[:-4].decode("latin-1").split("\r\n")
    pairs = (line.partition(":") for line in lines)
    path = first.split(" ")[1].partition("?")[0]
    return path, {name.lower(): value.strip() for name, _, value in pairs}
