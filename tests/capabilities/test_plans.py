"""Plans: approved, approved with changes, or rejected with feedback."""

from typing import Any

import pytest

from longrein.capabilities.plans import PLAN, submit_plan
from longrein.core.events import Recorded
from longrein.core.planning import Plan
from longrein.core.records import Reply
from longrein.tools.context import Asked
from longrein.tools.reach import EnterMode, Fact, ModeInfo
from tests.capabilities.thread import Thread

TEXT = "1. Build\n2. Ship"
ARGUMENTS = {"title": "Ship it", "plan": TEXT}
PLANNING = ModeInfo("plan", "Plan", transitions_to="build")


def planning() -> Thread:
    return Thread(PLAN, mode=PLANNING, modes=["plan", "build"])


def test_a_plan_is_a_question_of_its_own_kind() -> None:
    asked = planning().ask(submit_plan, **ARGUMENTS)
    assert asked == Asked(TEXT, ("approve",), other=True, kind="plan", title="Ship it")


@pytest.mark.parametrize("yes", ["approve", " Approve\n", f"{TEXT}\n"])
def test_an_approved_plan_is_kept_and_leads_to_the_next_mode(yes: str) -> None:
    thread = planning()
    assert "approved" in thread.use(submit_plan, Reply(TEXT, yes), **ARGUMENTS)
    assert thread.read(PLAN) == Plan("Ship it", TEXT, "approved")
    assert [type(effect) for effect in thread.effects] == [Fact, EnterMode]
    assert thread.effects[-1] == EnterMode("build")


def test_another_text_is_the_plan_from_then_on() -> None:
    thread = planning()
    told = thread.use(submit_plan, Reply(TEXT, "1. Ship"), **ARGUMENTS)
    assert told.endswith("\n\n1. Ship")
    assert thread.read(PLAN) == Plan("Ship it", "1. Ship", "approved", edited=True)
    assert thread.effects[-1] == EnterMode("build")


def test_a_rejected_plan_stays_in_the_mode_with_the_feedback() -> None:
    thread = planning()
    told = thread.use(submit_plan, Reply(TEXT, None, "Test it first."), **ARGUMENTS)
    assert told.endswith("\n\nTest it first.")
    assert "submit it again" in told
    assert thread.read(PLAN) == Plan("Ship it", TEXT, "rejected", feedback="Test it first.")
    assert [type(effect) for effect in thread.effects] == [Fact]


def test_a_rejection_without_a_reason_says_so() -> None:
    thread = planning()
    assert "no reason was given" in thread.use(submit_plan, Reply(TEXT, None), **ARGUMENTS)
    assert thread.read(PLAN) == Plan("Ship it", TEXT, "rejected")


def test_a_mode_that_leads_nowhere_stays() -> None:
    thread = Thread(PLAN, modes=["default"])
    thread.use(submit_plan, Reply(TEXT, "approve"), **ARGUMENTS)
    assert [type(effect) for effect in thread.effects] == [Fact]


def test_the_plan_is_the_one_that_was_decided_on_last() -> None:
    thread = planning()
    assert thread.read(PLAN) is None
    thread.use(submit_plan, Reply(TEXT, "approve"), **ARGUMENTS)
    thread.use(submit_plan, Reply("2", None, "no"), title="Second", plan="2")
    assert thread.read(PLAN) == Plan("Second", "2", "rejected", feedback="no")


@pytest.mark.parametrize("arguments", [{"title": " ", "plan": TEXT}, {"title": "T", "plan": "\n"}])
def test_a_plan_without_title_or_text_is_not_submitted(arguments: dict[str, Any]) -> None:
    assert "needs a title and a text" in planning().fail(submit_plan, **arguments)


@pytest.mark.parametrize("data", [None, [], {}, {"title": "x"}, {"title": 1, "text": "y"}])
def test_a_fact_that_is_no_plan_changes_nothing(data: Any) -> None:
    thread = planning()
    thread.use(submit_plan, Reply(TEXT, "approve"), **ARGUMENTS)
    thread.record("plan", data)
    assert thread.read(PLAN) == Plan("Ship it", TEXT, "approved")


def test_the_fold_returns_the_same_object_for_other_events() -> None:
    plan = Plan("Ship it", TEXT, "approved")
    assert PLAN.fold(plan, Recorded("todos", {})) is plan


def test_plan_and_no_plan_come_back_from_a_snapshot() -> None:
    thread = planning()
    thread.restart()
    assert thread.read(PLAN) is None
    thread.use(submit_plan, Reply(TEXT, "approve"), **ARGUMENTS)
    thread.restart()
    assert thread.read(PLAN) == Plan("Ship it", TEXT, "approved")


def test_it_may_run_again_after_a_crash() -> None:
    assert submit_plan.idempotent
    assert submit_plan.asks
