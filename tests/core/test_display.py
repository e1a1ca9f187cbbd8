"""What a user interface sees of a thread."""

from longrein.core.display import Writing, activity, display
from longrein.core.state import State
from tests.loop.simulate import World

LOOK = ("look", "{}")
WRITE = ("write", '{"path":"/a"}')


def test_a_thread_without_a_run_is_idle() -> None:
    assert activity(State()) == "idle"


def test_a_model_call_and_a_pause_are_running() -> None:
    world = World()
    world.send()
    assert activity(world.state) == "running"
    world.fail("retry")
    assert activity(world.state) == "running"
    assert display(world.state).retry_at == world.resting.wait.until


def test_a_run_is_waiting_only_when_people_are_all_that_is_left() -> None:
    world = World()
    world.send()
    world.reply("", LOOK, WRITE)
    assert activity(world.state) == "running"
    world.end(world.flying[0])
    assert activity(world.state) == "waiting"
    world.approve()
    assert activity(world.state) == "running"


def test_a_question_is_waited_for() -> None:
    world = World()
    world.send()
    world.reply("", ("confirm", "{}"))
    world.ask(world.flying[0])
    assert activity(world.state) == "waiting"


def test_a_run_that_is_being_stopped_waits_for_nobody() -> None:
    world = World()
    world.send()
    world.reply("", LOOK, WRITE)
    world.interrupt()
    assert activity(world.state) == "running"


def test_everything_that_is_pending_is_shown_itself() -> None:
    world = World()
    world.send()
    world.reply("", LOOK, WRITE, ("fetch", '{"url":"x"}'))
    world.say("queue", "later")
    shown = display(world.state)
    assert [a.tool for a in shown.approvals] == ["write", "fetch"]
    assert [i.text for i in shown.queue] == ["later"]
    assert [call.state for call in shown.calls] == ["started", "approval", "approval"]


def test_a_call_shows_its_output_so_far_and_then_its_result() -> None:
    world = World()
    world.send()
    world.reply("", LOOK, WRITE)
    call = world.flying[0]
    shown = display(world.state, outputs={call: "half"}).calls[0]
    assert (shown.state, shown.output) == ("started", "half")
    world.end(call, "error", "broken")
    shown = display(world.state, outputs={}).calls[0]
    assert (shown.state, shown.output) == ("error", "broken")


def test_the_model_is_the_one_that_answers_now() -> None:
    world = World()
    assert display(world.state, model="test:first").model == "test:first"
    world.send()
    world.fail("next")
    assert display(world.state, model="test:first").model == "test:second"


def test_what_is_being_written_is_passed_on() -> None:
    writing = Writing("half a sent")
    assert display(State(), writing=writing).writing is writing


def test_a_problem_is_shown_until_the_next_success() -> None:
    world = World()
    world.send()
    world.fail("fail", "auth")
    assert display(world.state).problem is not None
    world.say("proceed")
    world.reply("done")
    assert display(world.state).problem is None


def test_what_was_spent_is_shown_for_the_run_and_the_thread() -> None:
    world = World()
    world.send()
    world.reply("done")
    world.send()
    world.reply("", LOOK)
    shown = display(world.state)
    assert (shown.run_spent.steps, shown.spent.steps) == (1, 2)
    assert shown.spent.usage.total == 30


def test_a_call_shows_when_it_began_and_then_how_long_it_took() -> None:
    world = World()
    world.send()
    world.reply("", LOOK, WRITE)
    call = world.flying[0]
    assert display(world.state).calls[0].began == world.clock.now()
    world.clock.advance(2)
    world.end(call)
    ended, waiting = display(world.state).calls
    assert 2_000_000 <= ended.took < 3_000_000
    assert (waiting.began, waiting.took) == (0, 0)
