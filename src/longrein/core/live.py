"""Live events: fragments of what is not complete yet.

They are never stored. Every live stream ends in a durable event that holds the whole value, so
whoever only reads durable events misses nothing.
"""

from typing import Literal, TypeAlias

from msgspec import Struct

from longrein.core.events import Event
from longrein.core.naming import snake_case

SignalKind: TypeAlias = Literal[
    "dropped", "lease_lost", "store_failed", "thread_switched", "thread_deleted",
    "thread_rewritten", "listener_failed", "slice_failed", "stalled",
]  # fmt: skip


class Live(Struct, frozen=True, kw_only=True, tag_field="type", tag=snake_case, gc=False):
    """What every live event has: the position that it follows, its stream, its offset there."""

    after: int
    stream: str
    offset: int


class TextFragment(Live, frozen=True):
    """More of the text that the model is writing. The stream is the step."""

    text: str


class ReasoningFragment(Live, frozen=True):
    """More of what the model is thinking. The stream is the step and `/r`."""

    text: str


class ToolInputFragment(Live, frozen=True):
    """More of the arguments that the model is writing, for the tool `name`. The stream is the step
    and `/` and the number of the call."""

    text: str
    name: str


class ToolOutputFragment(Live, frozen=True):
    """More of what a running tool put out. The stream is the call."""

    text: str


class Signalled(Live, frozen=True):
    """Something about the session itself, not the thread.

    `dropped`: this subscriber was too slow; come back at `after`. `lease_lost`: another process
    writes the thread now. `store_failed`: a write failed and is tried again; `message` says why.
    `thread_switched`: another thread is current now. `thread_deleted`: this one is gone.
    `thread_rewritten`: events of it were erased. `listener_failed`: a callback raised.
    `slice_failed`: the fold of a capability raised; what it knows of the thread stands still.
    `stalled`: nothing happened for long; `message` says what the run waits for.
    """

    kind: SignalKind
    message: str


class FromChild(Live, frozen=True):
    """Something that happened in a child, durable or live. Only the child's own log keeps it.

    `path` are the threads from the one that this thread started down to the one that it is from.
    """

    path: tuple[str, ...]
    event: "Event | OwnEvent"


OwnEvent: TypeAlias = (
    TextFragment | ReasoningFragment | ToolInputFragment | ToolOutputFragment | Signalled
)
"""Live events of a thread itself."""

LiveEvent: TypeAlias = OwnEvent | FromChild
