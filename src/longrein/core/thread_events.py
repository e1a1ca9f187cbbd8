"""Events of a thread: its inputs, its policy, its mode and model, and the state kept in it."""

from typing import Any, Literal

from longrein.core.commands import Answer
from longrein.core.durable import Durable
from longrein.core.messages import Content
from longrein.core.policy import Grant, Rule, Trust
from longrein.core.records import Input
from longrein.core.restored import RestoreReport


class ThreadCreated(Durable, frozen=True):
    """A thread begins."""

    thread: str
    resource: str
    mode: str = ""
    trust: Trust = "ask"


class Opened(Durable, frozen=True):
    """A session took over the thread: what earlier epochs left open is settled from here."""

    session: str


class Forked(Durable, frozen=True):
    """This thread goes its own way from event `at` of `parent`; what was open is not run here.

    `child`: it works for its parent, begins its requests as that does, and is bound by its rules;
    `call` is the one that made it.
    """

    thread: str
    parent: str
    at: int
    child: bool = False
    call: str = ""


class ThreadRenamed(Durable, frozen=True):
    """The thread has a new title, given by a person or written by a model."""

    title: str
    by: Literal["person", "model"] = "person"


class ThreadTagged(Durable, frozen=True):
    """The thread has these tags now."""

    tags: tuple[str, ...]


class SettingsChanged(Durable, frozen=True):
    """Settings of the thread have these values now; None: no value any more."""

    changes: dict[str, Any]


class StateChanged(Durable, frozen=True):
    """Keys of the application's own state have these values now; `removed` ones have none."""

    changes: dict[str, Any]
    removed: tuple[str, ...] = ()


class StateInvalid(Durable, frozen=True):
    """What is kept of the application's state does not fit its model any more: `fields` say where.

    Nothing was changed; `migrate=` of the harness or a valid update mends it.
    """

    fields: tuple[str, ...]
    message: str


class Recorded(Durable, frozen=True):
    """A fact that a tool, a hook or a command of a capability wrote down, for slices to fold.

    `call` is the tool call that it came with, if it was one; `blobs` are the hashes of what is kept
    beside the log and meant by `data`.
    """

    kind: str
    data: Any = None
    call: str = ""
    blobs: tuple[str, ...] = ()


class Rewound(Durable, frozen=True):
    """The thread went back to before the input `to`, which event `before` had put before the model.

    Nothing is removed: what came between is only not part of the conversation any more.
    `conversation` and `files` say what went back, `report` what that meant for files, and `since`
    from which number on they were put back. `undo`: a rewind, the event `before`, was taken back
    instead.
    """

    to: str
    before: int
    files: bool = False
    conversation: bool = True
    undo: bool = False
    since: int = 0
    report: RestoreReport = RestoreReport()


class CommandNoted(Durable, frozen=True):
    """A command came to nothing; its answer is kept, so that repeating it comes to nothing too."""

    answer: Answer


class InputAdmitted(Durable, frozen=True):
    """Something was said to the session; it is durable and waits to be put before the model."""

    input: Input


class InputEdited(Durable, frozen=True):
    """A waiting input has new content. `whole` as in `Input`."""

    input: str
    parts: tuple[Content, ...]
    whole: str = ""


class InputWithdrawn(Durable, frozen=True):
    """A waiting input was taken back."""

    input: str


class QueueReordered(Durable, frozen=True):
    """The waiting inputs are in this order now."""

    inputs: tuple[str, ...]


class QueueReleased(Durable, frozen=True):
    """The queue that an interrupt held goes on."""


class GrantAdded(Durable, frozen=True):
    """A yes is remembered."""

    grant: Grant


class GrantRevoked(Durable, frozen=True):
    """A remembered yes is forgotten."""

    grant: str


class RuleAdded(Durable, frozen=True):
    """A rule was added to this thread."""

    rule: Rule


class RuleRemoved(Durable, frozen=True):
    """A rule of this thread was removed."""

    rule: str


class ModeChanged(Durable, frozen=True):
    """Another mode from the next step on."""

    mode: str
    previous: str


class ModelChanged(Durable, frozen=True):
    """Another model from the next step on, remembered for the mode.

    `model` is the one chosen in this thread for the mode, empty where none is; `uses` is the one
    that this comes to. `effort` is how hard it is to think; empty: as configured.
    """

    model: str
    previous: str
    uses: str = ""
    effort: str = ""


class TrustChanged(Durable, frozen=True):
    """Another mode of trust from the next decision on."""

    trust: Trust
    previous: Trust


class Unknown(Durable, frozen=True):
    """An event of a kind that only a newer Longrein knows: kept, skipped, never lost."""

    kind: str
    data: bytes
