"""The part of `decide` about the tool calls of a step: refuse, ask, start, or let them wait."""

from collections.abc import Iterator, Set

from longrein.core.results import declined
from longrein.core.state import Call, State, Step
from longrein.loop.next import (
    AskAbout,
    AskFor,
    Cancel,
    Consult,
    Dismiss,
    Execute,
    Next,
    Resolve,
    Settle,
    Settlement,
)
from longrein.loop.setup import Setup
from longrein.permissions.evaluate import Action, Allow, Ask, Deny, Verdict, evaluate

UNKNOWN = (
    "It is not known whether this call took effect: the process that ran it ended before it did. "
    "Check before you do it again."
)
NOT_RUN = "This call was not run: the run was stopped before it started."
SUPERSEDED = "This call was not run: the user gave a new instruction instead."
INTERRUPTED = "This call was interrupted before it ended."
MOST_CHANGES = 3
CHANGING = "This call was not run: what it would touch keeps changing under it."


def work(state: State, setup: Setup, step: Step) -> tuple[Next, ...]:
    """What to do about the calls of an open step; nothing where all that is left is to wait."""
    if any(i.kind == "steer" for i in state.queue):
        return _give_way(state, step)
    undecided = [call for call in step.calls if call.phase not in ("started", "settled")]
    if not undecided:
        return ()
    if answers := tuple(_overtaken(state, setup)):
        return (Resolve(answers),)
    verdicts = {call.id: judge(state, setup, call) for call in undecided}
    if settled := _settle(state, setup, step, verdicts):
        return (Settle(settled),)
    unasked = [call for call in undecided if _to_be_asked(call)]
    if unasked and "before_tool" in setup.hooks:
        return tuple(Consult("before_tool", call.id) for call in unasked)
    asks = tuple(
        AskAbout(call.id, verdict)
        for call in undecided
        if isinstance(verdict := verdicts[call.id], Ask)
        and call.phase != "orphaned"
        and not _with_hooks(call)
    )
    allowed = [call for call in undecided if isinstance(verdicts[call.id], Allow)]
    coming = {call.id for call in allowed if _with_hooks(call)}
    ready = {call.id for call in allowed} - coming
    idle = sum(call.phase == "started" and state.waits_below(call.id) for call in step.calls)
    starting = startable(step.calls, ready, setup.parallel + idle, coming)
    actions: tuple[Next, ...] = (AskFor(asks),) if asks else ()
    return (*actions, Execute(starting)) if starting else actions


def _overtaken(state: State, setup: Setup) -> Iterator[tuple[str, Allow | Deny]]:
    """The approvals that rules, grants or trust have answered since they were asked for."""
    for approval in state.approvals:
        call = state.call(approval.call)
        action = setup.action(state, call) if call else None
        # A tool that is gone for now says nothing about whether it may run.
        verdict = setup.verdict(state, action, call.answered) if call and action else None
        if action and isinstance(verdict, Deny):
            verdict = _lasting(state, setup, action)
        if isinstance(verdict, Allow | Deny):
            yield approval.id, verdict


def _lasting(state: State, setup: Setup, action: Action) -> Deny | None:
    """What rules deny by themselves: what a mode or planning forbids is over when they are, and
    whoever looks into another mode must not find everything declined."""
    rules = setup.sourced_rules(state)
    lasting = (rule for source, rule in rules if source.rpartition("'s ")[2] != "mode")
    verdict = evaluate(action, lasting, (), "ask")
    return verdict if isinstance(verdict, Deny) else None


def _to_be_asked(call: Call) -> bool:
    """Whether the hooks have yet to hear of a call that may run."""
    return call.phase in ("new", "approved") and not call.hook and not call.problem


def _with_hooks(call: Call) -> bool:
    """Whether the hooks have yet to say what becomes of a call."""
    return call.hook == "asked" and call.phase in ("new", "approved")


def judge(state: State, setup: Setup, call: Call) -> Verdict | None:
    """The verdict on a call as things stand now; None while it waits for a person."""
    waits = call.phase in ("approval", "question", "declined", "replaced", "refused")
    if waits or call.problem:
        return None
    action = setup.action(state, call)
    if action is None:
        return Deny(
            "", f"There is no tool named {call.name} at present; use one that you are offered."
        )
    if call.changes > MOST_CHANGES:
        return Deny("", CHANGING)
    # A yes answers only the rules that asked: one added since asks anew, a deny holds.
    return setup.verdict(state, action, call.answered)


def startable(
    calls: tuple[Call, ...], ready: set[str], parallel: int, coming: Set[str] = frozenset()
) -> tuple[str, ...]:
    """The ready calls that may start now, in call order.

    A call that runs alone keeps its place: it waits for the ready ones before it and holds back
    those after it. Calls in one lane go one after the other. So it is with those that are `coming`,
    too, which are not ready yet. Whoever waits for a person is none of the `parallel` ones.
    """
    running = [call for call in calls if call.phase == "started"]
    if any(call.alone for call in running):
        return ()
    room = parallel - len(running)
    lanes = {call.lane for call in running if call.lane}
    chosen: list[str] = []
    awaited = False
    for call in calls:
        if call.id not in ready and call.id not in coming:
            continue
        if call.alone:
            alone = call.id in ready and not (chosen or running or awaited)
            return (call.id,) if alone else tuple(chosen)
        if call.id in coming:
            awaited = True
        elif len(chosen) < room and call.lane not in lanes:
            chosen.append(call.id)
        if call.lane:
            lanes.add(call.lane)
    return tuple(chosen)


def abandon(step: Step) -> tuple[tuple[Settlement, ...], tuple[str, ...]]:
    """The run stops: the calls to settle at once, and those that run and have to be cancelled."""
    running = tuple(call.id for call in step.calls if call.phase == "started")
    settled = tuple(
        _unstarted(call, NOT_RUN) for call in step.calls if call.phase not in ("started", "settled")
    )
    return settled, running


def _give_way(state: State, step: Step) -> tuple[Next, ...]:
    """A steer came: what has not started does not run, what has is left to finish."""
    if state.approvals or state.questions:
        approvals = tuple(a.id for a in state.approvals)
        return (Dismiss(approvals, tuple(q.id for q in state.questions), "steer"),)
    unstarted = tuple(
        _unstarted(call, SUPERSEDED)
        for call in step.calls
        if call.phase not in ("started", "settled")
    )
    # Of a child that only waits for people nothing would ever end by itself.
    waiting = tuple(c.id for c in step.calls if c.phase == "started" and state.waits_below(c.id))
    actions: tuple[Next, ...] = (Settle(unstarted),) if unstarted else ()
    return (*actions, Cancel(waiting, "steer")) if waiting else actions


def _unstarted(call: Call, text: str) -> Settlement:
    if call.phase == "orphaned":
        return Settlement(call.id, "unknown", UNKNOWN)
    if call.phase == "refused":
        return Settlement(call.id, "refused", call.text)
    if call.phase in ("question", "answered"):
        return Settlement(call.id, "interrupted", INTERRUPTED)
    if call.phase == "declined" and not call.text:
        return Settlement(call.id, "declined", text)
    return _answered(call) or Settlement(call.id, "not_run", text)


def _answered(call: Call) -> Settlement | None:
    """What a person made of a call instead of letting it run."""
    if call.phase == "declined" and call.by == "deadline":
        return Settlement(call.id, "declined", f"This call was not run: {call.text}.")
    if call.phase == "declined":
        return Settlement(call.id, "declined", declined(call.text))
    return Settlement(call.id, "replaced", call.text) if call.phase == "replaced" else None


def _settle(
    state: State, setup: Setup, step: Step, verdicts: dict[str, Verdict | None]
) -> tuple[Settlement, ...]:
    """The calls that end without running (again)."""
    found = (_ending(state, setup, call, verdicts.get(call.id)) for call in step.calls)
    return tuple(settlement for settlement in found if settlement)


def _ending(state: State, setup: Setup, call: Call, verdict: Verdict | None) -> Settlement | None:
    if call.phase in ("settled", "started"):
        return None
    if call.phase == "orphaned":
        facts = setup.step_mode(state).tools.get(call.name)
        again = facts is not None and facts.idempotent and isinstance(verdict, Allow)
        return None if again else Settlement(call.id, "unknown", UNKNOWN)
    if answered := _answered(call):
        return answered
    if call.phase == "refused":
        return Settlement(call.id, "refused", call.text)
    if call.problem:
        return Settlement(call.id, "error", call.problem)
    if isinstance(verdict, Deny):
        return Settlement(call.id, "refused", verdict.reason)
    return None
