"""Values that events and state hold: inputs, approvals, questions, rules and grants."""

from typing import Literal, TypeAlias, get_args

from msgspec import Struct

from longrein.core.errors import UsageError
from longrein.core.messages import Content, Text
from longrein.core.usage import Limits

Category: TypeAlias = Literal["read", "edit", "execute", "network", "delegate", "other"]
"""What a tool does, as rules see it."""

CATEGORIES: tuple[str, ...] = get_args(Category)
EFFECTS = ("allow", "ask", "deny")


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

    @property
    def text(self) -> str:
        return "".join(part.text for part in self.parts if isinstance(part, Text))


class CallFacts(Struct, frozen=True, omit_defaults=True):
    """What was found out about a tool call when it was asked for.

    `problem`: why it cannot run, in words for the model. `alone`: it runs alone in its step.
    `lane`: calls with an equal lane run one after the other.
    """

    id: str
    problem: str = ""
    alone: bool = False
    lane: str = ""


class Approval(Struct, frozen=True, omit_defaults=True):
    """A tool call that waits for a person's yes. `rule` is what asked, `reason` its words."""

    id: str
    call: str
    tool: str
    category: str
    arguments: str
    rule: str
    reason: str
    run: str = ""
    time: int = 0


class Question(Struct, frozen=True, omit_defaults=True):
    """A tool that waits for an answer: a text, one of `choices`, or, if `several`, some of them."""

    id: str
    call: str
    text: str
    choices: tuple[str, ...] = ()
    several: bool = False
    run: str = ""
    time: int = 0


class Reply(Struct, frozen=True, omit_defaults=True):
    """What a person answered to a tool's `question`. None: declined, for this `reason`."""

    question: str
    value: str | tuple[str, ...] | None
    reason: str = ""


class Grant(Struct, frozen=True, omit_defaults=True):
    """A remembered yes: turns what `rule` asks about this tool or category into allow.

    A grant with a `run` ends with that run.
    """

    id: str
    rule: str
    tool: str = ""
    category: str = ""
    run: str = ""


class Rule(Struct, frozen=True, omit_defaults=True):
    """Standing policy for a tool, a category, or (both empty) everything. Deny always wins.

    `always`: an ask that no grant and no mode of trust answers. Raises `UsageError` for an effect
    or a category that there is not: a deny with a slip of the pen would deny nothing.
    """

    effect: Literal["allow", "ask", "deny"]
    tool: str = ""
    category: Category | Literal[""] = ""
    id: str = ""
    always: bool = False

    def __post_init__(self) -> None:
        for given, known in ((self.effect, EFFECTS), (self.category or "other", CATEGORIES)):
            if given not in known:
                raise UsageError(f"A rule cannot have {given!r}; there are: {', '.join(known)}.")


Trust: TypeAlias = Literal["ask", "edits", "plan", "yolo"]
By: TypeAlias = Literal["person", "interrupt", "steer", "deadline", "fork"]
