"""Erasing: an event without what people, models and tools put into it.

An erased event keeps its number, its kind, its ids and whatever the fold goes by, so the log still
folds and every request made of it is still well formed. A change that is erased changes nothing
any more: settings, state and slices are as if it had never been made.
"""

from collections.abc import Iterable, Iterator
from typing import assert_never

from msgspec.structs import replace

from longrein.core import events as e
from longrein.core.errors import UsageError
from longrein.core.messages import Content, Reasoning, Text, ToolCall
from longrein.core.outcomes import Aborted, Ended, Failed, Finished, LimitReached, Problem
from longrein.core.policy import Grant, Rule, Touches
from longrein.core.records import Approval, CallFacts, Question
from longrein.core.restored import RestoreReport
from longrein.core.state import State

ERASED = "[erased]"

_NOTHING = "[[]erased]"
"""As a pattern; it fits the text above and no other."""


def erased(event: e.Event) -> e.Event:
    """The event without its content; equal to itself where it has none.

    Raises `UsageError` for an event that only a newer Longrein knows.

    >>> erased(e.NoteAdded("The key is 1234.", "app", seq=7)).text
    '[erased]'
    """
    match event:
        case e.ThreadRenamed() | e.ThreadTagged() | e.CommandNoted():
            return _of_thread(event)
        case e.GrantAdded() | e.RuleAdded():
            return _of_thread(event)
        case e.SettingsChanged() | e.StateChanged() | e.StateInvalid() | e.Recorded():
            return _of_data(event)
        case e.InputAdmitted() | e.InputEdited() | e.NoteAdded() | e.ToolEnded():
            return _heard(event)
        case e.PrefixStarted() | e.StepEnded() | e.StepInterrupted() | e.RunEnded():
            return _spoken(event)
        case e.StepFailed() | e.HookFailed() | e.SideCallEnded() | e.Warned():
            return replace(event, problem=event.problem and _problem(event.problem))
        case e.CompactionFailed():
            return replace(event, problem=_problem(event.problem))
        case e.Compacted(summary=summary, kept=kept):
            return replace(event, summary=_text(summary), kept=_text(kept))
        case e.CompactionAsked(focus=focus) | e.CompactionStarted(focus=focus):
            return replace(event, focus=_text(focus))
        case e.InputPinned() | e.InputUnpinned():
            return event
        case e.ContextChanged(note=note):
            return replace(event, note=_text(note))
        case e.ToolStarted() | e.CallReexamined() | e.HookEnded():
            return _of_call(event)
        case e.ApprovalRequested() | e.ApprovalAnswered():
            return _asked(event)
        case e.QuestionAsked() | e.QuestionAnswered():
            return _asked(event)
        case e.Interrupted(reason=reason):
            return replace(event, reason=_text(reason))
        case e.ChildStarted(title=title, task=task):
            return replace(event, title=_text(title), task=_text(task))
        case e.ChildChanged() | e.ChildEnded() | e.ChildSpent():
            return event
        case e.Rewound():
            return replace(event, report=RestoreReport())
        case e.ThreadCreated() | e.Opened() | e.Forked() | e.RunStarted() | e.InputPromoted():
            return event
        case e.InputWithdrawn() | e.QueueReordered() | e.QueueReleased() | e.StepStarted():
            return event
        case e.GrantRevoked() | e.RuleRemoved() | e.ModeChanged() | e.ModelChanged():
            return event
        case e.TrustChanged() | e.HookStarted() | e.TimerDue() | e.SideCallStarted() | e.Parked():
            return event
        case e.Unknown(kind=kind):
            text = f"Event {event.seq} ({kind}) is of a kind that only a newer Longrein knows"
            raise UsageError(f"{text}; erase it with that one.")
        case _:
            assert_never(event)


def in_use(state: State, event: e.Event) -> str:
    """Why an event cannot be erased while the thread is in this state; empty where it can.

    What is erased must be over: nobody approved a call without arguments, and nobody said that the
    model should hear "[erased]".
    """
    if state.run is not None or state.compaction is not None:
        return "The thread is at work; wait for the end of its run, or interrupt it."
    if isinstance(event, e.InputAdmitted | e.InputEdited):
        id = event.input.id if isinstance(event, e.InputAdmitted) else event.input
        if any(input.id == id for input in state.queue):
            return f"The input {id} still waits in the queue; withdraw it first."
    if isinstance(event, e.RuleAdded) and any(rule.id == event.rule.id for rule in state.rules):
        return f"The rule {event.rule.id} is in force; remove it first."
    return ""


def _of_thread(
    event: e.ThreadRenamed | e.ThreadTagged | e.CommandNoted | e.GrantAdded | e.RuleAdded,
) -> e.Event:
    match event:
        case e.ThreadRenamed(title=title):
            return replace(event, title=_text(title))
        case e.ThreadTagged():
            return replace(event, tags=())
        case e.CommandNoted(answer=answer):
            return replace(event, answer=replace(answer, message=_text(answer.message)))
        case e.GrantAdded(grant=grant):
            return replace(event, grant=_grant(grant))
        case e.RuleAdded(rule=rule):
            return replace(event, rule=_rule(rule))


def _of_data(
    event: e.SettingsChanged | e.StateChanged | e.StateInvalid | e.Recorded,
) -> e.Event:
    match event:
        case e.SettingsChanged() | e.StateChanged():
            return replace(event, changes={})
        case e.StateInvalid(fields=fields, message=message):
            return replace(event, fields=_texts(fields), message=_text(message))
        case e.Recorded():
            # No slice knows this kind of fact, so none stumbles over data that is not there.
            return replace(event, kind=ERASED, data=None)


def _heard(event: e.InputAdmitted | e.InputEdited | e.NoteAdded | e.ToolEnded) -> e.Event:
    """What the model hears: of people, of the system, of tools."""
    match event:
        case e.InputAdmitted(input=input):
            parts, source = _content(input.parts), _text(input.source)
            return replace(event, input=replace(input, parts=parts, source=source, whole=""))
        case e.InputEdited(parts=parts):
            return replace(event, parts=_content(parts), whole="")
        case e.NoteAdded(text=text):
            return replace(event, text=_text(text))
        case e.ToolEnded(parts=parts):
            return replace(event, parts=_content(parts), whole="")


def _spoken(event: e.PrefixStarted | e.StepEnded | e.StepInterrupted | e.RunEnded) -> e.Event:
    match event:
        case e.PrefixStarted(system=system):
            # Without its sections the text is seen to be none that the sources say, and said anew.
            return replace(event, system=_text(system), sources=())
        case e.StepEnded(parts=parts, calls=calls, misfit=misfit):
            facts = tuple(_facts(known) for known in calls)
            return replace(event, parts=tuple(_said(parts)), calls=facts, misfit=_text(misfit))
        case e.StepInterrupted(parts=parts):
            return replace(event, parts=tuple(_said(parts)))
        case e.RunEnded(outcome=outcome):
            return replace(event, outcome=_outcome(outcome))


def _of_call(event: e.ToolStarted | e.CallReexamined | e.HookEnded) -> e.Event:
    match event:
        case e.ToolStarted():
            return replace(event, arguments="{}")
        case e.CallReexamined(facts=facts):
            return replace(event, facts=_facts(facts))
        case e.HookEnded(text=text, arguments=arguments, facts=facts):
            left = None if arguments is None else "{}"
            return replace(event, text=_text(text), arguments=left, facts=facts and _facts(facts))


def _asked(
    event: e.ApprovalRequested | e.ApprovalAnswered | e.QuestionAsked | e.QuestionAnswered,
) -> e.Event:
    match event:
        case e.ApprovalRequested(approval=approval):
            return replace(event, approval=_approval(approval))
        case e.ApprovalAnswered(arguments=arguments, facts=facts):
            return replace(
                event,
                arguments=None if arguments is None else "{}",
                facts=facts and _facts(facts),
                reason=_text(event.reason),
                result=_text(event.result),
            )
        case e.QuestionAsked(question=question):
            return replace(event, question=_question(question))
        case e.QuestionAnswered(value=value, reason=reason):
            left = _text(value) if isinstance(value, str) else value and _texts(value)
            return replace(event, value=left, reason=_text(reason))


def _text(text: str) -> str:
    """What is nothing stays nothing: the fold asks whether there is a text, not which."""
    return ERASED if text else ""


def _texts(texts: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(_text(text) for text in texts)


def _content(parts: tuple[Content, ...]) -> tuple[Content, ...]:
    return tuple(Text(ERASED) for _ in parts)


def _said(parts: Iterable[Text | Reasoning | ToolCall]) -> Iterator[Text | ToolCall]:
    """Texts and calls. Reasoning goes: no provider takes its proof without the words."""
    for part in parts:
        if isinstance(part, ToolCall):
            yield replace(part, arguments="{}")
        elif isinstance(part, Text) and part.text.strip():
            yield Text(ERASED)


def _facts(facts: CallFacts) -> CallFacts:
    return replace(facts, problem=_text(facts.problem), lane="", touches=Touches(), preview="")


def _approval(approval: Approval) -> Approval:
    reason = _text(approval.reason)
    return replace(
        approval, arguments="{}", reason=reason, touches=Touches(), proposal=None, preview=""
    )


def _question(question: Question) -> Question:
    text, title = _text(question.text), _text(question.title)
    return replace(question, text=text, title=title, choices=_texts(question.choices))


def _problem(problem: Problem) -> Problem:
    return replace(problem, message=_text(problem.message))


def _outcome(outcome: Ended) -> Ended:
    match outcome:
        case Finished(text=text):
            return Finished(_text(text))
        case Aborted(reason=reason):
            return Aborted(_text(reason))
        case Failed(problem=problem):
            return Failed(_problem(problem))
        case LimitReached(message=message):
            return replace(outcome, message=_text(message))
        case _:
            assert_never(outcome)


def _grant(grant: Grant) -> Grant:
    """A yes to nothing: without its patterns it would be one to everything."""
    return replace(
        grant,
        arguments=dict.fromkeys(grant.arguments, _NOTHING),
        paths=tuple(f"/{_NOTHING}" for _ in grant.paths),
        commands=tuple(_NOTHING for _ in grant.commands),
        hosts=tuple(_NOTHING for _ in grant.hosts),
    )


def _rule(rule: Rule) -> Rule:
    return replace(
        rule,
        arguments=dict.fromkeys(rule.arguments, _NOTHING),
        path=rule.path and f"/{_NOTHING}",
        command=rule.command and _NOTHING,
        host=rule.host and _NOTHING,
    )
