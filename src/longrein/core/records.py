"""Values that events and state hold: inputs, calls, approvals and questions."""

from typing import Literal, TypeAlias

from msgspec import Struct

from longrein.core.messages import Content, text_in
from longrein.core.policy import Category, Grant, Touches
from longrein.core.usage import Limits


class Input(Struct, frozen=True, omit_defaults=True):
    """What was admitted and is not before the model yet. Its id is that of its command.

    `run` is the id of the run that it starts, should it start one.
    """

    id: str
    kind: Literal["send", "queue", "steer", "signal", "proceed"]
    run: str
    parts: tuple[Content, ...] = ()
    source: str = ""
    wake: bool = True
    limits: Limits | None = None
    time: int = 0
    output: str = ""
    """The JSON schema that the answer of its run has to fit, as text; empty: any answer will do."""
    whole: str = ""
    """The hash of the complete text where the parts show only its head and tail."""

    @property
    def text(self) -> str:
        return text_in(self.parts)


class Source(Struct, frozen=True, array_like=True):
    """A section of the system text: where it comes from, how many characters, and its digest."""

    name: str
    length: int
    digest: str


class CallFacts(Struct, frozen=True, omit_defaults=True):
    """What was found out about a tool call when it was asked for.

    `problem`: why it cannot run, in words for the model. `alone`: it runs alone in its step.
    `lane`: calls with an equal lane run one after the other. `preview`: what would really happen,
    for the person who is asked.
    """

    id: str
    problem: str = ""
    alone: bool = False
    lane: str = ""
    touches: Touches = Touches()
    preview: str = ""


class Approval(Struct, frozen=True, omit_defaults=True):
    """A tool call that waits for a person's yes. `rule` is what asked, `reason` its words; `rules`
    are all that ask about it, to which one yes is an answer.

    `proposal` is the grant that would make asking for this again needless, and little else;
    `preview` what would really happen, such as a diff. `patience` is how long it waits for an
    answer, in microseconds (0: for ever); `due`: it has waited so long.
    """

    id: str
    call: str
    tool: str
    category: Category
    arguments: str
    rule: str
    reason: str
    run: str = ""
    time: int = 0
    touches: Touches = Touches()
    proposal: Grant | None = None
    rules: tuple[str, ...] = ()
    preview: str = ""
    path: tuple[str, ...] = ()
    """Where it was asked, seen from the thread that shows it: the threads of children, from the one
    that this thread started down to the one that asks. It is not part of any log."""
    patience: int = 0
    due: bool = False

    @property
    def deadline(self) -> int:
        """When it has waited long enough; 0: never."""
        return self.time + self.patience if self.patience else 0


class Question(Struct, frozen=True, omit_defaults=True):
    """A tool that waits for an answer: a text, one of `choices`, or, if `several`, some of them.

    `other`: a text that is not among the choices will do as well. `kind` tells a user interface
    what is asked for (`plan`: the text is a plan in Markdown), `title` is its headline. `patience`
    and `due` as in `Approval`.
    """

    id: str
    call: str
    text: str
    choices: tuple[str, ...] = ()
    several: bool = False
    run: str = ""
    time: int = 0
    kind: str = ""
    title: str = ""
    other: bool = False
    path: tuple[str, ...] = ()
    """As in `Approval`."""
    patience: int = 0
    due: bool = False

    @property
    def deadline(self) -> int:
        """When it has waited long enough; 0: never."""
        return self.time + self.patience if self.patience else 0


By: TypeAlias = Literal["person", "interrupt", "steer", "deadline", "fork", "policy"]
"""Who settled what a person was asked about; `policy`: rules, grants and trust as they are now."""


class Reply(Struct, frozen=True, omit_defaults=True):
    """What a person answered to a tool's `question`. None: declined `by` whomever, for this
    `reason`."""

    question: str
    value: str | tuple[str, ...] | None
    reason: str = ""
    by: By = "person"


Point: TypeAlias = Literal[
    "before_run", "before_model", "after_model", "before_tool", "after_tool", "before_finish",
    "on_event",
]  # fmt: skip
"""Where a hook of a capability is asked."""
