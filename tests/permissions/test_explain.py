"""Why something may happen, or not, in words for a person."""

import msgspec
import pytest

from longrein.core.policy import Grant, Rule, Touches, Trust
from longrein.permissions.evaluate import Action
from longrein.permissions.explain import Explanation, explain

WRITE = Action("write", "edit", {}, Touches(paths=("/project/a",)))
TUNE = Action("tune", "other")


@pytest.mark.parametrize(
    ("action", "rules", "grants", "trust", "source", "text"),
    [
        (
            WRITE,
            [],
            [],
            "ask",
            "default",
            "waits for a person: the rule default:edit (default) asks.",
        ),
        (
            WRITE,
            [Rule("ask", id="mine", always=True)],
            [],
            "yolo",
            "thread",
            "waits for a person: the rule mine (thread) always asks.",
        ),
        (
            WRITE,
            [Rule("deny", id="mine")],
            [],
            "yolo",
            "thread",
            "may not happen: the rule mine (thread) denies it.",
        ),
        (
            WRITE,
            [Rule("allow", id="mine")],
            [],
            "ask",
            "thread",
            "may happen: the rule mine (thread) allows it.",
        ),
        (WRITE, [], [], "plan", "trust", "may not happen: trust (plan) denies it."),
        (
            WRITE,
            [],
            [],
            "edits",
            "default",
            "may happen: the rule default:edit (default) would ask, but trust (edits) says yes.",
        ),
        (
            WRITE,
            [],
            [Grant("g1", "default:edit", "write")],
            "ask",
            "default",
            "may happen: the rule default:edit (default) would ask, "
            "but what was granted (g1) says yes.",
        ),
        (TUNE, [], [], "plan", "trust", "waits for a person: trust (plan) asks."),
        (
            TUNE,
            [],
            [Grant("g1", "trust:plan", "tune")],
            "plan",
            "default",
            "may happen: trust (plan) would ask, but what was granted (g1) says yes.",
        ),
    ],
)
def test_an_explanation_says_who_decided(
    action: Action, rules: list[Rule], grants: list[Grant], trust: Trust, source: str, text: str
) -> None:
    why = explain(action, [(rule, "thread") for rule in rules], grants, trust)
    assert why.source == source
    assert why.text == f"{action.tool} ({action.category}) {text}"


def test_all_rules_about_the_action_are_listed_by_weight_with_their_source() -> None:
    rules = [
        (Rule("allow"), "harness"),
        (Rule("ask", category="edit"), "mode"),
        (Rule("allow", tool="write"), "thread"),
        (Rule("ask", tool="write"), "capability:files"),
        (Rule("allow", path="/project/**"), "thread"),
        (Rule("deny", tool="look"), "harness"),
    ]
    why = explain(WRITE, rules, [], "ask")
    assert [(match.name, match.source, match.decided) for match in why.matches] == [
        ('allow:all tools {"path":"/project/**"}', "thread", True),
        ("ask:write", "capability:files", False),
        ("allow:write", "thread", False),
        ("ask:edit tools", "mode", False),
        ("allow:all tools", "harness", False),
        ("default:edit", "default", False),
    ]


def test_a_deny_is_listed_before_what_is_more_specific() -> None:
    rules = [(Rule("allow", path="/project/**"), "thread"), (Rule("deny"), "harness")]
    why = explain(WRITE, rules, [], "ask")
    assert [match.name for match in why.matches if match.decided] == ["deny:all tools"]
    assert why.matches[0].decided


def test_every_rule_that_was_answered_decided_and_every_grant_is_named() -> None:
    rules = [(Rule("ask", tool="write", id=name), "thread") for name in ("r1", "r2")]
    grants = [Grant(f"grant for {name}", name, "write") for name in ("r1", "r2", "r3")]
    why = explain(WRITE, rules, grants, "ask")
    assert [match.name for match in why.matches if match.decided] == ["r1", "r2"]
    assert [grant.id for grant in why.grants] == ["grant for r1", "grant for r2"]
    assert why.trust == ""


def test_trust_is_named_where_it_answered() -> None:
    assert explain(WRITE, [], [], "yolo").trust == "yolo"
    assert explain(Action("look", "read"), [], [], "yolo").trust == ""


def test_an_explanation_can_be_sent_to_a_front_end() -> None:
    why = explain(WRITE, [(Rule("ask", path="**"), "mode")], [], "ask")
    assert msgspec.json.decode(msgspec.json.encode(why), type=Explanation) == why
