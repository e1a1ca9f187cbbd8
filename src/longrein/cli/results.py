"""How a run came to rest: what is reported of it, its exit code, and how to go on."""

import shlex
from typing import Any, assert_never

import msgspec
from msgspec import Struct

from longrein.cli import exits
from longrein.cli.left import NOTHING, Changed, Left, LeftChild, LeftJob
from longrein.cli.telling import approval_lines, asked_by
from longrein.client.telling import PLAN
from longrein.core.display import Display
from longrein.core.messages import Assistant
from longrein.core.outcomes import Aborted, Failed, Finished, LimitReached, Outcome, Waiting
from longrein.core.policy import Touches
from longrein.core.records import Approval, Question
from longrein.core.state import State
from longrein.core.usage import BILLIONTHS, Spent
from longrein.permissions.remember import describe
from longrein.tools.output import extract


class Tokens(Struct, frozen=True):
    """What the run used, in tokens; as `core.usage.Usage`, with nothing left out."""

    input: int
    output: int
    cached: int
    cache_written: int
    reasoning: int


class Pending(Struct, frozen=True, omit_defaults=True):
    """What waits for a person (`approval`, `question` or `plan`), and the command that answers it.

    `proposal` is what `--always rule` would allow, in words; `preview` what would really happen,
    such as a diff. `by` says which subagent asks.
    """

    kind: str
    id: str
    command: str
    tool: str = ""
    arguments: str = ""
    rule: str = ""
    touches: Touches = Touches()
    proposal: str = ""
    question: str = ""
    title: str = ""
    choices: tuple[str, ...] = ()
    several: bool = False
    other: bool = False
    category: str = ""
    preview: str = ""
    by: str = ""

    @property
    def lines(self) -> tuple[str, ...]:
        """What is asked, for a person to read."""
        by = (self.by,) if self.by else ()
        if self.kind == "approval":
            return (*by, *approval_lines(self))
        headline = (f"Plan: {self.title}",) if self.kind == PLAN else ()
        return (*by, *headline, *self.question.strip("\n").split("\n"))


class Result(Struct, frozen=True, tag_field="type", tag="result"):
    """What `--output json` prints.

    `value` is the answer where a schema was asked for. `cost` is in dollars, None where the
    price of any step is unknown. `changed` are the files that the run changed, `jobs` the commands
    in the background that ended because the process did, `subagents` the children that have not
    ended. `how` says how to go on.
    """

    thread: str
    run: str
    outcome: str
    text: str
    value: Any
    message: str
    steps: int
    usage: Tokens
    cost: float | None
    pending: tuple[Pending, ...]
    changed: tuple[Changed, ...]
    jobs: tuple[LeftJob, ...]
    subagents: tuple[LeftChild, ...]
    how: tuple[str, ...]
    exit: int


def result_of(
    outcome: Outcome,
    state: State,
    run: str,
    spent: Spent,
    pending: tuple[Pending, ...],
    brought: str,
    *,
    shaped: bool,
    left: Left = NOTHING,
) -> Result:
    """The report of a run. `pending` is what it waits for, `brought` are the flags that a command
    to go on has to repeat.

    `shaped`: the answer had to fit a schema. `left`: what the run leaves behind.
    """
    usage = spent.usage
    return Result(
        thread=state.thread,
        run=run,
        outcome=_name(outcome),
        text=outcome.text if isinstance(outcome, Finished) else last_text(state),
        value=_value(outcome.text) if shaped and isinstance(outcome, Finished) else None,
        message=_message(outcome),
        steps=spent.steps,
        usage=Tokens(usage.input, usage.output, usage.cached, usage.cache_written, usage.reasoning),
        cost=None if spent.unpriced else spent.cost / BILLIONTHS,
        pending=pending,
        changed=left.changed,
        jobs=left.jobs,
        subagents=left.children,
        how=_how(outcome, state.thread, pending, brought, left),
        exit=exit_code(outcome),
    )


def exit_code(outcome: Outcome) -> int:
    """The exit code that stands for an outcome."""
    match outcome:
        case Finished():
            return exits.FINISHED
        case Waiting():
            return exits.WAITING
        case Aborted():
            return exits.INTERRUPTED
        case Failed():
            return exits.FAILED
        case LimitReached():
            return exits.LIMIT
        case _:
            assert_never(outcome)


def pending_of(shown: Display, brought: str = "") -> tuple[Pending, ...]:
    """Everything in a thread, and in its children, that waits for a person."""
    approvals = [_approval(one, asked_by(shown, one), brought) for one in shown.approvals]
    questions = [_question(one, asked_by(shown, one), brought) for one in shown.questions]
    return (*approvals, *questions)


def _approval(approval: Approval, by: str, brought: str) -> Pending:
    return Pending(
        "approval",
        approval.id,
        f"longrein approve {approval.id}{brought}",
        approval.tool,
        approval.arguments,
        approval.rule,
        approval.touches,
        describe(approval.proposal) if approval.proposal else "",
        category=approval.category,
        preview=approval.preview,
        by=by,
    )


def _question(question: Question, by: str, brought: str) -> Pending:
    return Pending(
        PLAN if question.kind == PLAN else "question",
        question.id,
        f"longrein answer {question.id} {_example(question.choices)}{brought}",
        question=question.text,
        title=question.title,
        choices=question.choices,
        several=question.several,
        other=question.other,
        by=by,
    )


def _value(text: str) -> Any:
    return msgspec.json.decode(extract(text))


def _example(choices: tuple[str, ...]) -> str:
    return shlex.quote(choices[0]) if choices else "TEXT"


def _name(outcome: Outcome) -> str:
    return str(type(outcome).__struct_config__.tag)


def _message(outcome: Outcome) -> str:
    match outcome:
        case Finished():
            return ""
        case Waiting():
            return "The run waits for a person; it is kept, and no process is needed for it."
        case Aborted(reason=reason):
            why = f": {reason.rstrip('.')}" if reason else ""
            return f"The run was stopped{why}."
        case Failed(problem=problem):
            return f"The run failed ({problem.kind}): {problem.message}"
        case LimitReached(message=message):
            return message
        case _:
            assert_never(outcome)


def pending_lines(one: Pending, brought: str) -> list[str]:
    """What waits for a person, with the commands that answer it."""
    said = [f"  {line}" for line in one.lines]
    return [*said, f"    {one.command}", f"    longrein decline {one.id} --reason TEXT{brought}"]


def _how(
    outcome: Outcome, thread: str, pending: tuple[Pending, ...], brought: str, left: Left
) -> tuple[str, ...]:
    go_on = f"  longrein run --thread {thread}{brought} TEXT    to go on in the thread"
    match outcome:
        case Finished():
            return ()
        case Waiting():
            lines = (line for one in pending for line in pending_lines(one, brought))
            return (*lines, f"  longrein resume {thread}{brought}    to be asked at a terminal")
        case Aborted():
            again = f"  longrein resume {thread}{brought}    to go on with the subagents"
            return (again, go_on) if left.children else (go_on,)
        case Failed() | LimitReached():
            return (f"  longrein resume {thread}{brought}    to try to go on", go_on)
        case _:
            assert_never(outcome)


def last_text(state: State) -> str:
    """What the model said last."""
    for message in reversed(list(state.messages)):
        if isinstance(message, Assistant):
            return message.text
    return ""
