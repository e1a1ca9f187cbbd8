"""What the three wires share in reading an answer: decoding that forgives, errors, and calls."""

import json
import time
from typing import Any, Generic, TypeVar, cast

import msgspec

from longrein.core.errors import ModelError
from longrein.models.base import CallDelta, Delta
from longrein.models.errors import broken, from_stream
from longrein.models.secret import Secret
from longrein.models.wellformed import encode, scrub

T = TypeVar("T")


class Forgiving(Generic[T]):
    """Decodes events into one struct: fast where they are as they should be, else leniently."""

    def __init__(self, kind: type[T]) -> None:
        self.decode = msgspec.json.Decoder(kind).decode
        self._kind = kind

    def mend(self, data: bytes) -> T:
        """An event that `decode` refused: lone surrogates replaced, bytes that are no text too.

        Raises `Network` for what is not JSON at all, or has nothing of the shape.
        """
        try:
            value = scrub(json.loads(data.decode("utf-8", "replace")))
            return msgspec.convert(value, self._kind, strict=False)
        except (ValueError, RecursionError) as error:
            raise broken(f"an event that cannot be read: {data[:80]!r}") from error


_whole: Forgiving[dict[str, Any]] = Forgiving(dict[str, Any])


def stream_error(data: bytes, secret: Secret) -> ModelError:
    """The error that an event tells of; responses may have it one level down."""
    event = _whole.mend(data)
    inner = None if event.get("error") else event.get("response")
    value = cast("dict[str, Any]", inner) if isinstance(inner, dict) else event
    return from_stream(value, secret, time.time())


class _Call:
    __slots__ = ("arguments", "id", "index", "name", "told")

    def __init__(self, index: int) -> None:
        self.index = index
        self.id = ""
        self.name = ""
        self.arguments = False
        self.told = False


class CallPieces:
    """Puts together calls that come in pieces, with indices and ids that cannot be relied on.

    A name may come twice or in parts, so a call is told with its first arguments, or when the next
    one begins, or at the end.
    """

    def __init__(self) -> None:
        self._calls: list[_Call] = []
        self._by_key: dict[Any, _Call] = {}

    def __bool__(self) -> bool:
        return bool(self._calls)

    def take(self, key: Any, id: Any, name: Any, arguments: Any, out: list[Delta]) -> None:
        """One piece; `key` is the provider's index, None where it gave none."""
        # The common piece is nothing but more arguments; it takes no further call.
        if not id and not name and key is not None and arguments.__class__ is str and arguments:
            known = self._by_key.get(key)
            if known is not None and known.arguments:
                out.append(CallDelta(known.index, arguments))
                return
        id = id if isinstance(id, str) else ""
        name = name if isinstance(name, str) else ""
        call = self._find(key, id, name)
        if call is None:
            self.flush(out)
            call = self._new(key)
        call.id = call.id or id
        if name and not call.told:
            call.name = _grown(call.name, name)
        text = _argument_text(arguments)
        if text:
            call.arguments = True
            if call.told:
                out.append(CallDelta(call.index, text))
            else:
                call.told = True
                out.append(CallDelta(call.index, text, call.name, call.id))

    def flush(self, out: list[Delta]) -> None:
        """Tell of the calls that have no arguments yet."""
        for call in self._calls:
            if not call.told:
                call.told = True
                out.append(CallDelta(call.index, "", call.name, call.id))

    def started(self, key: Any) -> bool:
        """Whether arguments of this call have come."""
        call = self._by_key.get(key)
        return call is not None and call.arguments

    def _find(self, key: Any, id: str, name: str) -> _Call | None:
        """The call that a piece belongs to; None: it begins one."""
        if key is None:
            last = self._calls[-1] if self._calls else None
            begins = last is not None and name and last.name and not (id and id == last.id)
            return None if begins else last
        call = self._by_key.get(key)
        # Some servers number every call 0 and tell them apart by id alone.
        if call and name and id and call.id and id != call.id and call.arguments:
            return None
        return call

    def _new(self, key: Any) -> _Call:
        call = _Call(len(self._calls))
        self._calls.append(call)
        if key is not None:
            self._by_key[key] = call
        return call


def _grown(name: str, piece: str) -> str:
    if piece.startswith(name):
        return piece  # the same again, or all of it so far
    return name + piece


def _argument_text(arguments: Any) -> str:
    if isinstance(arguments, str):
        return arguments
    return "" if arguments is None else encode(arguments).decode()


def count(fields: Any, *path: str) -> int:
    """The number at `path` in a tree of usage figures, 0 where there is none."""
    for name in path:
        if fields.__class__ is not dict:
            return 0
        fields = fields.get(name)
    # A bool is an int to `isinstance`.
    return fields if fields.__class__ is int else 0
