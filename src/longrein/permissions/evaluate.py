"""`evaluate`: whether an action may happen, with the rule that decided.

Deny always wins, whoever says it. Otherwise the most specific rule decides (tool, then category,
then everything, then the defaults below); at one level the strictest. A grant turns the asks of
the rule that it names into allow; a mode of trust turns asks into allow or allow into deny.

    category    default    trust=edits    trust=plan    trust=yolo
    read        allow      allow          allow         allow
    edit        ask        allow          deny          allow
    execute     ask        ask            deny          allow
    network     ask        ask            deny          allow
    delegate    allow      allow          allow         allow
    other       allow      allow          ask           allow
"""

from collections.abc import Iterable
from typing import TypeAlias

from msgspec import Struct

from longrein.core.records import Category, Grant, Rule, Trust


class Action(Struct, frozen=True):
    """What is about to happen."""

    tool: str
    category: Category


class Allow(Struct, frozen=True):
    """It may happen."""

    rule: str


class Ask(Struct, frozen=True):
    """A person decides. `reason` is for that person."""

    rule: str
    reason: str


class Deny(Struct, frozen=True):
    """It may not happen. `reason` is for the model."""

    rule: str
    reason: str


Verdict: TypeAlias = Allow | Ask | Deny

DEFAULTS: tuple[Rule, ...] = (
    Rule("allow", category="read", id="default:read"),
    Rule("ask", category="edit", id="default:edit"),
    Rule("ask", category="execute", id="default:execute"),
    Rule("ask", category="network", id="default:network"),
    Rule("allow", category="delegate", id="default:delegate"),
    Rule("allow", category="other", id="default:other"),
)

_DEFAULT: dict[str, Rule] = {rule.category: rule for rule in DEFAULTS}
_STRICT = {"allow": 0, "ask": 1, "deny": 2}


def evaluate(
    action: Action, rules: Iterable[Rule], grants: Iterable[Grant], trust: Trust
) -> Verdict:
    """The verdict on an action."""
    matching = [rule for rule in rules if _matches(rule, action)]
    denied = next((rule for rule in matching if rule.effect == "deny"), None)
    if denied is not None:
        return Deny(rule_name(denied), _refusal(action, denied))
    rule = _deciding(matching) if matching else _DEFAULT[action.category]
    if trust == "plan" and action.category in ("edit", "execute", "network"):
        text = (
            f"{action.tool} is not allowed while planning: only reading is. Finish the plan first."
        )
        return Deny("trust:plan", text)
    if rule.effect == "allow" and not (trust == "plan" and action.category == "other"):
        return Allow(rule_name(rule))
    if not rule.always and _answered(action, rule, grants, trust):
        return Allow(rule_name(rule))
    return Ask(rule_name(rule), f"{action.tool} ({action.category}) needs a yes.")


def denied_outright(action: Action, rules: Iterable[Rule]) -> bool:
    """Whether a rule denies the tool as such: then the model is not even offered it."""
    return any(rule.effect == "deny" and _matches(rule, action) for rule in rules)


def rule_name(rule: Rule) -> str:
    """What the rule is called in approvals, grants and explanations."""
    return rule.id or f"{rule.effect}:{rule.tool or rule.category or 'everything'}"


def _matches(rule: Rule, action: Action) -> bool:
    return rule.tool in ("", action.tool) and rule.category in ("", action.category)


def _deciding(rules: list[Rule]) -> Rule:
    """The strictest among the most specific."""

    def weight(rule: Rule) -> tuple[int, int, bool]:
        level = 2 if rule.tool else 1 if rule.category else 0
        return level, _STRICT[rule.effect], rule.always

    return max(rules, key=weight)


def _answered(action: Action, rule: Rule, grants: Iterable[Grant], trust: Trust) -> bool:
    if trust == "yolo" or (trust == "edits" and action.category == "edit"):
        return True
    name = rule_name(rule)
    return any(
        grant.rule == name and (grant.tool == action.tool or grant.category == action.category)
        for grant in grants
    )


def _refusal(action: Action, rule: Rule) -> str:
    return (
        f"{action.tool} is not allowed here (rule {rule_name(rule)}). "
        "Do not try it again; find another way or tell the user what you need."
    )
