"""Whoever was promised a run hears how it ends."""

from longrein.core import commands as c
from longrein.core.outcomes import Aborted, Finished, Waiting
from longrein.session.handle import standing
from tests.loop.simulate import World


def test_a_run_under_way_has_no_outcome_yet() -> None:
    world = World()
    run = world.send().run
    assert standing(world.state, run) is None


def test_a_run_waits_when_only_people_are_left() -> None:
    world = World()
    run = world.send().run
    world.reply("", ("write", '{"path":"/a"}'))
    assert standing(world.state, run) == Waiting((world.state.approvals[0].id,))


def test_a_queued_run_has_no_outcome_before_its_turn() -> None:
    world = World()
    world.send()
    run = world.say("queue").run
    assert standing(world.state, run) is None
    world.reply("done")
    world.reply("done too")
    assert standing(world.state, run) == Finished("done too")


def test_each_run_has_its_own_outcome() -> None:
    world = World()
    first = world.send().run
    world.reply("one")
    second = world.send().run
    world.interrupt()
    world.stop_flying(world.flying[0])
    assert standing(world.state, first) == Finished("one")
    assert standing(world.state, second) == Aborted("enough")


def test_a_send_into_a_run_hears_the_end_of_that_run() -> None:
    world = World()
    first = world.send().run
    assert world.say("steer").run == first
    world.stop_flying(world.flying[0], "I was")
    world.reply("done")
    assert standing(world.state, first) == Finished("done")


def test_sends_into_a_run_that_is_being_stopped_share_the_next_one() -> None:
    world = World()
    world.send()
    world.interrupt()
    one, two = world.send("one").run, world.send("two").run
    assert one == two
    world.stop_flying(world.flying[0])
    world.reply("done")
    assert standing(world.state, one) == Finished("done")


def test_an_input_that_an_interrupt_held_runs_when_it_is_released() -> None:
    world = World()
    world.send()
    run = world.say("queue").run
    world.interrupt()
    world.stop_flying(world.flying[0])
    assert standing(world.state, run) is None
    world.tell(c.Release(id="release"))
    world.reply("done")
    assert standing(world.state, run) == Finished("done")
