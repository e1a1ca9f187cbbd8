"""`explain`: the verdict that `evaluate` gives, with everything that had a say in it."""

from collections.abc import Iterable
from typing import Literal, assert_never

from msgspec import Struct

from longrein.core.policy import Grant, Rule, Trust
from longrein.permissions.evaluate import (
    Allow,
    Ask,
    Deny,
    Evaluation,
    Matching,
    Verdict,
    resolve,
    rule_name,
)
from longrein.permissions.matching import Action


class Match(Struct, frozen=True, omit_defaults=True):
    """A rule about the action. `decided`: the verdict is from it."""

    name: str
    source: str
    rule: Rule
    decided: bool = False


class Explanation(Struct, frozen=True, omit_defaults=True):
    """Why something may happen, or not.

    `rule` and `source` name what decided, `text` says it to a person. `matches` are all rules about
    the action, the weightiest first. `grants` or, if it is not empty, `trust` answered what the
    rules asked.
    """

    verdict: Literal["allow", "ask", "deny"]
    rule: str
    source: str
    text: str
    matches: tuple[Match, ...]
    grants: tuple[Grant, ...] = ()
    trust: Trust | Literal[""] = ""


def explain(
    action: Action, rules: Iterable[tuple[Rule, str]], grants: Iterable[Grant], trust: Trust
) -> Explanation:
    """Why `evaluate` says what it says about an action.

    Each rule comes with its source: `harness`, `mode`, `thread`, `capability:NAME`. The defaults
    are added here.

    >>> action = Action("shell", "execute")
    >>> rules = [(Rule("allow", tool="shell"), "mode"), (Rule("ask", category="execute"), "thread")]
    >>> why = explain(action, rules, [], "ask")
    >>> why.text
    'shell (execute) may happen: the rule allow:shell (mode) allows it.'
    >>> [(match.name, match.decided) for match in why.matches]
    [('allow:shell', True), ('ask:execute tools', False), ('default:execute', False)]
    """
    decision = resolve(action, rules, grants, trust)
    return Explanation(
        verdict=_word(decision.verdict),
        rule=decision.verdict.rule,
        source=decision.decided[0].source if decision.decided else "trust",
        text=_sentence(action, decision, trust),
        matches=tuple(
            Match(rule_name(one.rule), one.source, one.rule, one in decision.decided)
            for one in decision.matching
        ),
        grants=decision.grants,
        trust=trust if decision.trusted else "",
    )


def _word(verdict: Verdict) -> Literal["allow", "ask", "deny"]:
    match verdict:
        case Allow():
            return "allow"
        case Ask():
            return "ask"
        case Deny():
            return "deny"
        case _:
            assert_never(verdict)


def _sentence(action: Action, decision: Evaluation, trust: Trust) -> str:
    what = f"{action.tool} ({action.category})"
    who = _names(decision.decided) or f"trust ({trust})"
    asking = tuple(one for one in decision.decided if one.rule.effect == "ask")
    allowing = tuple(one for one in decision.decided if one.rule.effect == "allow")
    asker = _names(asking) or f"trust ({trust})"
    match decision.verdict:
        case Deny():
            return f"{what} may not happen: {who} denies it."
        case Ask():
            always = "always " if any(one.rule.always for one in asking) else ""
            return f"{what} waits for a person: {asker} {always}asks."
        case Allow() if decision.trusted:
            return f"{what} may happen: {asker} would ask, but trust ({trust}) says yes."
        case Allow() if decision.grants:
            said = f"what was granted ({', '.join(grant.id for grant in decision.grants)})"
            yes = f"{said} and {_names(allowing)} say" if asking and allowing else f"{said} says"
            return f"{what} may happen: {asker} would ask, but {yes} yes."
        case Allow():
            several = len(_each(decision.decided)) > 1
            return f"{what} may happen: {who} {'allow it together' if several else 'allows it'}."
        case _:
            assert_never(decision.verdict)


def _names(rules: tuple[Matching, ...]) -> str:
    return " and ".join(_each(rules))


def _each(rules: tuple[Matching, ...]) -> list[str]:
    """The rules by name, those of one name once: a tool says the same of several commands."""
    names = (f"the rule {rule_name(one.rule)} ({one.source})" for one in rules)
    return list(dict.fromkeys(names))
