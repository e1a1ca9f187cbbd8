"""How a run came to rest: what is reported of it, its exit code, and how to go on."""

import shlex
from typing import assert_never

from msgspec import Struct

from longrein.cli import exits
from longrein.core.messages import Assistant
from longrein.core.outcomes import Aborted, Failed, Finished, LimitReached, Outcome, Waiting
from longrein.core.state import State
from longrein.core.usage import Spent


class Tokens(Struct, frozen=True):
    """What the run used, in tokens; as `core.usage.Usage`, with nothing left out."""

    input: int
    output: int
    cached: int
    cache_written: int
    reasoning: int


class Pending(Struct, frozen=True, omit_defaults=True):
    """What waits for a person, and the command that answers it."""

    kind: str
    id: str
    command: str
    tool: str = ""
    arguments: str = ""
    question: str = ""
    choices: tuple[str, ...] = ()
    several: bool = False


class Result(Struct, frozen=True, tag_field="type", tag="result"):
    """What `--output json` prints.

    `cost` is in dollars, None where the price of any step is unknown. `how` says how to go on.
    """

    thread: str
    run: str
    outcome: str
    text: str
    message: str
    steps: int
    usage: Tokens
    cost: float | None
    pending: tuple[Pending, ...]
    how: tuple[str, ...]
    exit: int


def result_of(outcome: Outcome, state: State, run: str, spent: Spent, brought: str) -> Result:
    """The report of a run. `brought` are the flags that a command to go on has to repeat."""
    pending = pending_of(state, brought) if isinstance(outcome, Waiting) else ()
    usage = spent.usage
    return Result(
        thread=state.thread,
        run=run,
        outcome=_name(outcome),
        text=outcome.text if isinstance(outcome, Finished) else _last_text(state),
        message=_message(outcome),
        steps=spent.steps,
        usage=Tokens(usage.input, usage.output, usage.cached, usage.cache_written, usage.reasoning),
        cost=None if spent.unpriced else spent.cost / 1_000_000_000,
        pending=pending,
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
    approvals = [
        Pending("approval", a.id, f"longrein approve {a.id}{brought}", a.tool, a.arguments)
        for a in state.approvals
    ]
    questions = [
        Pending(
            "question",
            q.id,
            f"longrein answer {q.id} {_example(q.choices)}{brought}",
            question=q.text,
            choices=q.choices,
            several=q.several,
        )
        for q in state.questions
    ]
    return (*approvals, *questions)


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
                lines.append(f"  {one.question or f'{one.tool} {one.arguments}'}")
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
