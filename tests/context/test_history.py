"""The messages of a request are well formed, at every moment and whatever was said."""

import pytest

from longrein.context.history import conversation
from longrein.core import events as e
from longrein.core.growing import Trail
from longrein.core.messages import Assistant, Message, Text, ToolCall, ToolResult, User
from longrein.core.state import State
from tests.loop.always import well_formed
from tests.loop.simulate import World

LOOK = ("look", "{}")
WRITE = ("write", '{"path":"/a"}')
HELLO = User((Text("hello"),))
CALL = Assistant((ToolCall("call_1", "look", "{}"),))
RESULT = ToolResult("call_1", "look", (Text("seen"),))


def test_between_steps_the_conversation_is_the_thread_itself() -> None:
    world = World()
    world.send()
    world.reply("done")
    assert conversation(world.state) is world.state.messages


def test_calls_that_have_not_ended_get_a_result_that_says_so() -> None:
    world = World()
    world.send()
    world.reply("", LOOK, WRITE)
    world.end(world.flying[0], text="seen")
    ended, waiting = conversation(world.state)[-2:]
    assert isinstance(ended, ToolResult)
    assert isinstance(waiting, ToolResult)
    assert (ended.text, waiting.status) == ("seen", "not_run")


def test_asking_for_the_conversation_changes_nothing() -> None:
    world = World()
    world.send()
    world.reply("", LOOK)
    state, before = world.state, len(world.state.messages)
    conversation(state)
    assert len(state.messages) == before
    world.end(world.flying[0], text="seen")
    well_formed(world.state.messages)
    assert "seen" in str(world.state.messages[-1])


def test_the_conversation_of_a_new_thread_is_empty() -> None:
    assert list(conversation(State())) == []


def test_a_repeated_id_of_the_provider_does_not_matter() -> None:
    world = World()
    world.send()
    step = world.state.step
    assert step is not None
    calls = tuple(ToolCall(f"call_{n}", "look", "{}", "same") for n in range(2))
    world.flying.remove(step.id)
    world.write(e.StepEnded(step.id, calls, "tools"))
    world.settle()
    well_formed(conversation(world.state))


@pytest.mark.parametrize(
    "messages",
    [
        [HELLO, CALL],
        [HELLO, RESULT],
        [HELLO, CALL, RESULT, RESULT],
        [HELLO, CALL, HELLO, RESULT],
        [HELLO, CALL, RESULT, CALL, RESULT],
        [HELLO, Assistant((Text(" "),))],
        [HELLO, Assistant(())],
    ],
)
def test_the_check_itself_sees_what_is_not_well_formed(messages: list[Message]) -> None:
    with pytest.raises(AssertionError):
        well_formed(Trail(messages))
