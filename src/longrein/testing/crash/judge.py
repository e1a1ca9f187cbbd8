"""What must hold after a case, whatever was killed when. Pure."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from zlib import crc32

import msgspec
from msgspec import Struct

from longrein.core import events as e
from longrein.core.codec import decode_event
from longrein.core.messages import Assistant, Message, Note, ToolResult, User
from longrein.core.outcomes import Finished
from longrein.core.state import State
from longrein.testing.crash.accounts import count, miscounted
from longrein.testing.crash.acts import Scenario
from longrein.testing.crash.case import Case, Life
from longrein.testing.crash.effects import HARMLESS_TWICE, repeated
from longrein.testing.crash.equip import folding
from longrein.testing.crash.families import strayed
from longrein.testing.crash.files import left_behind, misplaced, reported
from longrein.testing.crash.shown import not_shown
from longrein.testing.crash.view import checksum, name
from longrein.testing.crash.wire import Began, Done, Got, Judged, Saw, Told
from longrein.testing.crash.working import ON_FILES

RAN = ("ok", "error")
BEGAN = (*RAN, "interrupted")
"""How a call ends that was started; a crash turns these, and no others, into `unknown`."""

_IDS = re.compile(r"thr_[0-9a-f]+")

SILENT = ("submit_plan", "write_todos", "update_todos")
"""Tools whose only effect is what they write down."""


class Ending(Struct, frozen=True):
    """The log that a case ended with, folded."""

    texts: list[str]
    events: list[e.Event]
    beside: list[e.Event]
    state: State
    children: list[list[e.Event]] = []

    @property
    def every(self) -> list[e.Event]:
        """The events of all threads."""
        return [*self.events, *self.beside, *(one for log in self.children for one in log)]


def judge(case: Case, model: Ending) -> Judged:
    """What is wrong with a case, by kind, compared with how an undisturbed one ended."""
    findings: dict[str, list[str]] = {}

    def find(kind: str, faults: Iterator[str]) -> None:
        if found := list(faults):
            findings[kind] = found

    done = next((life.done for life in reversed(case.lives) if life.done), None)
    find("unusable", _unusable(case.lives, done))
    find("repeated", (f"{again.tool} {again.key}" for again in repeated(case.effects)))
    if done is None:
        return _judged(case, findings, [], 0)
    end = ending(done, case.plan.scenario)
    find("lost", _lost(case, end, done))
    find("unsettled", _unsettled(end))
    find("unknown_not_started", _not_started(end))
    find("different", _different(case, end, model))
    find("miscounted", _miscounted(case, end, done))
    if case.project:
        find("misplaced", misplaced(case, end.events))
    find("left_behind", left_behind(case))
    find("strayed", strayed(end.children, end.events))
    unknown = sum(
        isinstance(event, e.ToolEnded) and event.status == "unknown" for event in end.events
    )
    return _judged(case, findings, end.events, unknown)


def ending(done: Done, scenario: Scenario) -> Ending:
    """The log of a finished process."""
    events = [decode_event(text.encode()) for text in done.log]
    beside = [decode_event(text.encode()) for text in done.beside]
    children = [[decode_event(text.encode()) for text in log] for log in done.children]
    return Ending(done.log, events, beside, _folded(events, scenario), children)


def _folded(events: Sequence[e.Event], scenario: Scenario) -> State:
    fold = folding(scenario)
    state = fold.begun(State())
    for event in events:
        state = fold(state, event)
    return state


def _judged(
    case: Case, findings: dict[str, list[str]], events: Sequence[e.Event], unknown: int
) -> Judged:
    counted = [life for life in case.lives if _counts(life, events)]
    first = [life for life in case.lives[:1] if case.plan.first_start and life.killed]
    at_start = [life for life in first if life not in counted]
    return Judged(
        case.plan.seed,
        case.plan.scenario.name,
        kills=len(counted),
        random=sum(not life.kill.point for life in counted),
        hits=[life.kill.point for life in (*counted, *at_start) if life.kill.point],
        first_starts=len(at_start),
        unknown=unknown,
        reported=reported(events),
        findings=findings,
    )


def _counts(life: Life, events: Sequence[e.Event]) -> bool:
    """A kill counts between the first append of the thread and the last one of its runs."""
    ends = [event.time for event in events if isinstance(event, e.RunEnded)]
    return life.killed is not None and bool(ends) and events[0].time < life.killed < ends[-1]


def _unusable(lives: Sequence[Life], done: Done | None) -> Iterator[str]:
    for life in lives:
        if life.broke:
            yield life.broke
        elif life.killed is None and life.done is None:
            yield f"the {life.role} process did not come to an end; it last said {life.said[-3:]}"
    if done is None and not any(life.broke for life in lives):
        yield "no process came to the end"


def _lost(case: Case, end: Ending, done: Done) -> Iterator[str]:
    """Whatever a process was told before it died, and whatever the next one found, is there."""
    checksums = [crc32(text.encode()) for text in end.texts]
    for life in case.lives:
        for message in life.said:
            match message:
                case Saw(seq=seq, checksum=checksum):
                    if checksums[seq - 1 : seq] != [checksum]:
                        yield f"event {seq} was seen and is not there"
                case Began(log=log, state=state):
                    if checksums[: len(log)] != log:
                        yield f"the log of {len(log)} events that was found is not there"
                    yield from _forgotten(end.events[: len(log)], state, case.plan.scenario)
                case _:
                    pass
    yield from _lost_commands(case, end)
    yield from _lost_outputs(case)
    yield from not_shown(case, done)


def _forgotten(events: Sequence[e.Event], state: int, scenario: Scenario) -> Iterator[str]:
    """What a process knows of a thread is what the log says."""
    if state and state != checksum(_folded(events, scenario)):
        yield f"the state in memory is not what the {len(events)} events in the log fold to"


def _lost_outputs(case: Case) -> Iterator[str]:
    """A run that was asked for an output has it, for whoever looks it up by its id."""
    got = {m.command: m.value for life in case.lives for m in life.said if isinstance(m, Got)}
    for act in case.plan.scenario.acts:
        if act.output is not None and got.get(act.id) != msgspec.to_builtins(act.output):
            yield f"the output of {act.id} is {got.get(act.id)}"


def _lost_commands(case: Case, end: Ending) -> Iterator[str]:
    """Every command that was answered had its effect, once, however often it was sent."""
    late = {act.id for act in case.plan.scenario.acts if act.may_be_late}
    told = [m for life in case.lives for m in life.said if isinstance(m, Told)]
    # What a child asked is answered in its own log.
    known = {*end.state.commands, *(one.cause for log in end.children for one in log)}
    for message in told:
        if message.status == "seen" or (message.command in late and message.status == "stale"):
            continue
        if message.status not in ("admitted", "applied", "already", "accepted"):
            yield f"command {message.command} was answered {message.status}"
        elif message.command not in known:
            yield f"command {message.command} was answered {message.status} and is not there"
    caused = Counter((event.cause, type(event)) for event in end.events if event.cause)
    yield from (f"command {id} was applied {n} times" for (id, _), n in caused.items() if n > 1)
    applied = Counter(message.command for message in told if message.status == "applied")
    yield from (f"command {id} was new {n} times" for id, n in applied.items() if n > 1)


def _unsettled(end: Ending) -> Iterator[str]:
    every = end.every
    asked = [call for event in every if isinstance(event, e.StepEnded) for call in event.calls]
    settled = Counter(event.call for event in every if isinstance(event, e.ToolEnded))
    for call in asked:
        if settled[call.id] != 1:
            yield f"call {call.id} was settled {settled[call.id]} times"
    if end.state.run is not None or end.state.approvals or end.state.questions:
        yield "something is still open at the end"


def _not_started(end: Ending) -> Iterator[str]:
    """A call is unknown only if its start was durable, and the process that started it gone."""
    started: dict[str, int] = {}
    for event in end.every:
        if isinstance(event, e.ToolStarted):
            started[event.call] = event.epoch
        elif isinstance(event, e.ToolEnded) and event.status == "unknown":
            since = started.get(event.call)
            if since is None or since >= event.epoch:
                yield f"call {event.call} is unknown and was never started"


def _different(case: Case, end: Ending, model: Ending) -> Iterator[str]:
    """The transcript is the undisturbed one, but for calls that are unknown and loose text."""
    scenario = case.plan.scenario
    said, expected = _said(end, scenario), _said(model, scenario)
    if len(said) != len(expected):
        yield f"{len(said)} messages, not {len(expected)}: {said}"
    for got, wanted in zip(said, expected, strict=False):
        if not _alike(got, wanted, scenario):
            yield f"{_brief(got)} in place of {_brief(wanted)}"
    if not scenario.loose and _outcomes(end, scenario) != _outcomes(model, scenario):
        yield f"outcomes {_outcomes(end, scenario)}"
    if not scenario.loose:
        yield from _asked_again(end, model)
    yield from _effects(case, end)
    yield from _facts(end)
    yield from _hooks(case, end, model)
    for life in case.lives:
        if life.done:
            own = ending(life.done, scenario)
            yield from _forgotten(own.events, life.done.state, scenario)


def _said(end: Ending, scenario: Scenario) -> list[Message]:
    return [message for message in end.state.messages if not _is_loose(message, scenario)]


def _is_loose(message: Message, scenario: Scenario) -> bool:
    if isinstance(message, Note):
        return message.source.startswith("subagent:")
    if not isinstance(message, Assistant):
        return False
    loose = bool(scenario.loose) and scenario.loose.startswith(message.text)
    return loose or (bool(scenario.heard) and message.text == scenario.heard)


def _alike(got: Message, wanted: Message, scenario: Scenario) -> bool:
    match got, wanted:
        case User(), User():
            return (got.parts, got.input) == (wanted.parts, wanted.input)
        case Note(), Note():
            return (got.text, got.source) == (wanted.text, wanted.source)
        case Assistant(), Assistant():
            if got.model != wanted.model:
                return False
            calls = [(call.name, call.arguments) for call in got.calls]
            same = calls == [(call.name, call.arguments) for call in wanted.calls]
            return same and got.text == wanted.text and got.interrupted == wanted.interrupted
        case ToolResult(), ToolResult():
            if got.status == "unknown" and wanted.status in BEGAN:
                return scenario.settles_started or got.name not in HARMLESS_TWICE
            said = _IDS.sub("", got.text), _IDS.sub("", wanted.text)
            return (got.name, got.status) == (wanted.name, wanted.status) and said[0] == said[1]
        case _:
            return False


def _outcomes(end: Ending, scenario: Scenario) -> list[object]:
    ended = [event.outcome for event in end.events if isinstance(event, e.RunEnded)]
    return [one for one in ended if one != Finished(scenario.heard)]


def _asked_again(end: Ending, model: Ending) -> Iterator[str]:
    """Nobody is asked twice, and of what needs a yes nothing happens without it."""
    if _approvals(end) != _approvals(model):
        yield f"a yes was wanted for {_approvals(end)}, not {_approvals(model)}"
    # A call that was lost in a crash does not get to its next question.
    if again := _questions(end) - _questions(model):
        yield f"a question was asked again: {again}"


def _approvals(end: Ending) -> Counter[str]:
    return Counter(
        name(event.approval) for event in end.events if isinstance(event, e.ApprovalRequested)
    )


def _questions(end: Ending) -> Counter[str]:
    return Counter(
        name(event.question) for event in end.events if isinstance(event, e.QuestionAsked)
    )


def _facts(end: Ending) -> Iterator[str]:
    """What a call writes down is there with its result, once; without a result it is not there."""
    facts = Counter(event.call for event in end.events if isinstance(event, e.Recorded))
    for message in end.state.messages:
        if isinstance(message, ToolResult) and message.name in SILENT:
            written = int(message.status == "ok")
            if facts[message.call] != written:
                yield f"{message.name} is {message.status} and wrote {facts[message.call]} facts"


def _hooks(case: Case, end: Ending, model: Ending) -> Iterator[str]:
    """Hooks decide once: what was decided is read after a crash, not asked for again."""
    if _decided(end) != _decided(model):
        yield f"hooks decided {_decided(end)}, not {_decided(model)}"
    asked = Counter(event.about for event in end.events if isinstance(event, e.HookStarted))
    for call, times in Counter(asking.call for asking in case.asked).items():
        if times > asked[call]:
            yield f"hooks were asked about {call} without a word of it in the log"


def _decided(end: Ending) -> Counter[tuple[str, ...]]:
    return Counter(
        (event.point, event.decision, event.by, event.text, event.arguments or "")
        for event in end.events
        if isinstance(event, e.HookEnded) and event.point.startswith("before_")
    )


def _miscounted(case: Case, end: Ending, done: Done) -> Iterator[str]:
    """What was used is told as it was, when a thread is opened and at the end."""
    limited = "money" in case.plan.scenario.brings
    for message in (message for life in case.lives for message in life.said):
        if isinstance(message, Began) and message.state:
            events = end.events[: len(message.log)]
            yield from miscounted(events, message.view, limited=limited)
    yield from miscounted(end.events, done.view, limited=limited)
    beside = count(end.beside).thread
    beside = sum((count(log).thread for log in end.children), beside)
    if beside != done.view.beside_spent:
        yield f"the other thread has spent {done.view.beside_spent}, and its log says {beside}"


def _effects(case: Case, end: Ending) -> Iterator[str]:
    """What a call is said to have done is what it did."""
    happened = Counter(effect.call for effect in case.effects)
    started = {event.call for event in end.every if isinstance(event, e.ToolStarted)}
    traceless = {*SILENT, *ON_FILES, "task"}
    for call in happened:
        if call not in started:
            yield f"call {call} had an effect and no durable start"
    for message in end.state.messages:
        if isinstance(message, ToolResult):
            times = happened[message.call]
            if message.status in RAN and message.name not in traceless and not times:
                yield f"{message.name} is said to have run and had no effect"
            if message.status not in (*BEGAN, "unknown") and times:
                yield f"{message.name} is {message.status} and had an effect"


def _brief(message: Message) -> str:
    return repr(message)[:300]
