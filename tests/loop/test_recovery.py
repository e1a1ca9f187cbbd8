"""After a crash or a fork: what was open is settled, asked again, or made again, never twice."""

import pytest

from longrein.core import commands as c
from longrein.core import events as e
from longrein.core.evolve import evolve
from longrein.core.messages import ToolResult
from longrein.core.policy import Rule
from longrein.core.state import State
from tests.loop.simulate import World

LOOK = ("look", "{}")
TASK = ("task", "{}")
WRITE = ("write", '{"path":"/a"}')


def test_a_lost_model_call_is_made_again_and_said_to_be_lost() -> None:
    world = World()
    world.send()
    lost = world.flying[0]
    before = world.state.seq
    world.crash()
    assert world.since(before) == ["Opened", "StepFailed", "StepStarted"]
    assert world.flying != [lost]


def test_a_lost_model_call_counts_neither_as_a_step_nor_as_a_failure() -> None:
    world = World()
    world.send()
    for _ in range(20):
        world.crash()
    assert world.state.run is not None
    assert (world.state.run.spent.steps, world.state.run.failures) == (0, 0)


def test_a_started_call_is_settled_as_unknown() -> None:
    world = _called(TASK)
    world.crash()
    result = world.state.messages[-1]
    assert isinstance(result, ToolResult)
    assert result.status == "unknown"
    assert "not known whether this call took effect" in result.text


def test_a_started_call_of_an_idempotent_tool_is_run_again() -> None:
    world = _called(LOOK)
    world.crash()
    assert world.phases() == ["started"]
    assert len(world.flying) == 1


def test_an_idempotent_call_is_not_run_again_where_a_rule_denies_it_now() -> None:
    world = _called(LOOK, WRITE)
    world.tell(c.AddRule(Rule("deny", tool="look"), id="deny"))
    world.crash()
    assert _statuses(world) == ["unknown"]


def test_an_idempotent_call_that_was_approved_is_run_again_without_asking() -> None:
    world = _called(("check", "{}"))
    world.approve()
    world.crash()
    assert world.phases() == ["started"]


def test_an_idempotent_call_is_run_again_though_its_mode_was_left() -> None:
    world = _called(LOOK, WRITE)
    world.tell(c.SwitchMode("bare", id="mode"))
    world.crash()
    assert world.call("look").phase == "started"


def test_pending_approvals_and_questions_keep_their_ids() -> None:
    world = _called(WRITE, ("confirm", "{}"))
    world.ask(world.flying[0])
    before = world.state.approvals, world.state.questions
    world.crash()
    assert (world.state.approvals, world.state.questions) == before
    assert world.approve().status == "applied"


def test_a_question_answered_after_a_crash_calls_the_tool_again_with_its_answers() -> None:
    world = _called(("confirm", "{}"))
    world.ask(world.flying[0])
    world.crash()
    world.tell(c.AnswerQuestion(world.state.questions[0].id, "yes", id="answer"))
    started = [event for event in world.log if isinstance(event, e.ToolStarted)]
    assert [event.answers for event in started] == [0, 1]
    assert world.call("confirm").answers[0].value == "yes"


def test_a_call_that_was_not_started_goes_through_decide_again() -> None:
    world = _called(TASK, ("survey", "{}"))
    assert world.phases() == ["started", "new"]
    world.crash()
    assert world.phases() == ["settled", "started"]


def test_the_queue_survives() -> None:
    world = World()
    world.send()
    world.say("queue", "later")
    world.crash()
    assert [i.text for i in world.state.queue] == ["later"]


def test_a_pause_goes_on_after_a_crash() -> None:
    world = World()
    world.send()
    world.fail("retry")
    wait = world.resting.wait
    world.crash()
    assert world.resting.wait == wait


def test_a_crash_while_idle_changes_nothing() -> None:
    world = World()
    before = world.state.seq
    world.crash()
    assert world.since(before) == ["Opened"]


def test_a_timer_of_a_run_that_is_over_changes_nothing() -> None:
    world = World()
    world.send()
    world.fail("retry")
    timer = world.resting.wait.timer
    world.interrupt()
    world.send()
    before = world.state
    world.write(e.TimerDue(timer))
    assert world.state.run == before.run


def test_an_old_timer_does_not_cut_a_later_pause_short() -> None:
    world = World()
    world.send()
    world.fail("retry")
    timer = world.resting.wait.timer
    world.due()
    world.fail("retry")
    world.write(e.TimerDue(timer))
    assert world.flying == []
    assert world.resting.wait.timer not in ("", timer)


def test_a_fork_in_the_middle_of_a_step_settles_open_calls_as_not_run() -> None:
    world = _called(LOOK, WRITE, TASK)
    world.end(world.flying[0], text="seen")
    world.fork()
    results = [m for m in world.state.messages if isinstance(m, ToolResult)]
    assert [result.status for result in results] == ["ok", "not_run", "not_run"]


def test_a_fork_drops_what_was_under_way_and_keeps_what_was_settled_on() -> None:
    world = World()
    world.tell(c.AddRule(Rule("ask", tool="task", id="careful"), id="rule"))
    world.tell(c.SwitchMode("plan", id="mode"))
    world.tell(c.Rename("A title", id="name"))
    world.send()
    world.reply("", ("confirm", "{}"))
    world.ask(world.flying[0])
    world.say("queue", "later")
    world.fork()
    state = world.state
    assert (state.run, state.step, state.queue, state.questions) == (None, None, (), ())
    assert (state.spent.steps, state.grants, state.prefix) == (0, (), None)
    assert (state.mode, state.rules[0].id, state.title) == ("plan", "careful", "A title")


def test_a_fork_takes_no_grants_along() -> None:
    world = _called(WRITE)
    world.approve(remember="tool")
    assert world.state.grants
    world.fork()
    assert world.state.grants == ()
    world.send()
    world.reply("", WRITE)
    assert world.phases() == ["approval"]


def test_a_fork_in_the_middle_of_a_model_call_goes_on_with_the_next_input() -> None:
    world = World()
    world.send()
    world.fork()
    assert world.flying == []
    world.send("again")
    world.reply("done")
    assert world.state.run is None


def test_a_thread_and_its_fork_do_not_share_what_comes_after() -> None:
    world = World()
    world.send()
    world.reply("done")
    parent, seq = world.state, world.state.seq
    world.fork()
    world.send("in the fork")
    renamed = evolve(parent, e.NoteAdded("in the parent", "app", seq=seq + 1))
    assert "in the fork" not in str(renamed.messages)
    assert "in the parent" not in str(world.state.messages)


def test_events_out_of_order_are_refused() -> None:
    with pytest.raises(ValueError, match="cannot follow"):
        evolve(State(seq=3), e.Opened("one", seq=5))


def _called(*wishes: tuple[str, str]) -> World:
    world = World()
    world.send()
    world.reply("", *wishes)
    return world


def _statuses(world: World) -> list[str]:
    return [event.status for event in world.log if isinstance(event, e.ToolEnded)]
