"""The part of `evolve` about steps: model calls, tool calls, and how long they ran."""

from msgspec.structs import replace

from longrein.core import events as e
from longrein.core.fold_runs import take_back
from longrein.core.messages import Assistant, File, ToolCall, ToolResult, User
from longrein.core.records import By, CallFacts, Reply
from longrein.core.state import Call, Phase, Run, State, Step
from longrein.core.usage import ASSUMED_OUTPUT, Usage


def fold_step(
    state: State, event: e.StepStarted | e.StepEnded | e.StepFailed | e.StepInterrupted
) -> State:
    run = state.run
    if run is None:
        return state
    match event:
        case e.StepStarted():
            return replace(
                state,
                step=Step(
                    event.step,
                    event.number,
                    event.model,
                    reserved=event.reserved,
                    # What is held to the assumed output was not cut by money.
                    capped=event.max_output not in (None, ASSUMED_OUTPUT),
                    mode=state.mode,
                    tokens=event.tokens,
                ),
            )
        case e.StepEnded():
            return _answered(state, run, event)
        case e.StepInterrupted():
            state = _spend(state, run, event.usage, event.cost)
            model = state.step.model if state.step else ""
            said = Assistant(event.parts, model, interrupted=True, time=event.time)
            if not said.text.strip():
                return _close(state)
            return _close(replace(state, messages=state.messages.append(said)))
        case e.StepFailed(problem=problem):
            if event.overflow:
                return _close(_overflowed(_spend_failed(state, run, event), event))
            if event.next_model:
                # Where another model was chosen meanwhile, that one is next.
                step = state.step
                gone = (step.model,) if step is not None and not step.replaced else ()
                run = replace(run, failures=0, failed=(*run.failed, *gone))
            elif problem.kind != "lost":
                run = replace(run, failures=run.failures + 1, retry_at=event.retry_at)
            if not event.retry_at and not event.next_model:
                replaced = state.step is not None and state.step.replaced
                run = replace(run, failures=0) if replaced else replace(run, problem=problem)
            state = replace(state, run=run, problem=problem)
            return _close(_spend_failed(state, run, event))


def _answered(state: State, run: Run, event: e.StepEnded) -> State:
    model = state.step.model if state.step else ""
    cut = event.stop == "length"
    said = Assistant(event.parts, model, cut=cut, time=event.time)
    calls, text = said.calls, said.text
    empty = run.empty + 1 if not calls and not text.strip() else 0
    answer = None if calls else text
    run = replace(
        run,
        answer=answer,
        cut=cut and not calls,
        capped=cut and state.step is not None and state.step.capped,
        empty=empty,
        failures=0,
        retry_at=0,
        misfit=event.misfit,
        misfits=run.misfits + bool(event.misfit),
        checked=False,
        recovered=False,
    )
    state = _spend(replace(state, problem=None), run, event.usage, event.cost)
    state = _fitted(state, model, event.usage)
    if empty:
        return _close(state)
    messages = state.messages.append(said)
    heard = len(messages) if event.usage.total else state.heard
    state = replace(state, messages=messages, heard=heard)
    if not calls:
        return _close(state)
    facts = {known.id: known for known in event.calls}
    opened = tuple(_call(call, facts.get(call.id)) for call in calls)
    number = state.step.number if state.step else 0
    mode = state.step.mode if state.step else state.mode
    step = Step(event.step, number, model, "tools", opened, mode=mode)
    return replace(state, step=step)


def _call(call: ToolCall, facts: CallFacts | None) -> Call:
    facts = facts or CallFacts(call.id)
    return Call(
        call.id,
        call.name,
        call.arguments,
        problem=facts.problem,
        alone=facts.alone,
        lane=facts.lane,
        touches=facts.touches,
        preview=facts.preview,
    )


def _overflowed(state: State, event: e.StepFailed) -> State:
    """The request was too long: less is sent once something is left out."""
    run = state.run and replace(state.run, overflow=event.overflow, recovered=True)
    state = replace(state, run=run, problem=event.problem)
    if _has_files(state):
        # What a file takes, nobody can tell: so much may have been far more.
        return state
    model = state.step.model if state.step else ""
    return replace(state, ceilings={**state.ceilings, model: event.overflow})


def _has_files(state: State) -> bool:
    held = state.messages[state.window.start if state.window else 0 :]
    said = (message.parts for message in held if isinstance(message, User | ToolResult))
    return any(isinstance(part, File) for parts in said for part in parts)


def _fitted(state: State, model: str, usage: Usage) -> State:
    """A request of so many tokens fits: what was taken to be too much for the model is not."""
    if usage.input <= state.ceilings.get(model, usage.input):
        return state
    others = {name: most for name, most in state.ceilings.items() if name != model}
    return replace(state, ceilings=others)


def _spend_failed(state: State, run: Run, event: e.StepFailed) -> State:
    """What a failed call cost. One that may have been answered counts as it was reserved."""
    if event.usage.total:
        return _spend(state, run, event.usage, event.cost, steps=0)
    reserved = state.step.reserved if state.step else 0
    if reserved and (event.problem.kind in ("lost", "internal") or event.dropped):
        run = replace(run, spent=run.spent.add(Usage(), reserved, steps=0))
        spent = state.spent.add(Usage(), reserved, steps=0)
        return replace(state, run=run, spent=spent)
    return state


def _spend(state: State, run: Run, usage: Usage, cost: int | None, steps: int = 1) -> State:
    if not usage.total and state.step is not None and state.step.reserved:
        # Nobody said what the call used: it counts as it was reserved.
        cost = state.step.reserved
    run = replace(run, spent=run.spent.add(usage, cost, steps))
    spent = state.spent.add(usage, cost, steps)
    if not usage.total and state.step is not None and state.step.tokens:
        usage = Usage(input=state.step.tokens)
    heard = len(state.messages) if usage.total else state.heard
    return replace(state, run=run, spent=spent, last=usage, heard=heard)


def _close(state: State) -> State:
    """The step is over: what waited for its end is said now."""
    if not state.later:
        return replace(state, step=None)
    run = replace(state.run, answer=None, cut=False) if state.run else None
    messages = state.messages.append(*state.later)
    return replace(state, step=None, messages=messages, later=(), run=run)


def fold_tool(
    state: State, event: e.ToolStarted | e.CallReexamined | e.ToolEnded | e.QuestionAsked
) -> State:
    match event:
        case e.CallReexamined(call=id, facts=facts):
            call = state.call(id)
            if call is None:
                return state
            # What was said of it was said of something else.
            again = replace(
                _examined(call, facts), phase="new", answered=(), changes=call.changes + 1
            )
            return _replace_call(state, again)
        case e.ToolStarted():
            return _with_call(state, event.call, phase="started", began=event.time)
        case e.QuestionAsked(question=question):
            asked = replace(question, time=event.time)
            state = replace(state, questions=(*state.questions, asked))
            return _with_call(state, question.call, phase="question")
        case e.ToolEnded():
            call = state.call(event.call)
            if call is None or call.result is not None:
                return state
            ran = call.began and call.phase == "started"
            result = ToolResult(
                call.id,
                call.name,
                event.parts,
                event.status,
                event.whole,
                event.time,
                max(event.time - call.began, 0) if ran else 0,
            )
            return settle(state, call, result)


def fold_asked(
    state: State, event: e.QuestionAnswered | e.ApprovalRequested | e.ApprovalAnswered
) -> State:
    match event:
        case e.ApprovalRequested(approval=approval):
            asked = replace(approval, time=event.time)
            state = replace(state, approvals=(*state.approvals, asked))
            return _with_call(state, approval.call, phase="approval", rule=approval.rule)
        case e.ApprovalAnswered():
            return _approval_answered(state, event)
        case e.QuestionAnswered():
            asked = next((q for q in state.questions if q.id == event.question), None)
            if asked is None:
                return state
            rest = tuple(q for q in state.questions if q is not asked)
            state = replace(state, questions=rest, settled=state.settled.put(asked.id, asked.run))
            answer = Reply(asked.text, event.value, event.reason, event.by)
            return _with_call(state, asked.call, phase="answered", answer=answer)


def _approval_answered(state: State, event: e.ApprovalAnswered) -> State:
    asked = next((a for a in state.approvals if a.id == event.approval), None)
    if asked is None:
        return state
    rest = tuple(a for a in state.approvals if a is not asked)
    state = replace(state, approvals=rest, settled=state.settled.put(asked.id, asked.run))
    if event.stop and state.run is not None:
        run = replace(state.run, stop="decline", reason=event.reason)
        state = replace(state, run=run, held=True)
    # Of the others only these say why; the rest do so in the settlement.
    reason = event.reason if event.by in ("person", "deadline", "policy") else ""
    text = event.result if event.decision == "replaced" else reason
    # The policy answers for no person: what it let pass holds only for as long as it does.
    ruled, yes = event.by == "policy", event.decision == "approved"
    return _with_call(
        state,
        asked.call,
        phase="refused" if ruled and not yes else event.decision,
        text=text,
        arguments=event.arguments,
        facts=event.facts,
        answered=(asked.rules or (asked.rule,)) if yes and not ruled else (),
        by=event.by,
    )


def _with_call(
    state: State,
    id: str,
    *,
    phase: Phase,
    rule: str | None = None,
    text: str = "",
    arguments: str | None = None,
    facts: CallFacts | None = None,
    answer: Reply | None = None,
    answered: tuple[str, ...] = (),
    by: By = "person",
    began: int = 0,
) -> State:
    call = state.call(id)
    if call is None:
        return state
    changed = replace(call, phase=phase, text=text or call.text, by=by, began=began or call.began)
    if answered:
        changed = replace(changed, answered=(*call.answered, *answered))
    if rule is not None:
        changed = replace(changed, rule=rule)
    if arguments is not None:
        changed = replace(changed, arguments=arguments, hook="")
    if facts is not None:
        changed = _examined(changed, facts)
    if answer is not None:
        changed = replace(changed, answers=(*call.answers, answer))
    return _replace_call(state, changed)


def _examined(call: Call, facts: CallFacts) -> Call:
    return replace(
        call,
        problem=facts.problem,
        alone=facts.alone,
        lane=facts.lane,
        touches=facts.touches,
        preview=facts.preview,
    )


def fold_hook(state: State, event: e.HookStarted | e.HookEnded) -> State:
    """The hooks are asked, or have answered."""
    if event.point == "before_tool":
        return _hooked_call(state, event)
    run = state.run
    if run is None or event.point in ("after_model", "after_tool", "on_event"):
        return state
    if isinstance(event, e.HookStarted):
        return replace(state, run=replace(run, hook=event.hook))
    if event.hook != run.hook:
        return state
    run = replace(run, hook="")
    if event.decision == "refused":
        run = replace(run, stop="refused", reason=event.text)
        return take_back(replace(state, run=run), run)
    match event.point:
        case "before_run":
            run = replace(run, begun=True)
        case "before_model":
            run = replace(run, primed=run.spent.steps + 1)
        case "before_finish":
            run = replace(run, checked=event.decision != "go_on")
    return replace(state, run=run)


def _hooked_call(state: State, event: e.HookStarted | e.HookEnded) -> State:
    call = state.call(event.about)
    if call is None or call.phase not in ("new", "approved"):
        return state
    if isinstance(event, e.HookStarted):
        return _replace_call(state, replace(call, hook="asked"))
    if event.decision == "refused":
        return _replace_call(state, replace(call, phase="refused", text=event.text))
    if event.arguments is not None:
        # Where a person had said yes, it was to other arguments.
        call = replace(call, arguments=event.arguments, phase="new", answered=())
    if event.facts is not None:
        call = _examined(call, event.facts)
    return _replace_call(state, replace(call, hook="passed"))


def _replace_call(state: State, changed: Call) -> State:
    if state.step is None:
        return state
    calls = tuple(changed if call.id == changed.id else call for call in state.step.calls)
    return replace(state, step=replace(state.step, calls=calls))


def settle(state: State, call: Call, result: ToolResult) -> State:
    """Settle one call; with the last one all results are said, in the order of the calls."""
    state = _replace_call(state, replace(call, phase="settled", result=result))
    calls = state.step.calls if state.step else ()
    results = [call.result for call in calls if call.result is not None]
    if len(results) < len(calls):
        return state
    return _close(replace(state, messages=state.messages.append(*results)))


def timed(before: State, after: State, now: int) -> State:
    """Keep account of how long something of this run was running."""
    run = after.run
    if run is None or _running(before) == _running(after):
        return after
    if run.since:
        return replace(after, run=replace(run, busy=run.busy + max(now - run.since, 0), since=0))
    return replace(after, run=replace(run, since=now))


def _running(state: State) -> bool:
    step = state.step
    if state.compaction is not None:
        return True
    if step is None:
        return False
    return step.phase == "model" or any(
        call.phase == "started" and not state.waits_below(call.id) for call in step.calls
    )
