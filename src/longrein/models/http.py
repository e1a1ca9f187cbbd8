"""One streamed request: a body goes out, deltas come in, and closing it closes the connection."""

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from typing import Protocol
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import aiohttp
from aiohttp import ClientResponse, ClientSession, ClientTimeout, StreamReader, TCPConnector
from aiohttp.payload import BytesPayload, Payload
from msgspec import Struct

from longrein.core.errors import BadRequest, ModelError, Network
from longrein.models.base import Delta
from longrein.models.errors import advised, broken, from_response
from longrein.models.joining import joined
from longrein.models.secret import Secret
from longrein.models.sse import EventReader

_GRACE = 0.1


class Endpoint(Struct, frozen=True):
    """Where a model is, how to get in, and how long to wait for a sign of life."""

    url: str
    headers: Mapping[str, str]
    secret: Secret
    connect_seconds: float = 20.0
    idle_seconds: float = 300.0

    def __repr__(self) -> str:
        return f"Endpoint({self.url!r}, {self.secret!r})"  # headers hold the key


class Reply(Protocol):
    """What a wire makes of a stream, free of any network."""

    def take(self, events: list[bytes]) -> list[Delta]:
        """The deltas in these events; raises `ModelError` where they hold an error."""
        ...

    @property
    def done(self) -> bool:
        """Whether the stream's own last event came."""
        ...

    def end(self) -> list[Delta]:
        """What is left to say when the stream has ended; raises `Network` if it is not whole."""
        ...


class Http:
    """Connections to one endpoint, made when first used and kept for the next request.

    They belong to the event loop that made them; another loop gets its own.
    """

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._pools: dict[asyncio.AbstractEventLoop, ClientSession] = {}

    async def stream(
        self, body: Callable[[], Awaitable[bytes]], reply: Reply, advice: Callable[[], str]
    ) -> AsyncGenerator[Delta, None]:
        """Post `body` and yield what `reply` makes of the answer.

        Raises a `ModelError` for every way in which that can fail; where the body is what is wrong,
        its text ends with the `advice`. Leaving early, by closing the iterator or by cancellation,
        closes the connection at once.
        """
        response = await self._post(_Body(await body()))
        listener = _Listener(response.content, self._endpoint.idle_seconds)
        try:
            if response.status >= 300:
                raise await self._refusal(response)
            if response.content_type == "application/json":
                # Asked for a stream, got the whole answer, or an error, in one piece.
                for delta in reply.take([await self._whole(response)]):
                    yield delta
            else:
                reader = EventReader()
                while chunk := await listener.read():
                    for delta in joined(reply.take(reader.feed(chunk))):
                        yield delta
                    if reply.done:
                        break
                for delta in reply.take(reader.end()):
                    yield delta
            for delta in reply.end():
                yield delta
            await _drain(response.content)
        except (aiohttp.ClientError, OSError, TimeoutError) as error:
            raise _unreachable(error, self._endpoint) from error
        except BadRequest as error:
            raise advised(error, advice()) from None
        finally:
            listener.stop()
            if response.content.at_eof():
                response.release()
            else:
                response.close()

    async def close(self) -> None:
        """Let go of every connection."""
        pools, self._pools = self._pools, {}
        here = asyncio.get_running_loop()
        for loop, pool in pools.items():
            # A pool whose loop is gone has nothing left to close.
            if loop is here:
                await pool.close()

    async def _post(self, payload: Payload) -> ClientResponse:
        endpoint = self._endpoint
        try:
            pool = self._pools.get(asyncio.get_running_loop()) or self._open()
            async with asyncio.timeout(endpoint.connect_seconds + endpoint.idle_seconds):
                return await pool.post(endpoint.url, data=payload, allow_redirects=False)
        except (aiohttp.ClientError, OSError, TimeoutError, ValueError) as error:
            raise _unreachable(error, self._endpoint) from error

    def _open(self) -> ClientSession:
        endpoint = self._endpoint
        proxy = proxy_for(endpoint.url)
        pool = ClientSession(
            connector=TCPConnector(limit=0, keepalive_timeout=60),
            timeout=ClientTimeout(
                total=None, sock_connect=endpoint.connect_seconds, sock_read=None
            ),
            headers={
                "Content-Type": "application/json",
                "Accept": "text/event-stream",
                "Accept-Encoding": "identity",
                **endpoint.headers,
            },
            proxy=proxy,
        )
        for loop in [loop for loop in self._pools if loop.is_closed()]:
            del self._pools[loop]
        self._pools[asyncio.get_running_loop()] = pool
        return pool

    async def _refusal(self, response: ClientResponse) -> ModelError:
        try:
            body = await self._whole(response)
        except (aiohttp.ClientError, OSError, TimeoutError):
            body = b""  # The status alone says enough.
        headers = {name.lower(): value for name, value in response.headers.items()}
        return from_response(response.status, headers, body, self._endpoint.secret, time.time())

    async def _whole(self, response: ClientResponse) -> bytes:
        async with asyncio.timeout(self._endpoint.idle_seconds):
            return await response.read()


class _Body(BytesPayload):
    """Bytes of any size; aiohttp's own class warns above 1 MB, where conversations do end up."""

    def __init__(self, value: bytes) -> None:
        Payload.__init__(self, value, content_type="application/json")
        self._size = len(value)


class _Listener:
    """Reads a stream, and breaks it when it has been silent for too long.

    One timer per stream that looks whether anything came since it last looked; aiohttp's own read
    timeout sets a new timer for every chunk. Silence is noticed after one to two times `seconds`,
    and only while somebody waits: a slow reader is not the provider's silence.
    """

    __slots__ = ("_content", "_handle", "_heard", "_loop", "_seconds", "_waiting")

    def __init__(self, content: StreamReader, seconds: float) -> None:
        self._content = content
        self._seconds = seconds
        self._waiting = False
        self._heard = True
        self._loop = asyncio.get_running_loop()
        self._handle = self._loop.call_later(seconds, self._look)

    async def read(self) -> bytes:
        """What has come, at least one byte; nothing at the end."""
        self._waiting = True
        chunk = await self._content.readany()
        self._waiting = False
        self._heard = True
        return chunk

    def stop(self) -> None:
        self._handle.cancel()

    def _look(self) -> None:
        if self._waiting and not self._heard:
            self._content.set_exception(TimeoutError(f"no data for {self._seconds:g} seconds"))
        else:
            self._heard = False
            self._handle = self._loop.call_later(self._seconds, self._look)


async def _drain(content: StreamReader) -> None:
    # A connection is kept for the next request only if its answer was read to the end, which is
    # a few bytes away; a server that keeps it open is not waited for.
    if not content.at_eof():
        try:
            async with asyncio.timeout(_GRACE):
                while await content.readany():
                    pass
        except (aiohttp.ClientError, OSError, TimeoutError):
            pass


def _unreachable(error: Exception, endpoint: Endpoint) -> ModelError:
    if isinstance(error, aiohttp.ClientPayloadError | ConnectionResetError):
        return broken("the connection was lost in the middle of the answer")
    if isinstance(error, aiohttp.ClientConnectorError):
        why = error.os_error.strerror or str(error.os_error)
        return Network(f"Nothing answers at {_place(endpoint.url)} ({why}). Is it running?")
    if isinstance(error, TimeoutError):
        silence = str(error) or "no answer in time"
        return Network(f"{_place(endpoint.url)} went silent: {silence}.")
    said = f"{type(error).__name__}: {endpoint.secret.hide(str(error))}".removesuffix(": ")
    # An address or a header that cannot be sent is as wrong the next time.
    return BadRequest(said) if isinstance(error, ValueError) else Network(said)


def _place(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.hostname}" + (f":{parts.port}" if parts.port else "")


def proxy_for(url: str) -> str | None:
    # Looked up once: aiohttp's trust_env reads the environment and ~/.netrc for every request.
    parts = urlsplit(url)
    if not parts.hostname or proxy_bypass(parts.hostname):
        return None
    return getproxies().get(parts.scheme)
