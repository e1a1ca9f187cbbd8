"""Approvals and questions that nobody answers: declined, or the run is parked. Pure."""

from typing import Any, cast

import pytest
from msgspec.structs import replace

from longrein.core import events as e
from longrein.core.errors import UsageError
from longrein.core.messages import Text, ToolCall
from longrein.core.outcomes import Waiting
from longrein.loop.deadlines import UNANSWERED, Unattended, waits_for
from longrein.session.timer import rung
from tests.loop.simulate import World
from tests.loop.tools import kit

DEPLOY = ("deploy", "{}")
WRITE = ("write", '{"path": "/a"}')
LOOK = ("look", "{}")
SECOND = 1_000_000


def unattended(given: Unattended | None, *calls: tuple[str, str]) -> World:
    """A world in which the model has asked for these calls."""
    made = kit()
    world = World(replace(made, setup=replace(made.setup, unattended=given)))
    world.send()
    world.reply("", *calls)
    return world


def status_of(world: World, name: str) -> tuple[str, str]:
    """How the call of a tool ended, and what the model heard."""
    asked = [one for one in world.log if isinstance(one, e.StepEnded)]
    ids = [
        part.id
        for one in asked
        for part in one.parts
        if isinstance(part, ToolCall) and part.name == name
    ]
    (found,) = [one for one in world.log if isinstance(one, e.ToolEnded) and one.call in ids]
    return found.status, "".join(part.text for part in found.parts if isinstance(part, Text))


def test_without_a_deadline_an_approval_waits_for_ever() -> None:
    for given in (None, Unattended(), Unattended(watchdog=5)):
        world = unattended(given, WRITE)
        assert world.state.approvals[0].deadline == 0
        assert world.resting.wait.timer == ""


def test_the_deadline_counts_from_when_it_was_asked() -> None:
    world = unattended(Unattended(deadline=60), WRITE)
    (approval,) = world.state.approvals
    assert approval.deadline == approval.time + 60 * SECOND
    assert world.resting.wait.until == approval.deadline
    assert world.resting.wait.on == (approval.id,)


def test_deny_declines_and_the_run_goes_on() -> None:
    world = unattended(Unattended(deadline=60), WRITE)
    (approval,) = world.state.approvals
    world.due()
    answered = next(one for one in world.log if isinstance(one, e.ApprovalAnswered))
    assert (answered.approval, answered.decision, answered.by) == (
        approval.id,
        "declined",
        "deadline",
    )
    status, text = status_of(world, "write")
    assert status == "declined"
    assert text == f"This call was not run: {UNANSWERED}."
    assert world.speaking


def test_an_answer_after_the_deadline_is_stale() -> None:
    world = unattended(Unattended(deadline=60), WRITE)
    (approval,) = world.state.approvals
    world.due()
    assert world.decline(approval.id).status == "stale"


def test_an_answer_before_the_deadline_counts_and_the_timer_says_nothing() -> None:
    world = unattended(Unattended(deadline=60), WRITE)
    timer = world.resting.wait.timer
    world.approve()
    assert rung(world.state, timer) == []
    assert world.working == [world.call("write").id]


def test_deny_leaves_other_calls_alone() -> None:
    world = unattended(Unattended(deadline=60), WRITE, LOOK)
    world.due()
    assert status_of(world, "write")[0] == "declined"
    assert world.call("look").phase == "started"


def test_the_first_deadline_comes_first() -> None:
    world = unattended(Unattended(deadline=60), WRITE, LOOK)
    first = world.state.approvals[0]
    world.clock.advance(10)
    world.ask(world.call("look").id)
    (asked,) = world.state.questions
    world.state = replace(world.state, questions=(replace(asked, patience=60 * SECOND),))
    world.write()
    assert world.resting.wait.timer == f"deadline:{first.id}"
    world.due()
    assert world.resting.wait.timer == f"deadline:{world.state.questions[0].id}"
    world.due()
    answered = next(one for one in world.log if isinstance(one, e.QuestionAnswered))
    assert (answered.value, answered.by, answered.reason) == (None, "deadline", UNANSWERED)


def test_park_leaves_the_run_waiting_and_says_so_once() -> None:
    world = unattended(Unattended(deadline=60, then="park"), WRITE)
    (approval,) = world.state.approvals
    run = approval.run
    world.due()
    assert [one.on for one in world.log if isinstance(one, e.Parked)] == [(approval.id,)]
    assert world.resting.wait.timer == ""
    assert world.resting.wait.on == (approval.id,)
    assert world.state.approvals[0].due
    assert world.state.run is not None
    assert world.state.run.id == run


def test_a_parked_run_goes_on_with_a_later_answer_also_after_a_crash() -> None:
    world = unattended(Unattended(deadline=60, then="park"), WRITE)
    world.due()
    world.crash()
    assert len([one for one in world.log if isinstance(one, e.Parked)]) == 1
    world.approve()
    assert world.working == [world.call("write").id]


def test_a_run_is_parked_only_when_nothing_runs_any_more() -> None:
    world = unattended(Unattended(deadline=60, then="park"), WRITE, LOOK)
    world.due()
    assert not any(isinstance(one, e.Parked) for one in world.log)
    world.end(world.call("look").id)
    assert isinstance(world.log[-1], e.Parked)


def test_what_becomes_due_later_parks_again_with_all_that_waits() -> None:
    world = unattended(Unattended(deadline=60, then="park"), WRITE, DEPLOY)
    ids = tuple(one.id for one in world.state.approvals)
    world.due()
    assert [one.on for one in world.log if isinstance(one, e.Parked)] == [ids]


def test_a_crash_past_the_deadline_makes_it_due_at_once() -> None:
    world = unattended(Unattended(deadline=60), WRITE)
    world.clock.advance(3600)
    world.crash()
    assert world.resting.wait.timer == f"deadline:{world.state.approvals[0].id}"
    assert world.resting.wait.until < world.clock.now()
    world.due()
    assert status_of(world, "write")[0] == "declined"


def test_a_deadline_that_the_code_no_longer_has_does_not_hold() -> None:
    world = unattended(Unattended(deadline=60), WRITE)
    without = World(kit())
    without.state = world.state
    without.write(e.Opened("another"))
    assert without.resting.wait.timer == ""


def test_an_interrupt_ends_a_parked_run() -> None:
    world = unattended(Unattended(deadline=60, then="park"), WRITE)
    world.due()
    world.interrupt()
    assert world.state.run is None


def test_waiting_tells_that_it_was_parked() -> None:
    world = unattended(Unattended(deadline=60, then="park"), WRITE)
    input = next(one.inputs[0] for one in world.log if isinstance(one, e.RunStarted))
    before = world.standing(input)
    world.due()
    after = world.standing(input)
    assert isinstance(before, Waiting)
    assert isinstance(after, Waiting)
    assert (before.parked, after.parked) == (False, True)


def test_what_a_run_waits_for_is_told_in_words() -> None:
    made = kit()
    world = World(made)
    assert waits_for(world.state) == ""
    world.send()
    assert waits_for(world.state).startswith("the model ")
    world.reply("", LOOK, WRITE)
    assert waits_for(world.state) == "the tool look"
    world.end(world.call("look").id)
    assert waits_for(world.state) == ""
    world.decline(world.state.approvals[0].id)
    world.fail("retry")
    assert waits_for(world.state) == "the next attempt to call the model"


def test_what_makes_no_sense_is_refused() -> None:
    for bad in (
        lambda: Unattended(deadline=0),
        lambda: Unattended(watchdog=-1),
        lambda: Unattended(deadline=float("nan")),
        lambda: Unattended(then=cast(Any, "ask")),
    ):
        with pytest.raises(UsageError):
            bad()


@pytest.mark.parametrize("seconds", ["1", True, 0, -1, float("nan"), float("inf"), 1e300])
def test_what_is_no_number_of_seconds_is_refused(seconds: Any) -> None:
    for name in ("deadline", "watchdog"):
        with pytest.raises(UsageError, match=f"{name} is a number of seconds above 0"):
            Unattended(**{name: seconds})
