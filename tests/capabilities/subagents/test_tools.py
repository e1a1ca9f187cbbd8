"""`task` and `tasks`: what is ordered, and what the model hears of it."""

import asyncio
import json

import pytest

from longrein import CommandContext, Spent, Subagent, Subagents, Usage, UsageError
from longrein.capabilities.subagents.prompts import MOST_LISTED, listed
from longrein.tools.children import ChildEnd, ChildView, EndStatus, Order
from tests.capabilities.subagents.port import Caller, Port
from tests.support import run

TASK, TASKS = Subagents().tools()
SPENT = Spent(Usage(900, 100), steps=3)


def ended(status: EndStatus, text: str = "", value: str = "") -> ChildEnd:
    return ChildEnd("thr_1", status, text, value, SPENT)


def delegated(end: ChildEnd) -> tuple[str, str]:
    order = {"agent": "general-purpose", "description": " Look \n around ", "prompt": "Look."}
    return run(Caller(Port(end)).call(TASK, **order))


def test_the_order_is_what_the_model_asked_for() -> None:
    port = Port(ended("finished", "Done."))
    call = Caller(port).call(TASK, agent="reader", description=" Look \n around ", prompt="Look.")
    assert run(call) == ("ok", "Done.")
    assert port.orders == [Order("reader", "Look.", "Look around")]


def test_a_value_is_the_result_as_json() -> None:
    assert delegated(ended("finished", "Here: 7", '{"count":7}')) == ("ok", '{"count":7}')


def test_a_child_without_a_word_is_told_with_what_it_did() -> None:
    status, text = delegated(ended("finished", " \n"))
    assert status == "ok"
    assert text == "The subagent ended without a word. It took 3 steps (1,000 tokens)."


@pytest.mark.parametrize(
    ("status", "said"),
    [
        ("failed", "The subagent failed."),
        ("stopped", "was stopped before it was done"),
        ("limit", "ran into a limit"),
    ],
)
def test_a_child_that_does_not_finish_is_a_result_that_says_so(
    status: EndStatus, said: str
) -> None:
    settled, text = delegated(ended(status, "Half of it."))
    assert settled == "error"
    assert said in text
    assert text.endswith("It took 3 steps (1,000 tokens). What it had:\nHalf of it.")
    assert "It had nothing to show for it." in delegated(ended(status))[1]


def test_nobody_of_that_name_is_for_the_model_to_mend() -> None:
    call = Caller(Port()).call(TASK, agent="nobody", description="x", prompt="Look.")
    assert run(call) == ("error", "There is no subagent 'nobody'.")


def test_an_empty_prompt_delegates_nothing() -> None:
    port = Port()
    status, text = run(Caller(port).call(TASK, agent="a", description="x", prompt=" "))
    assert (status, port.orders) == ("error", [])
    assert "The prompt is empty" in text


def test_in_the_background_the_id_comes_at_once() -> None:
    port = Port()
    arguments = {"agent": "a", "description": "x", "prompt": "Look.", "background": True}
    status, text = run(Caller(port).call(TASK, **arguments))
    assert (status, port.orders) == ("ok", [Order("a", "Look.", "x", background=True)])
    assert "Task thr_7 has begun in the background" in text


def test_what_a_child_says_is_shown_while_it_works() -> None:
    port = Port(ended("finished", "Done."), saying=("I look.\nAround.", "x" * 500))
    caller = Caller(port)
    run(caller.call(TASK, agent="a", description="x", prompt="Look."))
    first, second = caller.shown
    assert first == "I look. Around.\n"
    assert len(second) < 200


def test_a_call_that_is_cancelled_leaves_nothing_behind() -> None:
    async def main() -> int:
        call = Caller(Port(saying=("I look.",) * 9)).call(
            TASK, agent="a", description="x", prompt="Look."
        )
        task = asyncio.create_task(call)
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return len(asyncio.all_tasks())

    assert run(main()) == 1


CHILDREN = (
    ChildView("thr_1", "reader", "Look around", "running", background=True, text="I\nlook"),
    ChildView("thr_2", "writer", "", "finished", spent=SPENT),
    ChildView("thr_3", "tester", "Test", "waiting", approvals=2, questions=1),
)


def test_tasks_lists_children_with_what_they_said_last() -> None:
    assert run(Caller(Port()).call(TASKS)) == ("ok", "No task was delegated yet.")
    _, text = run(Caller(Port(views=CHILDREN)).call(TASKS))
    assert text.splitlines() == [
        "thr_1 reader 'Look around': running, in the background, 0 steps, 0 tokens: I look",
        "thr_2 writer: finished, 3 steps, 1,000 tokens",
        "thr_3 tester 'Test': waiting for a person (2 approvals, 1 question), 0 steps, 0 tokens",
    ]


def test_tasks_steers_and_stops_children_that_still_work() -> None:
    port = Port(views=CHILDREN)
    caller = Caller(port)
    steered = run(caller.call(TASKS, action="steer", id="thr_1", message="Faster."))
    assert (steered, port.told) == (("ok", "Task thr_1 was told."), [("thr_1", "Faster.")])
    assert run(caller.call(TASKS, action="stop", id="thr_1")) == ("ok", "Task thr_1 is stopped.")
    over = run(caller.call(TASKS, action="stop", id="thr_2"))
    assert over == ("ok", "Task thr_2 has ended already.")


def test_tasks_says_which_children_there_are_where_one_is_not() -> None:
    status, text = run(Caller(Port(views=CHILDREN)).call(TASKS, action="stop", id="thr_9"))
    assert status == "error"
    assert text.startswith("There is no child 'thr_9'.\nthr_1 reader")


def test_steering_needs_a_message() -> None:
    status, text = run(Caller(Port(views=CHILDREN)).call(TASKS, action="steer", id="thr_1"))
    assert (status, text.partition(":")[0]) == ("error", "There is no message")


def test_a_person_sees_steers_and_stops_children_with_a_command() -> None:
    port = Port(views=CHILDREN)
    (agents,) = Subagents([Subagent("reader", "Reads.")]).commands()

    async def say(arguments: str) -> str:
        said = agents.run(CommandContext(Caller(port).reach), arguments)
        assert not isinstance(said, str | None)
        return await said or ""

    shown = run(say(""))
    assert "- reader: Reads." in shown
    assert "thr_1 reader 'Look around': running" in shown
    assert run(say("stop thr_1")) == "Task thr_1 is stopped."
    assert run(say("steer thr_1 Go on, please.")) == "Task thr_1 was told."
    assert port.told == [("thr_1", "Go on, please.")]
    for wrong in ("stop", "steer thr_1", "start thr_1"):
        with pytest.raises(UsageError, match="/agents steer ID TEXT"):
            run(say(wrong))


def test_the_model_is_told_who_there_is() -> None:
    agents = Subagents([Subagent("reader", "Reads\n  code."), Subagent("b", "B.", forked=True)])
    task = agents.tools()[0]
    lines = task.description.splitlines()
    assert lines[-2:] == ["- reader: Reads code.", "- b (forked): B."]
    assert lines[-3].startswith("- general-purpose: ")


def test_a_long_list_is_cut_and_says_so() -> None:
    some = tuple(Subagent(f"a-{n}", "x" * 1_000) for n in range(20))
    shown = listed(some)
    assert len(shown) < MOST_LISTED + 200
    assert all(f"- a-{n}: x" in shown for n in range(20))
    assert shown.count("...") == 20
    many = tuple(Subagent(f"a-{n}", "x" * 1_000) for n in range(100))
    shown = listed(many)
    assert len(shown) < 2 * MOST_LISTED
    assert shown.splitlines()[-1].startswith("- and, not described here: a-50, a-51, ")


def test_other_names_that_models_know_for_the_same_are_taken() -> None:
    given = '{"subagent_type": "reader", "description": "Look.", "run_in_background": true}'
    assert json.loads(TASK.arguments.mended(given)) == {
        "agent": "reader",
        "description": "Look.",
        "prompt": "Look.",
        "background": True,
    }
