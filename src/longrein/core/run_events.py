"""Events of a run: steps, tool calls, what people are asked, and what hooks say."""

from typing import Literal

from longrein.core.durable import Durable
from longrein.core.messages import Content, Reasoning, Settled, Text, ToolCall
from longrein.core.outcomes import Ended, Problem
from longrein.core.records import Approval, By, CallFacts, Point, Question, Source
from longrein.core.usage import Limits, Usage


class RunStarted(Durable, frozen=True):
    """A run begins with these inputs; they are before the model now."""

    inputs: tuple[str, ...]
    limits: Limits = Limits()
    output: str = ""
    """The JSON schema that the answer has to fit, as text."""


class InputPromoted(Durable, frozen=True):
    """These inputs joined the run that was under way; they are before the model now."""

    inputs: tuple[str, ...]


class RunEnded(Durable, frozen=True):
    """A run is over."""

    outcome: Ended


class PrefixStarted(Durable, frozen=True):
    """What requests begin with from here on: this system text and these tools.

    `digest` is the hash of the tools as they are offered, so that a change in code is noticed;
    `sources` are the sections that the system text is made of, with a blank line between them.
    """

    prefix: str
    reason: Literal["first", "model", "tools", "system", "compaction"]
    model: str
    system: str
    tools: tuple[str, ...]
    digest: str
    sources: tuple[Source, ...] = ()


class ContextChanged(Durable, frozen=True):
    """A section of the system text says something else now: the model is told in a note.

    `digest` is that of the section as it is now; `note` is empty where nothing need be said.
    """

    source: str
    digest: str
    note: str


class Warned(Durable, frozen=True):
    """Something is wrong that hurts no run, such as a skill that cannot be read."""

    problem: Problem


class StepStarted(Durable, frozen=True):
    """A model call begins.

    Where money is limited, `reserved` is the worst that it can cost, in billionths of a dollar, and
    `max_output` what its answer is held to so that it is paid for; None: as it is configured.
    """

    step: str
    number: int
    model: str
    reserved: int = 0
    max_output: int | None = None
    tokens: int = 0
    """How long the request is, by an estimate; 0 where nobody needs to know."""


class StepEnded(Durable, frozen=True):
    """The model answered. `cost` is None where the price is not known.

    `misfit`: why the answer does not fit the output that was asked for.
    """

    step: str
    parts: tuple[Text | Reasoning | ToolCall, ...]
    stop: str
    usage: Usage = Usage()
    cost: int | None = None
    calls: tuple[CallFacts, ...] = ()
    misfit: str = ""


class StepFailed(Durable, frozen=True):
    """The model call failed, or was lost in a crash; what it had said so far is dropped.

    `retry_at`: it is made again then (0: it is not). `next_model`: the next model of the chain
    takes over; with neither the run fails. `dropped` counts the characters of text,
    thoughts and arguments in it.
    """

    step: str
    problem: Problem
    retry_at: int = 0
    next_model: bool = False
    dropped: int = 0
    usage: Usage = Usage()
    cost: int | None = None
    overflow: int = 0
    """So many tokens did not fit into the model's window: it is made again with less."""


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
    `rule`: what decided where it was settled by `policy`: a rule, grants, or the trust.
    """

    approval: str
    decision: Literal["approved", "declined", "replaced"]
    by: By = "person"
    arguments: str | None = None
    facts: CallFacts | None = None
    reason: str = ""
    result: str = ""
    stop: bool = False
    rule: str = ""


class ToolStarted(Durable, frozen=True):
    """A tool is about to run: from here on it may have taken effect. `answers` it already has."""

    call: str
    name: str
    arguments: str
    answers: int = 0


class CallReexamined(Durable, frozen=True):
    """A call was about to run, but touches something else than what was decided on, or the yes that
    it needs was taken back: it was not run and is decided on again."""

    call: str
    facts: CallFacts


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


class HookStarted(Durable, frozen=True):
    """The hooks of the capabilities are asked at some point, about a call or a step."""

    hook: str
    point: Point
    about: str = ""


class HookEnded(Durable, frozen=True):
    """What hooks decided; after a crash it is read here, not asked again.

    `by` is the capability whose word counted. `passed`: nothing to say. `noted`: notes follow.
    `refused`: the call does not run, or the run ends, `text` says why. `changed`: the call has
    these `arguments`, or its result was changed. `go_on`: the run does not end yet, a note follows.
    `facts` of a call that passed: a person has to be asked about it.
    """

    hook: str
    point: Point
    about: str = ""
    decision: Literal["passed", "noted", "refused", "changed", "go_on"] = "passed"
    by: str = ""
    text: str = ""
    arguments: str | None = None
    facts: CallFacts | None = None


class HookFailed(Durable, frozen=True):
    """A hook raised or took too long. The run goes on; a call that it was asked about does not."""

    capability: str
    point: Point
    problem: Problem
    about: str = ""


class SideCallStarted(Durable, frozen=True):
    """A model is called for a purpose beside the conversation, where money is limited.

    `reserved` is the worst that it can cost; should the process end before the call, it counts.
    """

    call: str
    purpose: str
    model: str
    reserved: int


class SideCallEnded(Durable, frozen=True):
    """A model was called for a purpose beside the conversation (a title); what that cost."""

    purpose: str
    model: str
    usage: Usage = Usage()
    cost: int | None = None
    problem: Problem | None = None
    call: str = ""


class Parked(Durable, frozen=True):
    """Nobody answered in time: the run is left waiting `on` these, until somebody does."""

    on: tuple[str, ...]


class TimerDue(Durable, frozen=True):
    """A moment that somebody waited for has come."""

    timer: str
