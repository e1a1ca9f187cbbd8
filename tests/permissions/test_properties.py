"""What holds for any action, any rules, any grants and any trust."""

from hypothesis import assume, given
from hypothesis import strategies as st
from msgspec.structs import replace

from longrein.core.policy import Grant, Rule, Trust
from longrein.permissions.evaluate import (
    DEFAULTS,
    Action,
    Allow,
    Ask,
    Deny,
    denied_outright,
    evaluate,
    hidden,
    rule_name,
)
from longrein.permissions.explain import explain
from longrein.permissions.matching import Thing, covers, is_about, permitted, things
from longrein.permissions.remember import covering, propose
from tests.permissions import anything
from tests.permissions.anything import level, quick, strictness

world = given(anything.actions, anything.rules, anything.grants, anything.trusts)
one_more = given(anything.actions, anything.rules, anything.rule, anything.grants, anything.trusts)


@quick
@world
def test_a_deny_about_the_action_beats_everything(
    action: Action, rules: list[Rule], grants: list[Grant], trust: Trust
) -> None:
    denied = any(rule.effect == "deny" and is_about(rule, action) for rule in rules)
    verdict = evaluate(action, rules, grants, trust)
    assert isinstance(verdict, Deny) == (denied or _planning(action, trust))


@quick
@given(anything.actions, anything.rules, anything.grants, anything.trusts, st.data())
def test_a_deny_for_any_part_of_the_action_beats_everything(
    action: Action, rules: list[Rule], grants: list[Grant], trust: Trust, data: st.DataObject
) -> None:
    touches = action.touches
    parts = [Rule("deny"), Rule("deny", tool=action.tool), Rule("deny", category=action.category)]
    parts += [Rule("deny", path=path) for path in touches.paths]
    parts += [Rule("deny", command=command) for command in touches.commands]
    parts += [Rule("deny", host=host) for host in touches.hosts]
    parts += [Rule("deny", arguments={name: "*"}) for name in action.arguments]
    deny = data.draw(st.sampled_from(parts))
    assert isinstance(evaluate(action, [*rules, deny], grants, trust), Deny)


@quick
@world
def test_the_order_of_rules_and_grants_never_matters(
    action: Action, rules: list[Rule], grants: list[Grant], trust: Trust
) -> None:
    verdict = evaluate(action, rules, grants, trust)
    assert type(evaluate(action, rules[::-1], grants[::-1], trust)) is type(verdict)


@quick
@one_more
def test_one_more_deny_never_makes_the_verdict_weaker(
    action: Action, rules: list[Rule], more: Rule, grants: list[Grant], trust: Trust
) -> None:
    _never_weaker(action, rules, replace(more, effect="deny"), grants, trust)


@quick
@one_more
def test_one_more_ask_that_always_asks_never_makes_the_verdict_weaker(
    action: Action, rules: list[Rule], more: Rule, grants: list[Grant], trust: Trust
) -> None:
    _never_weaker(action, rules, replace(more, effect="ask", always=True), grants, trust)


@quick
@one_more
def test_one_more_ask_that_is_no_more_specific_never_makes_the_verdict_weaker(
    action: Action, rules: list[Rule], more: Rule, grants: list[Grant], trust: Trust
) -> None:
    rules = [*rules, Rule("allow")]
    deciding = max(level(rule) for rule in rules if is_about(rule, action))
    tool = action.tool if deciding >= level(Rule("ask", tool=action.tool)) else ""
    ask = more if level(more) <= deciding else Rule("ask", tool, id=more.id)
    _never_weaker(action, rules, replace(ask, effect="ask"), grants, trust)


@quick
@one_more
def test_one_more_ask_that_nothing_answers_never_makes_the_verdict_weaker(
    action: Action, rules: list[Rule], more: Rule, grants: list[Grant], trust: Trust
) -> None:
    assume(trust != "yolo" and (trust, action.category) != ("edits", "edit"))
    _never_weaker(action, rules, replace(more, effect="ask", id="unanswered"), grants, trust)


@quick
@given(anything.lines, anything.allows, anything.allows, anything.asks, anything.yeses)
def test_more_allows_never_make_the_verdict_stricter(
    action: Action, allows: list[Rule], more: list[Rule], asks: list[Rule], grants: list[Grant]
) -> None:
    before = evaluate(action, [*allows, *asks], grants, "ask")
    after = evaluate(action, [*allows, *more, *asks], grants, "ask")
    assert strictness(after) <= strictness(before)


@quick
@given(anything.lines, anything.allows, anything.asks, anything.yeses)
def test_a_line_is_allowed_only_if_each_of_its_commands_is_with_the_same_paths_and_hosts(
    action: Action, allows: list[Rule], asks: list[Rule], grants: list[Grant]
) -> None:
    rules = [*allows, *asks]
    if isinstance(evaluate(action, rules, grants, "ask"), Allow):
        for command in action.touches.commands:
            alone = replace(action, touches=replace(action.touches, commands=(command,)))
            # An ask by command that was answered for the line need not be about each of its parts.
            asked = [rule for rule in asks if rule.command and not is_about(rule, alone)]
            assert asked or isinstance(evaluate(alone, rules, grants, "ask"), Allow)


@quick
@given(anything.lines, anything.allows, anything.asks, anything.yeses)
def test_everything_touched_is_named_by_an_allow_or_a_grant_that_the_explanation_names(
    action: Action, allows: list[Rule], asks: list[Rule], grants: list[Grant]
) -> None:
    why = explain(action, [(rule, "harness") for rule in (*allows, *asks)], grants, "ask")
    decided = [one.rule for one in why.matches if one.decided and one.rule.effect == "allow"]
    if why.verdict == "allow" and not any(covers(one, action) for one in why.grants):
        named = [permitted(one, action) for one in (*decided, *why.grants)]
        assert frozenset[Thing]().union(*named) == {*things(action.touches)}
        assert all(named)


@quick
@given(anything.actions, anything.rules, anything.grants, anything.grant, anything.trusts)
def test_a_grant_turns_nothing_but_its_own_rules_ask_into_allow(
    action: Action, rules: list[Rule], grants: list[Grant], more: Grant, trust: Trust
) -> None:
    before = evaluate(action, rules, grants, trust)
    after = evaluate(action, rules, [*grants, more], trust)
    if after != before:
        assert isinstance(before, Ask)
        assert before.rule == more.rule
        assert not isinstance(after, Deny)


@quick
@world
def test_an_ask_that_always_asks_is_answered_by_no_grant_and_no_trust(
    action: Action, rules: list[Rule], grants: list[Grant], trust: Trust
) -> None:
    always = Rule("ask", id="always", always=True, arguments={"nothing": "*"})
    everything = [*grants, Grant("g", "always", action.tool)]
    assert not isinstance(evaluate(action, [*rules, always], everything, trust), Allow)


@quick
@given(anything.actions, anything.rules, anything.grants)
def test_more_trust_never_takes_away_what_less_trust_allows(
    action: Action, rules: list[Rule], grants: list[Grant]
) -> None:
    trusts: tuple[Trust, ...] = ("yolo", "edits", "ask", "plan")
    strict = [strictness(evaluate(action, rules, grants, trust)) for trust in trusts]
    assert strict == sorted(strict)


@quick
@world
def test_what_is_hidden_is_denied_whatever_it_is_given(
    action: Action, rules: list[Rule], grants: list[Grant], trust: Trust
) -> None:
    if hidden(action.tool, action.category, rules, trust):
        assert isinstance(evaluate(action, rules, grants, trust), Deny)
    assert denied_outright(action, rules) <= hidden(action.tool, action.category, rules, trust)


@quick
@world
def test_an_explanation_never_disagrees_with_the_verdict(
    action: Action, rules: list[Rule], grants: list[Grant], trust: Trust
) -> None:
    verdict = evaluate(action, rules, grants, trust)
    why = explain(action, [(rule, "harness") for rule in rules], grants, trust)
    assert why.verdict == type(verdict).__name__.lower()
    assert why.rule == verdict.rule
    matches = [match.rule for match in why.matches if match.source == "harness"]
    assert all(is_about(rule, action) or permitted(rule, action) for rule in matches)
    assert [rule for rule in matches if is_about(rule, action)] == sorted(
        (rule for rule in rules if is_about(rule, action)),
        key=lambda rule: (rule.effect == "deny", level(rule), rule.effect == "ask", rule.always),
        reverse=True,
    )


@quick
@given(anything.actions, anything.rules, anything.trusts)
def test_what_an_approval_proposes_makes_asking_again_needless(
    action: Action, rules: list[Rule], trust: Trust
) -> None:
    given = list[Grant]()
    while isinstance(verdict := evaluate(action, rules, given, trust), Ask):
        if any(rule.always and rule_name(rule) == verdict.rule for rule in rules):
            return
        assert len(given) <= len(rules) + len(DEFAULTS)
        proposal = propose(action, verdict.rule)
        assert proposal is not None
        given.append(proposal)
        exactly = covering("call", action, verdict.rule, proposal)
        assert evaluate(action, rules, [*given[:-1], exactly], trust) == evaluate(
            action, rules, given, trust
        )


@quick
@given(anything.actions, anything.actions)
def test_a_remembered_call_covers_no_other_call_and_nothing_else_touched(
    action: Action, other: Action
) -> None:
    exactly = covering("call", action, "asked", None)
    verdict = evaluate(other, [Rule("ask", id="asked")], [exactly], "ask")
    if isinstance(verdict, Allow):
        assert (other.tool, other.arguments) == (action.tool, action.arguments)
        assert _touched(other) <= _touched(action)
    else:
        assert other != action


def _never_weaker(
    action: Action, rules: list[Rule], more: Rule, grants: list[Grant], trust: Trust
) -> None:
    before = evaluate(action, rules, grants, trust)
    assert strictness(evaluate(action, [*rules, more], grants, trust)) >= strictness(before)


def _planning(action: Action, trust: Trust) -> bool:
    return trust == "plan" and action.category in ("edit", "execute", "network")


def _touched(action: Action) -> set[str]:
    return {*action.touches.paths, *action.touches.commands, *action.touches.hosts}
