"""What a log says of children: which there are, how they stand, and what they have used."""

from msgspec.structs import replace

from longrein.core import events as e
from longrein.core.codec import decode_state, encode_state
from longrein.core.display import activity
from longrein.core.evolve import evolve
from longrein.core.fold_children import MOST_ENDED
from longrein.core.messages import Text, ToolCall
from longrein.core.outcomes import Finished
from longrein.core.records import Input
from longrein.core.state import State
from longrein.core.usage import Limits, Spent, Usage

SPENT = Spent(Usage(10, 5), 7, 0, 2)


def _folded(*events: e.Event, state: State | None = None) -> State:
    state = State() if state is None else state
    for event in events:
        run = event.run or (state.run.id if state.run else "")
        stamped = replace(event, seq=state.seq + 1, time=state.seq + 1, run=run)
        state = evolve(state, stamped)
    return state


def _delegating(*, background: bool = False) -> State:
    """A thread in whose first step a call has a child."""
    return _folded(
        e.ThreadCreated("thr_1", "user", "default"),
        e.Opened("ses_1"),
        e.InputAdmitted(Input("cmd_1", "send", "run_1", (Text("begin"),))),
        e.RunStarted(("cmd_1",), Limits(cost=100), run="run_1"),
        e.StepStarted("step_1", 1, "test:model"),
        e.StepEnded("step_1", (ToolCall("call_1", "task", "{}"),), "tools"),
        e.ToolStarted("call_1", "task", "{}"),
        e.ChildStarted("thr_2", "call_1", "reader", "Read", "Read it.", background),
    )


def test_a_child_is_known_from_its_start_with_the_run_that_it_works_for() -> None:
    child = _delegating().child("thr_2")
    assert child is not None
    assert (child.state, child.run, child.seq, child.open) == ("running", "run_1", 8, True)


def test_a_thread_waits_when_the_child_that_its_call_waits_for_does() -> None:
    state = _folded(e.ChildChanged("thr_2", "waiting"), state=_delegating())
    assert activity(state) == "waiting"
    assert state.run is not None
    assert state.run.since == 0
    state = _folded(e.ChildChanged("thr_2", "running"), state=state)
    assert activity(state) == "running"
    assert state.run is not None
    assert state.run.since


def test_a_thread_does_not_wait_for_a_child_in_the_background() -> None:
    state = _folded(e.ChildChanged("thr_2", "waiting"), state=_delegating(background=True))
    assert activity(state) == "running"


def test_what_an_ended_child_used_counts_once_for_its_thread_and_its_run() -> None:
    ended = e.ChildEnded("thr_2", "finished", SPENT)
    state = _folded(ended, ended, state=_delegating())
    assert state.below == SPENT
    assert state.run is not None
    assert state.run.below == SPENT
    assert state.spent.cost == 0


def test_a_run_that_is_over_keeps_its_account_while_children_of_it_work() -> None:
    over = (e.ToolEnded("call_1", "ok", (Text("Begun."),)), e.RunEnded(Finished("x"), run="run_1"))
    state = _folded(*over, state=_delegating(background=True))
    (account,) = state.accounts
    assert (account.run, account.limits.cost) == ("run_1", 100)
    state = _folded(e.ChildEnded("thr_2", "finished", SPENT), state=state)
    assert state.accounts == ()
    assert state.below == SPENT


def test_children_that_began_after_the_point_of_a_rewind_are_dropped() -> None:
    over = (e.ToolEnded("call_1", "ok", (Text("Begun."),)), e.RunEnded(Finished("x"), run="run_1"))
    state = _folded(*over, state=_delegating(background=True))
    (mark,) = state.marks
    state = _folded(e.Rewound(mark.input, mark.seq), state=state)
    assert [child.dropped for child in state.children] == [True]


def test_a_fork_has_no_children_and_a_forked_child_keeps_the_prefix() -> None:
    prefix = e.PrefixStarted("pre_1", "first", "test:model", "Be brief.", (), "0a")
    state = _folded(prefix, state=_delegating())
    fork = _folded(e.Forked("thr_3", "thr_1", state.seq), state=state)
    assert (fork.children, fork.prefix) == ((), None)
    child = _folded(e.Forked("thr_3", "thr_1", state.seq, True), state=state)
    assert child.children == ()
    assert child.prefix == state.prefix


def test_of_ended_children_only_the_newest_are_kept() -> None:
    state = _delegating()
    for number in range(MOST_ENDED + 20):
        child = f"thr_c{number}"
        started = e.ChildStarted(child, "call_0", "reader")
        state = _folded(started, e.ChildEnded(child, "finished", SPENT), state=state)
    assert len(state.children) <= MOST_ENDED + 2
    assert state.child("thr_2") is not None
    assert state.below.cost == (MOST_ENDED + 20) * 7


def test_children_of_a_call_that_goes_on_are_never_forgotten() -> None:
    state = _delegating()
    for number in range(1, MOST_ENDED + 20):
        started = e.ChildStarted(f"thr_c{number}", "call_1", "reader", number=number)
        ended = e.ChildEnded(f"thr_c{number}", "finished", SPENT)
        state = _folded(started, ended, state=state)
    assert [one.number for one in state.children] == list(range(MOST_ENDED + 20))


def test_what_an_ended_child_uses_later_counts_below_once() -> None:
    ended = e.ChildEnded("thr_2", "finished", SPENT)
    spent = e.ChildSpent("thr_2", SPENT + SPENT)
    state = _folded(ended, spent, spent, state=_delegating())
    assert (state.below, state.children[0].spent) == (SPENT + SPENT, SPENT + SPENT)
    assert state.run is not None
    assert state.run.below == SPENT
    assert state.children[0].state == "finished"


def test_children_survive_a_snapshot() -> None:
    state = _folded(e.ChildChanged("thr_2", "waiting"), state=_delegating())
    assert decode_state(encode_state(state)) == state
