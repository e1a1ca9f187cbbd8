"""What a thread is at one moment: the fold of its events, as `evolve` makes it."""

from typing import Literal, TypeAlias

from msgspec import Struct

from longrein.core.commands import Answer
from longrein.core.growing import Index, Trail
from longrein.core.messages import Message, ToolResult
from longrein.core.outcomes import Ended, Problem
from longrein.core.records import Approval, Grant, Input, Question, Reply, Rule, Trust
from longrein.core.usage import Limits, Spent, Usage

Phase: TypeAlias = Literal[
    "new", "approval", "approved", "declined", "replaced", "started", "question", "answered",
    "orphaned", "settled",
]  # fmt: skip
"""Where a tool call stands:

    new -> started -> settled                      nothing to ask
    new -> approval -> approved -> started ...     a person said yes
    new -> approval -> declined | replaced -> settled
    started -> question -> answered -> started ... the tool asked; it is called again
    started -> orphaned -> settled | started       the process that ran it is gone
"""


class Call(Struct, frozen=True, omit_defaults=True):
    """A tool call of the open step. `problem`, `alone` and `lane` as in `CallFacts`.

    `rule` is the rule that was asked about and that an approval said yes to; `text` is the reason
    of a decline, or the answer in the tool's place.
    """

    id: str
    name: str
    arguments: str
    phase: Phase = "new"
    problem: str = ""
    alone: bool = False
    lane: str = ""
    rule: str = ""
    text: str = ""
    answers: tuple[Reply, ...] = ()
    result: ToolResult | None = None


class Step(Struct, frozen=True, omit_defaults=True):
    """The open step: a model call in flight (`model`), lost with its process (`lost`), or the tool
    calls that it asked for (`tools`). `replaced`: another model was chosen since it began."""

    id: str
    number: int
    model: str
    phase: Literal["model", "lost", "tools"] = "model"
    calls: tuple[Call, ...] = ()
    replaced: bool = False


class Run(Struct, frozen=True, omit_defaults=True):
    """The open run.

    `answer`: the model said this and asked for no tool. `failures`: attempts of this step that
    failed; `fallback`: which model of the chain is in use; `retry_at`: when the next attempt is
    due. `problem`: it cannot go on. `stop`: it is being stopped, and why. `busy`: microseconds in
    which something ran, up to `since`, when something last began to (0: nothing runs).
    """

    id: str
    limits: Limits
    started: int
    spent: Spent = Spent()
    answer: str | None = None
    cut: bool = False
    empty: int = 0
    failures: int = 0
    fallback: int = 0
    retry_at: int = 0
    problem: Problem | None = None
    stop: Literal["", "interrupt", "decline", "seconds"] = ""
    reason: str = ""
    busy: int = 0
    since: int = 0


class Prefix(Struct, frozen=True):
    """What every request begins with at present."""

    id: str
    model: str
    system: str
    tools: tuple[str, ...]
    digest: str


class State(Struct, frozen=True, omit_defaults=True):
    """Everything that is known of a thread.

    `messages` is what was said, well formed while no step is open. `later` are notes that wait for
    the open step to close. `queue` is every input not before the model yet, in order. `told` is
    the mode that the model knows of. `last` is what the newest model call used. `commands` maps the
    id of each command that was carried out to its answer, should it come again, `settled` each
    approval and question that was answered to its run, `outcomes` each run that ended to its
    outcome.
    """

    seq: int = 0
    epoch: int = 0
    thread: str = ""
    resource: str = ""
    title: str = ""
    mode: str = ""
    told: str = ""
    model: str = ""
    trust: Trust = "ask"
    messages: Trail[Message] = Trail()
    later: tuple[Message, ...] = ()
    queue: tuple[Input, ...] = ()
    held: bool = False
    run: Run | None = None
    step: Step | None = None
    approvals: tuple[Approval, ...] = ()
    questions: tuple[Question, ...] = ()
    grants: tuple[Grant, ...] = ()
    rules: tuple[Rule, ...] = ()
    prefix: Prefix | None = None
    spent: Spent = Spent()
    last: Usage = Usage()
    problem: Problem | None = None
    commands: Index[Answer] = Index()
    settled: Index[str] = Index()
    outcomes: Index[Ended] = Index()

    def call(self, id: str) -> Call | None:
        """The tool call of the open step with this id."""
        return (
            next((call for call in self.step.calls if call.id == id), None) if self.step else None
        )
