"""How a run came to rest: what is reported of it, its exit code, and how to go on."""

import shlex
from typing import Any, assert_never

import msgspec
from msgspec import Struct

from longrein.cli import exits
from longrein.cli.left import NOTHING, Changed, Job, Left
from longrein.cli.telling import PLAN, approval_lines
from longrein.core.messages import Assistant
from longrein.core.outcomes import Aborted, Failed, Finished, LimitReached, Outcome, Waiting
from longrein.core.policy import Touches
from longrein.core.records import Approval, Question
from longrein.core.state import State
from longrein.core.usage import Spent
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
    such as a diff.
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

    @property
    def lines(self) -> tuple[str, ...]:
        """What is asked, for a person to read."""
        if self.kind == "approval":
            return tuple(approval_lines(self))
        headline = (f"Plan: {self.title}",) if self.kind == PLAN else ()
        return (*headline, *self.question.strip("\n").split("\n"))


class Result(Struct, frozen=True, tag_field="type", tag="result"):
    """What `--output json` prints.

    `value` is the answer where a schema was asked for. `cost` is in dollars, None where the
    price of any step is unknown. `changed` are the files that the run changed, `jobs` the commands
    in the background that ended because the process did. `how` says how to go on.
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
    jobs: tuple[Job, ...]
    how: tuple[str, ...]
    exit: int


def result_of(
    outcome: Outcome,
    state: State,
    run: str,
    spent: Spent,
    brought: str,
    *,
    shaped: bool,
    left: Left = NOTHING,
) -> Result:
    """The report of a run. `brought` are the flags that a command to go on has to repeat.

    `shaped`: the answer had to fit a schema. `left`: what the run leaves behind.
    """
    pending = pending_of(state, brought) if isinstance(outcome, Waiting) else ()
    usage = spent.usage
    return Result(
        thread=state.thread,
        run=run,
        outcome=_name(outcome),
        text=outcome.text if isinstance(outcome, Finished) else _last_text(state),
        value=_value(outcome.text) if shaped and isinstance(outcome, Finished) else None,
        message=_message(outcome),
        steps=spent.steps,
        usage=Tokens(usage.input, usage.output, usage.cached, usage.cache_written, usage.reasoning),
        cost=None if spent.unpriced else spent.cost / 1_000_000_000,
        pending=pending,
        changed=left.changed,
        jobs=left.jobs,
        how=_how(outcome, state.thread, pending, brought),
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


def pending_of(state: State, brought: str = "") -> tuple[Pending, ...]:
    """Everything in a thread that waits for a person."""
    approvals = [_approval(one, brought) for one in state.approvals]
    return (*approvals, *(_question(one, brought) for one in state.questions))


def _approval(approval: Approval, brought: str) -> Pending:
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
    )


def _question(question: Question, brought: str) -> Pending:
    return Pending(
        PLAN if question.kind == PLAN else "question",
        question.id,
        f"longrein answer {question.id} {_example(question.choices)}{brought}",
        question=question.text,
        title=question.title,
        choices=question.choices,
        several=question.several,
        other=question.other,
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
            return f"The run was stopped{f': {reason}' if reason else ''}."
        case Failed(problem=problem):
            return f"The run failed ({problem.kind}): {problem.message}"
        case LimitReached(message=message):
            return message
        case _:
            assert_never(outcome)


def _how(
    outcome: Outcome, thread: str, pending: tuple[Pending, ...], brought: str
) -> tuple[str, ...]:
    go_on = f"  longrein run --thread {thread}{brought} TEXT    to go on in the thread"
    match outcome:
        case Finished():
            return ()
        case Waiting():
            lines: list[str] = []
            for one in pending:
                lines += (f"  {line}" for line in one.lines)
                lines.append(f"    {one.command}")
                lines.append(f"    longrein decline {one.id} --reason TEXT{brought}")
            return (*lines, f"  longrein resume {thread}{brought}    to be asked at a terminal")
        case Aborted():
            return (go_on,)
        case Failed() | LimitReached():
            return (f"  longrein resume {thread}{brought}    to try to go on", go_on)
        case _:
            assert_never(outcome)


def _last_text(state: State) -> str:
    for message in reversed(list(state.messages)):
        if isinstance(message, Assistant):
            return message.text
    return ""
