"""What a model can answer, and what becomes of a run then."""

from longrein.core import commands as c
from longrein.core import events as e
from longrein.core.messages import Assistant, Note
from longrein.core.outcomes import Failed, Finished, LimitReached, Problem
from longrein.core.policy import Rule
from tests.loop.simulate import World
from tests.loop.tools import kit

LOOK = ("look", "{}")


def test_a_reply_without_calls_ends_the_run() -> None:
    world = World()
    run = world.send().run
    world.reply("done")
    assert world.state.outcomes[run] == Finished("done")


def test_an_empty_reply_is_reminded_once() -> None:
    world = World()
    run = world.send().run
    world.reply("")
    assert isinstance(world.state.messages[-1], Note)
    world.reply("  ")
    assert world.state.outcomes[run] == Finished("  ")
    assert not [m for m in world.state.messages if isinstance(m, Assistant)]


def test_a_reply_after_the_reminder_counts() -> None:
    world = World()
    run = world.send().run
    world.reply("")
    world.reply("here I am")
    assert world.state.outcomes[run] == Finished("here I am")


def test_each_empty_reply_after_a_good_one_is_reminded_again() -> None:
    world = World()
    world.send()
    for _ in range(2):
        world.reply("")
        world.reply("", LOOK)
        world.end(world.flying[0])
    assert len([m for m in world.state.messages if isinstance(m, Note)]) == 2
    assert world.state.run is not None


def test_an_empty_reply_to_a_new_input_is_reminded_again() -> None:
    world = World()
    world.send()
    world.reply("")
    world.say("send", "and this")
    world.reply("")
    world.reply("")
    assert [type(m).__name__ for m in world.state.messages] == ["User", "Note", "User", "Note"]
    assert world.state.run is not None


def test_a_cut_reply_is_kept_and_ends_the_run_at_the_output_limit() -> None:
    world = World()
    run = world.send().run
    world.reply("It was a dark and", stop="length")
    outcome = world.state.outcomes[run]
    assert isinstance(outcome, LimitReached)
    assert outcome.limit == "output"
    world.say("proceed")
    assert isinstance(world.state.messages[-1], Note)


def test_a_cut_reply_that_says_nothing_ends_the_run_without_a_message() -> None:
    world = World()
    run = world.send().run
    world.reply("", stop="length")
    assert isinstance(world.state.outcomes[run], LimitReached)
    assert len(world.state.messages) == 1


def test_a_cut_reply_with_calls_goes_on() -> None:
    world = World()
    world.send()
    world.reply("", ("peek", '{"path":'), stop="length")
    assert world.state.run is not None
    assert world.state.step is not None
    assert world.state.step.phase == "model"


def test_a_failure_that_is_tried_again_waits_for_its_moment() -> None:
    world = World()
    world.send()
    world.fail("retry")
    assert world.flying == []
    assert world.state.run is not None
    assert world.resting.wait.until == world.state.run.retry_at
    world.due()
    assert len(world.flying) == 1
    assert world.state.run.failures == 1


def test_a_success_forgets_the_failures_before_it() -> None:
    world = World()
    world.send()
    world.fail("retry")
    world.due()
    world.reply("", LOOK)
    assert world.state.run is not None
    assert world.state.run.failures == 0
    assert world.state.problem is None


def test_a_failure_that_is_given_up_fails_the_run() -> None:
    world = World()
    run = world.send().run
    world.fail("fail", "auth")
    assert world.state.outcomes[run] == Failed(Problem("auth", "It broke."))


def test_a_send_during_a_failing_call_is_kept_in_the_conversation() -> None:
    world = World()
    world.send()
    world.say("send", "and this")
    world.fail("fail")
    assert world.state.run is None
    assert "and this" in str(world.state.messages[-1])


def test_the_next_model_takes_over_for_the_rest_of_the_run() -> None:
    world = World()
    world.send()
    world.fail("next")
    assert _model(world) == "test:second"
    world.reply("", LOOK)
    world.end(world.flying[0])
    assert _model(world) == "test:second"


def test_the_next_run_begins_with_the_first_model_again() -> None:
    world = World()
    world.send()
    world.fail("next")
    world.reply("done")
    world.send()
    assert _model(world) == "test:first"


def test_a_model_switched_to_is_used_at_the_next_step_also_after_a_fallback() -> None:
    world = World()
    world.send()
    world.fail("next")
    world.tell(c.SwitchModel("test:other", id="switch"))
    world.reply("", LOOK)
    world.end(world.flying[0])
    assert _model(world) == "test:other"


def test_a_model_switched_to_during_a_call_that_fails_is_the_next_one() -> None:
    world = World()
    world.send()
    world.tell(c.SwitchModel("test:other", id="switch"))
    world.fail("next")
    assert _model(world) == "test:other"
    world.fail("next")
    assert _model(world) == "test:first"


def test_a_mode_with_a_model_of_its_own_uses_it_from_the_next_step_on() -> None:
    world = World()
    world.send()
    world.fail("next")
    world.tell(c.SwitchMode("plan", id="mode"))
    assert _model(world) == "test:second"
    world.reply("", LOOK)
    world.end(world.flying[0])
    assert _model(world) == "test:planner"


def test_the_model_is_told_of_a_new_mode_once() -> None:
    world = World()
    world.tell(c.SwitchMode("plan", id="mode"))
    for _ in range(2):
        world.send()
        world.reply("done")
    notes = [m.text for m in world.state.messages if isinstance(m, Note)]
    assert notes == ["Only plan."]


def test_the_model_is_told_when_a_mode_is_left() -> None:
    world = World()
    world.tell(c.SwitchMode("plan", id="mode"))
    world.send()
    world.reply("done")
    world.tell(c.SwitchMode("build", id="back"))
    world.send()
    note = world.state.messages[-1]
    assert isinstance(note, Note)
    assert "build" in note.text


def test_a_mode_that_the_code_no_longer_has_falls_back_to_the_first() -> None:
    world = World()
    world.write(e.ModeChanged("gone", "build"))
    world.send()
    world.reply("", LOOK)
    assert world.phases() == ["started"]


def test_a_prefix_begins_only_where_model_tools_or_system_change() -> None:
    world = World()
    world.send()
    for command in (
        c.Rename("same", id="1"),
        c.SwitchModel("test:other", id="2"),
        c.AddRule(Rule("deny", tool="write"), id="3"),
    ):
        world.reply("", LOOK)
        world.tell(command)
        world.end(world.flying[0])
    reasons = [event.reason for event in world.log if isinstance(event, e.PrefixStarted)]
    assert reasons == ["first", "model", "tools"]


def test_notes_during_a_step_are_said_after_its_results() -> None:
    world = World()
    world.send()
    world.reply("", LOOK)
    world.write(e.NoteAdded("by the way", "hook"))
    world.end(world.flying[0])
    assert [type(m).__name__ for m in world.state.messages] == [
        "User", "Assistant", "ToolResult", "Note"
    ]  # fmt: skip


def test_a_note_after_the_last_reply_lets_the_run_go_on() -> None:
    world = World(kit())
    world.send()
    world.write(e.NoteAdded("by the way", "hook"))
    world.reply("done")
    assert world.state.run is not None
    assert isinstance(world.state.messages[-1], Note)


def _model(world: World) -> str:
    assert world.state.step is not None
    return world.state.step.model
