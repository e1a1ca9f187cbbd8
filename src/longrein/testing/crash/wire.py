"""What a process of the rig tells the one that started it, as it happens: lines of JSON."""

from typing import TypeAlias

import msgspec
from msgspec import Struct


class Began(Struct, frozen=True, tag="began"):
    """The session is open, and nothing was done yet. `log`: a checksum of each event found."""

    log: list[int]


class Saw(Struct, frozen=True, tag="saw"):
    """A subscriber got a durable event."""

    seq: int
    checksum: int


class Told(Struct, frozen=True, tag="told"):
    """A command was answered."""

    command: str
    status: str


class Done(Struct, frozen=True, tag="done"):
    """The session came to its end.

    `log` holds the events as they are stored, `state` is a checksum of the state that the process
    had, `counts` how often it reached each point, `seconds` how long it worked.
    """

    log: list[str]
    state: int
    counts: dict[str, int]
    seconds: float


class Broke(Struct, frozen=True, tag="broke"):
    """The process failed."""

    trace: str


class Judged(Struct, frozen=True, tag="judged"):
    """What came of one case.

    `kills` are those that count, `random` those of them at random times, `first_starts` those in a
    database's first start. `hits` names the points of all these. `findings` is what is wrong.
    """

    seed: int
    scenario: str
    kills: int
    random: int
    hits: list[str]
    first_starts: int
    unknown: int
    findings: dict[str, list[str]]


Message: TypeAlias = Began | Saw | Told | Done | Broke | Judged

_decoder = msgspec.json.Decoder(Message)


def encode(message: Message) -> bytes:
    """A message as one line."""
    return msgspec.json.encode(message) + b"\n"


def decode(line: bytes) -> Message:
    """The message of one line."""
    return _decoder.decode(line)
