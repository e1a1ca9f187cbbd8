"""What is remembered of a yes, and how it is told to a person."""

from typing import Any

import pytest

from longrein.core.errors import UsageError
from longrein.core.policy import Grant, Rule, Touches
from longrein.permissions.matching import Action, covers
from longrein.permissions.remember import LONGEST_PROPOSED, covering, describe, is_wider, propose

TOUCHES = Touches(("/project/a", "/project/*"), ("git gc",), ("example.com",))
SHELL = Action("shell", "execute", {"line": "git gc"}, TOUCHES)


def test_a_proposal_goes_by_exactly_what_is_touched() -> None:
    assert propose(SHELL, "rule") == Grant(
        "",
        "rule",
        "shell",
        paths=("/project/a", "/project/[*]"),
        commands=("git gc",),
        hosts=("example.com",),
    )


def test_a_proposal_goes_by_exactly_the_arguments_where_nothing_is_touched() -> None:
    proposal = propose(Action("push", "network", {"to": "m?in", "n": [1]}), "rule")
    assert proposal == Grant("", "rule", "push", arguments={"": '{"n":[[]1],"to":"m[?]in"}'})


def test_a_proposal_for_a_call_without_arguments_covers_no_call_with_some() -> None:
    proposal = propose(Action("reset", "other"), "rule")
    assert proposal is not None
    assert covers(proposal, Action("reset", "other"))
    assert not covers(proposal, Action("reset", "other", {"hard": True}))


@pytest.mark.parametrize(
    ("commands", "proposed"),
    [
        (("git add a", "git add b", "tail -5"), ("git add *", "tail -5")),
        (("timeout 5 npm test", "npm test"), ("timeout 5 npm test", "npm test *")),
        (("? npm test", "? line: npm test $X"), ("[?] npm test", "[?] line: npm test $X")),
    ],
)
def test_a_proposal_goes_by_the_kind_of_work_of_commands_that_are_sure(
    commands: tuple[str, ...], proposed: tuple[str, ...]
) -> None:
    proposal = propose(_running(*commands), "rule")
    assert proposal is not None
    assert proposal.commands == proposed
    assert is_wider(proposal) is not commands[0].startswith("? ")
    assert covers(proposal, _running(*commands))


def test_a_call_is_remembered_by_its_very_commands() -> None:
    assert covering("call", _running("git add a"), "rule", None).commands == ("git add a",)


@pytest.mark.parametrize("always", [True, False])
def test_nothing_is_proposed_where_the_tool_always_asks(always: bool) -> None:
    judged = (Rule("ask", tool="shell", id="shell: publishes", always=always),)
    action = Action("shell", "execute", {}, Touches(commands=("npm publish",), judged=judged))
    assert (propose(action, "shell: publishes") is None) is always


@pytest.mark.parametrize(
    "action",
    [
        Action("tool", "edit", {"text": "x" * LONGEST_PROPOSED}),
        Action("tool", "edit", {}, Touches(commands=("x" * (LONGEST_PROPOSED + 1),))),
        Action("tool", "edit", {}, Touches(paths=("/" + "x" * 999, "/" + "y" * 999, "/z"))),
    ],
)
def test_nothing_is_proposed_that_is_too_long_to_be_read(action: Action) -> None:
    assert propose(action, "rule") is None


def test_nothing_is_proposed_for_arguments_too_deep_to_be_read() -> None:
    action = _deep()
    assert propose(action, "rule") is None
    with pytest.raises(UsageError, match="too deep"):
        covering("call", action, "rule", None)


def test_a_call_is_remembered_with_its_arguments_and_what_it_touches() -> None:
    grant = covering("call", SHELL, "rule", None)
    assert covers(grant, SHELL)
    assert not covers(grant, Action("shell", "execute", {"line": "git  gc"}, TOUCHES))
    assert not covers(grant, Action("shell", "execute", {"line": "git gc"}, Touches(("/etc",))))
    assert not covers(grant, Action("shell", "execute", {"line": "git gc"}))


def test_a_long_call_can_be_remembered() -> None:
    action = Action("write", "edit", {"text": "*" * 100_000})
    grant = covering("call", action, "rule", None)
    assert covers(grant, action)
    assert not covers(grant, Action("write", "edit", {"text": "*" * 99_999}))


def test_a_tool_or_a_category_is_remembered_as_such() -> None:
    assert covering("tool", SHELL, "rule", None) == Grant("", "rule", tool="shell")
    assert covering("category", SHELL, "rule", None) == Grant("", "rule", category="execute")


def test_a_proposal_is_remembered_for_the_rule_that_asked() -> None:
    proposal = Grant("", "another", "shell", commands=("git *",))
    grant = covering("rule", SHELL, "rule", proposal)
    assert grant == Grant("", "rule", "shell", commands=("git *",))


def test_what_was_not_proposed_cannot_be_remembered() -> None:
    with pytest.raises(UsageError, match="proposes no rule"):
        covering("rule", SHELL, "rule", None)


@pytest.mark.parametrize(
    ("grant", "text"),
    [
        (Grant("", "r"), "nothing"),
        (Grant("", "r", "write"), "write"),
        (Grant("", "r", category="edit"), "any tool that edits files"),
        (Grant("", "r", paths=("/a",)), "any tool on /a"),
        (Grant("", "r", "write", paths=("/a", "/b/**")), "write on /a, /b/**"),
        (Grant("", "r", "write", paths=("/a/[*]",)), "write on exactly /a/*"),
        (
            Grant("", "r", "shell", commands=("git log",), hosts=("example.com",)),
            "shell running git log connecting to example.com",
        ),
        (
            Grant("", "r", "shell", commands=("[?] rm $X", "[?] ls", "[?] line: rm $X; ls *")),
            "shell running rm $X; ls *",
        ),
        (
            Grant("", "r", "shell", commands=("[?] rm $X", "[?] line: rm $X; ls [*]")),
            "shell running exactly rm $X; ls *",
        ),
        (Grant("", "r", "shell", commands=("[?] rm $X", "ls *")), "shell running rm $X, ls *"),
        (Grant("", "r", "push", arguments={"": '{"to":"main"}'}), 'push with {"to":"main"}'),
        (Grant("", "r", "push", arguments={"to": "try-*"}), "push with to try-*"),
    ],
)
def test_a_grant_is_described_by_what_it_allows(grant: Grant, text: str) -> None:
    assert describe(grant) == text


def test_a_description_is_one_line_that_a_terminal_can_be_shown() -> None:
    hostile = "ls\n\x1b[2J\u202e\x9b\ud800" + "x" * 1_000
    grant = Grant("", "r", "shell", commands=(hostile,), arguments={"a\n": "*\r"})
    assert describe(grant).isprintable()
    assert "(1010 characters)" in describe(grant)


def _running(*commands: str) -> Action:
    return Action("shell", "execute", {}, Touches(commands=commands))


def _deep() -> Action:
    deep: Any = "a"
    for _ in range(100_000):
        deep = [deep]
    return Action("tool", "edit", {"x": deep})
