"""How a run ended, or what it waits for: a closed union."""

from typing import TypeAlias

from msgspec import Struct


class Problem(Struct, frozen=True, omit_defaults=True):
    """An error as a value: its kind, and a text that says what happened and what to do."""

    kind: str
    message: str


class Finished(Struct, frozen=True, tag="finished"):
    """The model had nothing more to do; `text` is what it said last."""

    text: str


class Waiting(Struct, frozen=True, tag="waiting"):
    """Only people are left to wait for: the ids of what they were asked."""

    approvals: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()


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


Outcome: TypeAlias = Finished | Waiting | Aborted | Failed | LimitReached
Ended: TypeAlias = Finished | Aborted | Failed | LimitReached
