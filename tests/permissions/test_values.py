"""Rules, grants and what is touched, as values: checked when made, the same when read again."""

from typing import Any

import msgspec
import pytest
from hypothesis import given

from longrein.core.errors import UsageError
from longrein.core.policy import Grant, Rule, Touches
from tests.permissions import anything
from tests.permissions.anything import quick


@quick
@given(anything.rule, anything.grant, anything.touches)
def test_policy_is_the_same_when_it_is_read_again(rule: Rule, grant: Grant, on: Touches) -> None:
    for value in (rule, grant, on):
        again = msgspec.json.decode(msgspec.json.encode(value), type=type(value))
        assert again == value
        assert hash(again) == hash(value)


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"effect": "permit"}, "allow, ask, deny"),
        ({"category": "edits"}, "read, edit"),
        ({"tool": "writ*"}, "named, not matched"),
        ({"tool": ["write"]}, "it is one text"),
        ({"path": ("/a",)}, "it is one text"),
        ({"arguments": {"": "x"}}, "an argument named ''"),
        ({"arguments": {"a..b": "x"}}, "an argument named 'a..b'"),
        ({"arguments": {"a": "[0-9]"}}, "no classes"),
        ({"command": "rm [a-z]*"}, "no classes"),
        ({"path": "src/**"}, "begin with"),
        ({"path": "~/notes"}, "begin with"),
        ({"path": "*.env"}, "begin with"),
        ({"path": "/project/../etc"}, "leave out"),
        ({"path": "/project/./a"}, "leave out"),
        ({"path": "/project//a"}, "leave out"),
        ({"path": "/project/"}, "leave out"),
        ({"path": "**/.."}, "leave out"),
        ({"host": "https://example.com"}, "leave out scheme"),
        ({"host": "example.com/path"}, "leave out scheme"),
        ({"host": "me@example.com"}, "leave out scheme"),
        ({"host": "example.com:443"}, "leave out scheme"),
        ({"host": "*:*"}, "leave out scheme"),
    ],
)
def test_a_rule_that_nothing_can_match_is_refused(fields: dict[str, Any], problem: str) -> None:
    given: dict[str, Any] = {"effect": "deny", **fields}
    with pytest.raises(UsageError, match=problem):
        Rule(**given)


@pytest.mark.parametrize(
    "fields",
    [
        {"path": "/"},
        {"path": "**"},
        {"path": "/a/.b/..c/d.."},
        {"path": "/a/[*]/[[]b]"},
        {"host": "*"},
        {"host": "fe80::*"},
        {"command": "test [[] -f a ]"},
        {"arguments": {"a.b": ""}},
    ],
)
def test_a_rule_that_something_can_match_is_taken(fields: dict[str, Any]) -> None:
    assert Rule("deny", **fields)


@pytest.mark.parametrize(
    "fields",
    [
        {"paths": ("work/a",)},
        {"paths": ("",)},
        {"paths": ("/a", "/project/../etc/passwd")},
        {"paths": ("/project/",)},
        {"paths": ("/project/.",)},
        {"commands": ("ls", "")},
        {"hosts": ("",)},
        {"hosts": ("http://example.com",)},
        {"hosts": ("example.com:80",)},
        {"hosts": ("[::1]",)},
    ],
)
def test_what_rules_would_not_see_is_refused_as_touched(fields: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="A tool says"):
        Touches(**fields)


def test_a_rule_keeps_its_arguments_when_who_gave_them_changes_theirs() -> None:
    given = {"to": "main"}
    rule, grant = Rule("deny", arguments=given), Grant("g", "r", arguments=given)
    given["to"] = "other"
    assert rule.arguments == grant.arguments == {"to": "main"}


def test_rules_and_grants_written_by_0_1_are_read() -> None:
    rule = msgspec.json.decode(b'{"effect":"ask","tool":"write","id":"r","always":true}', type=Rule)
    assert rule == Rule("ask", "write", id="r", always=True)
    grant = msgspec.json.decode(b'{"id":"g","rule":"r","tool":"write","run":"run_1"}', type=Grant)
    assert grant == Grant("g", "r", "write", run="run_1")
