"""Requests that try to get past the decision: none reaches a host that was not decided on."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longrein.workspace.network.hosts import canonical_host
from longrein.workspace.network.requests import NotServed, parse
from tests.support import run
from tests.workspace.network.kit import Origin, get, proxied, said

TRICKS = {
    "a user that looks like a host": ("GET http://good.example@evil.example:{port}/ HTTP/1.1",),
    "a password": ("GET http://a:good.example@evil.example:{port}/ HTTP/1.1",),
    "another Host": ("GET http://good.example:{port}/ HTTP/1.1", "Host: evil.example:{port}"),
    "another port in Host": ("GET http://good.example:{port}/ HTTP/1.1", "Host: good.example"),
    "a second Host": (
        "GET http://good.example:{port}/ HTTP/1.1",
        "Host: good.example:{port}",
        "host: evil.example:{port}",
    ),
    "evil behind the Host good": (
        "GET http://evil.example:{port}/ HTTP/1.1",
        "Host: good.example:{port}",
    ),
    "only a path": ("GET / HTTP/1.1", "Host: good.example:{port}"),
    "a URL for a tunnel": ("CONNECT http://good.example:{port}/ HTTP/1.1",),
    "a user for a tunnel": ("CONNECT good.example@evil.example:{port} HTTP/1.1",),
    "two ports": ("CONNECT good.example:{port}:{port} HTTP/1.1",),
    "no port": ("CONNECT good.example HTTP/1.1",),
    "port 0": ("CONNECT good.example:0 HTTP/1.1",),
    "a port that wraps": ("CONNECT good.example:65979 HTTP/1.1",),
    "a port with a sign": ("CONNECT good.example:+443 HTTP/1.1",),
    "a port in other digits": ("CONNECT good.example:\uff14\uff14\uff13 HTTP/1.1",),
    "a backslash": ("GET http://good.example\\@evil.example:{port}/ HTTP/1.1",),
    "a fragment": ("GET http://evil.example:{port}#@good.example/ HTTP/1.1",),
    "percent": ("GET http://good%2eexample:{port}/ HTTP/1.1",),
    "percent that hides a slash": ("GET http://evil.example%2f.good.example:{port}/ HTTP/1.1",),
    "NUL": ("CONNECT good.example\0.evil.example:{port} HTTP/1.1",),
    "a space in the target": ("GET http://good.example :{port}/ HTTP/1.1",),
    "a tab as space": ("GET\thttp://good.example:{port}/ HTTP/1.1",),
    "a bare line end in the target": ("GET http://good.example:{port}/\nX: y HTTP/1.1",),
    "a bare line end in a header": (
        "GET http://good.example:{port}/ HTTP/1.1",
        "A: b\nHost: evil.example",
    ),
    "a bare return in a header": (
        "GET http://good.example:{port}/ HTTP/1.1",
        "A: b\rHost: evil.example",
    ),
    "a folded header": ("GET http://good.example:{port}/ HTTP/1.1", "A: b", " Host: evil.example"),
    "a space before the colon": (
        "GET http://good.example:{port}/ HTTP/1.1",
        "Content-Length : 5",
    ),
    "a length beside chunks": (
        "POST http://good.example:{port}/ HTTP/1.1",
        "Content-Length: 5",
        "Transfer-Encoding: chunked",
    ),
    "two lengths": (
        "POST http://good.example:{port}/ HTTP/1.1",
        "Content-Length: 5",
        "Content-Length: 6",
    ),
    "a list of lengths": ("POST http://good.example:{port}/ HTTP/1.1", "Content-Length: 5, 5"),
    "a length below zero": ("POST http://good.example:{port}/ HTTP/1.1", "Content-Length: -5"),
    "a length with a plus": ("POST http://good.example:{port}/ HTTP/1.1", "Content-Length: +5"),
    "chunks that are not the last coding": (
        "POST http://good.example:{port}/ HTTP/1.1",
        "Transfer-Encoding: chunked, identity",
    ),
    "chunks in two headers": (
        "POST http://good.example:{port}/ HTTP/1.1",
        "Transfer-Encoding: chunked",
        "Transfer-Encoding: chunked",
    ),
    "chunks that look so": (
        "POST http://good.example:{port}/ HTTP/1.1",
        "Transfer-Encoding: \x0bchunked",
    ),
    "https without a tunnel": ("GET https://good.example:{port}/ HTTP/1.1",),
    "another scheme": ("GET ftp://good.example:{port}/ HTTP/1.1",),
    "HTTP/2": ("PRI * HTTP/2.0",),
    "HTTP/0.9": ("GET http://good.example:{port}/",),
    "an IPv6 zone": ("CONNECT [fe80::1%25eth0]:{port} HTTP/1.1",),
    "brackets around a name": ("CONNECT [good.example]:{port} HTTP/1.1",),
    "no brackets around an address": ("CONNECT ::1:{port} HTTP/1.1",),
    "a very long name": (f"CONNECT {'a.' * 2000}good.example:443 HTTP/1.1",),
    "an empty name": ("CONNECT :{port} HTTP/1.1",),
    "bytes that are no text": ("CONNECT good\udcffexample:{port} HTTP/1.1",),
}


def as_target(text: str) -> bytes:
    """A request for whatever this is."""
    return b"GET http://%s HTTP/1.1\r\nX: y" % text.encode("utf-8", "surrogatepass")


@pytest.mark.parametrize("trick", TRICKS)
def test_a_request_that_can_be_read_in_two_ways_goes_nowhere(trick: str, tmp_path: Path) -> None:
    async def check() -> None:
        async with Origin() as origin, proxied(tmp_path, origin) as proxy:
            lines = [line.replace("{port}", str(origin.port)) for line in TRICKS[trick]]
            request = "\r\n".join([*lines, "", ""]).encode("utf-8", "surrogateescape")
            answer = await said(proxy, request, end=True)
            assert answer.startswith(b"HTTP/1.1 400 "), answer
            assert origin.connections == 0

    run(check())


@pytest.mark.parametrize(
    "host",
    [
        *("evil.example", "EVIL.example", "evil.example.", "good.example.evil.example"),
        *("notgood.example", "good.example-x", "xn--good-cua.example"),
        *("127.0.0.1", "127.1", "0x7f.1", "0x7f000001", "2130706433", "017700000001", "0"),
        *("0177.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "[::127.0.0.1]", "[0:0:0:0:0:0:0:1]"),
        *("[64:ff9b::7f00:1]", "[2002:7f00:1::]", "localhost", "169.254.169.254", "10.0.0.1"),
        *("evil\u3002example", "\uff45vil.example", "\uff11\uff12\uff17.1"),
    ],
)
def test_other_ways_to_write_a_host_are_decided_on_as_what_they_are(
    host: str, tmp_path: Path
) -> None:
    async def check() -> None:
        async with Origin() as origin, proxied(tmp_path, origin) as proxy:
            answers = [
                await said(proxy, f"CONNECT {host}:{origin.port} HTTP/1.1\r\n\r\n".encode()),
                await said(proxy, get(f"http://{host}:{origin.port}/")),
            ]
            assert all(answer.startswith(b"HTTP/1.1 403 ") for answer in answers), answers
            assert origin.connections == 0

    run(check())


@pytest.mark.parametrize("address", ["127.0.0.1", "::1", "10.0.0.8", "169.254.169.254", "fe80::1"])
def test_an_allowed_name_that_leads_into_the_network_nearby_is_refused(
    address: str, tmp_path: Path
) -> None:
    async def check() -> None:
        names = {"good.example": [address]}
        async with Origin() as origin, proxied(tmp_path, origin, names=names, private=()) as proxy:
            answer = await said(proxy, get(f"http://good.example:{origin.port}/"))
            assert answer.startswith(b"HTTP/1.1 403 ")
            assert b"not named as such" in answer
            assert origin.connections == 0

    run(check())


def test_an_allowed_address_that_is_not_public_must_be_named_too(tmp_path: Path) -> None:
    async def check() -> None:
        async with Origin() as origin:
            allowed = ["127.0.0.1"]
            async with proxied(tmp_path, origin, allowed=allowed, private=()) as proxy:
                answer = await said(proxy, get(f"http://127.1:{origin.port}/"))
                assert answer.startswith(b"HTTP/1.1 403 ")
            async with proxied(tmp_path, origin, allowed=allowed, private=allowed) as proxy:
                answer = await said(proxy, get(f"http://127.1:{origin.port}/"))
                assert answer.endswith(b"hello")

    run(check())


def test_a_name_is_looked_up_once_and_that_address_is_connected_to(tmp_path: Path) -> None:
    async def check() -> None:
        async with Origin() as origin:
            # A name whose answers change: who asks twice would get another one.
            names = {"good.example": ["127.0.0.1"]}
            asked: list[str] = []

            class Turning(dict[str, list[str]]):
                def __getitem__(self, host: str) -> list[str]:
                    asked.append(host)
                    return [["127.0.0.1"], ["127.0.0.2"]][len(asked) - 1]

            async with proxied(tmp_path, origin, names=Turning(names)) as proxy:
                answer = await said(proxy, get(f"http://good.example:{origin.port}/"))
            assert answer.endswith(b"hello")
            assert asked == ["good.example"]

    run(check())


def test_of_several_addresses_only_those_that_may_be_are_tried(tmp_path: Path) -> None:
    async def check() -> None:
        names = {"good.example": ["127.0.0.1", "::ffff:127.0.0.1", "nonsense", "fe80::1%lo"]}
        async with Origin() as origin, proxied(tmp_path, origin, names=names, private=()) as proxy:
            assert b" 403 " in await said(proxy, get(f"http://good.example:{origin.port}/"))
            assert origin.connections == 0

    run(check())


def test_other_ports_are_refused(tmp_path: Path) -> None:
    async def check() -> None:
        async with Origin() as origin, proxied(tmp_path, origin) as proxy:
            for request in (
                b"CONNECT good.example:22 HTTP/1.1\r\n\r\n",
                get("http://good.example/"),
            ):
                assert b"Connections to port " in await said(proxy, request)

    run(check())


def test_a_second_request_on_a_connection_is_not_passed_on(tmp_path: Path) -> None:
    async def check() -> None:
        async with Origin() as origin, proxied(tmp_path, origin) as proxy:
            place = f"good.example:{origin.port}"
            first = f"POST http://{place}/ HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc"
            second = (
                f"GET http://evil.example:{origin.port}/ HTTP/1.1\r\nHost: evil.example\r\n\r\n"
            )
            answer = await said(proxy, (first + second).encode())
            assert answer.count(b"HTTP/1.1") == 1
            assert len(origin.heads) == 1
        assert origin.bodies == [b"abc"]

    run(check())


@pytest.mark.parametrize(
    "body",
    [b"zz\r\n", b"-1\r\n", b"3\r\nabcd\r\n0\r\n\r\n", b"0x3\r\nabc\r\n", b"3\nabc\r\n", b"\r\n"],
)
def test_chunks_that_cannot_be_read_end_the_connection(body: bytes, tmp_path: Path) -> None:
    async def check() -> None:
        async with Origin() as origin, proxied(tmp_path, origin) as proxy:
            url = f"http://good.example:{origin.port}/"
            head = f"POST {url} HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
            smuggled = b"GET http://evil.example/ HTTP/1.1\r\n\r\n"
            await said(proxy, head.encode() + body + smuggled, end=True)
        assert not any(b"evil" in one for one in (*origin.bodies, *origin.heads))

    run(check())


def test_headers_for_the_proxy_and_those_they_name_stay_here(tmp_path: Path) -> None:
    async def check() -> None:
        async with Origin() as origin, proxied(tmp_path, origin) as proxy:
            headers = (
                "Proxy-Authorization: Basic x",
                "Connection: X-Hop, Content-Length, Host",
                "X-Hop: 1",
                "Upgrade: h2c",
                "TE: trailers",
                "X-Kept: caf\u00e9",
                "Content-Length: 0",
            )
            await said(proxy, get(f"http://good.example:{origin.port}/", *headers))
            assert origin.heads[0].decode().split("\r\n")[1:-2] == [
                f"Host: good.example:{origin.port}",
                "X-Kept: caf\u00e9",
                "Content-Length: 0",
                "Connection: close",
            ]

    run(check())


@given(st.one_of(st.binary(max_size=200), st.text(max_size=200).map(as_target)))
def test_any_bytes_are_a_request_or_are_not_served(head: bytes) -> None:
    try:
        request = parse(head + b"\r\n\r\n")
    except NotServed:
        return
    assert canonical_host(request.host) == request.host
    assert request.head.count(b"\r\n\r\n") == (not request.tunnel)


def test_a_head_without_end_is_not_read_to_its_end(tmp_path: Path) -> None:
    async def check() -> None:
        async with Origin() as origin, proxied(tmp_path, origin) as proxy:
            request = f"GET http://good.example:{origin.port}/ HTTP/1.1\r\n".encode()
            answer = await said(proxy, request, b"X: y\r\n" * 10_000)
            assert answer.startswith(b"HTTP/1.1 431 ")

    run(check())
