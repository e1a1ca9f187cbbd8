"""From a command to the events that carry it out. Pure but for the ids it makes."""

from typing import assert_never

from msgspec.structs import replace

from longrein.core import commands as c
from longrein.core import events as e
from longrein.core.commands import Answer
from longrein.core.errors import UsageError
from longrein.core.evolve import evolve
from longrein.core.messages import Text
from longrein.core.policy import Rule
from longrein.core.records import Input
from longrein.core.state import State
from longrein.loop.checks import check_rules
from longrein.loop.decide import presses
from longrein.permissions.evaluate import DEFAULTS, rule_name
from longrein.session.answering import answer
from longrein.session.desk import Applied, Desk, missing
from longrein.session.rewound import rewind
from longrein.session.shortening import shorten
from longrein.session.switching import enter_mode, use_model

CHANGED = Answer("stale", message="The state was changed meanwhile; read it again.")


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
            return say(state, command)
        case c.Interrupt():
            return _interrupt(state, command)
        case c.Release():
            return Applied([e.QueueReleased()] if state.held else [])
        case c.EditInput() | c.WithdrawInput() | c.ReorderQueue():
            return _queue(state, command)
        case c.Approve() | c.Decline() | c.Replace() | c.AnswerQuestion():
            return answer(state, command, desk)
        case c.Rename() | c.Tag() | c.Configure() | c.UpdateState() | c.Record():
            return _keep(state, command, desk)
        case c.Rewind():
            return rewind(state, command, desk)
        case c.Compact() | c.Pin():
            return shorten(state, command, desk)
        case c.SwitchMode() | c.SwitchModel() | c.SetTrust():
            return _switch(state, command, desk)
        case c.AddRule(rule=rule):
            return _add_rule(state, rule, desk)
        case c.RemoveRule(rule=id):
            return _remove_rule(state, id, desk)
        case c.RevokeGrant(grant=id):
            return _revoke(state, id, desk)
        case c.Remember(grants=grants):
            return Applied([e.GrantAdded(grant) for grant in grants])
        case c.CountChild(child=id, spent=spent):
            child = state.child(id)
            counts = child is not None and not child.open and child.spent != spent
            return Applied([e.ChildSpent(id, spent)] if counts else [])
        case c.Resume(answer=known):
            return Applied(answer=known) if known else Applied()
        case c.Together():
            return _together(state, command, desk)
        case _:
            assert_never(command)


def say(state: State, command: c.Say) -> Applied:
    """Admit an input. Raises `UsageError` for one that says nothing, or comes at a wrong time."""
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
        output=command.output,
        whole=command.whole,
    )
    joins = state.run is not None and not state.run.stop and command.kind != "queue"
    if command.output and (joins or own != command.run):
        raise UsageError(
            "A run is under way, and its answer belongs to whoever started it: "
            "ask for an output with queue(), or wait until the run has ended."
        )
    run = state.run.id if joins and state.run else own
    return Applied([e.InputAdmitted(admitted, run=run)], Answer("applied", run))


def _interrupt(state: State, command: c.Interrupt) -> Applied:
    if state.run is None:
        presses_now = any(map(presses, state.queue)) and not state.held
        # A compaction that another process left is a wish again once the thread is opened.
        if state.compaction or state.wish or presses_now:
            return Applied([e.Interrupted(command.reason)])
        return Applied(answer=Answer("stale", message="Nothing runs."))
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
    return Applied([e.InputEdited(command.input, command.parts, command.whole)])


def _keep(
    state: State,
    command: c.Rename | c.Tag | c.Configure | c.UpdateState | c.Record,
    desk: Desk,
) -> Applied:
    """What is written down about the thread, or in it."""
    match command:
        case c.Rename(title=title):
            if not title.strip():
                raise UsageError("A title cannot be empty: give the thread another one.")
            return Applied([e.ThreadRenamed(" ".join(title.split()))])
        case c.Tag(tags=tags):
            named = tuple(dict.fromkeys(tag for text in tags if (tag := " ".join(text.split()))))
            return Applied([e.ThreadTagged(named)] if named != state.tags else [])
        case c.Configure(changes=changes):
            new = {k: v for k, v in changes.items() if state.settings.get(k) != v}
            return Applied([e.SettingsChanged(new)] if new else [])
        case c.UpdateState():
            if command.expected not in (-1, state.revision):
                return Applied(answer=CHANGED)
            return Applied(desk.kept.update(state, command.changes, command.removed))
        case c.Record(kind=kind, data=data, blobs=blobs):
            return Applied([e.Recorded(kind, data, blobs=blobs)])


def _together(state: State, command: c.Together, desk: Desk) -> Applied:
    if command.expected not in (-1, state.revision):
        return Applied(answer=CHANGED)
    events, answer = list[e.Event](), Answer("applied")
    for part in command.parts:
        applied = _apply(state, part, desk)
        events += applied.events
        answer = applied.answer if applied.answer.run else answer
        for event in applied.events:
            state = evolve(state, replace(event, seq=state.seq + 1))
    return Applied(events, answer)


def _switch(
    state: State, command: c.SwitchMode | c.SwitchModel | c.SetTrust, desk: Desk
) -> Applied:
    match command:
        case c.SwitchMode(mode=mode, abort=abort):
            events = enter_mode(state, mode, desk.setup)
            if events and abort and state.run is not None and not state.run.stop:
                events.insert(0, e.Interrupted(f"switched to the mode {mode}"))
            return Applied(events)
        case c.SwitchModel(model=model, effort=effort):
            return Applied(use_model(state, model, effort, desk.setup))
        case c.SetTrust(trust=trust):
            # What a child has from above it may have by its own choice, too, and then keeps.
            goes_along = desk.setup.above is not None and not state.trust_chosen
            changes = trust != state.trust or goes_along
            return Applied([e.TrustChanged(trust, state.trust)] if changes else [])


def _revoke(state: State, id: str, desk: Desk) -> Applied:
    if any(grant.id == id for grant in state.grants):
        return Applied([e.GrantRevoked(id)])
    if any(grant.id == id for grant in desk.setup.all_grants(state)):
        return Applied([e.GrantRevoked(id)], pairs=desk.resources.revoking(state.resource, id))
    return missing("grant", id)


def _add_rule(state: State, rule: Rule, desk: Desk) -> Applied:
    taken = {known.id for known in (*DEFAULTS, *desk.setup.all_rules(state)) if known.id}
    if rule.id in taken:
        raise UsageError(f"There is a rule {rule.id!r} already; give this one another id.")
    if desk.setup.known is not None:
        check_rules([("thread", rule)], desk.setup.known)
    named = replace(rule, id=rule.id or desk.ids.new("rule"))
    return Applied([e.RuleAdded(named)], Answer("applied", message=named.id))


def _remove_rule(state: State, name: str, desk: Desk) -> Applied:
    """By its id, or by the name that it would have without one, if that is of one rule only."""
    ids = [rule.id for rule in state.rules if rule.id == name]
    ids = ids or [rule.id for rule in state.rules if rule_name(replace(rule, id="")) == name]
    if len(ids) > 1:
        raise UsageError(
            f"Several rules are called {name!r}; give the id of one: {', '.join(ids)}."
        )
    if ids:
        return Applied([e.RuleRemoved(ids[0])])
    for source, rule in desk.setup.sourced_rules(state):
        if rule_name(rule) == name:
            raise UsageError(
                f"The rule {name!r} is not of this thread but of the {source}: change it there."
            )
    return missing("rule", name)


def _settled_or_missing(state: State, what: str, id: str) -> Applied:
    """An input is known by its command: where that was carried out, it is no longer waiting."""
    if id in state.commands:
        return Applied(answer=Answer("stale", message="It is not waiting any more."))
    return missing(what, id)
