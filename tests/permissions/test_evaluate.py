"""Who may do what: defaults, the order of rules, asks and the grants that answer them."""

from typing import get_args

import pytest

from longrein.core.policy import Category, Grant, Rule, Touches, Trust
from longrein.permissions.evaluate import (
    DEFAULTS,
    Action,
    Ask,
    Deny,
    denied_outright,
    evaluate,
    hidden,
    rule_name,
)

CATEGORIES: tuple[Category, ...] = get_args(Category)
WRITE = Action("write", "edit", {"path": "a"}, Touches(paths=("/project/a",)))
OTHER = Action("tune", "other")
SPECIFIC = [
    Rule("ask", arguments={"path": "*"}),
    Rule("ask", path="/project/**"),
]


@pytest.mark.parametrize(
    ("grant", "effect"),
    [
        (Grant("g", "default:edit", tool="write"), "allow"),
        (Grant("g", "default:edit", category="edit"), "allow"),
        (Grant("g", "default:edit", tool="write", category="edit"), "allow"),
        (Grant("g", "default:edit", tool="write", category="read"), "ask"),
        (Grant("g", "default:edit", tool="other"), "ask"),
        (Grant("g", "default:edit", category="read"), "ask"),
        (Grant("g", "default:edit"), "ask"),
        (Grant("g", "default:execute", tool="write"), "ask"),
        (Grant("g", "default:edit", paths=("/project/**",)), "allow"),
        (Grant("g", "default:edit", paths=("/etc/**",)), "ask"),
        (Grant("g", "default:edit", arguments={"path": "a"}), "allow"),
        (Grant("g", "default:edit", arguments={"path": "b"}), "ask"),
    ],
)
def test_a_grant_covers_what_it_names(grant: Grant, effect: str) -> None:
    assert _effect(WRITE, grants=[grant]) == effect


@pytest.mark.parametrize("one", SPECIFIC, ids=rule_name)
def test_each_of_two_rules_that_ask_needs_a_grant_of_its_own(one: Rule) -> None:
    other = next(rule for rule in SPECIFIC if rule != one)
    verdict = evaluate(WRITE, SPECIFIC, [Grant("g", rule_name(one), tool="write")], "ask")
    assert isinstance(verdict, Ask)
    assert verdict.rule == rule_name(other)


def test_two_rules_that_ask_are_answered_by_two_grants() -> None:
    grants = [Grant("g", rule_name(rule), tool="write") for rule in SPECIFIC]
    assert _effect(WRITE, SPECIFIC, grants) == "allow"


def test_a_grant_for_a_rule_that_asks_is_none_for_one_of_its_name_that_always_asks() -> None:
    rules = [Rule("ask", tool="write"), Rule("ask", tool="write", always=True)]
    assert _effect(WRITE, rules, [Grant("g", "ask:write", tool="write")]) == "ask"


def test_an_ask_for_everything_needs_no_grant_where_a_more_specific_rule_allows() -> None:
    assert _effect(WRITE, [Rule("allow", path="/project/**"), Rule("ask", always=True)]) == "allow"


def test_rules_about_different_actions_have_different_names() -> None:
    rules = [
        Rule("ask", tool="write"),
        Rule("ask", tool="write", path="/a"),
        Rule("ask", tool="write", command="/a"),
        Rule("ask", tool="write", host="a"),
        Rule("ask", tool="write", arguments={"path": "/a"}),
        Rule("ask", tool="write", arguments={"path": "/a", "b": ""}),
    ]
    assert len({rule_name(rule) for rule in rules}) == len(rules)


@pytest.mark.parametrize(
    ("trust", "always", "effect"),
    [
        ("ask", False, "ask"),
        ("edits", False, "allow"),
        ("yolo", False, "allow"),
        ("plan", False, "deny"),
        ("edits", True, "ask"),
        ("yolo", True, "ask"),
    ],
)
def test_trust_answers_asks_but_those_that_always_ask(
    trust: Trust, always: bool, effect: str
) -> None:
    assert _effect(WRITE, [Rule("ask", path="**", always=always)], trust=trust) == effect


def test_trust_in_edits_answers_nothing_else() -> None:
    assert _effect(OTHER, [Rule("ask", tool="tune")], trust="edits") == "ask"


def test_planning_asks_by_its_own_name_about_other_tools() -> None:
    assert evaluate(OTHER, [Rule("allow", tool="tune")], [], "plan").rule == "trust:plan"


def test_a_grant_for_planning_answers_what_planning_asks() -> None:
    assert _effect(OTHER, grants=[Grant("g", "trust:plan", "tune")], trust="plan") == "allow"


def test_a_grant_for_a_rule_does_not_answer_what_planning_asks() -> None:
    rules, grants = [Rule("ask", tool="tune")], [Grant("g", "ask:tune", "tune")]
    assert evaluate(OTHER, rules, grants, "plan").rule == "trust:plan"


@pytest.mark.parametrize("category", ["edit", "execute", "network"])
def test_planning_changes_nothing_whatever_the_rules_allow(category: Category) -> None:
    action = Action("tool", category)
    grants = [Grant("g", "trust:plan", "tool")]
    assert _effect(action, [Rule("allow", tool="tool")], grants, "plan") == "deny"


def test_every_verdict_names_the_rule_that_decided() -> None:
    assert evaluate(WRITE, [], [], "ask").rule == "default:edit"
    assert evaluate(WRITE, [Rule("deny", tool="write")], [], "ask").rule == "deny:write"
    assert evaluate(WRITE, [Rule("ask", id="mine")], [], "ask").rule == "mine"
    assert evaluate(WRITE, [Rule("ask")], [], "ask").rule == "ask:all tools"
    assert evaluate(WRITE, [], [], "plan").rule == "trust:plan"


def test_every_category_has_a_default() -> None:
    assert [rule.category for rule in DEFAULTS] == list(CATEGORIES)
    assert len({rule_name(rule) for rule in DEFAULTS}) == len(CATEGORIES)


@pytest.mark.parametrize(
    ("rule", "outright"),
    [
        (Rule("deny"), True),
        (Rule("deny", tool="write"), True),
        (Rule("deny", category="edit"), True),
        (Rule("deny", tool="look"), False),
        (Rule("ask", tool="write"), False),
        (Rule("deny", tool="write", path="**"), False),
        (Rule("deny", tool="write", arguments={"path": "*"}), False),
    ],
)
def test_only_a_deny_of_the_tool_as_such_hides_it(rule: Rule, outright: bool) -> None:
    assert denied_outright(WRITE, [rule]) is outright
    assert hidden("write", "edit", [rule], "yolo") is outright


@pytest.mark.parametrize("category", CATEGORIES)
def test_planning_hides_the_tools_that_it_denies(category: Category) -> None:
    denied = isinstance(evaluate(Action("tool", category), [], [], "plan"), Deny)
    assert hidden("tool", category, [], "plan") is denied


def test_a_refusal_tells_the_model_what_to_do() -> None:
    verdict = evaluate(WRITE, [Rule("deny", tool="write")], [], "ask")
    assert isinstance(verdict, Deny)
    assert "find another way" in verdict.reason


def test_an_ask_tells_the_person_what_it_is_about() -> None:
    verdict = evaluate(WRITE, [], [], "ask")
    assert isinstance(verdict, Ask)
    assert verdict.reason == "write (edit) needs a yes."


def _effect(
    action: Action,
    rules: list[Rule] | None = None,
    grants: list[Grant] | None = None,
    trust: Trust = "ask",
) -> str:
    return type(evaluate(action, rules or [], grants or [], trust)).__name__.lower()
