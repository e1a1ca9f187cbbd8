"""The judge sees what it is there to see."""

from zlib import crc32

import pytest
from msgspec.structs import replace

from longrein.core import events as e
from longrein.core.codec import encode_event
from longrein.core.messages import Settled, Text, ToolCall
from longrein.core.outcomes import Finished
from longrein.core.records import CallFacts, Input
from longrein.testing.crash.accounts import count
from longrein.testing.crash.case import NEVER, Case, Life
from longrein.testing.crash.effects import Effect
from longrein.testing.crash.judge import Ending, ending, judge
from longrein.testing.crash.plans import Plan
from longrein.testing.crash.process import Process
from longrein.testing.crash.scenarios import SCENARIOS
from longrein.testing.crash.view import View
from longrein.testing.crash.wire import Done, Message, Saw, Told

EFFECT = Effect("write", "one", "call_1")


def log(status: Settled = "ok", *, started: bool = True, settled: bool = True) -> list[e.Event]:
    """A run with one call that an earlier epoch started."""
    call = ToolCall("call_1", "write", '{"key": "one"}')
    admitted = Input("c1", "send", "run_1", (Text("do it"),))
    events: list[e.Event] = [
        e.ThreadCreated("thr_1", "rig", epoch=1),
        e.Opened("ses_1", epoch=1),
        e.InputAdmitted(admitted, cause="c1", epoch=1),
        e.RunStarted(("c1",), run="run_1", epoch=1),
        e.StepStarted("step_1", 1, "m", epoch=1),
        e.StepEnded("step_1", (call,), "calls", calls=(CallFacts("call_1"),), epoch=1),
    ]
    if started:
        events.append(e.ToolStarted("call_1", "write", call.arguments, epoch=1))
    events.append(e.Opened("ses_2", epoch=2))
    if settled:
        events.append(e.ToolEnded("call_1", status, (Text(status),), epoch=2))
        events.append(e.RunEnded(Finished("done"), run="run_1", epoch=2))
    return [replace(event, seq=seq) for seq, event in enumerate(events, 1)]


def faults(
    events: list[e.Event],
    *said: Message,
    effects: tuple[Effect, ...] = (EFFECT,),
    asked: tuple[Effect, ...] = (),
) -> set[str]:
    """The kinds of what the judge finds, where an undisturbed run ended well."""
    case = Case(Plan(0, SCENARIOS["parallel"], ()))
    life = Life("alone", NEVER, Process(0, 0))
    life.said = [*said, _done(events)]
    case.lives, case.effects, case.asked = [life], list(effects), list(asked)
    return set(judge(case, _undisturbed()).findings)


def _undisturbed() -> Ending:
    return ending(_done(log()), SCENARIOS["parallel"])


def _done(events: list[e.Event]) -> Done:
    spent = count(events).thread
    commands = [event.cause for event in events if event.cause]
    view = View(commands, spent=spent, resource_spent=spent)
    return Done([encode_event(event).decode() for event in events], [], 0, view, {}, 0.1)


def test_an_undisturbed_run_is_well() -> None:
    seen = Saw(3, crc32(encode_event(log()[2])))
    assert faults(log(), seen, Told("c1", "applied")) == set()


def test_a_call_may_be_unknown_if_its_start_was_durable() -> None:
    assert faults(log("unknown")) == set()
    assert faults(log("unknown"), effects=()) == set()
    assert faults(log("unknown", started=False), effects=()) == {"unknown_not_started"}


@pytest.mark.parametrize(
    "said",
    [Saw(3, 0), Saw(99, 0), Told("c2", "applied"), Told("c1", "missing")],
    ids=["event changed", "event gone", "command gone", "command not known"],
)
def test_what_was_acknowledged_and_is_gone_is_lost(said: Message) -> None:
    assert faults(log(), said) == {"lost"}


def test_a_command_that_is_new_twice_was_lost() -> None:
    assert faults(log(), Told("c1", "applied"), Told("c1", "applied")) == {"lost"}


def test_an_effect_that_happens_twice_is_repeated() -> None:
    assert faults(log(), effects=(EFFECT, EFFECT)) == {"repeated"}


def test_a_hook_that_is_asked_without_a_word_in_the_log_is_found() -> None:
    assert faults(log(), asked=(EFFECT,)) == {"different"}


def test_a_hook_that_decides_once_more_is_found() -> None:
    events = log()
    again = e.HookEnded("hook_1", "before_tool", "call_1", epoch=2)
    more = [*events[:-2], again, *events[-2:]]
    assert faults([replace(event, seq=seq) for seq, event in enumerate(more, 1)]) == {"different"}


def test_a_call_without_an_end_is_unsettled() -> None:
    assert "unsettled" in faults(log(settled=False))


def test_a_call_that_is_said_to_have_run_must_have_had_its_effect() -> None:
    assert faults(log(), effects=()) == {"different"}


def test_a_process_that_comes_to_no_end_makes_the_thread_unusable() -> None:
    case = Case(Plan(0, SCENARIOS["parallel"], ()))
    case.lives = [Life("alone", NEVER, Process(0, 0))]
    assert "unusable" in judge(case, _undisturbed()).findings
