"""Which actions a rule is about and a grant covers: permits are narrow, restrictions wide."""

from typing import Any

import pytest

from longrein.core.policy import Grant, Rule, Touches
from longrein.permissions.matching import Action, as_text, covers, is_about


@pytest.mark.parametrize(
    ("name", "pattern", "arguments", "permits", "restricts"),
    [
        ("x", "a*", {"x": "ab"}, True, True),
        ("x", "a*", {"x": "b"}, False, False),
        ("x", "true", {"x": True}, True, True),
        ("x", "null", {"x": None}, True, True),
        ("x", "3", {"x": 3.0}, True, True),
        ("x", "0.5", {"x": 0.5}, True, True),
        ("x", '{"a":1,"b":"é"}', {"x": {"b": "é", "a": 1}}, True, True),
        ("x", "*", {}, False, True),
        ("x", "", {}, False, True),
        ("x", "?*", {}, False, False),
        ("x", "a", {"x": ["a", "a"]}, True, True),
        ("x", "a", {"x": ["a", "b"]}, False, True),
        ("x", "a", {"x": [["a"], "b"]}, False, True),
        ("x", "a", {"x": []}, False, False),
        ("x", "*", {"x": []}, False, True),
        ("x.y", "a", {"x": {"y": "a"}}, True, True),
        ("x.y", "a", {"x": "a"}, False, False),
        ("x.y", "a", {"x": [{"y": "a"}, {"y": "b"}]}, False, True),
        ("x.y", "a", {"x.y": "a"}, True, True),
        ("x.y", "a", {"x.y": "b", "x": {"y": "a"}}, False, True),
        ("x.y.z", "a", {"x": {"y.z": "a"}}, True, True),
    ],
)
def test_an_argument_is_matched_as_text(
    name: str, pattern: str, arguments: dict[str, Any], permits: bool, restricts: bool
) -> None:
    action = Action("tool", "other", arguments)
    assert is_about(Rule("allow", arguments={name: pattern}), action) is permits
    assert is_about(Rule("ask", arguments={name: pattern}), action) is restricts
    assert is_about(Rule("deny", arguments={name: pattern}), action) is restricts


@pytest.mark.parametrize("effect", ["allow", "ask", "deny"])
def test_a_rule_is_about_an_action_where_all_that_it_names_fits(effect: Any) -> None:
    action = Action("send", "network", {"x": "a"}, Touches(("/a",), ("curl",), ("example.com",)))
    fits: dict[str, Any] = {"tool": "send", "category": "network", "arguments": {"x": "a"}}
    fits |= {"path": "/a", "command": "curl", "host": "example.com"}
    slips: dict[str, Any] = {"tool": "look", "category": "read", "arguments": {"x": "b"}}
    slips |= {"path": "/b", "command": "wget", "host": "example.org"}
    assert is_about(Rule(effect, **fits), action)
    for field, other in slips.items():
        wrong = fits | {field: other}
        assert not is_about(Rule(effect, **wrong), action)


@pytest.mark.parametrize("effect", ["allow", "ask", "deny"])
@pytest.mark.parametrize("field", ["path", "command", "host"])
def test_a_rule_about_what_is_touched_is_not_about_what_touches_nothing(
    effect: Any, field: str
) -> None:
    given: dict[str, Any] = {field: "**"}
    assert not is_about(Rule(effect, **given), Action("tool", "edit"))


@pytest.mark.parametrize(
    ("rule", "permits"),
    [
        ({"command": "curl *"}, False),
        ({"host": "example.com"}, False),
        ({"command": "curl *", "host": "example.com"}, True),
        ({"tool": "shell"}, True),
    ],
)
def test_an_allow_by_what_is_touched_names_every_kind_that_is(
    rule: dict[str, Any], permits: bool
) -> None:
    touches = Touches(commands=("curl example.com",), hosts=("example.com",))
    action = Action("shell", "execute", {}, touches)
    assert is_about(Rule("allow", **rule), action) is permits
    assert is_about(Rule("deny", **rule), action)


@pytest.mark.parametrize(
    ("grant", "touches", "covered"),
    [
        ({"paths": ("/a", "/b")}, Touches(paths=("/a", "/b")), True),
        ({"paths": ("/a", "/b")}, Touches(paths=("/b",)), True),
        ({"paths": ("/a", "/b")}, Touches(paths=("/a", "/c")), False),
        ({"paths": ("/a",)}, Touches(), False),
        ({"paths": ("/a",)}, Touches(paths=("/a",), hosts=("example.com",)), False),
        ({"paths": ("/a",), "commands": ("ls",)}, Touches(paths=("/a",)), False),
        ({"tool": "tool"}, Touches(paths=("/a",)), True),
        ({}, Touches(paths=("/a",)), False),
    ],
)
def test_a_grant_covers_nothing_touched_that_it_does_not_list(
    grant: dict[str, Any], touches: Touches, covered: bool
) -> None:
    assert covers(Grant("g", "rule", **grant), Action("tool", "edit", {}, touches)) is covered


@pytest.mark.parametrize(
    ("pattern", "command", "permits", "restricts"),
    [
        ("rm *", "rm x", True, True),
        ("rm *", "rm", True, True),
        ("rm *", "? rm $X", False, True),
        ("rm *", "/bin/rm x", False, True),
        ("rm *", "'/my bin/rm' x", False, True),
        ("rm *", "A=b rm x", False, True),
        ("rm *", "A='b c' B=\"d\" /bin/rm x", False, True),
        ("rm *", "? A=b /bin/rm $X", False, True),
        ("rm *", "'A=b' rm x", False, False),
        ("rm *", "ls /bin/rm x", False, False),
        ("rm *", "rmdir x", False, False),
        ("/bin/rm *", "/bin/rm x", True, True),
        ("/bin/rm *", "rm x", False, False),
        ("A=b rm *", "A=b rm x", True, True),
        ("A=*", "A=b", True, True),
        ("*", "? rm $X", False, True),
        ("? *", "? rm $X", False, True),
        ("[?] rm $X", "? rm $X", True, True),
    ],
)
def test_a_command_is_permitted_as_it_is_and_restricted_in_every_form(
    pattern: str, command: str, permits: bool, restricts: bool
) -> None:
    action = Action("shell", "execute", {}, Touches(commands=(command,)))
    assert is_about(Rule("allow", command=pattern), action) is permits
    assert covers(Grant("g", "rule", commands=(pattern,)), action) is permits
    assert is_about(Rule("ask", command=pattern), action) is restricts
    assert is_about(Rule("deny", command=pattern), action) is restricts


def test_all_commands_must_be_covered_and_a_wildcard_does_not_reach_the_next() -> None:
    action = Action("shell", "execute", {}, Touches(commands=("git status", "rm x")))
    assert not is_about(Rule("allow", command="git status *"), action)
    assert not is_about(Rule("allow", command="git*rm x"), action)


@pytest.mark.parametrize(
    ("arguments", "covered"),
    [
        ({"x": "a"}, True),
        ({"x": "a", "y": 1}, False),
        ({}, False),
        ({"x": ["a"]}, False),
    ],
)
def test_a_grant_for_all_arguments_together_covers_these_and_no_more(
    arguments: dict[str, Any], covered: bool
) -> None:
    grant = Grant("g", "rule", "tool", arguments={"": '{"x":"a"}'})
    assert covers(grant, Action("tool", "edit", arguments)) is covered


def test_a_grant_matches_a_list_as_a_whole() -> None:
    grant = Grant("g", "rule", "tool", arguments={"x": '[[]"a","b"]'})
    assert covers(grant, Action("tool", "edit", {"x": ["a", "b"]}))
    assert not covers(grant, Action("tool", "edit", {"x": ["a", "b", "c"]}))


@pytest.mark.parametrize("shape", ["list", "object"])
def test_arguments_too_deep_to_read_are_restricted_and_not_permitted(shape: str) -> None:
    deep: Any = "a"
    for _ in range(100_000):
        deep = [deep] if shape == "list" else {"x": deep}
    action = Action("tool", "edit", {"x": deep})
    assert not is_about(Rule("allow", arguments={"x": "*"}), action)
    assert is_about(Rule("deny", arguments={"x": "no such text"}), action)
    assert not is_about(Rule("deny", tool="other", arguments={"x": "*"}), action)
    assert not covers(Grant("g", "rule", arguments={"x": "*"}), action)


def test_any_value_has_a_text() -> None:
    values: list[Any] = [10**100, float("inf"), float("nan"), "\ud800", {"a": {1, 2}}, -0.0]
    assert all(isinstance(as_text(value), str) for value in values)
