"""What becomes of a run that nobody attends to: deadlines of answers, and what it waits for."""

from typing import Literal

from msgspec import Struct

from longrein.core.errors import UsageError
from longrein.core.fold_deadlines import deadline_timer
from longrein.core.records import Approval, Question
from longrein.core.state import Call, State
from longrein.loop.next import Dismiss, Next, Park, Wait

MICROSECONDS = 1_000_000
LONGEST = 10**9
"""Seconds that anything can be waited for; a deadline is kept as a date."""
UNANSWERED = (
    "nobody answered in time, as this run is unattended. Go on without it if you can; otherwise "
    "say what you need"
)


class Unattended(Struct, frozen=True, omit_defaults=True):
    """What happens where nobody may be there.

    An approval or a question waits for `deadline` seconds (None: for ever), then it is declined and
    the run goes on (`deny`), or the run is left waiting, and says so (`park`). `watchdog`: where
    nothing happened for so many seconds while something runs, a signal says what is waited for.

    >>> from longrein import Unattended
    >>> Unattended(deadline=600, then="park").watchdog is None
    True
    """

    deadline: float | None = None
    then: Literal["deny", "park"] = "deny"
    watchdog: float | None = None

    def __post_init__(self) -> None:
        for name, seconds in (("deadline", self.deadline), ("watchdog", self.watchdog)):
            if seconds is not None and not _is_time(seconds):
                raise UsageError(
                    f"{name} is a number of seconds above 0 and up to {LONGEST:,}, not {seconds!r}."
                )
        if self.then not in ("deny", "park"):
            raise UsageError(f"then is 'deny' or 'park', not {self.then!r}.")


def _is_time(seconds: object) -> bool:
    if isinstance(seconds, bool):  # a number to Python, and to nobody who sets a deadline
        return False
    return isinstance(seconds, int | float) and 0 < seconds <= LONGEST


def patience(unattended: Unattended | None) -> int:
    """How long somebody has to answer, in microseconds; 0: for ever."""
    if unattended is None or unattended.deadline is None:
        return 0
    return max(int(unattended.deadline * MICROSECONDS), 1)


def overdue(state: State, unattended: Unattended | None) -> tuple[Next, ...]:
    """What to do about what nobody answered in time; nothing where there is nothing to do now."""
    due = [one for one in _asked(state) if one.due]
    if unattended is None or not due:
        return ()
    if unattended.then == "deny":
        approvals = tuple(one.id for one in due if isinstance(one, Approval))
        questions = tuple(one.id for one in due if isinstance(one, Question))
        return (Dismiss(approvals, questions, "deadline"),)
    parked = state.run.parked if state.run else ()
    if _works(state) or all(one.id in parked for one in due):
        return ()
    return (Park(tuple(one.id for one in _asked(state))),)


def with_deadlines(wait: Wait, state: State, unattended: Unattended | None) -> Wait:
    """A wait that ends with the first deadline, should that come sooner."""
    if unattended is None:
        return wait
    coming = [one for one in _asked(state) if one.deadline and not one.due]
    first = min(coming, key=lambda one: one.deadline, default=None)
    if first is None or (wait.timer and wait.until <= first.deadline):
        return wait
    return Wait(wait.on, until=first.deadline, timer=deadline_timer(first.id))


def waits_for(state: State) -> str:
    """What a run waits for where no person is meant, in words; "" where nothing runs."""
    if state.compaction is not None:
        return f"the model {state.compaction.model}, for a summary"
    run, step = state.run, state.step
    if run is None:
        return ""
    if step is not None and step.phase == "model":
        return f"the model {step.model}"
    calls = step.calls if step else ()
    told = [_running(state, call) for call in calls if call.phase == "started"]
    if run.hook or any(call.hook == "asked" for call in calls):
        told.append("hooks of capabilities")
    if run.retry_at:
        told.append("the next attempt to call the model")
    return ", ".join(told)


def _running(state: State, call: Call) -> str:
    child = next((one for one in state.children if one.call == call.id and one.open), None)
    return f"the child {child.agent} ({child.thread})" if child else f"the tool {call.name}"


def _asked(state: State) -> tuple[Approval | Question, ...]:
    return (*state.approvals, *state.questions)


def _works(state: State) -> bool:
    """Whether something goes on beside the waiting."""
    calls = state.step.calls if state.step else ()
    return any(
        call.hook == "asked" or (call.phase == "started" and not state.waits_below(call.id))
        for call in calls
    )
