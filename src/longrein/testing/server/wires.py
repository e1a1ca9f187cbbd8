"""What the wires of the scripted server have in common."""

import json
from collections.abc import Iterator
from typing import Any, Protocol, TypeAlias, TypeVar

import msgspec

from longrein.models.base import Request
from longrein.testing.replies import BreakPiece, ErrorKind, ErrorPiece, PausePiece, Reply

Frame: TypeAlias = bytes | PausePiece | BreakPiece
"""One server-sent event, a silence, or the place where the stream stops."""

T = TypeVar("T")


class Refused(Exception):
    """The request breaks a rule of the provider; the text says which."""


class Wire(Protocol):
    """How one vendor's endpoint reads requests and writes answers."""

    @property
    def path(self) -> str:
        """Where requests are posted to."""
        ...

    def read(self, body: bytes, *, strict: bool) -> Request:
        """The request in the common form; raises `Refused` for what the vendor would refuse."""
        ...

    def spoken(self, body: bytes) -> int:
        """How often the model has spoken in this request, found without decoding it."""
        ...

    def reports(self, body: bytes) -> bool:
        """Whether the client asked to be told the usage."""
        ...

    def frames(self, reply: Reply, number: int, *, usage: bool) -> Iterator[Frame]:
        """The reply as the vendor streams it. An error in the middle is the last frame."""
        ...

    def failure(self, error: ErrorPiece) -> tuple[int, bytes]:
        """Status and body of an answer that is an error."""
        ...


def decode(body: bytes, shape: type[T]) -> T:
    """The body as a value of this shape; raises `Refused` where it is not."""
    try:
        return msgspec.json.decode(body, type=shape)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Refused(f"Invalid request body: {error}") from error


def event(data: dict[str, Any], name: str = "") -> bytes:
    """One server-sent event."""
    # Not msgspec: a lone surrogate goes out as an escape, as a careless provider sends it.
    text = json.dumps(data, separators=(",", ":"))
    return (f"event: {name}\ndata: {text}\n\n" if name else f"data: {text}\n\n").encode()


def openai_error(error: ErrorPiece) -> tuple[int, dict[str, Any]]:
    """Status and error object as OpenAI answers with them."""
    status, kind, code = _OPENAI[error.kind]
    return error.status or status, {
        "message": error.message,
        "type": kind,
        "param": None,
        "code": code,
    }


async def no_blobs(name: str) -> bytes:
    """What `load` is for a request that came over a wire: its files are already inside."""
    raise Refused(f"No blob {name}")


_OPENAI: dict[ErrorKind, tuple[int, str, str | None]] = {
    "auth": (401, "invalid_request_error", "invalid_api_key"),
    "rate_limited": (429, "tokens", "rate_limit_exceeded"),
    "overloaded": (503, "server_error", "server_error"),
    "context_overflow": (400, "invalid_request_error", "context_length_exceeded"),
    "filtered": (400, "invalid_request_error", "content_filter"),
    "bad_request": (400, "invalid_request_error", None),
    "network": (502, "server_error", None),
}
