"""What carrying out a command needs, and what it comes to."""

from collections.abc import Sequence

from msgspec import Struct

from longrein.core import events as e
from longrein.core.commands import Answer
from longrein.core.ids import Ids
from longrein.core.records import CallFacts
from longrein.core.restored import RestoreReport
from longrein.loop.setup import Setup
from longrein.session.resources import Pairs, Resources
from longrein.session.user_state import UserState
from longrein.tools.reach import Effect


class Applied(Struct, frozen=True):
    """What a command comes to: events to write, its answer, and what is kept beside the thread."""

    events: Sequence[e.Event] = ()
    answer: Answer = Answer("applied")
    pairs: Pairs = ()


class Restored(Struct, frozen=True):
    """What putting files back, from the number `since` on, came to, and what that brought about in
    the thread."""

    since: int
    report: RestoreReport
    effects: tuple[Effect, ...] = ()
    notes: tuple[e.NoteAdded, ...] = ()


class Desk(Struct, frozen=True):
    """What is needed to carry out commands. `edited` is what was found out about the call that a
    person approves with other arguments, `restored` the files that a rewind put back."""

    setup: Setup
    ids: Ids
    kept: UserState
    resources: Resources
    edited: CallFacts | None = None
    restored: Restored | None = None


def missing(what: str, id: str) -> Applied:
    """There is no such thing."""
    return Applied(answer=Answer("missing", message=f"There is no {what} {id}."))
