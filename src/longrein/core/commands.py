"""What an application can tell a session: a closed union of commands, and what it is answered.

Every command has an id, chosen by the caller or made for it, which stands as `cause` in the events
that it leads to. The same id again changes nothing and gets the first answer, as `already`.
"""

from typing import Any, Literal, TypeAlias

import msgspec
from msgspec import Struct

from longrein.core.errors import UsageError
from longrein.core.messages import Content
from longrein.core.naming import snake_case
from longrein.core.policy import Grant, Rule, Scope, Trust
from longrein.core.text import mended
from longrein.core.usage import Limits, Spent


class Base(Struct, frozen=True, kw_only=True, tag_field="type", tag=snake_case, omit_defaults=True):
    """What every command has. `chosen`: the id is the caller's, who may send it again."""

    id: str = ""
    chosen: bool = True


class Say(Base, frozen=True):
    """Admit an input of some kind. `run` is the id of the run that it may start, `whole` as in
    `Input`."""

    kind: Literal["send", "queue", "steer", "signal", "proceed"]
    run: str
    parts: tuple[Content, ...] = ()
    source: str = ""
    wake: bool = True
    limits: Limits | None = None
    output: str = ""
    whole: str = ""


class Interrupt(Base, frozen=True):
    """Stop the run and hold the queue."""

    reason: str = ""


class Release(Base, frozen=True):
    """Let the held queue go on."""


class EditInput(Base, frozen=True):
    """Change a waiting input. `whole` as in `Input`."""

    input: str
    parts: tuple[Content, ...]
    whole: str = ""


class WithdrawInput(Base, frozen=True):
    """Take a waiting input back."""

    input: str


class ReorderQueue(Base, frozen=True):
    """Bring the waiting inputs into this order; those not named follow as they were."""

    inputs: tuple[str, ...]


class Approve(Base, frozen=True):
    """Let a call run, perhaps with other arguments; perhaps remember it.

    `remember`: for exactly this `call`, its `tool`, its whole `category`, or as the approval
    proposes (`rule`); `scope`: in this run, this thread, or every thread of the resource.
    """

    approval: str
    arguments: str | None = None
    remember: Literal["", "call", "tool", "category", "rule"] = ""
    scope: Scope = "thread"


class Decline(Base, frozen=True):
    """Say no to a call or a question, with a reason that the model hears. `stop` ends the run. It
    is `by` a deadline where nobody answered."""

    target: str
    reason: str = ""
    stop: bool = False
    by: Literal["person", "deadline"] = "person"


class Replace(Base, frozen=True):
    """Answer in the tool's place: it does not run, the model hears this."""

    approval: str
    result: str


class AnswerQuestion(Base, frozen=True):
    """Answer a question: a text, or for several choices a list of them.

    `plan`: this says yes to a plan; the value is `approve`, or the plan as it should be.
    """

    question: str
    value: str | tuple[str, ...]
    plan: bool = False


class Rename(Base, frozen=True):
    """Give the thread a title."""

    title: str


class Tag(Base, frozen=True):
    """Give the thread these tags instead of those that it has."""

    tags: tuple[str, ...]


class Configure(Base, frozen=True):
    """Change settings of the thread; None takes a setting away."""

    changes: dict[str, Any]


class UpdateState(Base, frozen=True):
    """Change keys of the application's state.

    `expected`: only if nothing changed since the event with this number; -1: in any case.
    """

    changes: dict[str, Any]
    removed: tuple[str, ...] = ()
    expected: int = -1


class Record(Base, frozen=True):
    """Write a fact down, for the slices of capabilities to fold."""

    kind: str
    data: Any = None
    blobs: tuple[str, ...] = ()


class Rewind(Base, frozen=True):
    """Go back to before an input: the conversation, files, or both.

    `to` is the id of the input, or of a run for the input that started it. `undo`: take the last
    rewind back instead, the same that it was for.
    """

    to: str = ""
    files: bool = False
    conversation: bool = True
    undo: bool = False


class Compact(Base, frozen=True):
    """Make requests shorter by a summary; `focus` is what it should keep above all."""

    focus: str = ""


class Pin(Base, frozen=True):
    """Keep an input in every request, however much is left out; with `pinned=False` no more."""

    input: str
    pinned: bool = True


class SwitchMode(Base, frozen=True):
    """Use another mode from the next step on; with `abort` the run under way is stopped."""

    mode: str
    abort: bool = False


class SwitchModel(Base, frozen=True):
    """Use another model from the next step on; empty: the one configured.

    `effort` is how hard it is to think; empty: as configured.
    """

    model: str
    effort: str = ""


class SetTrust(Base, frozen=True):
    """Use another mode of trust from the next decision on."""

    trust: Trust


class AddRule(Base, frozen=True):
    """Add a rule to this thread."""

    rule: Rule


class RemoveRule(Base, frozen=True):
    """Remove a rule of this thread."""

    rule: str


class RevokeGrant(Base, frozen=True):
    """Forget a remembered yes."""

    grant: str


class Remember(Base, frozen=True):
    """Remember a yes that was given to a child, for the thread and all its children."""

    grants: tuple[Grant, ...]


class CountChild(Base, frozen=True):
    """Count what a child that had ended, and all below it, have used by now."""

    child: str
    spent: Spent


class Resume(Base, frozen=True):
    """Go on with whatever is open; changes nothing by itself.

    `answer` is what became of a command of this id that a child carried out.
    """

    answer: "Answer | None" = None


class Together(Base, frozen=True):
    """Carry out all of these, each on top of those before, or none of them.

    `expected` as in `UpdateState`.
    """

    parts: tuple[Say | Record | SwitchMode | UpdateState, ...]
    expected: int = -1


Command: TypeAlias = (
    Say
    | Interrupt
    | Release
    | EditInput
    | WithdrawInput
    | ReorderQueue
    | Approve
    | Decline
    | Replace
    | AnswerQuestion
    | Rename
    | Tag
    | Configure
    | UpdateState
    | Record
    | Rewind
    | Compact
    | Pin
    | SwitchMode
    | SwitchModel
    | SetTrust
    | AddRule
    | RemoveRule
    | RevokeGrant
    | Remember
    | CountChild
    | Resume
    | Together
)

Decision: TypeAlias = Approve | Decline | Replace | AnswerQuestion
"""What a person makes of an approval, a question or a plan."""


class Answer(Struct, frozen=True, omit_defaults=True):
    """What became of a command.

    `applied`: done. `already`: done before, under this id. `stale`: what it was about is settled.
    `missing`: no such id. `accepted`: durable, but the process that owns the thread has not taken
    it up yet. `refused`: bad input, `message` says why (raised as `UsageError` where it was sent).
    `run` is the run that the command concerns.
    """

    status: Literal["applied", "already", "stale", "missing", "accepted", "refused"]
    run: str = ""
    message: str = ""


_commands = msgspec.json.Decoder(Command)
_answers = msgspec.json.Decoder(Answer)


def encode(value: Command | Answer) -> bytes:
    """A command or an answer as JSON."""
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:
        return msgspec.json.encode(mended(msgspec.to_builtins(value)))


def decode_command(data: bytes) -> Command:
    """The command in `data`."""
    return _commands.decode(data)


def decode_answer(data: bytes) -> Answer:
    """The answer in `data`."""
    return _answers.decode(data)


def checked(command: Command) -> Command:
    """The command as any process will read it. Raises `UsageError` for a value of a wrong type.

    Structs do not look at what they are made of; the log keeps it for ever.
    """
    try:
        return decode_command(encode(command))
    except (msgspec.ValidationError, TypeError, ValueError, OverflowError) as error:
        kind = snake_case(type(command).__name__).replace("_", " ")
        raise UsageError(f"This is not a valid command ({kind}): {error}") from None
