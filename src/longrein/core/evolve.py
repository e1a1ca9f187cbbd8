"""`evolve`: what a thread is after one more event. Pure, total, and as cheap as the event."""

from typing import assert_never

from msgspec.structs import replace

from longrein.core import events as e
from longrein.core.commands import Answer
from longrein.core.fold_beside import drop_side_calls, fold_side_call, warn
from longrein.core.fold_children import drop_children, fold_child, keep_account
from longrein.core.fold_context import fold_context, fold_prefix
from longrein.core.fold_deadlines import fold_parked
from longrein.core.fold_runs import fold_note, fold_queue, fold_run
from longrein.core.fold_steps import (
    fold_asked,
    fold_hook,
    fold_step,
    fold_tool,
    settle,
    timed,
)
from longrein.core.fold_windows import drop_compaction, fold_compaction, fold_pinned
from longrein.core.growing import Index
from longrein.core.messages import Text, ToolResult
from longrein.core.rewinds import fold_rewound
from longrein.core.state import Call, State
from longrein.core.usage import Spent


def evolve(state: State, event: e.Event) -> State:
    """The state after `event`. Events must come in order; unknown ones only count."""
    if event.seq != state.seq + 1:
        raise ValueError(f"event {event.seq} cannot follow event {state.seq}")
    after = _fold(state, event)
    if not event.cause:
        return replace(after, seq=event.seq)
    answer = event.answer if isinstance(event, e.CommandNoted) else Answer("already", event.run)
    return replace(after, seq=event.seq, commands=after.commands.put(event.cause, answer))


def _fold(state: State, event: e.Event) -> State:
    match event:
        case e.StepStarted() | e.StepEnded() | e.StepFailed() | e.StepInterrupted():
            return timed(state, fold_step(state, event), event.time)
        case e.ToolStarted() | e.CallReexamined() | e.ToolEnded() | e.QuestionAsked():
            return timed(state, fold_tool(state, event), event.time)
        case e.QuestionAnswered() | e.ApprovalRequested() | e.ApprovalAnswered():
            return fold_asked(state, event)
        case e.InputAdmitted() | e.InputEdited() | e.InputWithdrawn() | e.QueueReordered():
            return fold_queue(state, event)
        case e.QueueReleased():
            return replace(state, held=False)
        case e.RunStarted() | e.InputPromoted() | e.RunEnded() | e.Interrupted() | e.TimerDue():
            return keep_account(state, fold_run(state, event))
        case e.Parked():
            return fold_parked(state, event)
        case e.ChildStarted() | e.ChildChanged() | e.ChildEnded() | e.ChildSpent():
            return timed(state, fold_child(state, event), event.time)
        case e.NoteAdded():
            return fold_note(state, event)
        case e.PrefixStarted():
            return fold_prefix(state, event)
        case e.CompactionAsked() | e.CompactionStarted() | e.Compacted():
            return timed(state, fold_compaction(state, event), event.time)
        case e.CompactionFailed(problem=problem):
            failed = timed(state, fold_compaction(state, event), event.time)
            return failed if problem.kind == "stopped" else warn(failed, problem)
        case e.InputPinned() | e.InputUnpinned():
            return fold_pinned(state, event)
        case e.ContextChanged():
            return fold_context(state, event)
        case e.Warned():
            return warn(state, event.problem)
        case e.GrantAdded():
            # What holds for the whole resource is kept beside its threads, not in one of them.
            if event.grant.scope == "resource":
                return state
            return replace(state, grants=(*state.grants, event.grant))
        case e.GrantRevoked():
            kept = tuple(g for g in state.grants if g.id != event.grant)
            if len(kept) == len(state.grants):
                return replace(state, revoked=(*state.revoked, event.grant))
            return replace(state, grants=kept)
        case e.RuleAdded():
            return replace(state, rules=(*state.rules, event.rule))
        case e.RuleRemoved():
            return replace(state, rules=tuple(r for r in state.rules if r.id != event.rule))
        case e.ModeChanged():
            chosen = state.models.get(event.mode, "")
            return _from_the_first(replace(state, mode=event.mode, model=chosen))
        case e.ModelChanged():
            models = {**state.models, state.mode: event.model}
            efforts = {**state.efforts, state.mode: event.effort}
            return _from_the_first(
                replace(state, model=event.model, models=models, efforts=efforts)
            )
        case e.TrustChanged():
            return replace(state, trust=event.trust, trust_chosen=True)
        case e.HookStarted() | e.HookEnded():
            return fold_hook(state, event)
        case e.HookFailed():
            return warn(state, event.problem)
        case e.Rewound():
            return drop_children(fold_rewound(state, event), event)
        case e.SideCallStarted() | e.SideCallEnded():
            return fold_side_call(state, event)
        case e.StateChanged() | e.StateInvalid():
            return _data(state, event)
        case e.ThreadTagged():
            return replace(state, tags=event.tags)
        case e.SettingsChanged():
            settings = {**state.settings, **event.changes}
            kept = {key: value for key, value in settings.items() if value is not None}
            return replace(state, settings=kept)
        case e.ThreadCreated() | e.Opened() | e.Forked() | e.ThreadRenamed():
            return _thread(state, event)
        case e.CommandNoted() | e.Recorded() | e.Unknown():
            return state
        case _:
            assert_never(event)


def _from_the_first(state: State) -> State:
    """Another chain of models is in use: the run begins with the first of it."""
    run = replace(state.run, failed=()) if state.run else None
    step = replace(state.step, replaced=True) if state.step else None
    return replace(state, run=run, step=step)


def _data(state: State, event: e.StateChanged | e.StateInvalid) -> State:
    if isinstance(event, e.StateInvalid):
        return replace(state, invalid=event.message)
    changed = {**state.data, **event.changes}
    data = {key: value for key, value in changed.items() if key not in event.removed}
    return replace(state, data=data, revision=event.seq, invalid="")


def _thread(state: State, event: e.ThreadCreated | e.Opened | e.Forked | e.ThreadRenamed) -> State:
    match event:
        case e.ThreadCreated():
            return replace(
                state,
                thread=event.thread,
                resource=event.resource,
                mode=event.mode,
                trust=event.trust,
            )
        case e.ThreadRenamed():
            return replace(state, title=event.title)
        case e.Opened():
            return _orphan(drop_side_calls(drop_compaction(replace(state, epoch=event.epoch))))
        case e.Forked():
            return _fork(state, event)


def _orphan(state: State) -> State:
    """What an earlier epoch left open has nobody who runs it any more."""
    step = state.step
    if step is not None and step.phase == "model":
        step = replace(step, phase="lost")
    elif step is not None:
        step = replace(step, calls=tuple(_orphaned(call) for call in step.calls))
    run = replace(state.run, since=0, hook="") if state.run else None
    return replace(state, step=step, run=run)


def _orphaned(call: Call) -> Call:
    if call.phase == "started":
        return replace(call, phase="orphaned")
    return replace(call, hook="") if call.hook == "asked" else call


def _not_here(call: Call, event: e.Forked) -> str:
    """Why a fork has no result of a call that was open when it was made."""
    if not event.child:
        return "This call was not run: the thread was forked before it ended."
    if call.id == event.call:
        return "This is the call that made you: you are the fork, and its task comes next."
    return "This call goes on in the conversation that you were forked from; you do not hear of it."


def _fork(state: State, event: e.Forked) -> State:
    """The same conversation without what was under way: open calls count as not run here."""
    if state.step is not None:
        for call in state.step.calls:
            if call.result is None:
                text = _not_here(call, event)
                result = ToolResult(call.id, call.name, (Text(text),), "not_run", time=event.time)
                state = settle(state, call, result)
    return replace(
        state,
        thread=event.thread,
        messages=state.messages.append(*state.later),
        later=(),
        step=None,
        run=None,
        queue=(),
        held=False,
        approvals=(),
        questions=(),
        grants=(),
        # Rules of a child's parent hold for it as they are now, not as they were then.
        rules=() if event.child else state.rules,
        trust_chosen=state.trust_chosen and not event.child,
        prefix=state.prefix if event.child else None,
        children=(),
        below=Spent(),
        accounts=(),
        compaction=None,
        wish=None,
        spent=Spent(),
        # What ended the last run can be gone on from here, too.
        problem=None if event.child or state.run else state.problem,
        refused=(),
        warnings=(),
        warned=(),
        titled=0,
        commands=Index(),
        settled=Index(),
        outcomes=Index(),
    )
