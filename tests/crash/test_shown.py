"""The judge compares what a session shows when it is opened again with what clients were told."""

from msgspec import Struct
from msgspec.structs import replace

from longrein.testing.crash.acts import Act, Scenario
from longrein.testing.crash.case import NEVER, Case, Life
from longrein.testing.crash.plans import Plan
from longrein.testing.crash.process import Process
from longrein.testing.crash.shown import not_shown
from longrein.testing.crash.view import View
from longrein.testing.crash.wire import Began, Done, Told
from longrein.testing.scripted import Script

SCENARIO = Scenario(
    "shown",
    Script(),
    (
        Act("c1", "send", "begin"),
        Act("c2", "see", when="idle", shows={"plan": "made", "todos": ["one"]}),
        Act("c3", "mode", "plan", shows={"mode": "plan", "model": "other"}),
    ),
)
PLANNED = View(commands=["c1"], plan="made", todos=["one"])
SWITCHED = replace(PLANNED, commands=["c1", "c3"], mode="plan", model="other")


class Killed(Struct, frozen=True):
    """A process that was told of these acts, and what the next one found."""

    told: tuple[str, ...]
    found: View


def differences(killed: Killed, scenario: Scenario = SCENARIO) -> list[str]:
    case = Case(Plan(0, scenario, ()))
    first, second = (Life("alone", NEVER, Process(0, 0)) for _ in range(2))
    first.said = [Told(act, "seen") for act in killed.told]
    second.said = [Began([1], 0, killed.found)]
    case.lives = [first, second]
    return list(not_shown(case, Done([], [], 0, SWITCHED, {}, 0.1)))


def test_what_was_told_and_is_shown_is_well() -> None:
    assert not differences(Killed(("c1", "c2"), PLANNED))
    assert not differences(Killed(("c1", "c2", "c3"), SWITCHED))


def test_a_command_that_was_not_answered_may_have_had_all_of_its_effect_or_none() -> None:
    assert not differences(Killed(("c1", "c2"), SWITCHED))
    assert differences(Killed(("c1", "c2"), replace(SWITCHED, model="")))
    assert differences(Killed(("c1", "c2"), replace(PLANNED, mode="plan")))


def test_a_command_that_was_answered_and_is_not_known_is_found() -> None:
    found = differences(Killed(("c1", "c2", "c3"), PLANNED))
    assert "c3" in found[0]


def test_while_a_client_waits_each_field_may_be_as_before_or_as_after() -> None:
    for plan in ("", "made"):
        assert not differences(Killed(("c1",), View(commands=["c1"], plan=plan)))
    assert differences(Killed(("c1",), View(commands=["c1"], plan="another")))


def test_fields_that_belong_together_change_together() -> None:
    acts = list(SCENARIO.acts)
    acts[1] = replace(acts[1], together=("plan", "todos"))
    strict = replace(SCENARIO, acts=tuple(acts))
    assert differences(Killed(("c1",), View(commands=["c1"], plan="made")), strict)
    assert not differences(Killed(("c1",), PLANNED), strict)


def test_the_end_is_compared_too() -> None:
    case = Case(Plan(0, SCENARIO, ()))
    done = Done([], [], 0, replace(SWITCHED, todos=[]), {}, 0.1)
    assert list(not_shown(case, done)) == ["after 3 acts todos is [[]], not one of [[['one']]]"]
