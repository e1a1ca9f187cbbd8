"""Several allows and grants that permit together what each of them names in part."""

import pytest

from longrein.core.policy import Grant, Rule, Touches
from longrein.permissions.evaluate import Action, evaluate
from longrein.permissions.explain import explain
from longrein.permissions.matching import permitted, things

GIT = Rule("allow", command="git *")
LS = Rule("allow", command="ls *")
CURL = Rule("allow", tool="shell", command="curl *")
HOST = Rule("allow", host="example.com")
SRC = Rule("allow", path="/project/**")
YES = Grant("g", "default:execute", commands=("rm x",))


def _shell(
    *commands: str, paths: str = "", hosts: str = "", judged: tuple[Rule, ...] = ()
) -> Action:
    touches = Touches(tuple(paths.split()), commands, tuple(hosts.split()), judged)
    return Action("shell", "execute", {"n": "1"}, touches)


def _verdict(action: Action, *rules: Rule, grants: tuple[Grant, ...] = ()) -> str:
    return type(evaluate(action, rules, grants, "ask")).__name__.lower()


@pytest.mark.parametrize(
    ("action", "rules", "verdict"),
    [
        (_shell("git log", "ls"), [GIT, LS], "allow"),
        (_shell("git log", "ls", "rm x"), [GIT, LS], "ask"),
        (_shell("git log", "ls"), [GIT, LS, Rule("ask", command="ls *")], "ask"),
        (_shell("git log", "ls"), [GIT, LS, Rule("deny", command="ls *")], "deny"),
        (_shell("git log", "ls"), [GIT, LS, Rule("ask", tool="shell")], "allow"),
        (_shell("git log", "? ls $X"), [GIT, LS], "ask"),
        (_shell("curl x", hosts="example.com"), [CURL, HOST], "allow"),
        (_shell("curl x", hosts="example.com example.org"), [CURL, HOST], "ask"),
        (_shell("curl x", hosts="example.com", paths="/project/a"), [CURL, HOST], "ask"),
        (_shell("curl x", hosts="example.com", paths="/project/a"), [CURL, HOST, SRC], "allow"),
        (_shell("git log", paths="/project/a /etc/b"), [GIT, SRC], "ask"),
        (_shell("git log", "ls"), [GIT, Rule("allow", "other", command="ls *")], "ask"),
        (_shell("git log", "ls"), [GIT, Rule("allow", command="ls", arguments={"n": "2"})], "ask"),
        (
            _shell("git log", "ls"),
            [GIT, Rule("allow", command="ls", arguments={"n": "1"})],
            "allow",
        ),
    ],
)
def test_every_thing_that_is_touched_needs_an_allow_that_names_it(
    action: Action, rules: list[Rule], verdict: str
) -> None:
    assert _verdict(action, *rules) == verdict


def test_a_file_that_one_command_may_write_is_none_for_another() -> None:
    writes = Rule("allow", command="git *", path="/project/**")
    assert _verdict(_shell("git log", paths="/project/a"), writes, LS) == "allow"
    assert _verdict(_shell("git log", "ls", paths="/project/a"), writes, LS) == "ask"
    assert _verdict(_shell("git log", "ls", paths="/project/a"), writes, LS, SRC) == "allow"


PROVEN = (Rule("allow", tool="shell", command="ls", id="proven"),)


@pytest.mark.parametrize(
    ("rules", "verdict"),
    [
        ([GIT], "allow"),
        ([GIT, Rule("ask")], "ask"),
        ([GIT, Rule("ask", tool="shell")], "ask"),
        ([GIT, Rule("ask", category="execute")], "ask"),
        ([GIT, LS, Rule("ask", tool="shell")], "allow"),
        ([], "ask"),
    ],
)
def test_what_a_tool_finds_harmless_counts_where_nobody_asks_about_the_tool(
    rules: list[Rule], verdict: str
) -> None:
    assert _verdict(_shell("git log", "ls", judged=PROVEN), *rules) == verdict


@pytest.mark.parametrize(
    ("action", "rules", "verdict"),
    [
        (_shell("rm x", "git log"), [GIT], "allow"),
        (_shell("rm x", "git log"), [], "ask"),
        (_shell("rm x", "ls", judged=PROVEN), [], "allow"),
        (_shell("rm x", "git log", paths="/etc"), [GIT], "ask"),
        (
            _shell("rm x", "git log"),
            [GIT, Rule("ask", tool="shell", id="default:execute")],
            "allow",
        ),
        (
            _shell("rm x", "git log"),
            [GIT, Rule("ask", command="git *", id="default:execute")],
            "ask",
        ),
    ],
)
def test_a_grant_answers_beside_allows_that_weigh_more_than_what_asks(
    action: Action, rules: list[Rule], verdict: str
) -> None:
    assert _verdict(action, *rules, grants=(YES,)) == verdict


def test_grants_for_one_rule_answer_it_together() -> None:
    grants = (YES, Grant("h", "default:execute", commands=("make *",)))
    assert _verdict(_shell("rm x", "make a"), grants=grants) == "allow"
    other = (YES, Grant("h", "another", commands=("make *",)))
    assert _verdict(_shell("rm x", "make a"), grants=other) == "ask"


def test_an_allow_answers_nothing_that_planning_asks() -> None:
    action = Action("tune", "other", {}, Touches(commands=("rm x", "git log")))
    grants = [Grant("g", "trust:plan", commands=("rm x",))]
    assert evaluate(action, [GIT], grants, "plan").rule == "trust:plan"


def test_all_rules_that_allow_together_are_named() -> None:
    rules = [(GIT, "harness"), (LS, "thread"), (Rule("allow", command="rm *"), "thread")]
    why = explain(_shell("git log", "ls"), rules, [], "ask")
    assert [match.rule for match in why.matches if match.decided] == [GIT, LS]
    assert why.text == (
        'shell (execute) may happen: the rule allow:all tools {"command":"git *"} (harness) and '
        'the rule allow:all tools {"command":"ls *"} (thread) allow it together.'
    )


def test_grants_and_the_allows_beside_them_are_named() -> None:
    judged = (*PROVEN, Rule("allow", tool="shell", command="pwd", id="proven"))
    action = _shell("rm x", "ls", "pwd", judged=judged)
    why = explain(action, [], [YES], "ask")
    assert why.grants == (YES,)
    assert [match.name for match in why.matches if match.decided] == [
        "proven",
        "proven",
        "default:execute",
    ]
    assert why.text == (
        "shell (execute) may happen: the rule default:execute (default) would ask, "
        "but what was granted (g) and the rule proven (tool) say yes."
    )


def test_where_one_allow_is_enough_the_others_are_not_named() -> None:
    every = Rule("allow", command="*")
    why = explain(_shell("git log", "ls"), [(GIT, ""), (LS, ""), (every, "")], [], "ask")
    assert [match.rule for match in why.matches if match.decided] == [every]


def test_an_ask_says_whether_one_of_its_rules_always_asks() -> None:
    rules = [Rule("ask", id="a", command="ls"), Rule("ask", id="b", command="ls", always=True)]
    always, once = evaluate(_shell("ls"), rules, [], "ask"), evaluate(_shell("ls"), [], [], "ask")
    assert (getattr(always, "always", None), getattr(once, "always", None)) == (True, False)


def test_a_grant_permits_what_it_lists_of_several_things() -> None:
    action = _shell("git log", "ls", paths="/etc")
    grant = Grant("g", "r", commands=("git *",), paths=("/project/**",))
    assert permitted(grant, action) == frozenset()
    assert permitted(Grant("g", "r", commands=("git *",)), action) == {("command", "git log")}
    assert things(action.touches) == [("path", "/etc"), ("command", "git log"), ("command", "ls")]
