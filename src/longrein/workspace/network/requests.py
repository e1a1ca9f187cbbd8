"""The head of a request to the proxy: read strictly, and written anew for whoever it goes to.

What two readers could understand differently is refused: line ends that are none, more than one
`Host`, a length beside chunks. So nobody behind the proxy sees another request than was decided on.
"""

import re
from collections.abc import Iterator
from typing import Literal, TypeAlias

from msgspec import Struct

from longrein.workspace.network.hosts import BadHost, canonical_host

LARGEST_HEAD = 32 * 1024
"""Bytes of the head of a request."""

Body: TypeAlias = int | Literal["chunked"]
"""How many bytes of body follow, or that it comes in chunks."""

_REQUEST = re.compile(r"([!#$%&'*+.^_`|~0-9A-Za-z-]{1,32}) ([^\x00-\x20\x7f]+) (HTTP/1\.[01])")
_HEADER = re.compile(r"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(.*?)[ \t]*")
_CONTROLS = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
_AUTHORITY = re.compile(r"(\[[^\[\]@/?#\\]*\]|[^\[\]:@/?#\\]+)(?::([0-9]{1,5}))?")
_URL = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://([^/?#]*)([^#]*)")
_FOR_THIS_HOP = {
    *("connection", "keep-alive", "te", "trailer", "upgrade", "transfer-encoding"),
    *("content-length", "host"),  # these two are written anew
}


class NotServed(Exception):
    """Why the proxy does not do what it was asked; the text goes back, under `status`."""

    def __init__(self, says: str, status: str = "400 Bad Request") -> None:
        super().__init__(says)
        self.status = status


class Request(Struct, frozen=True):
    """Where a request goes, and how it is to be written for whoever is there.

    `tunnel`: CONNECT, bytes both ways from here on. Else `head` and then the `body` are sent.
    """

    host: str
    port: int
    tunnel: bool
    head: bytes = b""
    body: Body = 0


def parse(head: bytes) -> Request:
    """The request that a head (with the empty line that ends it) asks for. Raises `NotServed`.

    >>> request = parse(b"GET http://Example.com:8080/a?b HTTP/1.1\\r\\n\\r\\n")
    >>> request.host, request.port, request.head.split()[1]
    ('example.com', 8080, b'/a?b')
    """
    first, *lines = head.decode("utf-8", "surrogateescape").removesuffix("\r\n\r\n").split("\r\n")
    asked = _REQUEST.fullmatch(first)
    if asked is None:
        raise NotServed("The first line is not that of an HTTP/1.1 request.")
    method, target, version = asked.groups()
    headers = list(map(_header, lines))
    if method == "CONNECT":
        host, port = _authority(target, None)
        return Request(host, port, tunnel=True)
    host, port, rest = _url(target)
    _check_host(headers, host, port)
    body = _body(headers)
    return Request(
        host, port, False, _written(f"{method} {rest} {version}", host, port, headers, body), body
    )


Header: TypeAlias = tuple[str, str]


def _header(line: str) -> Header:
    found = _HEADER.fullmatch(line)
    if found is None or _CONTROLS.search(line):
        raise NotServed("A header line cannot be read.")
    return found[1], found[2]


def _authority(text: str, default: int | None) -> tuple[str, int]:
    found = _AUTHORITY.fullmatch(text)
    port = int(found[2]) if found and found[2] else default
    if found is None or port is None or not 0 < port < 65536:
        raise NotServed("Name the host as NAME:PORT, without user and password.")
    try:
        return canonical_host(found[1]), port
    except BadHost as problem:
        raise NotServed(str(problem)) from None


def _url(target: str) -> tuple[str, int, str]:
    found = _URL.fullmatch(target)
    if found is None:
        raise NotServed("This is a proxy: ask for whole URLs, http://HOST/PATH, or use CONNECT.")
    if found[1].lower() != "http":
        raise NotServed("Only http:// is asked for like this; for https:// use CONNECT.")
    host, port = _authority(found[2], 80)
    rest = found[3]
    return host, port, rest if rest.startswith("/") else f"/{rest}"


def _check_host(headers: list[Header], host: str, port: int) -> None:
    """That the header says the same as the URL, if it says anything."""
    said = list(_values(headers, "host"))
    if len(said) > 1 or any(_authority(one, 80) != (host, port) for one in said):
        raise NotServed("The header Host and the URL name different hosts.")


def _body(headers: list[Header]) -> Body:
    lengths, codings = (
        set(_values(headers, "content-length")),
        list(_values(headers, "transfer-encoding")),
    )
    if not codings and not lengths:
        return 0
    if codings:
        if lengths or [coding.lower() for coding in codings] != ["chunked"]:
            raise NotServed("How long the body is cannot be told.")
        return "chunked"
    (length, *others) = lengths
    if others or not re.fullmatch("[0-9]{1,18}", length):
        raise NotServed("How long the body is cannot be told.")
    return int(length)


def _written(first: str, host: str, port: int, headers: list[Header], body: Body) -> bytes:
    """The head as it goes on: one host, one length, and nothing that was for the proxy."""
    named = {
        word.strip().lower()
        for value in _values(headers, "connection")
        for word in value.split(",")
    }
    place = f"[{host}]" if ":" in host else host
    lines = [first, f"Host: {place}" if port == 80 else f"Host: {place}:{port}"]
    lines += [
        f"{name}: {value}"
        for name, value in headers
        if name.lower() not in _FOR_THIS_HOP | named and not name.lower().startswith("proxy-")
    ]
    if body == "chunked":
        lines.append("Transfer-Encoding: chunked")
    elif body or any(_values(headers, "content-length")):
        lines.append(f"Content-Length: {body}")
    lines.append("Connection: close")
    return ("\r\n".join(lines) + "\r\n\r\n").encode("utf-8", "surrogateescape")


def _values(headers: list[Header], name: str) -> Iterator[str]:
    return (value for key, value in headers if key.lower() == name)
