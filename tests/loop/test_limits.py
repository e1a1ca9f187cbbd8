"""A run ends at its limits, whatever the model wants."""

import pytest

from longrein.core import commands as c
from longrein.core.messages import ToolResult
from longrein.core.outcomes import LimitReached
from longrein.core.state import Run
from longrein.core.usage import Limits, Spent, Usage
from longrein.loop.limits import dollars, reached
from longrein.loop.setup import Budgets
from tests.loop.simulate import World
from tests.loop.tools import kit

LOOK = ("look", "{}")


def test_a_model_that_always_calls_a_tool_is_stopped_after_250_steps() -> None:
    world = World()
    run = world.send().run
    steps = 0
    while world.state.run is not None:
        world.reply("", LOOK)
        world.end(world.flying[0])
        steps += 1
    assert steps == 250
    assert _limit(world, run) == "steps"


def test_the_results_of_the_last_step_are_kept() -> None:
    world = World()
    world.send(limits=Limits(steps=1))
    world.reply("", LOOK)
    world.end(world.flying[0])
    assert isinstance(world.state.messages[-1], ToolResult)


def test_a_limit_of_the_input_goes_before_that_of_the_settings() -> None:
    world = World(kit(limits=Limits(steps=9)))
    world.send(limits=Limits(steps=2))
    assert world.state.run is not None
    assert world.state.run.limits == Limits(steps=2)


def test_the_tokens_of_a_run_are_bounded() -> None:
    world = World()
    run = world.send(limits=Limits(tokens=20)).run
    for _ in range(2):
        world.reply("", LOOK)
        world.end(world.flying[0])
    assert _limit(world, run) == "tokens"


def test_the_money_of_a_run_is_bounded() -> None:
    world = World()
    run = world.send(limits=Limits(cost=100)).run
    world.reply("", LOOK, cost=100)
    world.end(world.flying[0])
    assert _limit(world, run) == "cost"


def test_an_unknown_price_is_not_taken_for_zero() -> None:
    world = World()
    run = world.send(limits=Limits(cost=100)).run
    world.reply("", LOOK, cost=None)
    world.end(world.flying[0])
    assert _limit(world, run) == "cost"


def test_the_limit_of_seconds_cancels_what_runs() -> None:
    world = World()
    run = world.send(limits=Limits(seconds=2)).run
    world.reply("", LOOK, ("survey", "{}"))
    world.due()
    assert world.cancelled == world.flying
    world.stop_flying(world.flying[0])
    assert _limit(world, run) == "seconds"


def test_the_limit_of_seconds_stops_a_model_call() -> None:
    world = World()
    run = world.send(limits=Limits(seconds=2)).run
    world.due()
    world.stop_flying(world.flying[0], "I was")
    assert _limit(world, run) == "seconds"


def test_time_spent_waiting_for_a_person_does_not_count() -> None:
    world = World()
    world.send(limits=Limits(seconds=2))
    world.reply("", ("write", '{"path":"/a"}'))
    assert world.resting.wait.timer == ""
    world.clock.advance(3600)
    world.approve()
    assert world.phases() == ["started"]
    world.end(world.flying[0])
    assert world.state.run is not None


def test_the_time_in_which_something_ran_adds_up() -> None:
    world = World()
    run = world.send(limits=Limits(seconds=3)).run
    for _ in range(3):
        world.clock.advance(1)
        world.reply("", LOOK)
        world.end(world.flying[0])
    assert _limit(world, run) == "seconds"


def test_time_before_a_crash_is_not_counted_twice() -> None:
    world = World()
    world.send(limits=Limits(seconds=2))
    world.clock.advance(1)
    world.crash()
    assert world.state.run is not None
    assert world.state.run.busy < 1_000_000


def test_a_clock_that_goes_back_takes_no_time_away() -> None:
    world = World()
    world.send()
    run = world.state.run
    assert run is not None
    world.clock._passed -= 60_000_000  # pyright: ignore[reportPrivateUsage]
    world.reply("", LOOK)
    assert world.state.run is not None
    assert world.state.run.busy >= 0


def test_a_limit_leaves_the_queue_to_runs_with_limits_of_their_own() -> None:
    world = World()
    world.send(limits=Limits(steps=1))
    later = world.say("queue", "later").run
    world.reply("", LOOK)
    world.end(world.flying[0])
    assert world.state.run is not None
    assert (world.state.run.id, world.state.run.limits) == (later, Limits())


def test_a_long_queue_with_nothing_to_spend_comes_to_rest() -> None:
    world = World()
    world.send()
    world.interrupt()
    world.tell_at_once(*(world.saying("queue", "q", Limits(steps=0)) for _ in range(600)))
    world.stop_flying(world.flying[0])
    world.tell(c.Release(id="release"))
    assert world.state.queue == ()
    assert world.state.run is None


@pytest.mark.parametrize(
    ("limits", "limit"),
    [
        (Limits(steps=None), None),
        (Limits(steps=3), None),
        (Limits(steps=2), "steps"),
        (Limits(tokens=31), None),
        (Limits(tokens=30), "tokens"),
        (Limits(cost=6), None),
        (Limits(cost=5), "cost"),
        (Limits(seconds=1.5), None),
        (Limits(seconds=1.0), "seconds"),
    ],
)
def test_a_limit_is_reached_when_all_of_it_is_spent(limits: Limits, limit: str | None) -> None:
    spent = Spent(Usage(20, 10), cost=5, steps=2)
    stop = reached(Run("run_1", limits, 0, spent, busy=1_000_000), spent, Budgets())
    assert (stop.limit if stop else None) == limit


def _limit(world: World, run: str) -> str:
    outcome = world.state.outcomes[run]
    assert isinstance(outcome, LimitReached)
    return outcome.limit


@pytest.mark.parametrize(
    ("billionths", "shown"),
    [
        (0, "$0.0000"),
        (5, "$0.000000005 (5 billionths of a dollar)"),
        (99_999, "$0.000099999 (99,999 billionths of a dollar)"),
        (100_000, "$0.0001"),
        (5_000_000_000, "$5.0000"),
    ],
)
def test_an_amount_too_small_for_dollars_says_what_it_is_counted_in(
    billionths: int, shown: str
) -> None:
    assert dollars(billionths) == shown
