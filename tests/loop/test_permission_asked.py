"""A yes holds for what was asked, as things stand when the call starts."""

import pytest

from longrein.core import commands as c
from longrein.core import events as e
from longrein.core.errors import UsageError
from longrein.core.policy import Grant, Rule, Trust
from tests.loop.simulate import World
from tests.loop.tools import kit

WRITE = ("write", '{"path":"/a"}')
OTHER = ("write", '{"path":"/b"}')


def test_a_deny_added_while_an_approval_is_pending_settles_it() -> None:
    world = _asked(WRITE)
    _add(world, Rule("deny", tool="write", id="never"))
    assert _statuses(world) == ["refused"]
    (answered,) = _answers(world)
    assert (answered.decision, answered.by, answered.rule) == ("declined", "policy", "never")
    assert "rule never" in answered.reason


def test_a_deny_that_comes_together_with_a_yes_holds() -> None:
    world = _asked(WRITE)
    world.tell_at_once(
        c.Approve(world.state.approvals[0].id, id="yes"),
        c.AddRule(Rule("deny", tool="write"), id="rule"),
    )
    assert _statuses(world) == ["refused"]


def test_an_ask_of_a_later_rule_asks_anew() -> None:
    world = _asked(WRITE)
    world.tell_at_once(
        c.Approve(world.state.approvals[0].id, id="yes"),
        c.AddRule(Rule("ask", tool="write", id="careful"), id="rule"),
    )
    assert world.phases() == ["approval"]
    assert world.state.approvals[0].rule == "careful"
    world.approve()
    assert world.phases() == ["started"]


def test_a_tool_that_has_its_answer_is_asked_about_where_a_rule_says_so_now() -> None:
    world = _asked(("confirm", "{}"))
    world.ask(world.flying[0])
    _add(world, Rule("ask", tool="confirm"))
    world.tell(c.AnswerQuestion(world.state.questions[0].id, "yes", id="answer"))
    assert world.phases() == ["approval"]
    world.approve()
    assert world.phases() == ["started"]
    assert len(world.call("confirm").answers) == 1


def test_an_allow_added_while_an_approval_is_pending_settles_it() -> None:
    world = _asked(WRITE)
    _add(world, Rule("allow", tool="write", id="fine"))
    assert world.phases() == ["started"]
    (answered,) = _answers(world)
    assert (answered.decision, answered.by, answered.rule) == ("approved", "policy", "fine")


def test_an_allow_of_something_else_leaves_an_approval_pending() -> None:
    world = _asked(WRITE)
    _add(world, Rule("allow", tool="deploy"))
    assert world.phases() == ["approval"]


def test_what_the_policy_let_pass_is_no_yes_of_a_person() -> None:
    world = World(kit(parallel=1))
    world.send()
    world.reply("", WRITE, OTHER)
    world.approve(remember="tool")
    assert world.phases() == ["started", "approved"]
    world.tell(c.RevokeGrant(world.state.grants[0].id, id="revoke"))
    assert world.phases() == ["started", "approval"]


def test_a_grant_spares_the_next_ask_of_the_rule_that_asked() -> None:
    world = _asked(WRITE)
    world.approve(remember="tool")
    world.end(world.flying[0])
    world.reply("", OTHER)
    assert world.phases() == ["started"]


def test_a_grant_of_a_category_covers_its_other_tools() -> None:
    world = _asked(("check", "{}"))
    world.approve(remember="category")
    world.end(world.flying[0])
    world.reply("", ("deploy", "{}"))
    assert world.phases() == ["started"]


def test_a_grant_of_a_tool_does_not_cover_its_category() -> None:
    world = _asked(("check", "{}"))
    world.approve(remember="tool")
    world.end(world.flying[0])
    world.reply("", ("deploy", "{}"))
    assert world.phases() == ["approval"]


def test_a_grant_does_not_answer_another_rule() -> None:
    world = _asked(WRITE)
    world.approve(remember="tool")
    world.end(world.flying[0])
    _add(world, Rule("ask", tool="write"))
    world.reply("", OTHER)
    assert world.phases() == ["approval"]


def test_a_grant_for_the_run_ends_with_it() -> None:
    world = _asked(WRITE)
    world.approve(remember="tool", scope="run")
    assert len(world.state.grants) == 1
    world.end(world.flying[0])
    world.reply("done")
    assert world.state.grants == ()
    world.send()
    world.reply("", OTHER)
    assert world.phases() == ["approval"]


def test_a_revoked_grant_asks_again() -> None:
    world = _asked(WRITE)
    world.approve(remember="tool")
    world.end(world.flying[0])
    world.tell(c.RevokeGrant(world.state.grants[0].id, id="revoke"))
    world.reply("", OTHER)
    assert world.phases() == ["approval"]


def test_an_ask_that_always_asks_takes_no_grant() -> None:
    world = World(kit(rules=(Rule("ask", tool="write", id="always", always=True),)))
    world.send()
    world.reply("", WRITE)
    with pytest.raises(UsageError, match="always asks"):
        world.approve(remember="tool")
    assert world.phases() == ["approval"]
    assert world.state.grants == ()


def test_approving_with_remember_settles_the_others_that_wait_for_the_same() -> None:
    world = _asked(WRITE, OTHER, ("deploy", "{}"))
    world.approve(remember="tool")
    assert world.phases() == ["started", "started", "approval"]
    assert [one.by for one in _answers(world)] == ["person", "policy"]
    assert _answers(world)[1].rule == world.state.grants[0].id


def test_approvals_that_a_crash_left_behind_are_settled_by_what_holds_then() -> None:
    world = _asked(WRITE, OTHER)
    world.setup.shared.know((Grant("grant_1", "default:edit", "write", scope="resource"),))
    assert world.phases() == ["approval", "approval"]
    world.crash()
    assert world.phases() == ["started", "started"]
    world.crash()
    assert [one.rule for one in _answers(world)] == ["grant_1", "grant_1"]


@pytest.mark.parametrize(("trust", "phase"), [("yolo", "started"), ("edits", "started")])
def test_trust_given_before_the_call_spares_the_ask(trust: Trust, phase: str) -> None:
    world = World()
    world.tell(c.SetTrust(trust, id="trust"))
    world.send()
    world.reply("", WRITE)
    assert world.phases() == [phase]


@pytest.mark.parametrize("trust", ["yolo", "edits"])
def test_trust_given_while_an_approval_is_pending_settles_it(trust: Trust) -> None:
    world = _asked(WRITE)
    world.tell(c.SetTrust(trust, id="trust"))
    assert world.phases() == ["started"]
    assert _answers(world)[0].rule == f"trust:{trust}"


def test_trust_taken_away_while_an_approval_is_pending_holds_after_the_yes() -> None:
    world = _asked(WRITE)
    world.tell(c.SetTrust("plan", id="trust"))
    assert world.phases() == ["approval"]
    world.approve()
    assert _statuses(world) == ["refused"]


def test_a_yes_holds_for_the_tool_that_was_asked_about_though_a_new_mode_hides_it() -> None:
    world = _asked(("deploy", "{}"))
    world.tell(c.SwitchMode("bare", id="mode"))
    assert world.phases() == ["approval"]
    world.approve(arguments="{}")
    assert world.phases() == ["started"]


def test_a_deny_of_a_new_mode_holds_for_what_was_asked_about_in_the_old_one() -> None:
    world = _asked(WRITE)
    world.tell(c.SwitchMode("plan", id="mode"))
    assert world.phases() == ["approval"]
    world.approve()
    assert _statuses(world) == ["refused"]


def test_a_deny_of_a_mode_does_not_last_because_another_rule_has_its_name() -> None:
    world = World(kit(rules=(Rule("deny", tool="fetch", id="plan:edit"),)))
    world.send()
    world.reply("", WRITE)
    world.tell(c.SwitchMode("plan", id="mode"))
    assert world.phases() == ["approval"]


def test_a_deny_that_one_of_a_mode_outweighs_settles_what_waits() -> None:
    world = _asked(WRITE)
    world.tell(c.SwitchMode("plan", id="mode"))
    _add(world, Rule("deny", id="never"))
    assert _statuses(world) == ["refused"]
    assert _answers(world)[0].rule == "never"


def test_an_allow_that_a_mode_denies_leaves_an_approval_pending() -> None:
    world = _asked(WRITE)
    world.tell(c.SwitchMode("plan", id="mode"))
    _add(world, Rule("allow", tool="write"))
    assert world.phases() == ["approval"]


def test_a_tool_that_asked_is_called_again_though_a_new_mode_hides_it() -> None:
    world = _asked(("confirm", "{}"))
    world.ask(world.flying[0])
    world.tell(c.SwitchMode("bare", id="mode"))
    world.tell(c.AnswerQuestion(world.state.questions[0].id, "yes", id="answer"))
    assert world.phases() == ["started"]


def test_one_yes_is_a_yes_to_all_rules_that_asked() -> None:
    rules = (
        Rule("ask", tool="deploy", id="one"),
        Rule("ask", tool="deploy", id="two", always=True),
    )
    world = World(kit(rules=rules))
    world.send()
    world.reply("", ("deploy", "{}"))
    assert set(world.state.approvals[0].rules) == {"one", "two"}
    world.approve()
    assert world.phases() == ["started"]


def test_a_rule_of_the_same_rank_added_while_a_call_waits_asks_anew() -> None:
    world = World(kit(rules=(Rule("ask", tool="deploy", id="one"),)))
    world.send()
    world.reply("", ("deploy", "{}"))
    world.tell(c.AddRule(Rule("ask", tool="deploy", id="two"), id="rule"))
    world.approve()
    assert world.phases() == ["approval"]
    assert world.state.approvals[0].rules == ("two",)
    world.approve()
    assert world.phases() == ["started"]


def test_a_decline_is_heard_by_the_model_with_its_reason() -> None:
    world = _asked(WRITE)
    world.decline(world.state.approvals[0].id, "not on a Friday")
    assert _statuses(world) == ["declined"]
    assert "not on a Friday" in str(world.state.messages[-1])
    assert world.state.run is not None


def test_a_replaced_result_is_heard_by_the_model() -> None:
    world = _asked(WRITE)
    world.tell(c.Replace(world.state.approvals[0].id, "I did it myself.", id="replace"))
    assert _statuses(world) == ["replaced"]
    assert "I did it myself." in str(world.state.messages[-1])


def _asked(*wishes: tuple[str, str]) -> World:
    world = World()
    world.send()
    world.reply("", *wishes)
    return world


def _add(world: World, rule: Rule) -> None:
    world.tell(c.AddRule(rule, id=world.ids.new("cmd")))


def _answers(world: World) -> list[e.ApprovalAnswered]:
    return [event for event in world.log if isinstance(event, e.ApprovalAnswered)]


def _statuses(world: World) -> list[str]:
    return [event.status for event in world.log if isinstance(event, e.ToolEnded)]
