"""A proxy that connects a sandbox without a network to allowed hosts, and to no others.

It listens on a unix socket, which is all of the outside that the sandbox gets. Each connection asks
for one host: a tunnel (CONNECT), or one plain request, after which it is closed. The name is looked
up once, here, and what it led to is what is connected to.
"""

import asyncio
import os
import socket
import stat
from asyncio import LimitOverrunError, StreamReader, StreamWriter
from collections import deque
from collections.abc import Awaitable, Callable, Collection, Sequence
from contextlib import suppress
from functools import partial
from inspect import isawaitable
from typing import Self, TypeAlias

from msgspec import Struct

from longrein.core.errors import UsageError
from longrein.workspace.network.hosts import address_of, is_public
from longrein.workspace.network.piping import CHUNK, carry, carry_body
from longrein.workspace.network.requests import LARGEST_HEAD, NotServed, Request, parse

Allowed: TypeAlias = Callable[[str], bool | Awaitable[bool]]
"""Whether a host may be connected to; it comes in canonical form (`hosts.canonical_host`)."""

Resolve: TypeAlias = Callable[[str, int], Awaitable[Sequence[str]]]
"""The addresses of a name, best first; raises `OSError` where it has none."""

WEB = frozenset({80, 443})
REMEMBERED = 1_000
_LONGEST_SOCKET_PATH = 107
_LINGER = 1.0
_DOTS = ". Ask for it to be allowed if the task needs it; do not look for another way."


class Times(Struct, frozen=True):
    """Seconds that the proxy waits: for a request, for a connection, and while nothing is sent."""

    request: float = 30.0
    connect: float = 30.0
    idle: float = 600.0


TIMES = Times()


class Refusal(Struct, frozen=True):
    """A connection that was not made: its host, and why, in words for a model."""

    host: str
    says: str


class Proxy:
    """A proxy on a unix socket that decides by host.

    `allowed` is asked once for each request. Hosts at addresses that are not public (this machine,
    networks nearby, cloud metadata) are refused, whatever it says, unless `private` says that the
    host is known to be there: meant for rules that name it, not for those with wildcards.
    `ports` may be connected to. `most`: connections at a time.

    The socket is readable by its owner only. What was refused is remembered (`refused`).
    """

    def __init__(
        self,
        allowed: Allowed,
        socket_path: str | os.PathLike[str],
        *,
        private: Callable[[str], bool] = lambda _: False,
        ports: Collection[int] = WEB,
        resolve: Resolve | None = None,
        times: Times = TIMES,
        most: int = 256,
    ) -> None:
        self.socket_path = os.fspath(socket_path)
        self._allowed, self._private, self._ports = allowed, private, ports
        self._resolve = resolve or look_up
        self._times, self._most = times, most
        self._server: asyncio.Server | None = None
        self._serving: set[asyncio.Task[None]] = set()
        self._refused: deque[Refusal] = deque(maxlen=REMEMBERED)
        self._to: dict[str, set[StreamWriter]] = {}
        self._refusals = 0

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def start(self) -> None:
        """Listen. Raises `UsageError` where the socket cannot be."""
        listening = _listen(self.socket_path)
        self._server = await asyncio.start_unix_server(
            self._accept, sock=listening, limit=LARGEST_HEAD, backlog=1_024
        )

    async def close(self) -> None:
        """Listen no more, and end all connections."""
        if self._server is None:
            return
        self._server.close()
        for task in self._serving:
            task.cancel()
        if self._serving:
            await asyncio.wait(self._serving)
        self._server = None
        with suppress(FileNotFoundError):
            os.unlink(self.socket_path)

    def end(self, host: str) -> None:
        """End the connections to a host that may not be reached any more."""
        for writer in self._to.pop(host, ()):
            writer.transport.abort()

    @property
    def refusals(self) -> int:
        """How many were refused so far: to ask `refused` later for those since now."""
        return self._refusals

    def refused(self, since: int = 0) -> tuple[Refusal, ...]:
        """What was refused since there were so many `refusals`, each once, the first first."""
        new = self._refusals - since
        return tuple(dict.fromkeys(list(self._refused)[-new:] if new > 0 else ()))

    def _accept(self, reader: StreamReader, writer: StreamWriter) -> None:
        task = asyncio.create_task(self._serve(reader, writer))
        self._serving.add(task)
        task.add_done_callback(self._serving.discard)

    async def _serve(self, reader: StreamReader, writer: StreamWriter) -> None:
        """One connection from its first byte to its last."""
        try:
            if len(self._serving) > self._most:
                raise NotServed("There are too many connections.", "503 Service Unavailable")
            request = await self._request(reader)
            there = await self._connect(request)
            own = self._to.setdefault(request.host, set())
            own.add(writer)
            try:
                await self._pass_on(request, (reader, writer), there)
            finally:
                own.discard(writer)
                there[1].transport.abort()
        except NotServed as problem:
            await _answer(reader, writer, problem)
        except (OSError, EOFError):  # whoever connected has gone
            pass
        finally:
            writer.transport.abort()

    async def _request(self, reader: StreamReader) -> Request:
        try:
            async with asyncio.timeout(self._times.request):
                return parse(await reader.readuntil(b"\r\n\r\n"))
        except LimitOverrunError:
            raise NotServed(
                f"The head of a request has at most {LARGEST_HEAD:,} bytes.",
                "431 Request Header Fields Too Large",
            ) from None
        except TimeoutError:
            raise NotServed("The request did not come to its end.", "408 Request Timeout") from None

    async def _connect(self, request: Request) -> tuple[StreamReader, StreamWriter]:
        """A connection to where the request may go. Raises `NotServed` that says why not."""
        host, port = request.host, request.port
        if port not in self._ports:
            raise self._refuse(host, f"Connections to port {port} are not allowed here{_DOTS}")
        answer = self._allowed(host)
        if not (await answer if isawaitable(answer) else answer):
            raise self._refuse(host, f"Connections to {host} are not allowed here{_DOTS}")
        try:
            async with asyncio.timeout(self._times.connect):
                return await self._reach(host, port)
        except TimeoutError:
            raise NotServed(f"{host} does not answer.", "504 Gateway Timeout") from None

    async def _reach(self, host: str, port: int) -> tuple[StreamReader, StreamWriter]:
        failed = f"{host} has no address."
        for address in await self._addresses(host, port):
            try:
                return await asyncio.open_connection(address, port, limit=CHUNK)
            except OSError as error:
                failed = f"{host} could not be reached: {error.strerror or error}."
        raise NotServed(failed, "502 Bad Gateway")

    async def _addresses(self, host: str, port: int) -> list[str]:
        """Those addresses of a host that may be connected to."""
        try:
            found = [host] if address_of(host) else await self._resolve(host, port)
        except OSError:
            raise NotServed(f"The name {host} is not known.", "502 Bad Gateway") from None
        addresses = [address for one in found if (address := address_of(one))]
        if self._private(host):
            return list(map(str, addresses))
        public = [str(address) for address in addresses if is_public(address)]
        if addresses and not public:
            raise self._refuse(
                host,
                f"Connections to {host} are not allowed here: it is on this machine or in a "
                f"network nearby, and not named as such{_DOTS}",
            )
        return public

    def _refuse(self, host: str, says: str) -> NotServed:
        self._refused.append(Refusal(host, says))
        self._refusals += 1
        return NotServed(says, "403 Forbidden")

    async def _pass_on(
        self,
        request: Request,
        here: tuple[StreamReader, StreamWriter],
        there: tuple[StreamReader, StreamWriter],
    ) -> None:
        """Both directions, until both have ended or (a plain request) the answer has."""
        (reader, writer), (there_reader, there_writer) = here, there
        for one in (writer, there_writer):
            one.transport.set_write_buffer_limits(0)  # nothing piles up, and an end loses nothing
        idle = self._times.idle
        try:
            async with asyncio.timeout(idle) as silence, asyncio.TaskGroup() as both:
                heard = partial(_renew, silence, idle)
                if request.tunnel:
                    writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
                    sending = both.create_task(carry(reader, there_writer, heard))
                else:
                    there_writer.write(request.head)
                    body = carry_body(reader, there_writer, request.body, heard)
                    sending = both.create_task(body)
                await carry(there_reader, writer, heard)
                if not request.tunnel:
                    sending.cancel()
        except* (OSError, EOFError, LimitOverrunError, NotServed):
            pass  # one side has gone, is silent, or makes no sense: the other hears an end


async def look_up(host: str, port: int) -> Sequence[str]:
    """The addresses that this machine knows for a name."""
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(place[0]) for *_, place in found]


def _listen(path: str) -> socket.socket:
    """A socket at a path, for its owner only from the first moment on."""
    if len(os.fsencode(path)) > _LONGEST_SOCKET_PATH:
        raise UsageError(
            f"The path {path!r} is too long for a socket: at most {_LONGEST_SOCKET_PATH} bytes."
        )
    listening = socket.socket(socket.AF_UNIX)
    try:
        if os.path.lexists(path) and stat.S_ISSOCK(os.lstat(path).st_mode):
            os.unlink(path)
        os.fchmod(listening.fileno(), 0o600)
        listening.bind(path)
    except OSError as error:
        listening.close()
        raise UsageError(f"There can be no socket at {path!r}: {error.strerror}.") from None
    return listening


async def _answer(reader: StreamReader, writer: StreamWriter, problem: NotServed) -> None:
    """Say what is wrong, and wait a little for it to be read: who still sends would not read it."""
    body = f"{problem}\n".encode()
    head = (
        f"HTTP/1.1 {problem.status}\r\nContent-Type: text/plain; charset=utf-8\r\n"
        f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    )
    try:
        async with asyncio.timeout(_LINGER):
            writer.write(head.encode() + body)
            await writer.drain()
            writer.write_eof()
            while await reader.read(CHUNK):
                pass
    except OSError:  # nobody is there to read it, or somebody does not stop sending
        pass


def _renew(silence: asyncio.Timeout, seconds: float) -> None:
    if not silence.expired():
        silence.reschedule(asyncio.get_running_loop().time() + seconds)
