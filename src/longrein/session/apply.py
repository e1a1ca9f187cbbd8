"""From a command to the events that carry it out. Pure but for the ids it makes."""

from collections.abc import Callable, Sequence
from typing import assert_never

from msgspec import Struct
from msgspec.structs import replace

from longrein.core import commands as c
from longrein.core import events as e
from longrein.core.commands import Answer
from longrein.core.errors import UsageError
from longrein.core.ids import Ids
from longrein.core.messages import Text, ToolCall
from longrein.core.records import Approval, CallFacts, Grant, Input, Question, Rule
from longrein.core.state import State
from longrein.loop.decide import presses
from longrein.loop.setup import Setup
from longrein.permissions.evaluate import DEFAULTS, rule_name


class Applied(Struct, frozen=True):
    """What a command comes to: events to write, and its answer."""

    events: Sequence[e.Event] = ()
    answer: Answer = Answer("applied")


class Desk(Struct, frozen=True):
    """What is needed to carry out commands. `examine` looks at a call as when it was asked for."""

    setup: Setup
    ids: Ids
    examine: Callable[[State, ToolCall], CallFacts]


def apply(state: State, command: c.Command, desk: Desk) -> Applied:
    """Carry out a command. Raises `UsageError` where it makes no sense; then nothing changes."""
    if command.id in state.commands:
        return Applied(answer=state.commands[command.id])
    applied = _apply(state, command, desk)
    if applied.events or not command.chosen:
        return applied
    again = applied.answer
    if again.status == "applied":
        again = replace(again, status="already")
    return Applied([e.CommandNoted(again)], applied.answer)


def _apply(state: State, command: c.Command, desk: Desk) -> Applied:
    match command:
        case c.Say():
            return _say(state, command)
        case c.Interrupt():
            return _interrupt(state, command)
        case c.Release():
            return Applied([e.QueueReleased()] if state.held else [])
        case c.EditInput() | c.WithdrawInput() | c.ReorderQueue():
            return _queue(state, command)
        case c.Approve() | c.Decline() | c.Replace() | c.AnswerQuestion():
            return _answer(state, command, desk)
        case c.Rename(title=title):
            return Applied([e.ThreadRenamed(" ".join(title.split()))])
        case c.SwitchMode() | c.SwitchModel() | c.SetTrust():
            return _switch(state, command, desk)
        case c.AddRule(rule=rule):
            return _add_rule(state, rule, desk)
        case c.RemoveRule(rule=id):
            known = any(rule.id == id for rule in state.rules)
            return Applied([e.RuleRemoved(id)]) if known else _missing("rule", id)
        case c.RevokeGrant(grant=id):
            known = any(grant.id == id for grant in state.grants)
            return Applied([e.GrantRevoked(id)]) if known else _missing("grant", id)
        case c.Resume():
            return Applied()
        case _:
            assert_never(command)


def _say(state: State, command: c.Say) -> Applied:
    parts = tuple(part for part in command.parts if not isinstance(part, Text) or part.text)
    if not parts and command.kind != "proceed":
        raise UsageError("There is nothing to say: give a text or a file.")
    if command.kind == "proceed" and not state.messages:
        raise UsageError("There is nothing to go on with: this thread is empty. Send something.")
    if command.kind == "proceed" and state.run is not None and not state.run.stop:
        raise UsageError("The run is still under way; proceed() is for one that has ended.")
    waiting = next((i.run for i in state.queue if presses(i)), "")
    own = command.run if command.kind == "queue" or not waiting else waiting
    admitted = Input(
        command.id,
        command.kind,
        own,
        parts,
        command.source,
        command.wake,
        command.limits,
    )
    joins = state.run is not None and not state.run.stop and command.kind != "queue"
    run = state.run.id if joins and state.run else own
    return Applied([e.InputAdmitted(admitted, run=run)], Answer("applied", run))


def _interrupt(state: State, command: c.Interrupt) -> Applied:
    if state.run is None and not (any(map(presses, state.queue)) and not state.held):
        return Applied(answer=Answer("stale", message="Nothing runs."))
    if state.run is None:
        return Applied([e.Interrupted(command.reason)])
    if state.run.stop == "interrupt":
        return Applied(answer=Answer("already", state.run.id))
    return Applied([e.Interrupted(command.reason)], Answer("applied", state.run.id))


def _queue(state: State, command: c.EditInput | c.WithdrawInput | c.ReorderQueue) -> Applied:
    waiting = {i.id for i in state.queue}
    if isinstance(command, c.ReorderQueue):
        if gone := [id for id in command.inputs if id not in waiting]:
            return _settled_or_missing(state, "input", gone[0])
        return Applied([e.QueueReordered(command.inputs)])
    if command.input not in waiting:
        return _settled_or_missing(state, "input", command.input)
    if isinstance(command, c.WithdrawInput):
        return Applied([e.InputWithdrawn(command.input)])
    if not any(not isinstance(part, Text) or part.text for part in command.parts):
        raise UsageError("There is nothing to say: give a text or a file, or withdraw the input.")
    return Applied([e.InputEdited(command.input, command.parts)])


def _answer(
    state: State, command: c.Approve | c.Decline | c.Replace | c.AnswerQuestion, desk: Desk
) -> Applied:
    match command:
        case c.AnswerQuestion(question=id, value=value):
            question = next((q for q in state.questions if q.id == id), None)
            if question is None:
                return _not_pending(state, id)
            return Applied(
                [e.QuestionAnswered(id, _valid(question, value), run=question.run)],
                Answer("applied", question.run),
            )
        case c.Decline(target=id):
            return _decline(state, command, id)
        case c.Replace(approval=id, result=result):
            if all(a.id != id for a in state.approvals):
                return _not_pending(state, id)
            event = e.ApprovalAnswered(id, "replaced", result=result or "(no output)")
            return Applied([event], _concerning(state))
        case c.Approve():
            return _approve(state, command, desk)


def _decline(state: State, command: c.Decline, id: str) -> Applied:
    if any(q.id == id for q in state.questions):
        events: list[e.Event] = [e.QuestionAnswered(id, None, reason=command.reason)]
        if command.stop:
            events.append(e.Interrupted(command.reason or "declined"))
        return Applied(events, _concerning(state))
    if all(a.id != id for a in state.approvals):
        return _not_pending(state, id)
    event = e.ApprovalAnswered(id, "declined", reason=command.reason, stop=command.stop)
    return Applied([event], _concerning(state))


def _approve(state: State, command: c.Approve, desk: Desk) -> Applied:
    approval = next((a for a in state.approvals if a.id == command.approval), None)
    if approval is None:
        return _not_pending(state, command.approval)
    facts = None
    if command.arguments is not None:
        facts = desk.examine(state, ToolCall(approval.call, approval.tool, command.arguments))
        if facts.problem:
            raise UsageError(facts.problem)
    events: list[e.Event] = []
    if command.remember and _always(approval.rule, state, desk):
        raise UsageError(f"The rule {approval.rule} always asks: approve without remember.")
    if command.remember:
        events.append(e.GrantAdded(_grant(approval.rule, approval, command, desk.ids)))
    events.append(
        e.ApprovalAnswered(approval.id, "approved", arguments=command.arguments, facts=facts)
    )
    return Applied(events, _concerning(state))


def _always(rule: str, state: State, desk: Desk) -> bool:
    rules = desk.setup.all_rules(state)
    return any(known.always and rule_name(known) == rule for known in rules)


def _grant(rule: str, approval: Approval, command: c.Approve, ids: Ids) -> Grant:
    return Grant(
        ids.new("grant"),
        rule,
        tool=approval.tool if command.remember == "tool" else "",
        category=approval.category if command.remember == "category" else "",
        run=approval.run if command.scope == "run" else "",
    )


def _valid(question: Question, value: str | tuple[str, ...]) -> str | tuple[str, ...]:
    """The answer, if it is one: of the choices, and as many as were asked for."""
    chosen = (value,) if isinstance(value, str) else value
    listed = ", ".join(question.choices)
    if question.choices and (wrong := [text for text in chosen if text not in question.choices]):
        raise UsageError(f"{wrong[0]!r} is not one of the choices: {listed}.")
    if question.several:
        return tuple(chosen)
    if len(chosen) != 1:
        raise UsageError(f"Exactly one answer is needed{f', one of: {listed}' if listed else ''}.")
    return chosen[0]


def _switch(
    state: State, command: c.SwitchMode | c.SwitchModel | c.SetTrust, desk: Desk
) -> Applied:
    match command:
        case c.SwitchMode(mode=mode):
            if mode not in desk.setup.modes:
                raise UsageError(
                    f"There is no mode {mode!r}; known: {', '.join(desk.setup.modes)}."
                )
            return Applied([e.ModeChanged(mode, state.mode)] if mode != state.mode else [])
        case c.SwitchModel(model=model):
            return Applied([e.ModelChanged(model, state.model)] if model != state.model else [])
        case c.SetTrust(trust=trust):
            return Applied([e.TrustChanged(trust, state.trust)] if trust != state.trust else [])


def _add_rule(state: State, rule: Rule, desk: Desk) -> Applied:
    taken = {known.id for known in (*DEFAULTS, *desk.setup.all_rules(state)) if known.id}
    if rule.id in taken:
        raise UsageError(f"There is a rule {rule.id!r} already; give this one another id.")
    return Applied([e.RuleAdded(replace(rule, id=rule.id or desk.ids.new("rule")))])


def _concerning(state: State) -> Answer:
    return Answer("applied", state.run.id if state.run else "")


def _missing(what: str, id: str) -> Applied:
    return Applied(answer=Answer("missing", message=f"There is no {what} {id}."))


def _settled_or_missing(state: State, what: str, id: str) -> Applied:
    """An input is known by its command: where that was carried out, it is no longer waiting."""
    if id in state.commands:
        return Applied(answer=Answer("stale", message="It is not waiting any more."))
    return _missing(what, id)


def _not_pending(state: State, id: str) -> Applied:
    """An answer to what does not wait: it was settled meanwhile, or it was never there."""
    if id in state.settled:
        return Applied(answer=Answer("stale", state.settled[id], "It was settled already."))
    return _missing("approval or question", id)
