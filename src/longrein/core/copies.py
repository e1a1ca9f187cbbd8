"""Where else the content of an event stands: what the system carries from one event to others."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, cast

import msgspec

from longrein.core import events as e
from longrein.core.messages import Text, ToolCall, text_in
from longrein.core.outcomes import Aborted, Failed, Finished, LimitReached, Problem
from longrein.core.records import Input
from longrein.core.restored import REWIND

_TITLED = (e.InputAdmitted, e.InputEdited, e.StepEnded, e.StepInterrupted)
"""What a model reads before it writes a title."""

_READ = (
    *_TITLED,
    e.PrefixStarted,
    e.ToolEnded,
    e.NoteAdded,
    e.ContextChanged,
    e.Recorded,
    e.ApprovalAnswered,
    e.QuestionAnswered,
    e.HookEnded,
    e.CompactionAsked,
    e.Compacted,
)
"""What a model reads before it writes a summary."""


def copies(events: Sequence[e.Event], seq: int) -> set[int]:
    """The numbers of the other events that hold content of event `seq`. `events` is the whole log.

    The way goes back to where the content was said, and from there to wherever it was carried: the
    arguments of a call to its approval, its start and its question; the answer of a run to its end;
    a reason to the result that passes it on; what was said to the title that was made of it, and to
    every summary since, of which nobody can tell what it repeats; a path to the report of the
    rewind that put it back, and from there to what the model was told of it.
    A result is the tool's own and an answer the person's: that either goes does not touch the words
    of the model, nor an answer the question.
    """
    log = _Log(events)
    said = _reached([events[seq - 1]], log.origins)
    held = _reached(said, log.carriers)
    made = (*_titles(events, held), *_summaries(events, held))
    return {event.seq for event in (*held, *made)} - {seq}


def _titles(events: Sequence[e.Event], held: Sequence[e.Event]) -> Iterator[e.Event]:
    """The titles that a model wrote afterwards, and those made of the first words of an input."""
    first = min((event.seq for event in held if isinstance(event, _TITLED)), default=len(events))
    begins = tuple(words for event in held if (words := first_words_of(event)))
    for event in events[first:]:
        if not isinstance(event, e.ThreadRenamed):
            continue
        if event.by == "model" or event.title.startswith(begins):
            yield event


def _summaries(events: Sequence[e.Event], held: Sequence[e.Event]) -> Iterator[e.Event]:
    """What was written afterwards to stand for what does not fit any more, and what it is about."""
    first = min((event.seq for event in held if isinstance(event, _READ)), default=len(events))
    for event in events[first:]:
        if isinstance(event, e.Compacted) and (event.summary or event.kept):
            yield event
    asked = (e.CompactionAsked, e.CompactionStarted)
    focus = {event.focus for event in held if isinstance(event, asked)} - {""}
    for event in events:
        if isinstance(event, asked) and event.focus in focus:
            yield event


def first_words_of(event: e.Event) -> str:
    """What a title is made of where nobody gave one; empty for all but inputs."""
    match event:
        case e.InputAdmitted(input=Input(parts=parts)) | e.InputEdited(parts=parts):
            text = " ".join(part.text for part in parts if isinstance(part, Text))
            return " ".join(text.split())[:80]
        case _:
            return ""


def _reached(
    start: Iterable[e.Event], onward: Callable[[e.Event], Iterable[e.Event]]
) -> list[e.Event]:
    """Everything that there is a way to, the start included."""
    found = {event.seq: event for event in start}
    new = list(found.values())
    while new:
        fresh = {event.seq: event for each in new for event in onward(each)}
        new = [event for seq, event in fresh.items() if seq not in found]
        found |= fresh
    return list(found.values())


class _Log:
    """The events of a thread, and which call its approvals, questions and grants are about."""

    def __init__(self, events: Sequence[e.Event]) -> None:
        self._events = events
        self._calls: dict[str, str] = {}
        self._granting: dict[str, str] = {}
        for event in events:
            if isinstance(event, e.ApprovalRequested):
                self._calls[event.approval.id] = event.approval.call
            elif isinstance(event, e.QuestionAsked):
                self._calls[event.question.id] = event.question.call
            elif isinstance(event, e.ApprovalAnswered) and event.cause:
                # A yes that is to be remembered writes both, the grant and its own answer.
                self._granting[event.cause] = self._calls.get(event.approval, "")

    def origins(self, carrier: e.Event) -> list[e.Event]:
        return [event for event in self._events if self._carried(event, carrier)]

    def carriers(self, origin: e.Event) -> list[e.Event]:
        return [event for event in self._events if self._carried(origin, event)]

    def _carried(self, origin: e.Event, carrier: e.Event) -> bool:
        """Whether content of `origin` was put into `carrier`."""
        match origin:
            case e.InputAdmitted(input=input):
                return isinstance(carrier, e.InputEdited) and carrier.input == input.id
            case e.StepEnded():
                return self._of_step(origin, carrier)
            case e.ToolEnded():
                return _of_result(origin, carrier)
            case e.ApprovalAnswered(reason=reason, result=result):
                call = self._calls.get(origin.approval, "")
                return _of_answer(origin, call, (reason, result), carrier)
            case e.QuestionAnswered(value=value, reason=reason):
                given = (value,) if isinstance(value, str) else value or ()
                call = self._calls.get(origin.question, "")
                return _of_answer(origin, call, (*given, reason), carrier)
            case e.HookEnded(about=about, text=text):
                return _of_answer(origin, about, (text,), carrier)
            case e.CallReexamined(call=call, facts=facts):
                return _is_result(carrier, call, facts.problem)
            case e.Interrupted(reason=reason):
                return _ends(origin, carrier, reason)
            case e.StepFailed(problem=problem):
                return _ends(origin, carrier, problem.message)
            case e.StateChanged():
                return isinstance(carrier, e.StateInvalid) and carrier.seq > origin.seq
            case e.PrefixStarted(system=system):
                return isinstance(carrier, e.PrefixStarted) and carrier.system == system
            case e.Rewound(report=report):
                told = isinstance(carrier, e.NoteAdded) and carrier.source == REWIND
                return told and bool(report) and carrier.cause == origin.cause
            case _:
                return False

    def _of_step(self, step: e.StepEnded, carrier: e.Event) -> bool:
        given = {part.id: part.arguments for part in step.parts if isinstance(part, ToolCall)}
        match carrier:
            case e.ToolStarted(call=call) | e.CallReexamined(call=call) | e.ChildStarted(call=call):
                return call in given
            case e.ApprovalRequested(approval=approval):
                return approval.call in given
            case e.ApprovalAnswered(approval=id, arguments=changed, facts=facts):
                return bool(changed is not None or facts) and self._calls.get(id) in given
            case e.HookEnded(about=about, arguments=changed, facts=facts):
                return bool(changed is not None or facts) and about in given
            case e.GrantAdded(grant=grant):
                narrow = grant.arguments or grant.paths or grant.commands or grant.hosts
                return bool(narrow) and self._granting.get(carrier.cause) in given
            case e.QuestionAsked(question=asked):
                shown = (asked.text, asked.title, *asked.choices)
                return asked.call in given and _share(_arguments(given[asked.call]), shown)
            case e.Recorded(call=call, data=data):
                return call in given and _share(_arguments(given[call]), _leaves(data))
            case e.Rewound(report=report):
                named = [text for raw in given.values() for text in _arguments(raw)]
                return step.seq < carrier.seq and _names(named, report.paths)
            case e.ToolEnded(call=call):
                problem = next((known.problem for known in step.calls if known.id == call), "")
                return _is_result(carrier, call, problem)
            case e.NoteAdded(text=text):
                return carrier.run == step.run and _stands(step.misfit, text)
            case _:
                said = text_in(step.parts)
                return _ends(step, carrier, said) or _ends(step, carrier, step.misfit)


def _of_result(result: e.ToolEnded, carrier: e.Event) -> bool:
    match carrier:
        case e.Recorded(call=call, data=data):
            # Of a result that was cut, the words may stand in what was left out.
            shared = bool(result.whole) or _share((text_in(result.parts),), _leaves(data))
            return call == result.call and shared
        case e.HookEnded(point="after_tool", about=about, text=text):
            return about == result.call and _stands(text, text_in(result.parts))
        case _:
            return False


def _of_answer(origin: e.Event, call: str, words: tuple[str, ...], carrier: e.Event) -> bool:
    """What a person, or a hook, said of a call stands in its result, and where the run ends."""
    match carrier:
        case e.ToolEnded():
            said = any(_stands(word, text_in(carrier.parts)) for word in words)
            facts = origin.facts if isinstance(origin, e.ApprovalAnswered | e.HookEnded) else None
            refused = facts is not None and _is_result(carrier, call, facts.problem)
            return carrier.call == call and (said or refused)
        case e.Recorded(data=data):
            return carrier.call == call and _share(words, _leaves(data))
        case e.NoteAdded(text=text):
            heard = isinstance(origin, e.HookEnded) and carrier.run == origin.run
            return heard and any(_stands(word, text) for word in words)
        case e.Interrupted(reason=reason):
            return bool(origin.cause) and carrier.cause == origin.cause and reason in words
        case _:
            return any(_ends(origin, carrier, word) for word in words)


def _is_result(carrier: e.Event, call: str, text: str) -> bool:
    if not text or not isinstance(carrier, e.ToolEnded):
        return False
    return carrier.call == call and text_in(carrier.parts) == text


def _ends(origin: e.Event, carrier: e.Event, text: str) -> bool:
    """Whether a run ended with this text."""
    if not isinstance(carrier, e.RunEnded) or carrier.run != origin.run:
        return False
    match carrier.outcome:
        case Finished(text=answer):
            return bool(text) and answer == text
        case Aborted(reason=why) | LimitReached(message=why) | Failed(problem=Problem(message=why)):
            return _stands(text, why)


def _stands(words: str, text: str) -> bool:
    """Whether the words stand in the text, as they are or as JSON has them."""
    if not words.strip():
        return False
    return words in text or msgspec.json.encode(words)[1:-1].decode() in text


def _share(some: Iterable[str], others: Iterable[str]) -> bool:
    """Whether a text of one side stands in a text of the other."""
    known = list(others)
    return any(_stands(one, other) or _stands(other, one) for one in some for other in known)


def _names(given: Iterable[str], paths: Sequence[str]) -> bool:
    """Whether one of the texts is one of the paths, absolute or not."""
    tidy = {text.strip().removeprefix("./").strip("/") for text in given} - {""}
    return any(
        path.strip("/") == text or path.endswith(f"/{text}") for path in paths for text in tidy
    )


def _arguments(raw: str) -> list[str]:
    """What was given to a tool; the names of its parameters are not the model's."""
    try:
        read = msgspec.json.decode(raw)
    except msgspec.DecodeError:
        return [raw]
    values = cast("dict[str, Any]", read).values() if isinstance(read, dict) else [read]
    return [leaf for value in values for leaf in _leaves(value)]


def _leaves(value: Any) -> Iterator[str]:
    """The texts and numbers in a JSON value, keys included."""
    match value:
        case str():
            yield value
        case bool() | None:
            return
        case int() | float():
            yield str(value)
        case dict():
            for key, each in cast("dict[str, Any]", value).items():
                yield key
                yield from _leaves(each)
        case list() | tuple():
            for each in cast("list[Any]", value):
                yield from _leaves(each)
        case _:
            return
