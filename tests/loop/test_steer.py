"""A steer: the model stops speaking, started tools finish, the rest does not run."""

from longrein.core import commands as c
from longrein.core import events as e
from longrein.core.messages import Assistant, Note, User
from tests.loop.simulate import World

LOOK = ("look", "{}")
WRITE = ("write", '{"path":"/a"}')


def test_a_steer_while_idle_starts_a_run() -> None:
    world = World()
    world.say("steer")
    assert world.state.run is not None


def test_a_steer_cancels_the_model_call_and_keeps_what_it_said() -> None:
    world = World()
    world.send()
    world.say("steer", "no, the other one")
    assert world.cancelled == world.flying
    world.stop_flying(world.flying[0], "I was about")
    said, steered = world.state.messages[-2:]
    assert isinstance(said, Assistant)
    assert said.interrupted
    assert isinstance(steered, User)
    assert world.state.step is not None


def test_a_model_call_that_ends_before_it_can_be_cancelled_counts() -> None:
    world = World()
    world.send()
    world.say("steer")
    world.reply("all of it")
    assert [type(m).__name__ for m in world.state.messages] == ["User", "Assistant", "User"]


def test_started_tools_finish_and_the_rest_is_not_run() -> None:
    world = World()
    world.send()
    world.reply("", LOOK, WRITE, ("survey", "{}"))
    world.say("steer")
    assert world.cancelled == []
    assert world.phases() == ["started", "settled", "settled"]
    world.end(world.flying[0])
    assert _statuses(world) == ["declined", "not_run", "ok"]
    assert isinstance(world.state.messages[-1], User)


def test_a_steer_declines_what_waits_for_a_person_as_superseded() -> None:
    world = World()
    world.send()
    world.reply("", WRITE, ("confirm", "{}"))
    world.ask(world.flying[0])
    approval, question = world.state.approvals[0].id, world.state.questions[0].id
    world.say("steer")
    assert _statuses(world) == ["declined", "interrupted"]
    assert {"superseded by a new instruction"} == {
        event.reason
        for event in world.log
        if isinstance(event, e.ApprovalAnswered | e.QuestionAnswered)
    }
    assert world.tell(c.Approve(approval, id="late")).status == "stale"
    assert world.tell(c.AnswerQuestion(question, "yes", id="later")).status == "stale"


def test_a_tool_that_asks_after_a_steer_is_not_waited_for() -> None:
    world = World()
    world.send()
    world.reply("", ("confirm", "{}"))
    world.say("steer")
    world.ask(world.flying[0])
    assert _statuses(world) == ["interrupted"]
    assert world.state.questions == ()


def test_a_steer_into_the_calls_of_a_dead_process_settles_them_as_unknown() -> None:
    world = World()
    world.send()
    world.reply("", LOOK, ("task", "{}"))
    world.tell_at_once(world.saying("steer"))
    world.crash()
    assert _statuses(world) == ["unknown", "unknown"]
    assert isinstance(world.state.messages[-1], User)


def test_a_steer_after_a_lost_model_call_is_before_the_next_one() -> None:
    world = World()
    world.send()
    world.say("steer", "other")
    world.crash()
    assert [type(m).__name__ for m in world.state.messages] == ["User", "User"]
    assert len(world.flying) == 1


def test_what_a_person_answered_just_before_a_steer_is_kept() -> None:
    world = World()
    world.send()
    world.reply("", WRITE, ("write", '{"path":"/b"}'))
    first, second = world.state.approvals
    world.tell_at_once(
        c.Replace(first.id, "did it myself", id="replace"),
        c.Decline(second.id, "too risky", id="decline"),
        world.saying("steer"),
    )
    assert _statuses(world) == ["replaced", "declined"]
    assert "did it myself" in str(world.state.messages)
    assert "too risky" in str(world.state.messages)


def test_a_call_approved_just_before_a_steer_is_not_run() -> None:
    world = World()
    world.send()
    world.reply("", WRITE)
    approval = world.state.approvals[0].id
    world.tell_at_once(c.Approve(approval, id="yes"), world.saying("steer"))
    assert _statuses(world) == ["not_run"]


def test_a_steer_taken_back_leaves_the_model_something_to_answer() -> None:
    world = World()
    world.send()
    world.say("steer")
    world.tell(c.WithdrawInput(world.state.queue[0].id, id="back"))
    world.stop_flying(world.flying[0], "I was about")
    assert isinstance(world.state.messages[-1], Note)
    assert len(world.flying) == 1


def test_a_steer_during_a_pause_is_heard_at_the_next_attempt() -> None:
    world = World()
    world.send()
    world.fail("retry")
    world.say("steer")
    assert world.state.queue == ()
    world.due()
    assert isinstance(world.state.messages[-1], User)
    assert len(world.flying) == 1


def test_a_steer_into_a_run_that_is_being_stopped_starts_the_next_one() -> None:
    world = World()
    world.send()
    first = world.state.run
    world.interrupt()
    answer = world.say("steer")
    assert first is not None
    assert answer.run != first.id
    world.stop_flying(world.flying[0])
    assert world.state.run is not None
    assert world.state.run.id == answer.run


def _statuses(world: World) -> list[str]:
    return [event.status for event in world.log if isinstance(event, e.ToolEnded)]
