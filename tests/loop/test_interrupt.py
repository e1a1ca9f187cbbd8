"""An interrupt ends the run and holds the queue; nothing that was said is lost."""

import pytest

from longrein.core import commands as c
from longrein.core import events as e
from longrein.core.messages import Assistant
from longrein.core.outcomes import Aborted
from tests.loop.simulate import World

LOOK = ("look", "{}")
WRITE = ("write", '{"path":"/a"}')


def test_an_interrupt_while_idle_is_stale_and_changes_nothing() -> None:
    world = World()
    before = world.state
    assert world.interrupt().status == "stale"
    assert world.state is before


def test_an_interrupted_model_call_keeps_what_it_said() -> None:
    world = World()
    run = world.send().run
    world.interrupt()
    assert world.cancelled == world.flying
    world.stop_flying(world.flying[0], "I was about")
    said = world.state.messages[-1]
    assert isinstance(said, Assistant)
    assert said.interrupted
    assert world.state.outcomes[run] == Aborted("enough")


def test_an_interrupted_model_call_that_said_nothing_leaves_no_message() -> None:
    world = World()
    world.send()
    world.interrupt()
    world.stop_flying(world.flying[0])
    assert [type(m).__name__ for m in world.state.messages] == ["User"]


def test_an_interrupt_settles_every_call() -> None:
    world = World()
    world.send()
    world.reply("", LOOK, WRITE, ("confirm", "{}"), ("survey", "{}"))
    world.ask(world.call("confirm").id)
    world.interrupt()
    assert world.cancelled == [world.call("look").id]
    world.stop_flying(world.flying[0])
    assert sorted(_statuses(world)) == ["declined", "interrupted", "interrupted", "not_run"]
    assert world.state.run is None
    assert (world.state.approvals, world.state.questions) == ((), ())


def test_what_is_cancelled_is_not_started_again_and_nothing_else_starts() -> None:
    world = World()
    world.send()
    world.reply("", *[LOOK] * 10)
    world.interrupt()
    world.end(world.flying[0])
    assert "new" not in world.phases()
    assert len(world.flying) == 7


def test_an_interrupt_keeps_the_queue_and_holds_it() -> None:
    world = World()
    world.send()
    world.say("queue", "one")
    world.say("queue", "two")
    world.say("send", "three")
    world.interrupt()
    world.stop_flying(world.flying[0])
    assert world.state.run is None
    assert [i.text for i in world.state.queue] == ["one", "two", "three"]
    assert world.state.held


def test_release_lets_the_held_queue_go_on() -> None:
    world = _held("one")
    world.tell(c.Release(id="release"))
    assert world.state.run is not None
    assert world.state.queue == ()


@pytest.mark.parametrize("kind", ["send", "steer", "proceed"])
def test_the_next_thing_that_a_person_says_lets_the_held_queue_go_on(kind: str) -> None:
    world = _held("one")
    world.tell(_saying(world, kind))
    assert [i.text for i in world.state.queue] == ["one"]
    world.reply("done")
    assert world.state.queue == ()
    assert world.state.run is not None


@pytest.mark.parametrize("kind", ["queue", "signal"])
def test_what_is_only_queued_or_signalled_does_not_wake_a_held_queue(kind: str) -> None:
    world = _held("one")
    world.tell(_saying(world, kind))
    assert world.state.run is None
    assert len(world.state.queue) == 2


def test_a_second_interrupt_is_already_done() -> None:
    world = World()
    world.send()
    world.interrupt()
    before = world.state
    assert world.interrupt().status == "already"
    assert world.state is before


def test_an_interrupt_during_a_pause_ends_the_run_at_once() -> None:
    world = World()
    run = world.send().run
    world.fail("retry")
    world.interrupt()
    assert world.state.outcomes[run] == Aborted("enough")


def test_an_interrupt_of_a_lost_model_call_ends_the_run() -> None:
    world = World()
    run = world.send().run
    world.interrupt()
    world.crash()
    assert world.state.outcomes[run] == Aborted("enough")
    assert world.flying == []


def test_an_interrupt_before_a_crash_settles_what_ran_as_unknown() -> None:
    world = World()
    world.send()
    world.reply("", LOOK, WRITE)
    world.interrupt()
    world.crash()
    assert _statuses(world) == ["declined", "unknown"]
    assert world.state.run is None


def test_a_tool_that_asks_while_it_is_cancelled_is_settled() -> None:
    world = World()
    world.send()
    world.reply("", ("confirm", "{}"))
    world.interrupt()
    world.ask(world.flying[0])
    assert _statuses(world) == ["interrupted"]
    assert world.state.run is None


def test_a_decline_that_stops_ends_the_run_and_cancels_what_runs() -> None:
    world = World()
    run = world.send().run
    world.reply("", LOOK, WRITE, ("write", '{"path":"/b"}'))
    world.decline(world.state.approvals[0].id, "wrong file", stop=True)
    assert world.cancelled == [world.call("look").id]
    world.stop_flying(world.flying[0])
    assert _statuses(world) == ["declined", "declined", "interrupted"]
    assert world.state.outcomes[run] == Aborted("wrong file")


def test_the_model_can_later_hear_why_a_decline_stopped_the_run() -> None:
    world = World()
    world.send()
    world.reply("", WRITE)
    world.decline(world.state.approvals[0].id, "wrong file", stop=True)
    assert "wrong file" in str(world.state.messages[-1])


def test_a_declined_question_that_stops_ends_the_run() -> None:
    world = World()
    run = world.send().run
    world.reply("", ("confirm", "{}"))
    world.ask(world.flying[0])
    world.decline(world.state.questions[0].id, stop=True)
    assert isinstance(world.state.outcomes[run], Aborted)
    assert _statuses(world) == ["interrupted"]


def _held(queued: str) -> World:
    world = World()
    world.send()
    world.say("queue", queued)
    world.interrupt()
    world.stop_flying(world.flying[0])
    return world


def _saying(world: World, kind: str) -> c.Say:
    match kind:
        case "send" | "steer" | "proceed" | "queue" | "signal":
            return world.saying(kind)
        case _:
            raise ValueError(kind)


def _statuses(world: World) -> list[str]:
    return [event.status for event in world.log if isinstance(event, e.ToolEnded)]


def test_an_interrupt_that_comes_with_a_send_holds_it() -> None:
    world = World()
    said = world.saying("send", "never mind")
    world.tell_at_once(said, c.Interrupt(id="stop"))
    assert world.state.run is None
    assert world.state.held
    assert [i.text for i in world.state.queue] == ["never mind"]
