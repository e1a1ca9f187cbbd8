"""Events, states and commands as bytes, and back: JSON that any later version can still read."""

from typing import Any, cast

import msgspec

from longrein.core import events as e
from longrein.core.commands import Answer
from longrein.core.growing import Index, Trail
from longrein.core.messages import Message
from longrein.core.outcomes import Ended
from longrein.core.state import State
from longrein.core.text import mended

STATE_VERSION = "7"
"""Changes with the shape of `State`; a snapshot of another version is not read but folded again."""


class _Head(msgspec.Struct):
    type: str
    seq: int = 0
    time: int = 0
    run: str = ""
    epoch: int = 0
    cause: str = ""


_encoder = msgspec.json.Encoder()
_events = msgspec.json.Decoder(e.Event)
_head = msgspec.json.Decoder(_Head)
_known = {
    cast(str, kind.__struct_config__.tag)
    for kind in e.Durable.__subclasses__()
    if kind is not e.Unknown
}


def encode_event(event: e.Event) -> bytes:
    """One event as JSON. Text that no JSON can hold (lone surrogates) is mended, not refused."""
    if isinstance(event, e.Unknown):
        return event.data
    try:
        return _encoder.encode(event)
    except UnicodeEncodeError:
        return _encoder.encode(mended(msgspec.to_builtins(event)))


def settled(event: e.Event) -> tuple[e.Event, bytes]:
    """The event exactly as it will be read again, and its JSON."""
    try:
        return event, _encoder.encode(event)
    except UnicodeEncodeError:
        data = encode_event(event)
        return decode_event(data), data


def decode_event(data: bytes) -> e.Event:
    """The event in `data`; `Unknown` where only a newer version knows its kind."""
    try:
        event = _events.decode(data)
    except msgspec.ValidationError:
        if _head.decode(data).type in _known:
            raise
        return _unknown(data)
    # The kind `unknown` itself is never written.
    return _unknown(data) if isinstance(event, e.Unknown) else event


def _unknown(data: bytes) -> e.Unknown:
    head = _head.decode(data)
    return e.Unknown(
        head.type,
        data,
        seq=head.seq,
        time=head.time,
        run=head.run,
        epoch=head.epoch,
        cause=head.cause,
    )


def encode_state(state: State) -> bytes:
    """A snapshot of a state; text is mended as it is in events."""
    try:
        return msgspec.json.encode(state, enc_hook=_plain)
    except UnicodeEncodeError:
        return _encoder.encode(mended(msgspec.to_builtins(state, enc_hook=_plain)))


def decode_state(data: bytes) -> State:
    """The state that was encoded."""
    return _states.decode(data)


def _plain(value: object) -> object:
    if isinstance(value, Trail):
        return list(cast("Trail[object]", value))
    if isinstance(value, Index):
        return dict(cast("Index[object]", value))
    raise NotImplementedError(type(value).__name__)


def _grown(kind: type, value: Any) -> object:
    if kind == Trail[Message]:
        return Trail(msgspec.convert(value, list[Message]))
    if kind == Index[Answer]:
        return Index(msgspec.convert(value, dict[str, Answer]))
    if kind == Index[str]:
        return Index(msgspec.convert(value, dict[str, str]))
    if kind == Index[Ended]:
        return Index(msgspec.convert(value, dict[str, Ended]))
    raise NotImplementedError(kind)


_states = msgspec.json.Decoder(State, dec_hook=_grown)
