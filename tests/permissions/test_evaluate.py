"""Who may do what: the table of defaults, the order of rules, and deny above all."""

from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longrein.core.records import Grant, Rule, Trust
from longrein.permissions.evaluate import (
    DEFAULTS,
    Action,
    Allow,
    Ask,
    Category,
    Deny,
    denied_outright,
    evaluate,
    rule_name,
)

CATEGORIES: tuple[Category, ...] = get_args(Category)
TRUSTS: tuple[Trust, ...] = get_args(Trust)
WRITE = Action("write", "edit")

quick = settings(deadline=None, derandomize=True, max_examples=300)
tools = st.sampled_from(["", "write", "look"])
categories = st.sampled_from(["", *CATEGORIES])
rules = st.lists(
    st.builds(
        Rule,
        st.sampled_from(["allow", "ask", "deny"]),
        tools,
        categories,
        st.sampled_from(["", "r1", "r2"]),
        st.booleans(),
    ),
    max_size=6,
)
grants = st.lists(
    st.builds(
        Grant,
        st.just("grant_1"),
        st.sampled_from(["r1", "r2", "default:edit", "ask:write"]),
        tools,
        categories,
    ),
    max_size=4,
)
actions = st.builds(Action, st.sampled_from(["write", "look"]), st.sampled_from(CATEGORIES))
trusts = st.sampled_from(TRUSTS)


@pytest.mark.parametrize(
    ("category", "verdicts"),
    [
        ("read", "allow allow allow allow"),
        ("edit", "ask allow deny allow"),
        ("execute", "ask ask deny allow"),
        ("network", "ask ask deny allow"),
        ("delegate", "allow allow allow allow"),
        ("other", "allow allow ask allow"),
    ],
)
def test_the_defaults_are_those_of_the_table(category: Category, verdicts: str) -> None:
    given = [_effect(Action("tool", category), trust=trust) for trust in TRUSTS]
    assert TRUSTS == ("ask", "edits", "plan", "yolo")
    assert given == verdicts.split()


@quick
@given(actions, rules, grants, trusts)
def test_deny_beats_everything(
    action: Action, some: list[Rule], given: list[Grant], trust: Trust
) -> None:
    denied = any(rule.effect == "deny" and _about(rule, action) for rule in some)
    verdict = evaluate(action, some, given, trust)
    assert denied <= isinstance(verdict, Deny)
    assert denied == denied_outright(action, some)


@quick
@given(actions, rules, grants, trusts)
def test_the_order_of_rules_never_matters(
    action: Action, some: list[Rule], given: list[Grant], trust: Trust
) -> None:
    verdict = evaluate(action, some, given, trust)
    assert type(evaluate(action, some[::-1], given[::-1], trust)) is type(verdict)


@quick
@given(actions, rules, grants, st.sampled_from(TRUSTS))
def test_an_ask_that_always_asks_is_answered_by_no_grant_and_no_trust(
    action: Action, some: list[Rule], given: list[Grant], trust: Trust
) -> None:
    always = Rule("ask", tool=action.tool, id="always", always=True)
    everything = [*given, Grant("g", "always", action.tool)]
    verdict = evaluate(action, [*some, always], everything, trust)
    assert not isinstance(verdict, Allow)


@quick
@given(actions, rules, trusts)
def test_a_grant_only_answers_the_rule_that_asked(
    action: Action, some: list[Rule], trust: Trust
) -> None:
    verdict = evaluate(action, some, [], trust)
    foreign = [Grant("g", "some-other-rule", action.tool, action.category)]
    assert evaluate(action, some, foreign, trust) == verdict


@quick
@given(actions, rules, grants)
def test_more_trust_never_takes_away_what_less_trust_allows(
    action: Action, some: list[Rule], given: list[Grant]
) -> None:
    order = {Allow: 0, Ask: 1, Deny: 2}
    strict = [
        order[type(evaluate(action, some, given, trust))] for trust in ("yolo", "edits", "ask")
    ]
    assert strict == sorted(strict)


@quick
@given(st.sampled_from(["edit", "execute", "network"]), rules, grants)
def test_planning_changes_nothing_whatever_else_is_said(
    category: Category, some: list[Rule], given: list[Grant]
) -> None:
    assert isinstance(evaluate(Action("write", category), some, given, "plan"), Deny)


@pytest.mark.parametrize(
    ("some", "effect"),
    [
        ([Rule("allow", tool="write"), Rule("ask", category="edit")], "allow"),
        ([Rule("ask", tool="write"), Rule("allow", category="edit")], "ask"),
        ([Rule("allow", category="edit"), Rule("ask")], "allow"),
        ([Rule("allow"), Rule("ask", category="edit")], "ask"),
        ([Rule("allow")], "allow"),
        ([Rule("allow", tool="write"), Rule("ask", tool="write")], "ask"),
        ([Rule("allow", tool="look")], "ask"),
        ([Rule("allow", category="read")], "ask"),
        ([Rule("allow", tool="write"), Rule("deny")], "deny"),
        ([Rule("allow", tool="write"), Rule("deny", category="edit")], "deny"),
    ],
)
def test_the_most_specific_rule_decides_then_the_strictest(some: list[Rule], effect: str) -> None:
    assert _effect(WRITE, some) == effect


@pytest.mark.parametrize(
    ("grant", "effect"),
    [
        (Grant("g", "default:edit", tool="write"), "allow"),
        (Grant("g", "default:edit", category="edit"), "allow"),
        (Grant("g", "default:edit", tool="other"), "ask"),
        (Grant("g", "default:edit", category="read"), "ask"),
        (Grant("g", "default:edit"), "ask"),
        (Grant("g", "default:execute", tool="write"), "ask"),
    ],
)
def test_a_grant_covers_its_tool_or_category(grant: Grant, effect: str) -> None:
    assert type(evaluate(WRITE, [], [grant], "ask")).__name__.lower() == effect


def test_every_verdict_names_the_rule_that_decided() -> None:
    assert evaluate(WRITE, [], [], "ask").rule == "default:edit"
    assert evaluate(WRITE, [Rule("deny", tool="write")], [], "ask").rule == "deny:write"
    assert evaluate(WRITE, [Rule("ask", id="mine")], [], "ask").rule == "mine"
    assert evaluate(WRITE, [Rule("ask")], [], "ask").rule == "ask:everything"
    assert evaluate(WRITE, [], [], "plan").rule == "trust:plan"


def test_every_category_has_a_default() -> None:
    assert [rule.category for rule in DEFAULTS] == list(CATEGORIES)
    assert len({rule_name(rule) for rule in DEFAULTS}) == len(CATEGORIES)


def test_a_refusal_tells_the_model_what_to_do() -> None:
    verdict = evaluate(WRITE, [Rule("deny", tool="write")], [], "ask")
    assert isinstance(verdict, Deny)
    assert "find another way" in verdict.reason


def test_an_ask_tells_the_person_what_it_is_about() -> None:
    verdict = evaluate(WRITE, [], [], "ask")
    assert isinstance(verdict, Ask)
    assert verdict.reason == "write (edit) needs a yes."


def _effect(action: Action, some: list[Rule] | None = None, trust: Trust = "ask") -> str:
    return type(evaluate(action, some or [], [], trust)).__name__.lower()


def _about(rule: Rule, action: Action) -> bool:
    return rule.tool in ("", action.tool) and rule.category in ("", action.category)
