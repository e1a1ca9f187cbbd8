"""Answers of people: to approvals and to questions."""

from collections.abc import Iterable

from msgspec.structs import replace

from longrein.core import commands as c
from longrein.core import events as e
from longrein.core.commands import Answer
from longrein.core.errors import UsageError
from longrein.core.policy import Grant, Rule
from longrein.core.records import Approval, CallFacts, Question
from longrein.core.state import State
from longrein.loop.setup import read_arguments
from longrein.permissions.evaluate import Action, rule_name
from longrein.permissions.remember import covering, propose
from longrein.session.desk import Applied, Desk, missing
from longrein.session.resources import Pairs

PLAN = "plan"
"""The kind of a question that is a plan, whatever tool asks it."""

APPROVE = "approve"
SETTLED = "It was settled already."


def answer(state: State, command: c.Decision, desk: Desk) -> Applied:
    match command:
        case c.AnswerQuestion():
            return _answer(state, command, desk)
        case c.Decline(target=id):
            return _decline(state, command, id)
        case c.Replace(approval=id, result=result):
            if all(a.id != id for a in state.approvals):
                return _not_pending(state, id)
            event = e.ApprovalAnswered(id, "replaced", result=result or "(no output)")
            return Applied([event], _concerning(state))
        case c.Approve():
            return _approve(state, command, desk)


def _answer(state: State, command: c.AnswerQuestion, desk: Desk) -> Applied:
    question = next((q for q in state.questions if q.id == command.question), None)
    if question is None:
        return _not_pending(state, command.question)
    plan = question.kind == PLAN
    if command.plan and not plan:
        raise UsageError(f"{question.id} is a question, not a plan: use answer().")
    value = _decided(command) if plan else _valid(question, command.value)
    events: list[e.Event] = [e.QuestionAnswered(question.id, value, run=question.run)]
    own_trust = state.trust_chosen or desk.setup.above is None
    if plan and own_trust and state.trust == "plan":
        # Whoever approves a plan wants it carried out, which this trust would not let happen.
        events.append(e.TrustChanged("ask", state.trust))
    return Applied(events, Answer("applied", question.run))


def _decline(state: State, command: c.Decline, id: str) -> Applied:
    if any(q.id == id for q in state.questions):
        events: list[e.Event] = [e.QuestionAnswered(id, None, command.by, command.reason)]
        if command.stop:
            events.append(e.Interrupted(command.reason or "declined"))
        return Applied(events, _concerning(state))
    if all(a.id != id for a in state.approvals):
        return _not_pending(state, id)
    event = e.ApprovalAnswered(id, "declined", command.by, reason=command.reason, stop=command.stop)
    return Applied([event], _concerning(state))


def _approve(state: State, command: c.Approve, desk: Desk) -> Applied:
    approval = next((a for a in state.approvals if a.id == command.approval), None)
    if approval is None:
        return _not_pending(state, command.approval)
    facts = None
    if command.arguments is not None:
        facts = desk.edited
        if facts is None:  # it was not pending yet when the arguments were looked at
            return Applied(answer=Answer("stale", message="Try again."))
        if facts.problem:
            said = f"The model would hear: {facts.problem}"
            raise UsageError(f"It cannot run with these arguments. {said}")
    events: list[e.Event] = []
    pairs: Pairs = ()
    if command.remember:
        grants = _grants(state, approval, command, facts, desk)
        events += [e.GrantAdded(grant) for grant in grants]
        if command.scope == "resource":
            kept = [desk.resources.granting(state.resource, grant) for grant in grants]
            pairs = [pair for pairs in kept for pair in pairs]
    events.append(
        e.ApprovalAnswered(approval.id, "approved", arguments=command.arguments, facts=facts)
    )
    return Applied(events, _concerning(state), pairs)


def grants_of(state: State, command: c.Approve, desk: Desk) -> tuple[Grant, ...]:
    """What a yes would remember; nothing where there is no such approval any more."""
    approval = next((a for a in state.approvals if a.id == command.approval), None)
    return tuple(_grants(state, approval, command, desk.edited, desk)) if approval else ()


def _grants(
    state: State, approval: Approval, command: c.Approve, edited: CallFacts | None, desk: Desk
) -> list[Grant]:
    asked = approval.rules or (approval.rule,)
    return [_grant(state, approval, rule, command, edited, desk) for rule in asked]


def _grant(
    state: State,
    approval: Approval,
    rule: str,
    command: c.Approve,
    edited: CallFacts | None,
    desk: Desk,
) -> Grant:
    """The yes to one rule that asked, to remember: of the call as it was asked about or, if it was
    edited, as it will run.

    Nobody said yes to what an edit took out.
    """
    if _always(rule, (*desk.setup.all_rules(state), *approval.touches.judged)):
        raise UsageError(f"The rule {rule} always asks: approve without remember.")
    arguments = approval.arguments if command.arguments is None else command.arguments
    touches = edited.touches if edited else approval.touches
    action = Action(approval.tool, approval.category, read_arguments(arguments), touches)
    proposal = propose(action, rule) if edited else approval.proposal
    covered = covering(command.remember or "call", action, rule, proposal)
    return replace(
        covered,
        rule=rule,
        id=desk.ids.new("grant"),
        run=approval.run if command.scope == "run" else "",
        scope=command.scope,
    )


def _always(rule: str, rules: Iterable[Rule]) -> bool:
    return any(known.always and rule_name(known) == rule for known in rules)


def _decided(command: c.AnswerQuestion) -> str:
    """The yes to a plan, or its other text. That has to be meant as one: a "no" is no plan."""
    given = (command.value,) if isinstance(command.value, str) else command.value
    text = given[0] if len(given) == 1 else ""
    if text.strip().lower() == APPROVE:
        return APPROVE
    if not command.plan:
        raise UsageError(
            f"{text!r} does not decide on a plan: answer {APPROVE!r}, give another text of it with "
            "approve_plan(id, edited), or say no with reject_plan(id, feedback)."
        )
    if not text.strip():
        raise UsageError("A plan cannot be blank: give its text, or say no with reject_plan().")
    return text


def _valid(question: Question, value: str | tuple[str, ...]) -> str | tuple[str, ...]:
    """The answer, if it is one: of the choices, and as many as were asked for."""
    chosen = (value,) if isinstance(value, str) else value
    listed = ", ".join(question.choices)
    closed = question.choices and not question.other
    if closed and (wrong := [text for text in chosen if text not in question.choices]):
        raise UsageError(f"{wrong[0]!r} is not one of the choices: {listed}.")
    if any(not text.strip() and text not in question.choices for text in chosen):
        raise UsageError("A blank text is no answer; to give none, use decline().")
    if question.several:
        return tuple(chosen)
    if len(chosen) != 1:
        raise UsageError(f"Exactly one answer is needed{f', one of: {listed}' if listed else ''}.")
    return chosen[0]


def _concerning(state: State) -> Answer:
    return Answer("applied", state.run.id if state.run else "")


def _not_pending(state: State, id: str) -> Applied:
    """An answer to what does not wait: it was settled meanwhile, or it was never there."""
    if id in state.settled:
        return Applied(answer=Answer("stale", state.settled[id], SETTLED))
    if any(question.id == id for question in state.questions):
        raise UsageError(
            f"{id} is a question, not an approval: answer it with answer() or decline()."
        )
    if any(approval.id == id for approval in state.approvals):
        raise UsageError(
            f"{id} is an approval, not a question: use approve(), decline() or replace()."
        )
    return missing("approval or question", id)
