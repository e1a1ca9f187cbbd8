"""How a run ended, or what it waits for: a closed union."""

from typing import Any, Generic, TypeAlias

from msgspec import Struct

from longrein.core.typevars import T


class Problem(Struct, frozen=True, omit_defaults=True):
    """An error as a value: its kind, and a text that says what happened and what to do."""

    kind: str
    message: str


class Ending(Struct, frozen=True, array_like=True):
    """What ended an earlier run before it was done, and after how many messages."""

    at: int
    problem: Problem


class Finished(
    Struct, Generic[T], frozen=True, tag="finished", omit_defaults=True, repr_omit_defaults=True
):
    """The model had nothing more to do; `text` is what it said last.

    `value` is that as an object of the type that was asked for with `output`.
    """

    text: str
    value: T = None  # pyright: ignore[reportAssignmentType]


class Waiting(Struct, frozen=True, tag="waiting"):
    """Only people are left to wait for: the ids of what they were asked. `parked`: none of them
    answered in time."""

    approvals: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    parked: bool = False


class Aborted(Struct, frozen=True, tag="aborted"):
    """A person stopped it."""

    reason: str = ""


class Failed(Struct, frozen=True, tag="failed"):
    """It could not go on; the thread can, with the next input or `proceed()`."""

    problem: Problem


class LimitReached(Struct, frozen=True, tag="limit_reached"):
    """A limit of the run was reached; `proceed(limits=...)` goes on with more.

    `limit` is one of `steps`, `tokens`, `cost`, `seconds`, `output` (the reply itself was cut).
    """

    limit: str
    message: str


Outcome: TypeAlias = Finished[T] | Waiting | Aborted | Failed | LimitReached
"""How a run stands when it is awaited: at its end, or waiting for people."""

Ended: TypeAlias = Finished[Any] | Aborted | Failed | LimitReached
