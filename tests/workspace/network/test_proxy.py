"""What gets through the proxy, and what does not."""

import asyncio
import hashlib
import os
import stat
from asyncio import StreamReader, StreamWriter
from pathlib import Path

import pytest

from longrein.core.errors import UsageError
from longrein.workspace.network.proxy import Proxy, Times
from tests.support import run
from tests.workspace.network.kit import Origin, connected, get, proxied, said


def test_a_plain_request_reaches_an_allowed_host(tmp_path: Path) -> None:
    async def check() -> None:
        async with Origin() as origin, proxied(tmp_path, origin) as proxy:
            url = f"http://GOOD.example.:{origin.port}/a?b=c"
            answer = await said(proxy, get(url, "Accept: */*", "Proxy-Connection: keep-alive"))
            assert answer.endswith(b"\r\n\r\nhello")
            head = (
                f"GET /a?b=c HTTP/1.1\r\nHost: good.example:{origin.port}\r\nAccept: */*\r\n"
                "Connection: close\r\n\r\n"
            )
            assert origin.heads == [head.encode()]

    run(check())


def test_a_host_that_is_not_allowed_is_refused_in_words_and_remembered(tmp_path: Path) -> None:
    async def check() -> None:
        async with Origin() as origin, proxied(tmp_path, origin) as proxy:
            before = proxy.refusals
            for line in (f"GET http://Evil.example:{origin.port}/", "CONNECT evil.example:443"):
                answer = await said(proxy, f"{line} HTTP/1.1\r\n\r\n".encode())
                assert answer.startswith(b"HTTP/1.1 403 ")
                assert b"Connections to evil.example are not allowed here." in answer
            assert [one.host for one in proxy.refused(before)] == ["evil.example"]
            assert proxy.refused(proxy.refusals) == ()
            assert origin.connections == 0

    run(check())


def test_a_decision_may_take_its_time(tmp_path: Path) -> None:
    async def check() -> None:
        async def slowly(host: str) -> bool:
            await asyncio.sleep(0.01)
            return host == "127.0.0.1"

        async with Origin() as origin:
            ports = {origin.port}
            path = tmp_path / "proxy"
            async with Proxy(slowly, path, ports=ports, private=lambda _: True) as proxy:
                yes = await said(proxy, get(f"http://127.0.0.1:{origin.port}/"))
                no = await said(proxy, get(f"http://127.0.0.2:{origin.port}/"))
            assert (yes[-5:], no[9:12]) == (b"hello", b"403")

    run(check())


def test_a_tunnel_carries_bytes_both_ways_and_each_end_alone(tmp_path: Path) -> None:
    async def backwards(reader: StreamReader, writer: StreamWriter) -> None:
        writer.write((await reader.read())[::-1])  # only when the other side has ended

    async def check() -> None:
        async with Origin(backwards) as origin, proxied(tmp_path, origin) as proxy:
            reader, writer = await connected(proxy, "good.example", origin.port)
            writer.write(b"abc\0\xff")
            writer.write_eof()
            assert await reader.read() == b"\xff\0cba"
            writer.close()

    run(check())


def test_bytes_sent_with_the_request_for_a_tunnel_go_through_it(tmp_path: Path) -> None:
    async def check() -> None:
        async with Origin() as origin, proxied(tmp_path, origin) as proxy:
            request = f"CONNECT good.example:{origin.port} HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\n\r\n"
            answer = await said(proxy, request.encode(), end=True)
            assert answer.endswith(b"hello")

    run(check())


def test_large_transfers_wait_for_whoever_is_slow(tmp_path: Path) -> None:
    size = 48 * 1024 * 1024
    sent = 0

    async def pour(reader: StreamReader, writer: StreamWriter) -> None:
        nonlocal sent
        block = os.urandom(1 << 16)
        while sent < size:
            writer.write(block)
            sent += len(block)
            await writer.drain()

    async def check() -> None:
        async with Origin(pour) as origin, proxied(tmp_path, origin) as proxy:
            reader, writer = await connected(proxy, "good.example", origin.port)
            await asyncio.sleep(0.3)
            assert sent < size / 2  # nobody reads yet, and nobody keeps it meanwhile
            got = 0
            while data := await reader.read(1 << 20):
                got += len(data)
            assert got == size
            writer.close()

    run(check())


@pytest.mark.parametrize("chunked", [False, True])
def test_the_body_of_a_plain_request_goes_along(tmp_path: Path, *, chunked: bool) -> None:
    body = os.urandom(300_000)

    async def digest(reader: StreamReader, writer: StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        got = b""
        if b"Content-Length: 300000\r\n" in head:
            got = await reader.readexactly(300_000)
        elif b"Transfer-Encoding: chunked\r\n" in head:
            while size := int(await reader.readuntil(b"\r\n"), 16):
                got += (await reader.readexactly(size + 2))[:-2]
            assert await reader.readexactly(2) == b"\r\n"
        said = hashlib.sha256(got).hexdigest().encode()
        writer.write(b"HTTP/1.1 200 OK\r\n\r\n" + said)

    async def check() -> None:
        async with Origin(digest) as origin, proxied(tmp_path, origin) as proxy:
            how = "Transfer-Encoding: Chunked" if chunked else "Content-Length: 300000"
            request = f"PUT http://good.example:{origin.port}/ HTTP/1.1\r\n{how}\r\n\r\n".encode()
            pieces = [body[at : at + 70_000] for at in range(0, len(body), 70_000)]
            if chunked:
                pieces = [b"%X;x=y\r\n%s\r\n" % (len(one), one) for one in pieces]
                pieces.append(b"0\r\nTrailer: x\r\n\r\n")
            answer = await said(proxy, request, *pieces)
            assert answer.endswith(hashlib.sha256(body).hexdigest().encode())

    run(check())


def test_many_connections_are_served_at_once(tmp_path: Path) -> None:
    async def check() -> None:
        async with Origin() as origin, proxied(tmp_path, origin) as proxy:
            request = get(f"http://good.example:{origin.port}/")
            answers = await asyncio.gather(*(said(proxy, request) for _ in range(150)))
            assert all(answer.endswith(b"hello") for answer in answers)

    run(check())


def test_more_connections_than_may_be_are_sent_away(tmp_path: Path) -> None:
    async def check() -> None:
        async with Origin() as origin, proxied(tmp_path, origin, most=1) as proxy:
            _, first = await connected(proxy, "good.example", origin.port)
            assert b" 503 " in await said(proxy, get(f"http://good.example:{origin.port}/"))
            first.close()

    run(check())


def test_the_server_hears_of_a_client_that_goes_away(tmp_path: Path) -> None:
    over = asyncio.Event()

    async def until_the_end(reader: StreamReader, writer: StreamWriter) -> None:
        await reader.read()
        over.set()

    async def check() -> None:
        async with Origin(until_the_end) as origin, proxied(tmp_path, origin) as proxy:
            _, writer = await connected(proxy, "good.example", origin.port)
            writer.transport.abort()
            await asyncio.wait_for(over.wait(), 20)

    run(check())


def test_the_client_hears_of_a_server_that_breaks_off(tmp_path: Path) -> None:
    async def break_off(reader: StreamReader, writer: StreamWriter) -> None:
        await reader.read(1)
        writer.transport.abort()

    async def check() -> None:
        async with Origin(break_off) as origin, proxied(tmp_path, origin) as proxy:
            reader, writer = await connected(proxy, "good.example", origin.port)
            writer.write(b"x")
            assert await reader.read() == b""
            writer.close()

    run(check())


def test_who_says_nothing_is_not_waited_for(tmp_path: Path) -> None:
    async def nothing(reader: StreamReader, writer: StreamWriter) -> None:
        await reader.read()

    async def check() -> None:
        async with Origin(nothing) as origin:
            async with proxied(tmp_path, origin, times=Times(request=0.1)) as proxy:
                assert b" 408 " in await said(proxy, b"GET http://good")
            async with proxied(tmp_path, origin, times=Times(idle=0.1)) as proxy:
                reader, writer = await connected(proxy, "good.example", origin.port)
                assert await reader.read() == b""
                writer.close()

    run(check())


def test_a_long_transfer_in_one_direction_is_no_silence(tmp_path: Path) -> None:
    async def transferred(idle: float) -> bytes:
        async def drip(reader: StreamReader, writer: StreamWriter) -> None:
            for _ in range(8):
                writer.write(b".")
                await asyncio.sleep(idle / 4)

        times = Times(idle=idle)
        async with Origin(drip) as origin, proxied(tmp_path, origin, times=times) as proxy:
            reader, writer = await connected(proxy, "good.example", origin.port)
            got = await reader.read()
            writer.close()
            return got

    # On a busy machine the pauses may be as long as a silence: then once more, slowly.
    assert run(transferred(0.4)) == b"." * 8 or run(transferred(8)) == b"." * 8


def test_what_cannot_be_reached_is_said(tmp_path: Path) -> None:
    async def check() -> None:
        names = {"good.example": ["127.0.0.1"]}
        async with Origin() as origin, proxied(tmp_path, origin, names=names) as proxy:
            assert b" 502 " in await said(proxy, b"CONNECT good.example:443 HTTP/1.1\r\n\r\n")
            names.clear()
            answer = await said(proxy, b"CONNECT good.example:443 HTTP/1.1\r\n\r\n")
            assert b"The name good.example is not known." in answer

    run(check())


def test_closing_ends_all_connections_and_removes_the_socket(tmp_path: Path) -> None:
    async def check() -> None:
        async with Origin() as origin:
            async with proxied(tmp_path, origin) as proxy:
                reader, writer = await connected(proxy, "good.example", origin.port)
            assert await reader.read() == b""
            writer.close()

    run(check())
    assert not (tmp_path / "proxy").exists()


def test_the_socket_is_for_its_owner_only(tmp_path: Path) -> None:
    async def check() -> None:
        async with Proxy(lambda _: True, tmp_path / "proxy") as proxy:
            assert stat.S_IMODE(os.stat(proxy.socket_path).st_mode) & 0o077 == 0

    run(check())


def test_a_socket_that_cannot_be_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("kept")
    for path in (tmp_path / "none" / "proxy", tmp_path / ("x" * 200), tmp_path / "file"):
        with pytest.raises(UsageError):
            run(Proxy(lambda _: True, path).start())
    assert (tmp_path / "file").read_text() == "kept"


def test_the_socket_of_a_process_that_died_is_replaced(tmp_path: Path) -> None:
    async def check() -> None:
        left = Proxy(lambda _: True, tmp_path / "proxy")
        await left.start()
        async with Origin() as origin, proxied(tmp_path, origin) as proxy:
            answer = await said(proxy, get(f"http://good.example:{origin.port}/"))
            assert answer.endswith(b"hello")
        await left.close()

    run(check())
