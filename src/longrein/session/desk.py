"""What carrying out a command needs, and what it comes to."""

from collections.abc import Callable, Sequence

from msgspec import Struct

from longrein.core import events as e
from longrein.core.commands import Answer
from longrein.core.ids import Ids
from longrein.core.messages import ToolCall
from longrein.core.records import CallFacts
from longrein.core.state import State
from longrein.loop.setup import Setup
from longrein.session.resources import Pairs, Resources
from longrein.session.user_state import UserState


class Applied(Struct, frozen=True):
    """What a command comes to: events to write, its answer, and what is kept beside the thread."""

    events: Sequence[e.Event] = ()
    answer: Answer = Answer("applied")
    pairs: Pairs = ()


class Desk(Struct, frozen=True):
    """What is needed to carry out commands. `examine` looks at a call as when it was asked for."""

    setup: Setup
    ids: Ids
    examine: Callable[[State, ToolCall], CallFacts]
    kept: UserState
    resources: Resources


def missing(what: str, id: str) -> Applied:
    """There is no such thing."""
    return Applied(answer=Answer("missing", message=f"There is no {what} {id}."))
