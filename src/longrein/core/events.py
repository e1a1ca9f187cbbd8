"""Durable events: the facts that a thread is made of. They are never changed.

A durable event has a sequence number (from 1, without gaps in its thread), a time, the run that it
belongs to, the lease epoch that wrote it (`Opened` says which session that was) and, as `cause`,
the id of the command that led to it. The journal fills these in.

Events are for ever: a new field has a default; a removed one gets an upcaster in `codec`.
"""

from typing import Literal, TypeAlias

from msgspec import Struct

from longrein.core.commands import Answer
from longrein.core.messages import Content, Reasoning, Settled, Text, ToolCall
from longrein.core.naming import snake_case
from longrein.core.outcomes import Ended, Problem
from longrein.core.records import Approval, By, CallFacts, Grant, Input, Question, Rule, Trust
from longrein.core.usage import Limits, Usage


class Durable(
    Struct, frozen=True, kw_only=True, tag_field="type", tag=snake_case, omit_defaults=True
):
    """What every durable event has."""

    seq: int = 0
    time: int = 0
    run: str = ""
    epoch: int = 0
    cause: str = ""


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
    """This thread goes its own way from event `at` of `parent`; what was open is not run here."""

    thread: str
    parent: str
    at: int


class ThreadRenamed(Durable, frozen=True):
    """The thread has a new title."""

    title: str


class CommandNoted(Durable, frozen=True):
    """A command came to nothing; its answer is kept, so that repeating it comes to nothing too."""

    answer: Answer


class InputAdmitted(Durable, frozen=True):
    """Something was said to the session; it is durable and waits to be put before the model."""

    input: Input


class InputEdited(Durable, frozen=True):
    """A waiting input has new content."""

    input: str
    parts: tuple[Content, ...]


class InputWithdrawn(Durable, frozen=True):
    """A waiting input was taken back."""

    input: str


class QueueReordered(Durable, frozen=True):
    """The waiting inputs are in this order now."""

    inputs: tuple[str, ...]


class QueueReleased(Durable, frozen=True):
    """The queue that an interrupt held goes on."""


class RunStarted(Durable, frozen=True):
    """A run begins with these inputs; they are before the model now."""

    inputs: tuple[str, ...]
    limits: Limits = Limits()


class InputPromoted(Durable, frozen=True):
    """These inputs joined the run that was under way; they are before the model now."""

    inputs: tuple[str, ...]


class RunEnded(Durable, frozen=True):
    """A run is over."""

    outcome: Ended


class PrefixStarted(Durable, frozen=True):
    """What requests begin with from here on: this system text and these tools.

    `digest` is the hash of the tools as they are offered, so that a change in code is noticed.
    """

    prefix: str
    reason: Literal["first", "model", "tools", "system"]
    model: str
    system: str
    tools: tuple[str, ...]
    digest: str


class StepStarted(Durable, frozen=True):
    """A model call begins."""

    step: str
    number: int
    model: str


class StepEnded(Durable, frozen=True):
    """The model answered. `cost` is None where the price is not known."""

    step: str
    parts: tuple[Text | Reasoning | ToolCall, ...]
    stop: str
    usage: Usage = Usage()
    cost: int | None = None
    calls: tuple[CallFacts, ...] = ()


class StepFailed(Durable, frozen=True):
    """The model call failed, or was lost in a crash; what it had said so far is dropped.

    `retry_at`: it is made again then (0: it is not). `next_model`: the next model of the chain
    takes over; with neither the run fails. `dropped` counts the characters of text that were
    already shown.
    """

    step: str
    problem: Problem
    retry_at: int = 0
    next_model: bool = False
    dropped: int = 0
    usage: Usage = Usage()
    cost: int | None = None


class StepInterrupted(Durable, frozen=True):
    """The model call was stopped by a steer, an interrupt or a limit; what it said is kept.

    A provider that is cut short does not tell what the call used: `usage` is then an estimate.
    """

    step: str
    parts: tuple[Text | Reasoning, ...]
    why: str
    usage: Usage = Usage()
    cost: int | None = None


class NoteAdded(Durable, frozen=True):
    """The model is told something that no person said."""

    text: str
    source: str


class ApprovalRequested(Durable, frozen=True):
    """A tool call waits for a person's yes."""

    approval: Approval


class ApprovalAnswered(Durable, frozen=True):
    """An approval was settled.

    `arguments`: approved, but with these. `result`: not run, this answer stands in its place.
    `stop`: declined, and the run ends. `facts`: what was found out about the new arguments.
    """

    approval: str
    decision: Literal["approved", "declined", "replaced"]
    by: By = "person"
    arguments: str | None = None
    facts: CallFacts | None = None
    reason: str = ""
    result: str = ""
    stop: bool = False


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


class ToolStarted(Durable, frozen=True):
    """A tool is about to run: from here on it may have taken effect. `answers` it already has."""

    call: str
    name: str
    arguments: str
    answers: int = 0


class ToolEnded(Durable, frozen=True):
    """A tool call is settled, once and for all. `whole` as in `ToolResult`."""

    call: str
    status: Settled
    parts: tuple[Content, ...]
    whole: str = ""
    milliseconds: int = 0


class QuestionAsked(Durable, frozen=True):
    """A tool asks a person; it is called again from its start when the answer is in."""

    question: Question


class QuestionAnswered(Durable, frozen=True):
    """A question has its answer: one text, or several. None: declined."""

    question: str
    value: str | tuple[str, ...] | None
    by: By = "person"
    reason: str = ""


class Interrupted(Durable, frozen=True):
    """A person stopped the run; the queue is held."""

    reason: str = ""


class ModeChanged(Durable, frozen=True):
    """Another mode from the next step on."""

    mode: str
    previous: str


class ModelChanged(Durable, frozen=True):
    """Another model from the next step on. Empty: back to the one configured."""

    model: str
    previous: str


class TrustChanged(Durable, frozen=True):
    """Another mode of trust from the next decision on."""

    trust: Trust
    previous: Trust


class TimerDue(Durable, frozen=True):
    """A moment that somebody waited for has come."""

    timer: str


class Unknown(Durable, frozen=True):
    """An event of a kind that only a newer Longrein knows: kept, skipped, never lost."""

    kind: str
    data: bytes


Event: TypeAlias = (
    ThreadCreated
    | Opened
    | Forked
    | ThreadRenamed
    | CommandNoted
    | InputAdmitted
    | InputEdited
    | InputWithdrawn
    | QueueReordered
    | QueueReleased
    | RunStarted
    | InputPromoted
    | RunEnded
    | PrefixStarted
    | StepStarted
    | StepEnded
    | StepFailed
    | StepInterrupted
    | NoteAdded
    | ApprovalRequested
    | ApprovalAnswered
    | GrantAdded
    | GrantRevoked
    | RuleAdded
    | RuleRemoved
    | ToolStarted
    | ToolEnded
    | QuestionAsked
    | QuestionAnswered
    | Interrupted
    | ModeChanged
    | ModelChanged
    | TrustChanged
    | TimerDue
    | Unknown
)
"""Every durable event, closed: a type checker can tell whether a match is complete."""
