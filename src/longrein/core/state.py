"""What a thread is at one moment: the fold of its events, as `evolve` makes it."""

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

from msgspec import Struct

from longrein.core.children import Account, Child
from longrein.core.commands import Answer
from longrein.core.growing import Index, Trail
from longrein.core.messages import Message, ToolResult, User
from longrein.core.outcomes import Ended, Ending, Problem
from longrein.core.policy import Grant, Rule, Touches, Trust
from longrein.core.records import Approval, By, Input, Question, Reply, Source
from longrein.core.usage import Limits, Spent, Usage
from longrein.core.window import Compacting, Window, Wish

Phase: TypeAlias = Literal[
    "new", "approval", "approved", "declined", "replaced", "refused", "started", "question",
    "answered", "orphaned", "settled",
]  # fmt: skip
"""Where a tool call stands:

    new -> started -> settled                      nothing to ask
    new -> approval -> approved -> started ...     a person, or by now the policy, said yes
    new -> approval -> declined | replaced -> settled
    new | approved -> refused -> settled           a hook said no
    approval -> refused -> settled                 by now the policy says no
    started -> new                                 it touches something else now: decided on again
    started -> question -> answered -> started ... the tool asked; it is called again
    started -> orphaned -> settled | started       the process that ran it is gone
"""


class Call(Struct, frozen=True, omit_defaults=True):
    """A tool call of the open step. `problem`, `alone`, `lane`, `touches`, `preview` as in
    `CallFacts`.

    `hook`: whether the hooks are being asked about it (`asked`), were (`passed`), or not yet;
    `changes` counts how often it touched something else when it was about to run. `rule` is the
    rule that is asked about now, `answered` are those that approvals said yes to; `text` is the
    reason of a decline `by` whomever, or the answer in the tool's place. `began` is when it last
    started to run.
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
    touches: Touches = Touches()
    hook: Literal["", "asked", "passed"] = ""
    changes: int = 0
    answered: tuple[str, ...] = ()
    preview: str = ""
    by: By = "person"
    began: int = 0


class Step(Struct, frozen=True, omit_defaults=True):
    """The open step: a model call in flight (`model`), lost with its process (`lost`), or the tool
    calls that it asked for (`tools`). `replaced`: another model was chosen since it began.
    `reserved` is what it may cost at worst, where money is limited; `capped`: its answer was cut to
    what was left. `mode` is the one in which the model was called: its calls mean the tools that it
    was offered there, whatever is switched to meanwhile. `tokens` is how long its request was
    estimated to be, where that counts."""

    id: str
    number: int
    model: str
    phase: Literal["model", "lost", "tools"] = "model"
    calls: tuple[Call, ...] = ()
    replaced: bool = False
    reserved: int = 0
    capped: bool = False
    mode: str = ""
    tokens: int = 0


class Run(Struct, frozen=True, omit_defaults=True):
    """The open run.

    `answer`: the model said this and asked for no tool. `failures`: attempts of this step that
    failed; `failed`: the models of the chain that another took over from; `retry_at`: when the next
    attempt is due. `parked`: it was left waiting on these approvals and questions. `problem`: it
    cannot go on. `stop`: it is being stopped, and why. `busy`: microseconds in which something ran,
    up to `since`, when something last began to (0: nothing runs).

    `output` is the JSON schema that the answer has to fit, `misfit` why the last one does not, and
    `misfits` how many did not. `hook` are the hooks being asked right now, `begun`,
    `primed` and `checked` which were: before the run, before step number `primed`, and before the
    end that `answer` would be. `capped`: the answer was cut because money ran out. `overflow`: so
    many tokens did not fit, and less has to be sent; `recovered`: that happened in this step.
    `unsummarised`: no summary could be made of what the run has heard so far. `below` is what
    children of it used that have ended.
    """

    id: str
    limits: Limits
    started: int
    spent: Spent = Spent()
    answer: str | None = None
    cut: bool = False
    empty: int = 0
    failures: int = 0
    failed: tuple[str, ...] = ()
    retry_at: int = 0
    parked: tuple[str, ...] = ()
    problem: Problem | None = None
    stop: Literal["", "interrupt", "decline", "seconds", "refused"] = ""
    reason: str = ""
    busy: int = 0
    since: int = 0
    output: str = ""
    misfit: str = ""
    misfits: int = 0
    hook: str = ""
    begun: bool = False
    primed: int = 0
    checked: bool = False
    capped: bool = False
    overflow: int = 0
    recovered: bool = False
    unsummarised: bool = False
    below: Spent = Spent()


class Prefix(Struct, frozen=True):
    """What every request begins with at present; `window` is the event that made the window."""

    id: str
    model: str
    system: str
    tools: tuple[str, ...]
    digest: str
    sources: tuple[Source, ...] = ()
    window: int = 0


class Then(Struct, frozen=True, array_like=True):
    """What a slice was before event `seq`, and before later ones up to the next of these."""

    seq: int
    value: Any


class Kept(Struct, frozen=True, omit_defaults=True):
    """A slice: the version and the value of its fold. `problem`: it raised, and is frozen.

    `upto` is the last event that it was folded over, which counts only in a snapshot. `rewinds` as
    in `Slice`; of one that does, `past` is what it was before each input, where that differs.
    """

    version: int
    value: Any
    upto: int = 0
    problem: str = ""
    rewinds: str = ""
    past: tuple[Then, ...] = ()


class Change(Struct, frozen=True, array_like=True):
    """A source of the instructions says something else, as event `seq` told the model."""

    seq: int
    source: str
    digest: str


class Mark(Struct, frozen=True, array_like=True):
    """Where a thread stood before an input: there were `length` messages.

    Event `seq` put the input before the model, in `run`. The rest is what the state said then;
    `window` is the event that made the window, 0 where there was none.
    """

    input: str
    seq: int
    run: str
    time: int
    kind: str
    length: int
    told: str
    heard: int
    last: Usage
    window: int = 0


class Stand(Struct, frozen=True, omit_defaults=True):
    """Another conversation, told from the one that there is: of its messages and marks so many are
    the same (`length`, `count`), then come these."""

    length: int
    count: int
    told: str
    heard: int
    last: Usage
    messages: tuple[Message, ...] = ()
    marks: tuple[Mark, ...] = ()
    windows: tuple[Window, ...] = ()
    changes: tuple[Change, ...] = ()
    endings: tuple[Ending, ...] = ()
    problem: Problem | None = None


class Undo(Struct, frozen=True, omit_defaults=True):
    """The way back from a rewind, the event `seq`, until the next input is before the model.

    `to`, `files`, `conversation` and `since` as in that event.
    """

    seq: int
    to: str
    files: bool
    conversation: bool
    since: int
    stand: Stand


class State(Struct, frozen=True, omit_defaults=True):
    """Everything that is known of a thread.

    `messages` is what was said, well formed while no step is open. `later` are notes that wait for
    the open step to close. `queue` is every input not before the model yet, in order. `told` is
    the mode that the model knows of. `last` is what the newest model call used, which covers the
    first `heard` messages. `commands` maps the id of each command that was carried out to its
    answer, should it come again, `settled` each approval and question that was answered to its
    run, `outcomes` each run that ended to its outcome. `revoked` are grants of the whole resource
    that were taken back here, which counts before those who share them know. `trust_chosen`:
    somebody set it in this very thread; a child goes along with those above it before. `models` and
    `efforts` are what was chosen in this thread by mode. `data` is the application's state, last
    changed by event `revision`, `invalid` what is wrong with it. `warnings` are the last things
    that went wrong without hurting a run, and `warned` after how many messages each of them came
    (-1: these were taken back); `titled` counts the attempts at a title. `problem` is what went
    wrong in the run, or ended the last one before it was done; it is among `endings` once another
    has begun. `refused` is what was said to the last run and a hook let nobody hear. `marks` are
    the newest inputs that the thread can be rewound to, `undo` the way back from the last rewind.
    `changes` are the sources of the instructions that say something else than the system text;
    `side_calls` what is reserved for model calls beside the conversation.
    `windows` are the newest windows, the last of which is in use; `compaction` is the summary that
    is being made, `wish` one that a person asked for, `pinned` are inputs that are never left out,
    and `ceilings` what is known to be too much for a model, in tokens. `children` are those that
    have not ended and the newest that have, `below` is what ended ones used, and `accounts` are
    runs that are over while children of them still work.
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
    trust_chosen: bool = False
    messages: Trail[Message] = Trail()
    later: tuple[Message, ...] = ()
    queue: tuple[Input, ...] = ()
    held: bool = False
    run: Run | None = None
    step: Step | None = None
    approvals: tuple[Approval, ...] = ()
    questions: tuple[Question, ...] = ()
    grants: tuple[Grant, ...] = ()
    revoked: tuple[str, ...] = ()
    rules: tuple[Rule, ...] = ()
    prefix: Prefix | None = None
    spent: Spent = Spent()
    last: Usage = Usage()
    heard: int = 0
    problem: Problem | None = None
    endings: tuple[Ending, ...] = ()
    refused: tuple[User, ...] = ()
    commands: Index[Answer] = Index()
    settled: Index[str] = Index()
    outcomes: Index[Ended] = Index()
    models: Mapping[str, str] = {}
    efforts: Mapping[str, str] = {}
    tags: tuple[str, ...] = ()
    settings: Mapping[str, Any] = {}
    data: Mapping[str, Any] = {}
    revision: int = 0
    invalid: str = ""
    slices: Mapping[str, Kept] = {}
    warnings: tuple[Problem, ...] = ()
    warned: tuple[int, ...] = ()
    titled: int = 0
    marks: tuple[Mark, ...] = ()
    undo: Undo | None = None
    changes: tuple[Change, ...] = ()
    side_calls: Mapping[str, int] = {}
    windows: tuple[Window, ...] = ()
    compaction: Compacting | None = None
    wish: Wish | None = None
    pinned: tuple[str, ...] = ()
    ceilings: Mapping[str, int] = {}
    children: tuple[Child, ...] = ()
    below: Spent = Spent()
    accounts: tuple[Account, ...] = ()

    @property
    def window(self) -> Window | None:
        """What requests hold of the thread; None: all of it."""
        return self.windows[-1] if self.windows else None

    @property
    def known(self) -> dict[str, str]:
        """What the model knows of each source of its instructions, by their digests."""
        said = {one.name: one.digest for one in self.prefix.sources} if self.prefix else {}
        return said | {one.source: one.digest for one in self.changes}

    @property
    def effort(self) -> str:
        """How hard the model is to think, as chosen in this thread for the mode."""
        return self.efforts.get(self.mode, "")

    def child(self, thread: str) -> Child | None:
        """The child with this thread."""
        return next((child for child in self.children if child.thread == thread), None)

    def waits_below(self, call: str) -> bool:
        """Whether a call waits for children of which only people are left to wait for."""
        awaited = [
            child.state == "waiting"
            for child in self.children
            if child.call == call and child.open and not child.background
        ]
        return bool(awaited) and all(awaited)

    def call(self, id: str) -> Call | None:
        """The tool call of the open step with this id."""
        for call in self.step.calls if self.step else ():
            if call.id == id:
                return call
        return None
