"""A whole thread as one JSON object, and back: the format in which threads leave a store.

    {"longrein":1,
    "thread":{"id":...,"resource":...,"title":...,"tags":[...],"created":...,"updated":...},
    "events":[
    ...all events, each on a line of its own and exactly as it lies in the log...
    ],
    "blobs":{
    ...each blob that an event refers to, by its SHA-256, in base64...
    }}

What is written comes in pieces, so that nobody has to hold a big thread in memory.
"""

from collections.abc import Sequence
from hashlib import sha256
from typing import TypeVar

import msgspec
from msgspec import Struct

from longrein.core import events as e
from longrein.core.blobs import referred
from longrein.core.codec import decode_event
from longrein.core.errors import UsageError
from longrein.core.evolve import evolve
from longrein.core.state import State

VERSION = 1

T = TypeVar("T")

_UNREADABLE = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)


class About(Struct, frozen=True):
    """What the index says of an exported thread."""

    id: str
    resource: str
    title: str = ""
    tags: tuple[str, ...] = ()
    created: int = 0
    updated: int = 0


class Line(Struct, frozen=True):
    """One event of an export: as it was written, and as it is read here."""

    data: bytes
    event: e.Event


class Export(Struct, frozen=True):
    """An export that was read and found whole: `state` is what its events fold to."""

    about: About
    lines: Sequence[Line]
    blobs: dict[str, bytes]
    state: State


class ExportWriter:
    """Makes the pieces of an export, in this order: `begin`, `event`s, `blob`s, `end`.

    >>> writing = ExportWriter()
    >>> pieces = [writing.begin(About("thr_1", "user-1")), writing.event(b'{"seq":1}')]
    >>> pieces += [writing.blob(b"bytes"), writing.end()]
    >>> sorted(msgspec.json.decode(b"".join(pieces)))
    ['blobs', 'events', 'longrein', 'thread']
    """

    def __init__(self) -> None:
        self._events = 0
        self._blobs = 0

    def begin(self, about: About) -> bytes:
        return b'{"longrein":%d,\n"thread":%b,\n"events":[' % (VERSION, msgspec.json.encode(about))

    def event(self, data: bytes) -> bytes:
        """One event as it lies in the log."""
        self._events += 1
        return (b",\n" if self._events > 1 else b"\n") + data

    def blob(self, data: bytes) -> bytes:
        """Bytes that an event refers to."""
        self._blobs += 1
        start = b",\n" if self._blobs > 1 else b'\n],\n"blobs":{\n'
        return start + msgspec.json.encode({sha256(data).hexdigest(): data})[1:-1]

    def end(self) -> bytes:
        return b"\n}}\n" if self._blobs else b'\n],\n"blobs":{\n}}\n'


class _Versioned(Struct):
    longrein: int


class _Whole(Struct):
    thread: About
    events: list[msgspec.Raw]
    blobs: dict[str, bytes] = {}


def read(data: bytes) -> Export:
    """The thread in an export. Raises `UsageError` for anything that is not a whole one."""
    version = _decoded(data, _Versioned).longrein
    if version != VERSION:
        text = f"This export has version {version}; this Longrein reads version {VERSION}."
        raise UsageError(f"{text} Import it with the Longrein that it came from, or a newer one.")
    whole = _decoded(data, _Whole)
    for digest, blob in whole.blobs.items():
        if sha256(blob).hexdigest() != digest:
            raise _broken(f"the bytes of blob {digest} are not those that it is named for")
    lines = [_line(bytes(raw), seq) for seq, raw in enumerate(whole.events, 1)]
    state = _folded(lines, whole.thread.id)
    for line in lines:
        missing = [digest for digest in referred(line.event) if digest not in whole.blobs]
        if missing and not isinstance(line.event, e.Unknown):
            raise _broken(f"event {line.event.seq} refers to blob {missing[0]}, which is not in it")
    return Export(whole.thread, lines, whole.blobs, state)


def _line(data: bytes, seq: int) -> Line:
    try:
        data.decode()  # of an event that is not known, nothing else looks at every byte
        event = decode_event(data)
    except (*_UNREADABLE, UsageError) as error:
        raise _broken(f"event {seq} cannot be read ({error})") from None
    if event.seq != seq:
        raise _broken(f"where event {seq} should stand there is event {event.seq}")
    return Line(data, event)


def _folded(lines: Sequence[Line], thread: str) -> State:
    state = State()
    for line in lines:
        state = evolve(state, line.event)
    if lines and state.thread != thread:
        raise _broken(f"it is of thread {thread}, but its events are of {state.thread or 'none'}")
    return state


def _decoded(data: bytes, kind: type[T]) -> T:
    try:
        return msgspec.json.decode(data, type=kind)
    except _UNREADABLE as error:
        raise _broken(f"it is not what harness.export writes ({error})") from None


def _broken(what: str) -> UsageError:
    return UsageError(f"This export cannot be imported: {what}. Nothing was changed.")
