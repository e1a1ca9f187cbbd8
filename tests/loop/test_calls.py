"""The calls of a step: side by side, in bounds, in order, and asked about at once."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longrein.core import events as e
from longrein.core.messages import ToolResult
from longrein.core.state import Call, Phase
from longrein.loop.calls import startable
from tests.loop.simulate import World
from tests.loop.tools import kit

LOOK = ("look", "{}")
WRITE = ("write", '{"path":"/a"}')
OTHER = ("write", '{"path":"/b"}')
SURVEY = ("survey", "{}")


def test_calls_that_need_no_yes_start_while_others_are_asked_about() -> None:
    world = _called(LOOK, WRITE, OTHER, LOOK)
    assert world.phases() == ["started", "approval", "approval", "started"]
    assert len(world.resting.wait.on) == 2


def test_all_approvals_and_all_starts_are_in_one_write() -> None:
    world = World()
    world.send()
    before = world.state.seq
    world.reply("", LOOK, WRITE, OTHER)
    assert world.since(before) == [
        "StepEnded", "ApprovalRequested", "ApprovalRequested", "ToolStarted"
    ]  # fmt: skip


def test_an_approved_call_starts_while_its_siblings_still_run() -> None:
    world = _called(LOOK, WRITE)
    world.approve()
    assert world.phases() == ["started", "started"]


def test_results_go_back_in_call_order() -> None:
    world = _called(LOOK, ("task", "{}"), ("check", "{}"))
    world.approve()
    calls = list(world.flying)
    for call in reversed(calls):
        world.end(call)
    results = [m for m in world.state.messages if isinstance(m, ToolResult)]
    assert [result.call for result in results] == calls


def test_the_model_is_called_again_only_when_every_call_is_settled() -> None:
    world = _called(LOOK, WRITE)
    world.end(world.flying[0])
    assert world.phases() == ["settled", "approval"]
    world.decline(world.approval("write").id)
    assert world.state.step is not None
    assert world.state.step.phase == "model"


def test_no_more_calls_run_at_once_than_the_bound() -> None:
    world = _called(*[LOOK] * 12)
    assert world.phases().count("started") == 8
    world.end(world.flying[0])
    assert world.phases().count("started") == 8
    assert world.phases().count("new") == 3


def test_a_bound_of_one_runs_calls_one_after_the_other() -> None:
    world = World(kit(parallel=1))
    world.send()
    world.reply("", LOOK, LOOK, LOOK)
    assert world.phases() == ["started", "new", "new"]
    world.end(world.flying[0])
    assert world.phases() == ["settled", "started", "new"]


def test_a_call_that_waits_for_a_yes_holds_no_place() -> None:
    world = World(kit(parallel=1))
    world.send()
    world.reply("", WRITE, LOOK)
    assert world.phases() == ["approval", "started"]


def test_a_call_that_asks_a_person_holds_no_place() -> None:
    world = World(kit(parallel=1))
    world.send()
    world.reply("", ("confirm", "{}"), LOOK)
    world.ask(world.flying[0])
    assert world.phases() == ["question", "started"]


def test_a_call_that_runs_alone_is_a_barrier() -> None:
    world = _called(LOOK, SURVEY, LOOK)
    assert world.phases() == ["started", "new", "new"]
    world.end(world.flying[0])
    assert world.phases() == ["settled", "started", "new"]
    world.end(world.flying[0])
    assert world.phases() == ["settled", "settled", "started"]


def test_a_call_that_runs_alone_and_waits_for_a_yes_lets_others_pass() -> None:
    world = _called(LOOK, ("deploy", "{}"), LOOK)
    assert world.phases() == ["started", "approval", "started"]
    world.approve()
    assert world.phases() == ["started", "approved", "started"]
    world.end(world.flying[0])
    world.end(world.flying[0])
    assert world.phases() == ["settled", "started", "settled"]


def test_calls_in_one_lane_run_one_after_the_other_beside_other_lanes() -> None:
    world = _called(("peek", '{"path":"/a"}'), ("peek", '{"path":"/a"}'), ("peek", '{"path":"/b"}'))
    assert world.phases() == ["started", "new", "started"]
    world.end(world.flying[0])
    assert world.phases() == ["settled", "started", "started"]


def test_a_call_whose_arguments_were_edited_changes_its_lane() -> None:
    world = _called(("peek", '{"path":"/b"}'), WRITE)
    world.approve(arguments='{"path":"/b"}')
    assert world.phases() == ["started", "approved"]
    world.end(world.flying[0])
    assert world.call("write").phase == "started"
    started = [event for event in world.log if isinstance(event, e.ToolStarted)]
    assert started[-1].arguments == '{"path":"/b"}'


def test_a_call_that_cannot_run_is_answered_at_once_with_what_is_wrong() -> None:
    world = _called(("nothing", "{}"), ("peek", "not JSON"), LOOK)
    assert world.phases() == ["settled", "settled", "started"]
    step = world.state.step
    assert step is not None
    statuses = [call.result.status for call in step.calls if call.result]
    assert statuses == ["error", "error"]


phases: st.SearchStrategy[Phase] = st.sampled_from(["new", "started", "approval", "settled"])
some_calls = st.lists(
    st.tuples(phases, st.booleans(), st.sampled_from(["", "", "a", "b"])), max_size=10
)


@settings(deadline=None, derandomize=True)
@given(some_calls, st.integers(1, 4))
def test_what_may_start_never_breaks_a_promise(
    drawn: list[tuple[Phase, bool, str]], parallel: int
) -> None:
    calls = tuple(
        Call(str(n), "t", "{}", phase, alone=alone, lane=lane)
        for n, (phase, alone, lane) in enumerate(drawn)
    )
    ready = {call.id for call in calls if call.phase == "new"}
    chosen = startable(calls, ready, parallel)
    running = [call for call in calls if call.phase == "started"]
    together = [*running, *(call for call in calls if call.id in chosen)]
    if chosen:
        assert len(together) <= parallel
        assert len(together) == 1 or not any(call.alone for call in together)
        first = [call for call in calls if call.id in ready]
        barrier = next((n for n, call in enumerate(first) if call.alone), len(first))
        assert {call.id for call in first[: barrier + 1]} >= set(chosen)
    for call in calls:
        earlier = [c for c in calls[: int(call.id)] if c.id in ready and c.lane == call.lane != ""]
        assert call.id not in chosen or not [c for c in earlier if c.id not in chosen]
    if ready and not running:
        assert chosen, "something can always start where nothing runs"


@pytest.mark.parametrize("alone", [0, 1])
def test_what_runs_alone_keeps_its_place_around_a_call_that_is_coming(alone: int) -> None:
    calls = tuple(Call(str(n), "t", "{}", alone=n == alone) for n in range(3))
    coming = {"0"}
    assert startable(calls, {"1", "2"}, 8, coming) == ()
    assert startable(calls, {"0", "1", "2"}, 8) == ("0",)


def _called(*wishes: tuple[str, str]) -> World:
    world = World()
    world.send()
    world.reply("", *wishes)
    return world
