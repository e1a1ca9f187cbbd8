"""`decide`: what is next in a thread. Pure: no model, no disk, no clock.

It is asked again after every event and answers only with what to start, end or cancel now. What is
under way has a started event and no end, and is never returned again.
"""

from longrein.core.fold_runs import GO_ON, retry_timer, seconds_timer
from longrein.core.messages import Assistant
from longrein.core.outcomes import Aborted, Ended, Failed, Finished, LimitReached, Problem
from longrein.core.records import Input
from longrein.core.state import Run, State, Step
from longrein.core.window import Compacting
from longrein.loop.calls import abandon, work
from longrein.loop.crowding import asked, step_with
from longrein.loop.deadlines import overdue, with_deadlines
from longrein.loop.limits import reached_here
from longrein.loop.next import (
    Cancel,
    Consult,
    Dismiss,
    Finish,
    Next,
    Promote,
    Recall,
    Remind,
    Settle,
    Wait,
)
from longrein.loop.setup import Setup
from longrein.tools.output import repair

EMPTY_REPLY = "Your last reply was empty. Go on with the task, or say that it is done."


def decide(state: State, setup: Setup) -> tuple[Next, ...]:
    """What to do now, given all that happened."""
    run, step = state.run, state.step
    if state.compaction is not None:
        return _summarise(state, run, state.compaction)
    if run is None:
        return _begin(state, setup)
    if step is not None and step.phase == "lost":
        return (Recall(step.id),)
    if run.stop:
        return _stop(state, run, step)
    if step is None:
        return _go_on(state, setup, run)
    if step.phase == "model":
        return _listen(state, run, step)
    if doing := work(state, setup, step) or overdue(state, setup.unattended):
        return doing
    return (with_deadlines(_rest(state, run), state, setup.unattended),)


def _begin(state: State, setup: Setup) -> tuple[Next, ...]:
    """Idle: start a run with what presses, or with the next follow-up."""
    if state.wish is not None:
        return asked(state, setup, setup.next_model(state))
    if state.held:
        return ()
    pressing = [i for i in state.queue if presses(i)]
    if not pressing:
        pressing = [i for i in state.queue if i.kind == "queue"][:1]
    if not pressing:
        return ()
    kept = {i.id for i in state.queue if i.kind == "signal"} | {i.id for i in pressing}
    inputs = tuple(i.id for i in state.queue if i.id in kept)
    return (Promote(inputs, run=pressing[-1].run),)


def presses(input: Input) -> bool:
    """Whether an input starts a run by itself and joins one that is under way."""
    return input.kind in ("send", "steer", "proceed") or (input.kind == "signal" and input.wake)


def _go_on(state: State, setup: Setup, run: Run) -> tuple[Next, ...]:
    """Between two steps: hear what came in, then end, pause, or call the model."""
    if joining := tuple(i.id for i in state.queue if i.kind != "queue"):
        return (Promote(joining),)
    if run.problem is not None:
        return (Finish(Failed(run.problem)),)
    if run.answer is not None:
        return _answered(setup, run, run.answer)
    if run.retry_at:
        return (Wait(until=run.retry_at, timer=retry_timer(run)),)
    if limit := reached_here(state, run, setup):
        return (Finish(limit),)
    if state.messages and isinstance(state.messages[-1], Assistant):
        # The steer that interrupted this was taken back: a request must end with what to answer.
        return (Remind(GO_ON, "proceed"),)
    if run.hook:
        return (Wait(),)
    if "before_run" in setup.hooks and not run.begun and setup.due(state):
        return (Consult("before_run"),)
    if "before_model" in setup.hooks and run.primed <= run.spent.steps:
        return (Consult("before_model"),)
    return step_with(state, setup, run, setup.model(state, run))


def _answered(setup: Setup, run: Run, answer: str) -> tuple[Next, ...]:
    if run.cut and run.capped:
        return (Finish(LimitReached("cost", "The reply was cut: no more of it was paid for.")),)
    if run.cut:
        text = "The reply was cut because it reached the output limit."
        return (Finish(LimitReached("output", text)),)
    if run.empty == 1:
        return (Remind(EMPTY_REPLY, "empty"),)
    if run.misfit and run.misfits <= setup.repairs:
        return (Remind(repair(run.misfit), "output"),)
    if run.misfit:
        text = f"The answer did not fit the output asked for, {run.misfits} times: {run.misfit}"
        return (Finish(Failed(Problem("output", text))),)
    if run.hook:
        return (Wait(),)
    if "before_finish" in setup.hooks and not run.checked:
        return (Consult("before_finish"),)
    return (Finish(Finished(answer)),)


def _listen(state: State, run: Run, step: Step) -> tuple[Next, ...]:
    """A model call is in flight: only a steer ends it early."""
    if any(i.kind == "steer" for i in state.queue):
        return (Cancel((step.id,), "steer"),)
    return (_rest(state, run),)


def _summarise(state: State, run: Run | None, compaction: Compacting) -> tuple[Next, ...]:
    """A summary is being made: nothing else begins, and whoever says something waits for it."""
    if compaction.stop or (run is not None and run.stop):
        return (Cancel((compaction.id,), run.stop if run else "interrupt"),)
    return (_rest(state, run) if run else Wait(),)


def _stop(state: State, run: Run, step: Step | None) -> tuple[Next, ...]:
    """The run is being stopped: nothing starts, everything ends, then so does the run."""
    if state.approvals or state.questions:
        approvals = tuple(a.id for a in state.approvals)
        return (Dismiss(approvals, tuple(q.id for q in state.questions), "interrupt"),)
    if step is None:
        return (Finish(_stopped(run)),)
    if step.phase == "model":
        return (Cancel((step.id,), run.stop),)
    settled, running = abandon(step)
    actions: tuple[Next, ...] = (Settle(settled),) if settled else ()
    return (*actions, Cancel(running, run.stop)) if running else actions


def _stopped(run: Run) -> Ended:
    if run.stop == "seconds":
        return LimitReached("seconds", f"The run worked for {run.limits.seconds} s, its limit.")
    return Aborted(run.reason or ("declined" if run.stop == "decline" else ""))


def _rest(state: State, run: Run) -> Wait:
    """Wait for people, for what runs, and, while something runs, for the limit of seconds."""
    on = (*(a.id for a in state.approvals), *(q.id for q in state.questions))
    if run.limits.seconds is None or not run.since:
        return Wait(on)
    left = int(run.limits.seconds * 1_000_000) - run.busy
    return Wait(on, until=run.since + max(left, 0), timer=seconds_timer(run))
