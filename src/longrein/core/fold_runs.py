"""The part of `evolve` about inputs and runs."""

from msgspec.structs import replace

from longrein.core import events as e
from longrein.core.fold_deadlines import fold_due
from longrein.core.messages import Assistant, Message, Note, User
from longrein.core.outcomes import Aborted, Ended, Ending, Failed, LimitReached, Problem
from longrein.core.records import Input
from longrein.core.rewinds import MOST_MARKS, mark
from longrein.core.state import Mark, Run, State

GO_ON = "Go on from where you stopped."

MOST_ENDINGS = 100
"""Runs that ended before they were done of which it is known why."""


def fold_queue(
    state: State, event: e.InputAdmitted | e.InputEdited | e.InputWithdrawn | e.QueueReordered
) -> State:
    match event:
        case e.InputAdmitted(input=input):
            held = state.held and input.kind in ("queue", "signal")
            input = replace(input, time=event.time)
            return replace(state, queue=(*state.queue, input), held=held)
        case e.InputEdited(input=id, parts=parts, whole=whole):
            edited = (
                replace(i, parts=parts, whole=whole) if i.id == id else i for i in state.queue
            )
            return replace(state, queue=tuple(edited))
        case e.InputWithdrawn(input=id):
            return replace(state, queue=tuple(i for i in state.queue if i.id != id))
        case e.QueueReordered(inputs=ids):
            place = {id: n for n, id in enumerate(ids)}
            ordered = sorted(state.queue, key=lambda i: place.get(i.id, len(place)))
            return replace(state, queue=tuple(ordered))


def fold_run(
    state: State,
    event: e.RunStarted | e.InputPromoted | e.RunEnded | e.Interrupted | e.TimerDue,
) -> State:
    run = state.run
    match event:
        case e.RunStarted():
            run = Run(event.run, event.limits, event.time, output=event.output)
            return _promote(replace(_begin(state), run=run), event)
        case e.InputPromoted():
            return _promote(state, event)
        case e.RunEnded():
            grants = tuple(g for g in state.grants if g.run != event.run)
            outcomes = state.outcomes.put(event.run, event.outcome)
            problem = _before_it_was_done(run, event.outcome)
            return replace(state, run=None, grants=grants, outcomes=outcomes, problem=problem)
        case e.Interrupted():
            if run is not None:
                run = replace(run, stop="interrupt", reason=event.reason)
            going = state.compaction and replace(state.compaction, stop=True)
            return replace(state, run=run, held=True, compaction=going, wish=None)
        case e.TimerDue():
            if run is None:
                return state
            if event.timer == retry_timer(run):
                return replace(state, run=replace(run, retry_at=0))
            if event.timer == seconds_timer(run):
                return replace(state, run=replace(run, stop="seconds"))
            return fold_due(state, event.timer)


def _begin(state: State) -> State:
    """The state as a run finds it: what ended the one before is past."""
    if state.problem is None:
        return replace(state, refused=())
    ending = Ending(len(state.messages), state.problem)
    endings = (*state.endings, ending)[-MOST_ENDINGS:]
    return replace(state, problem=None, endings=endings, refused=())


def _before_it_was_done(run: Run | None, outcome: Ended) -> Problem | None:
    """Why a run ended that was not done; what a person stopped needs no explanation."""
    match outcome:
        case Failed(problem=problem):
            return problem
        case LimitReached(limit=limit, message=message):
            return Problem(f"limit_{limit}", message)
        case Aborted(reason=reason) if run is not None and run.stop == "refused":
            return Problem("refused", reason)
        case _:
            return None


def retry_timer(run: Run) -> str:
    """The timer that a pause before the next attempt waits for."""
    return f"retry:{run.id}:{run.spent.steps}:{run.failures}"


def seconds_timer(run: Run) -> str:
    """The timer of the run's limit of seconds."""
    return f"seconds:{run.id}"


def _promote(state: State, event: e.RunStarted | e.InputPromoted) -> State:
    """Put inputs before the model, in the order of the queue; each leaves a mark."""
    said, marks = list[Message](), list[Mark]()
    for input in state.queue:
        if input.id in event.inputs:
            marks.append(mark(state, event, input, said))
            said += _messages(state, input)
    run = state.run
    if run is not None:
        heard = any(not isinstance(message, Note) for message in said)
        run = replace(
            run,
            answer=None,
            cut=False,
            empty=0,
            misfit="",
            checked=False,
            unsummarised=run.unsummarised and not heard,
        )
    return replace(
        state,
        messages=state.messages.append(*said),
        queue=tuple(i for i in state.queue if i.id not in event.inputs),
        run=run,
        marks=(*state.marks, *marks)[-MOST_MARKS:],
        undo=None,
    )


def take_back(state: State, run: Run) -> State:
    """The state without what people said to a run that the model has not heard yet; what systems
    said stays."""
    said = {one.input for one in state.marks if one.run == run.id}
    heard = len(state.messages)
    while heard and isinstance(state.messages[heard - 1], User | Note):
        heard -= 1
    unheard = state.messages[heard:]
    refused = tuple(one for one in unheard if isinstance(one, User) and one.input in said)
    if not refused:
        return state
    kept = (one for one in unheard if not (isinstance(one, User) and one.input in said))
    first = heard + unheard.index(refused[0])
    return replace(
        state,
        messages=state.messages.first(heard).append(*kept),
        marks=tuple(one for one in state.marks if one.length < first),
        refused=refused,
    )


def _messages(state: State, input: Input) -> tuple[Message, ...]:
    if input.kind == "signal":
        return (Note(input.text, input.source, input.time),)
    if input.kind != "proceed":
        return (User(input.parts, input.id, input.time, input.whole),)
    # A request has to end with something to answer; after tool results it already does.
    unanswered = state.messages and not isinstance(state.messages[-1], Assistant)
    return () if unanswered else (Note(GO_ON, "proceed", input.time),)


def fold_note(state: State, event: e.NoteAdded) -> State:
    note = Note(event.text, event.source, event.time)
    told = event.source.removeprefix("mode:") if event.source.startswith("mode:") else state.told
    run = replace(state.run, answer=None, cut=False, checked=False) if state.run else None
    if state.step is not None:
        return replace(state, later=(*state.later, note), told=told)
    return replace(state, messages=state.messages.append(note), told=told, run=run)
