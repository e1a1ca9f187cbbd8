"""A proxy with a real server behind it, and clients that speak to it byte by byte."""

import asyncio
from asyncio import StreamReader, StreamWriter
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from longrein.workspace.network.proxy import Proxy, Times

Serve = Callable[[StreamReader, StreamWriter], Awaitable[None]]

NAMES = {"good.example": ["127.0.0.1"], "evil.example": ["127.0.0.1"]}


class Origin:
    """A server on loopback that keeps the heads of the requests that came."""

    def __init__(self, serve: Serve | None = None, address: str = "127.0.0.1") -> None:
        self.heads: list[bytes] = []
        self.bodies: list[bytes] = []
        self.connections = 0
        self._open: set[asyncio.Task[Any]] = set()
        self._serve = serve or self._hello
        self._address = address

    async def __aenter__(self) -> "Origin":
        self._server = await asyncio.start_server(self._accept, self._address, 0)
        self.port: int = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        if self._open:
            await asyncio.wait(self._open)

    async def _accept(self, reader: StreamReader, writer: StreamWriter) -> None:
        self.connections += 1
        task = asyncio.current_task()
        assert task is not None
        self._open.add(task)
        try:
            await self._serve(reader, writer)
        except (OSError, EOFError):
            pass
        finally:
            writer.close()
            self._open.discard(task)

    async def _hello(self, reader: StreamReader, writer: StreamWriter) -> None:
        self.heads.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
        await writer.drain()
        writer.write_eof()
        self.bodies.append(await reader.read())


@asynccontextmanager
async def proxied(
    folder: Path,
    origin: Origin,
    *,
    allowed: Sequence[str] = ("good.example",),
    names: dict[str, list[str]] | None = None,
    private: Sequence[str] = ("good.example",),
    times: Times | None = None,
    most: int = 256,
) -> AsyncGenerator[Proxy, None]:
    """A proxy that allows some hosts, at the port of a server."""
    known = NAMES if names is None else names

    async def resolve(host: str, port: int) -> list[str]:
        if host not in known:
            raise OSError("not known")
        return known[host]

    async with Proxy(
        lambda host: host in allowed,
        folder / "proxy",
        private=lambda host: host in private,
        ports={origin.port, 443},
        resolve=resolve,
        times=times or Times(request=5, connect=5, idle=5),
        most=most,
    ) as proxy:
        yield proxy


async def said(proxy: Proxy, *pieces: bytes, end: bool = False) -> bytes:
    """All that comes back for some bytes, up to the end of the connection."""
    reader, writer = await asyncio.open_unix_connection(proxy.socket_path)
    try:
        for piece in pieces:
            writer.write(piece)
            await writer.drain()
        if end:
            writer.write_eof()
        return await reader.read()
    finally:
        writer.close()


async def connected(proxy: Proxy, host: str, port: int) -> tuple[StreamReader, StreamWriter]:
    """A tunnel."""
    reader, writer = await asyncio.open_unix_connection(proxy.socket_path, limit=1 << 16)
    writer.write(f"CONNECT {host}:{port} HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode())
    assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 200 ")
    return reader, writer


def get(url: str, *headers: str) -> bytes:
    """A plain request."""
    return "\r\n".join([f"GET {url} HTTP/1.1", *headers, "", ""]).encode()
