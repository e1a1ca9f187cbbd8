"""`Display`: everything a user interface needs to draw a session, and nothing else.

It is the folded state of the thread, seen as a person sees it, together with what is being written
right now. Making one costs what is open, not what was said.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

from msgspec import Struct

from longrein.core.children import ChildView
from longrein.core.messages import Message, User
from longrein.core.outcomes import Ending, Problem
from longrein.core.planning import Plan, Todo
from longrein.core.policy import Trust
from longrein.core.records import Approval, Input, Question
from longrein.core.slices import standing_still
from longrein.core.state import Call, Kept, State
from longrein.core.usage import Spent

Activity: TypeAlias = Literal["idle", "running", "waiting"]


class CallView(Struct, frozen=True):
    """A tool call of the open step: where it stands and what it has put out so far.

    `began` is when it last started to run, `took` how long it ran once it has ended.
    """

    id: str
    name: str
    arguments: str
    state: str
    output: str = ""
    began: int = 0
    took: int = 0


class Writing(Struct, frozen=True):
    """What the model is writing right now: text, reasoning, and tool calls as (name, arguments)."""

    text: str = ""
    reasoning: str = ""
    calls: tuple[tuple[str, str], ...] = ()


class Display(Struct, frozen=True):
    """One snapshot of a session. `seq` is the last durable event that it shows.

    `context_used` counts the tokens that the last call of the model held, of `context_window` that
    fit, where that is known. `slices` is what capabilities know, by the names of their slices.
    `warnings` are the last things that went wrong without hurting a run, and what is wrong still:
    slices that stand still, application state that does not fit its model. `warned` says after how
    many messages each of the former came, in their order; -1: it is no part of the conversation.

    `problem` is what went wrong in the run, or ended the last one before it was done: a failure, a
    limit, a hook that refused it. `endings` are those of the runs before. `refused` is what a hook
    kept from the model, to be said otherwise.

    `children` are the threads that work for this one. What they ask is among `approvals` and
    `questions`, with a `path`; what they and all below them used is `below`, and part of `spent`
    and `run_spent`.

    `effort` is how hard the model is to think, as chosen in this thread; empty: as configured.
    `compacting`: a summary is being made. `hooks`: some are asked, and the run waits for them.
    `busy` counts the microseconds in which something of the run was running, up to `since`, when
    something last began to (0: nothing runs).

    >>> from longrein import Display
    >>> def status(shown: Display) -> str:
    ...     return f"{shown.mode} {shown.activity}, {len(shown.approvals)} to approve"
    """

    seq: int
    thread: str
    title: str
    mode: str
    model: str
    trust: Trust
    activity: Activity
    run: str
    step: int
    messages: Sequence[Message]
    writing: Writing | None
    calls: tuple[CallView, ...]
    approvals: tuple[Approval, ...]
    questions: tuple[Question, ...]
    queue: tuple[Input, ...]
    held: bool
    retry_at: int
    tags: tuple[str, ...]
    context_used: int
    context_window: int | None
    slices: Mapping[str, Any]
    warnings: tuple[Problem, ...]
    spent: Spent
    run_spent: Spent
    problem: Problem | None
    children: tuple[ChildView, ...] = ()
    below: Spent = Spent()
    effort: str = ""
    compacting: bool = False
    busy: int = 0
    since: int = 0
    warned: tuple[int, ...] = ()
    endings: tuple[Ending, ...] = ()
    refused: tuple[User, ...] = ()
    hooks: bool = False

    @property
    def asked(self) -> tuple[Approval | Question, ...]:
        """All that waits for people: approvals, then questions."""
        return (*self.approvals, *self.questions)

    @property
    def todos(self) -> tuple[Todo, ...]:
        """The list of things to do, where the capability `Todos` is installed."""
        return self.slices.get("todos") or ()

    @property
    def plan(self) -> Plan | None:
        """The plan that was decided on last, where the capability `Plans` is installed."""
        return self.slices.get("plan")

    @property
    def changed_files(self) -> Any:
        """The files that the thread changed, where a capability keeps account of them."""
        return self.slices.get("changed_files")


class Below(Struct, frozen=True):
    """What children add to the display of their parent: themselves, what they ask, and what they
    used, in all and for the run under way."""

    children: tuple[ChildView, ...] = ()
    approvals: tuple[Approval, ...] = ()
    questions: tuple[Question, ...] = ()
    spent: Spent = Spent()
    run_spent: Spent = Spent()


NOTHING_BELOW = Below()


def activity(state: State) -> Activity:
    """Whether something runs, or only people are left to wait for, or nothing is to be done."""
    if state.run is None:
        left = {child.state for child in state.children if child.open}
        if state.compaction or "running" in left:
            return "running"
        return "waiting" if left else "idle"
    step = state.step
    if step is None or step.phase != "tools" or state.run.stop:
        return "running"
    below = {call.id for call in step.calls if state.waits_below(call.id)}
    left = (call for call in step.calls if call.id not in below)
    return "waiting" if all(_waits(call, bool(below)) for call in left) else "running"


def _waits(call: Call, held_back: bool) -> bool:
    """Whether a call does nothing by itself, so that a person has to."""
    if call.phase in ("approval", "question", "settled"):
        return True
    # What may start and has not is held back by those that wait for their children.
    return held_back and call.phase != "started" and call.hook != "asked"


def display(
    state: State,
    *,
    slices: Mapping[str, Kept] | None = None,
    mode: str = "",
    model: str = "",
    window: int | None = None,
    writing: Writing | None = None,
    outputs: Mapping[str, str] | None = None,
    invalid: str = "",
    trust: Trust | None = None,
    below: Below = NOTHING_BELOW,
) -> Display:
    """The display of a state. `mode` and `model` are those in use where the thread has chosen none;
    `trust` the one that holds, where another thread has a say in it;
    `slices` are the ones that are installed, if those are not all; `invalid` is what is wrong with
    the application's state, where that was not written yet."""
    run, step = state.run, state.step
    slices = state.slices if slices is None else slices
    calls = step.calls if step else ()
    return Display(
        seq=state.seq,
        thread=state.thread,
        title=state.title,
        mode=state.mode or mode,
        model=step.model if step else state.model or model,
        trust=trust or state.trust,
        activity=activity(state),
        run=run.id if run else "",
        step=step.number if step else 0,
        messages=state.messages,
        writing=writing,
        calls=tuple(_view(call, outputs or {}) for call in calls),
        approvals=(*state.approvals, *below.approvals),
        questions=(*state.questions, *below.questions),
        queue=state.queue,
        held=state.held,
        retry_at=run.retry_at if run else 0,
        tags=state.tags,
        context_used=state.last.total,
        context_window=window,
        slices={name: kept.value for name, kept in slices.items()},
        warnings=(
            *state.warnings,
            *(Problem("slice", text) for text in standing_still(slices)),
            *(Problem("state", text) for text in (invalid or state.invalid,) if text),
        ),
        spent=state.spent + below.spent,
        run_spent=run.spent + below.run_spent if run else Spent(),
        problem=state.problem,
        children=below.children,
        below=below.spent,
        effort=state.effort,
        compacting=state.compaction is not None,
        busy=run.busy if run else 0,
        since=run.since if run else 0,
        warned=state.warned,
        endings=state.endings,
        refused=state.refused,
        hooks=bool(run and run.hook) or any(call.hook == "asked" for call in calls),
    )


def _view(call: Call, outputs: Mapping[str, str]) -> CallView:
    output = call.result.text if call.result else outputs.get(call.id, "")
    state = call.result.status if call.result else call.phase
    took = call.result.took if call.result else 0
    return CallView(call.id, call.name, call.arguments, state, output, call.began, took)
