"""What a process of the rig tells the one that started it, as it happens: lines of JSON."""

from typing import Any, TypeAlias

import msgspec
from msgspec import Struct

from longrein.testing.crash.view import View


class Began(Struct, frozen=True, tag="began"):
    """The session is open, and nothing was done yet.

    `log` holds a checksum of each event found, `state` one of the state that the process has (0
    where it is behind the log), `view` what the session shows.
    """

    log: list[int]
    state: int
    view: View


class Saw(Struct, frozen=True, tag="saw"):
    """A subscriber got a durable event."""

    seq: int
    checksum: int


class Told(Struct, frozen=True, tag="told"):
    """A command was answered, or the client saw (`seen`) what it waited for."""

    command: str
    status: str


class Folder(Struct, frozen=True, tag="folder"):
    """What lies in the folder of a workspace after an act, "" for when the session was opened.

    Files by path, with their content in short.
    """

    after: str
    files: dict[str, str]


class Got(Struct, frozen=True, tag="got"):
    """The output of a run that was looked up by its id, as plain values; None: there is none."""

    command: str
    value: Any


class Done(Struct, frozen=True, tag="done"):
    """The session came to its end.

    `log` holds the events as they are stored, `beside` those of the other thread of the resource,
    `children` those of every child;
    `state` and `view` are as in `Began`; `counts` is how often the process reached each point,
    `seconds` how long it worked.
    """

    log: list[str]
    beside: list[str]
    state: int
    view: View
    counts: dict[str, int]
    seconds: float
    children: list[list[str]] = []


class Broke(Struct, frozen=True, tag="broke"):
    """The process failed."""

    trace: str


class Judged(Struct, frozen=True, tag="judged"):
    """What came of one case.

    `kills` are those that count, `random` those of them at random times, `first_starts` those in a
    database's first start. `hits` names the points of all these. `unknown` are calls
    of which nobody knows whether they ran, `reported` files that a rewind kept and named for that.
    `findings` is what is wrong.
    """

    seed: int
    scenario: str
    kills: int
    random: int
    hits: list[str]
    first_starts: int
    unknown: int
    reported: int
    findings: dict[str, list[str]]


Message: TypeAlias = Began | Saw | Told | Folder | Got | Done | Broke | Judged

_decoder = msgspec.json.Decoder(Message)


def encode(message: Message) -> bytes:
    """A message as one line."""
    return msgspec.json.encode(message) + b"\n"


def decode(line: bytes) -> Message:
    """The message of one line."""
    return _decoder.decode(line)
