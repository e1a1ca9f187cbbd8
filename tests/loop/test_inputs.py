"""Sends join at the boundary, follow-ups get runs of their own, signals are nobody's words."""

import pytest

from longrein.core import commands as c
from longrein.core import events as e
from longrein.core.errors import UsageError
from longrein.core.messages import Note, ToolResult, User
from longrein.core.outcomes import Aborted, Finished
from longrein.core.usage import Limits
from tests.loop.simulate import World

LOOK = ("look", "{}")


def test_a_send_joins_after_the_results_of_the_step() -> None:
    world = World()
    run = world.send().run
    world.reply("", LOOK)
    assert world.say("send", "and this").run == run
    assert [i.text for i in world.state.queue] == ["and this"]
    world.end(world.flying[0])
    before, last = world.state.messages[-2:]
    assert isinstance(before, ToolResult)
    assert isinstance(last, User)


def test_a_send_that_comes_during_the_last_step_keeps_the_run_going() -> None:
    world = World()
    run = world.send().run
    world.say("send", "and this")
    world.reply("done")
    assert world.state.run is not None
    assert world.state.run.id == run
    world.reply("done too")
    assert world.state.outcomes[run] == Finished("done too")


def test_a_send_while_a_person_is_waited_for_is_kept_until_the_last_answer() -> None:
    world = World()
    world.send()
    world.reply("", ("write", '{"path":"/a"}'))
    world.say("send", "and this")
    assert world.phases() == ["approval"]
    assert len(world.state.queue) == 1
    world.decline(world.state.approvals[0].id)
    assert world.state.queue == ()


def test_follow_ups_are_promoted_one_at_a_time_in_runs_of_their_own() -> None:
    world = World()
    first = world.send().run
    second, third = world.say("queue", "two").run, world.say("queue", "three").run
    assert len({first, second, third}) == 3
    for run in (first, second, third):
        assert world.state.run is not None
        assert world.state.run.id == run
        world.reply("done")
    assert world.state.run is None
    assert [type(m).__name__ for m in world.state.messages] == ["User", "Assistant"] * 3


def test_a_follow_up_waits_while_a_person_is_asked() -> None:
    world = World()
    world.send()
    world.reply("", ("write", '{"path":"/a"}'))
    world.say("queue", "later")
    assert [i.text for i in world.state.queue] == ["later"]


def test_a_send_goes_before_the_follow_ups() -> None:
    world = World()
    world.send()
    world.say("queue", "later")
    world.interrupt()
    world.stop_flying(world.flying[0])
    world.send("now")
    assert "now" in str(world.state.messages[-1])
    assert [i.text for i in world.state.queue] == ["later"]


def test_sends_that_wait_together_start_one_run() -> None:
    world = World()
    one, two = world.saying("send", "one"), world.saying("send", "two")
    world.tell_at_once(one, two)
    assert world.promised[one.id] == world.promised[two.id]
    world.reply("done")
    assert world.standing(two.id) == Finished("done")


def test_a_signal_is_shown_as_a_note() -> None:
    world = World()
    world.say("signal", "the build failed")
    note = world.state.messages[-1]
    assert isinstance(note, Note)
    assert (note.text, note.source) == ("the build failed", "app")
    assert world.state.run is not None


def test_a_signal_that_wakes_nobody_is_heard_with_the_next_input() -> None:
    world = World()
    world.say("signal", "by the way", wake=False)
    assert world.state.run is None
    world.send("hello")
    assert [type(m).__name__ for m in world.state.messages] == ["Note", "User"]


def test_an_edited_follow_up_is_heard_as_edited() -> None:
    world = _queued("one")
    world.tell(c.EditInput(world.state.queue[0].id, world.saying("send", "other").parts, id="e"))
    world.reply("done")
    assert "other" in str(world.state.messages[-1])


def test_a_withdrawn_follow_up_never_runs_and_its_run_is_over() -> None:
    world = _queued("one")
    input = world.state.queue[0]
    world.tell(c.WithdrawInput(input.id, id="w"))
    assert world.standing(input.id) == Aborted("withdrawn")
    world.reply("done")
    assert world.state.run is None


def test_the_queue_can_be_reordered() -> None:
    world = _queued("one", "two", "three")
    one, two, three = world.state.queue
    world.tell(c.ReorderQueue((three.id, one.id), id="r"))
    assert world.state.queue == (three, one, two)


def test_a_reorder_with_an_unknown_input_changes_nothing() -> None:
    world = _queued("one", "two")
    before = world.state
    ids = tuple(reversed([i.id for i in before.queue]))
    assert world.tell(c.ReorderQueue((*ids, "cmd_none"), id="r")).status == "missing"
    assert world.state is before


def test_proceed_after_a_finished_reply_asks_the_model_to_go_on() -> None:
    world = World()
    world.send()
    world.reply("done")
    world.say("proceed")
    assert isinstance(world.state.messages[-1], Note)
    assert len(world.flying) == 1


def test_proceed_after_a_failure_says_nothing_new() -> None:
    world = World()
    world.send()
    world.fail("fail")
    world.say("proceed")
    assert [type(m).__name__ for m in world.state.messages] == ["User"]
    assert len(world.flying) == 1


def test_proceed_takes_limits_of_its_own() -> None:
    world = World()
    world.send(limits=Limits(steps=1))
    world.reply("", LOOK)
    world.end(world.flying[0])
    assert world.state.run is None
    world.say("proceed", limits=Limits(steps=7))
    assert world.state.run is not None
    assert world.state.run.limits.steps == 7


def test_proceed_while_a_run_is_under_way_is_refused() -> None:
    world = World()
    world.send()
    with pytest.raises(UsageError, match="still under way"):
        world.say("proceed")


def test_the_run_of_an_input_stands_in_its_event() -> None:
    world = World()
    run = world.send().run
    admitted = [event for event in world.log if isinstance(event, e.InputAdmitted)]
    assert admitted[-1].run == run


def _queued(*texts: str) -> World:
    world = World()
    world.send()
    for text in texts:
        world.say("queue", text)
    return world
