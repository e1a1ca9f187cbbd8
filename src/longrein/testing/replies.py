"""What a scripted model says: replies made of pieces, as plain values that JSON can hold.

say("Hello")                                    text
call("deploy", target="prod")                   one tool call
calls(call("read", path="a"), call("read", path="b"))
reply(think("hm"), say("I deploy."), call("deploy", target="prod"), usage=Usage(900, 40))
fail(RateLimited("slow down", retry_after=2))   an error instead of an answer
reply(say("The answer is"), broken())           a stream that stops in the middle
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Literal, TypeAlias

import msgspec
from msgspec import Struct

from longrein.core.errors import (
    Auth,
    BadRequest,
    ContextOverflow,
    Filtered,
    ModelError,
    Network,
    Overloaded,
    RateLimited,
)
from longrein.core.usage import Usage
from longrein.models.base import CallDelta, Delta, ReasoningDelta, Stop, Stopped, TextDelta

USAGE = Usage(input=100, output=10)
"""What a reply reports unless told otherwise; None is a provider that says nothing."""

ErrorKind: TypeAlias = Literal[
    "auth", "rate_limited", "overloaded", "context_overflow", "filtered", "bad_request", "network"
]

_ERRORS: Mapping[str, type[ModelError]] = {
    kind.kind: kind
    for kind in (Auth, RateLimited, Overloaded, ContextOverflow, Filtered, BadRequest, Network)
}


class TextPiece(Struct, frozen=True, tag="text", omit_defaults=True):
    """Text, streamed in chunks of `size` characters; 0 is one chunk."""

    text: str
    size: int = 16


class ReasoningPiece(Struct, frozen=True, tag="reasoning", omit_defaults=True):
    """One reasoning part, its signature after its text."""

    text: str
    signature: str = ""
    provider_id: str = ""
    redacted: bool = False
    size: int = 16


class CallPiece(Struct, frozen=True, tag="call", omit_defaults=True):
    """One tool call. `arguments` is an object, or raw text that need not be JSON.

    Without a `provider_id` one is made from the place of the call in the conversation. `index` is
    the number that the stream gives to the call, for providers that count wrongly.
    """

    name: str
    arguments: str | dict[str, Any] = {}
    provider_id: str | None = None
    index: int | None = None
    size: int = 64

    @property
    def text(self) -> str:
        """The arguments as the model writes them."""
        return self.arguments if isinstance(self.arguments, str) else json.dumps(self.arguments)


class ErrorPiece(Struct, frozen=True, tag="error", omit_defaults=True):
    """A failure at this place of the stream; as the first piece, instead of a stream.

    `headers` and `body` are for the server only: a body that is not the vendor's own shape.
    """

    kind: ErrorKind
    message: str
    status: int = 0
    retry_after: float | None = None
    headers: dict[str, str] = {}
    body: str = ""

    def error(self) -> ModelError:
        """The exception that this stands for."""
        return _ERRORS[self.kind](self.message, status=self.status, retry_after=self.retry_after)


class BreakPiece(Struct, frozen=True, tag="break", omit_defaults=True):
    """The stream ends here without its last event: by a reset or, `clean`, as if it were over."""

    clean: bool = False


class PausePiece(Struct, frozen=True, tag="pause", omit_defaults=True):
    """Nothing for some seconds; None waits until `release()` is called or the stream is closed."""

    seconds: float | None = None


class NoisePiece(Struct, frozen=True, tag="noise", omit_defaults=True):
    """Text that the server puts between two events as it is. In process nothing is heard of it."""

    text: str


Piece: TypeAlias = (
    TextPiece | ReasoningPiece | CallPiece | ErrorPiece | BreakPiece | PausePiece | NoisePiece
)


class Reply(Struct, frozen=True, omit_defaults=True):
    """One answer of a model.

    `stop` is by default what the pieces imply. `delay` is the pause before each chunk in seconds;
    None sends all chunks at once.

    >>> Reply((TextPiece("The ans"),), stop="length").reason
    'length'
    """

    pieces: tuple[Piece, ...] = ()
    stop: Stop | None = None
    usage: Usage | None = USAGE
    delay: float | None = None

    @property
    def reason(self) -> Stop:
        """Why the model stops at the end of this reply."""
        if self.stop is not None:
            return self.stop
        return "calls" if any(isinstance(piece, CallPiece) for piece in self.pieces) else "end"


def say(
    text: str, *, size: int = 16, stop: Stop | None = None, delay: float | None = None
) -> Reply:
    """A reply of text, streamed in chunks of `size` characters (0: one chunk).

    >>> say("Hello").pieces
    (TextPiece(text='Hello', size=16),)
    """
    return Reply((TextPiece(text, size),), stop=stop, delay=delay)


def think(
    text: str, signature: str = "", *, provider_id: str = "", redacted: bool = False
) -> Reply:
    """A reply of reasoning; join it with others by `reply`.

    >>> reply(think("2 + 2", "proof"), say("4")).reason
    'end'
    """
    return Reply((ReasoningPiece(text, signature, provider_id, redacted),))


def call(name: str, /, **arguments: Any) -> Reply:
    """A reply of one tool call with these arguments.

    >>> call("deploy", target="prod").pieces[0].text
    '{"target": "prod"}'
    """
    return Reply((CallPiece(name, arguments),))


def raw_call(
    name: str, arguments: str, *, provider_id: str | None = None, index: int | None = None
) -> Reply:
    """A reply of one tool call whose arguments and ids are exactly these, well formed or not.

    >>> raw_call("deploy", '{"target": ', provider_id="").reason
    'calls'
    """
    return Reply((CallPiece(name, arguments, provider_id, index),))


def calls(*parts: Reply) -> Reply:
    """A reply of several tool calls.

    >>> len(calls(call("read", path="a"), call("read", path="b")).pieces)
    2
    """
    return reply(*parts)


def reply(
    *parts: Reply, stop: Stop | None = None, usage: Usage | None = USAGE, delay: float | None = None
) -> Reply:
    """One reply with the pieces of all `parts` in order. What is not said here the last part says.

    >>> reply(say("I read it."), call("read", path="a"), stop="length").reason
    'length'
    """
    for part in reversed(parts):
        stop = stop or part.stop
        delay = part.delay if delay is None else delay
    pieces = tuple(piece for part in parts for piece in part.pieces)
    return Reply(pieces, stop, usage, delay)


def fail(error: ModelError, *, headers: Mapping[str, str] | None = None, body: str = "") -> Reply:
    """A reply that is this error; after other parts, an error in the middle of the stream.

    >>> fail(RateLimited("slow down", retry_after=2)).pieces[0].kind
    'rate_limited'
    """
    kind = msgspec.convert(error.kind, ErrorKind)
    hint = error.retry_after
    return Reply((ErrorPiece(kind, str(error), error.status, hint, dict(headers or {}), body),))


def broken(*, clean: bool = False) -> Reply:
    """The end of a stream that never says that it is complete.

    >>> reply(say("The answer is"), broken()).pieces[-1]
    BreakPiece(clean=False)
    """
    return Reply((BreakPiece(clean),))


def pause(seconds: float | None = None) -> Reply:
    """Silence for some seconds, or until released.

    >>> reply(say("Let me see"), pause(0.5), say("Yes.")).reason
    'end'
    """
    return Reply((PausePiece(seconds),))


def noise(text: str) -> Reply:
    r"""Text that the server writes between two events as it is, such as a comment.

    >>> noise(": ping\n\n").pieces
    (NoisePiece(text=': ping\n\n'),)
    """
    return Reply((NoisePiece(text),))


def deltas(said: Reply, number: int = 0) -> Iterator[Delta | PausePiece]:
    """The reply as a model streams it, pauses in between; raises where the reply fails or breaks.

    `number` is the reply's place in the conversation, from which call ids are made.
    """
    thoughts = called = 0
    for piece in said.pieces:
        match piece:
            case TextPiece():
                yield from (TextDelta(chunk) for chunk in chunks(piece.text, piece.size))
            case ReasoningPiece():
                yield from _thought(piece, thoughts)
                thoughts += 1
            case CallPiece():
                yield from _call(piece, called, number)
                called += 1
            case ErrorPiece():
                raise piece.error()
            case BreakPiece():
                raise Network("The stream ended before the answer was complete.")
            case PausePiece():
                yield piece
            case NoisePiece():
                pass
    yield Stopped(said.reason, said.usage)


def chunks(text: str, size: int) -> list[str]:
    """The text in pieces of at most `size` characters; at least one, whole where `size` is 0."""
    if size <= 0 or len(text) <= size:
        return [text]
    return [text[start : start + size] for start in range(0, len(text), size)]


def call_id(piece: CallPiece, place: int, number: int) -> str:
    """The provider's id of the call at `place` in reply `number`."""
    return f"call_{number}_{place}" if piece.provider_id is None else piece.provider_id


def _thought(piece: ReasoningPiece, index: int) -> Iterator[Delta]:
    if piece.text:
        for chunk in chunks(piece.text, piece.size):
            yield ReasoningDelta(chunk, index)
    yield ReasoningDelta("", index, piece.signature, piece.provider_id, piece.redacted)


def _call(piece: CallPiece, place: int, number: int) -> Iterator[Delta]:
    index = place if piece.index is None else piece.index
    yield CallDelta(index, "", piece.name, call_id(piece, place, number))
    for chunk in chunks(piece.text, piece.size):
        if chunk:
            yield CallDelta(index, chunk)
