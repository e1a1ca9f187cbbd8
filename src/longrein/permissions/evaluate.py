"""`evaluate`: whether an action may happen, with the rule that decided.

Deny always wins, whoever says it. Otherwise the most specific rule decides: one that goes by
arguments or by what is touched, then by tool, then by category, then for everything, then the
defaults below; at one level the strictest. A grant turns the asks of the rule that it names into
allow; where several rules ask at the deciding level, each needs a grant of its own. A mode of trust
turns asks into allow, or, when planning, allow into ask and deny.

    category    default    trust=edits    trust=plan    trust=yolo
    read        allow      allow          allow         allow
    edit        ask        allow          deny          allow
    execute     ask        ask            deny          allow
    network     ask        ask            deny          allow
    delegate    allow      allow          allow         allow
    other       allow      allow          ask           allow
"""

import json
from collections.abc import Collection, Iterable
from typing import NamedTuple, TypeAlias

from msgspec import Struct

from longrein.core.policy import Category, Grant, Rule, Trust
from longrein.permissions.matching import Action as Action
from longrein.permissions.matching import covers, is_about, is_specific


class Allow(Struct, frozen=True):
    """It may happen."""

    rule: str


class Ask(Struct, frozen=True):
    """A person decides. `reason` is for that person.

    `rules` are all that ask and have no answer yet, `rule` the first of them: one yes is a yes to
    all of them.
    """

    rule: str
    reason: str
    rules: tuple[str, ...] = ()


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

JUDGED = "tool"
"""The source of rules that a tool itself applied to the call."""

PLANNING = "trust:plan"
"""What decided, where it was the mode of trust and no rule."""


def evaluate(
    action: Action,
    rules: Iterable[Rule],
    grants: Iterable[Grant],
    trust: Trust,
    answered: Collection[str] = (),
) -> Verdict:
    """The verdict on an action, whatever the order of rules and grants.

    `answered` are the rules that a person said yes to for this very action.

    >>> action = Action("shell", "execute")
    >>> evaluate(action, [], [], "ask").rule
    'default:execute'
    >>> evaluate(action, [Rule("allow", tool="shell"), Rule("deny")], [], "yolo").rule
    'deny:all tools'
    """
    return resolve(action, ((rule, "") for rule in rules), grants, trust, answered).verdict


def denied_outright(action: Action, rules: Iterable[Rule]) -> bool:
    """Whether a rule denies the tool as such: then the model is not even offered it."""
    return any(
        rule.effect == "deny" and not is_specific(rule) and is_about(rule, action) for rule in rules
    )


def hidden(tool: str, category: Category, rules: Iterable[Rule], trust: Trust) -> bool:
    """Whether the model is not offered a tool: every call of it would be denied.

    >>> hidden("write", "edit", [], "plan"), hidden("write", "edit", [], "ask")
    (True, False)
    """
    return _not_while_planning(category, trust) or denied_outright(Action(tool, category), rules)


def rule_name(rule: Rule) -> str:
    """What the rule is called in approvals, grants and explanations.

    Rules about different actions have different names: a grant for one is none for the other.

    >>> rule_name(Rule("ask", tool="shell")), rule_name(Rule("ask", tool="shell", command="rm *"))
    ('ask:shell', 'ask:shell {"command":"rm *"}')
    """
    if rule.id:
        return rule.id
    # No tool can have a blank in its name.
    name = rule.tool or (f"{rule.category} tools" if rule.category else "all tools")
    parts: dict[str, object] = {"category": rule.category if rule.tool else ""}
    parts |= {"always": rule.always, "arguments": rule.arguments, "path": rule.path}
    parts |= {"command": rule.command, "host": rule.host}
    given = {field: said for field, said in parts.items() if said}
    return f"{rule.effect}:{name}{f' {_compact(given)}' if given else ''}"


class Matching(NamedTuple):
    """A rule about the action, with where it is from and how specific it is."""

    rule: Rule
    source: str
    level: int


class Decision(Struct, frozen=True):
    """A verdict and how it came about.

    `matching` are all rules about the action, the weightiest first, the default last. `decided`:
    those of them that the verdict is from; none where the mode of trust decided by itself.
    `grants` and `trusted`: what answered the asks among them.
    """

    verdict: Verdict
    matching: tuple[Matching, ...]
    decided: tuple[Matching, ...] = ()
    grants: tuple[Grant, ...] = ()
    trusted: bool = False


def resolve(
    action: Action,
    rules: Iterable[tuple[Rule, str]],
    grants: Iterable[Grant],
    trust: Trust,
    answered: Collection[str] = (),
) -> Decision:
    """The decision about an action, from rules with their sources."""
    matching = _by_weight(action, rules)
    grants = tuple(grants)
    first = matching[0]
    name = rule_name(first.rule)
    if first.rule.effect == "deny":
        return Decision(Deny(name, _refusal(action, name)), matching, (first,))
    if _not_while_planning(action.category, trust):
        return Decision(Deny(PLANNING, _not_now(action)), matching)
    asking = tuple(one for one in matching if one.level == first.level and one.rule.effect == "ask")
    trusted = _trusted(action.category, trust)
    left = [one for one in asking if rule_name(one.rule) not in answered]
    left = [one for one in left if one.rule.always or not trusted]
    names = [rule_name(one.rule) for one in left]
    if trust == "plan" and action.category == "other" and PLANNING not in answered:
        names.append(PLANNING)
    always = {rule_name(one.rule) for one in left if one.rule.always}
    found = {asked: _grant(action, asked, grants) for asked in names if asked not in always}
    unanswered = tuple(asked for asked in names if found.get(asked) is None)
    if unanswered:
        decided = tuple(one for one in asking if rule_name(one.rule) == unanswered[0])
        return Decision(Ask(unanswered[0], _request(action), unanswered), matching, decided)
    used = tuple(grant for grant in found.values() if grant)
    return Decision(Allow(name), matching, asking or (first,), used, trusted and bool(asking))


_DEFAULT: dict[str, Rule] = {rule.category: rule for rule in DEFAULTS}
_STRICT = {"allow": 0, "ask": 1, "deny": 2}
_compact = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode


def _by_weight(action: Action, rules: Iterable[tuple[Rule, str]]) -> tuple[Matching, ...]:
    found = [
        Matching(rule, source, _level(rule)) for rule, source in rules if is_about(rule, action)
    ]
    found += [Matching(rule, JUDGED, 4) for rule in action.touches.judged]
    found.sort(key=_weight, reverse=True)
    return (*found, Matching(_DEFAULT[action.category], "default", 0))


def _level(rule: Rule) -> int:
    return 4 if is_specific(rule) else 3 if rule.tool else 2 if rule.category else 1


def _weight(one: Matching) -> tuple[bool, int, int, bool]:
    rule = one.rule
    return rule.effect == "deny", one.level, _STRICT[rule.effect], rule.always


def _grant(action: Action, rule: str, grants: Iterable[Grant]) -> Grant | None:
    """The grant that says yes to what a rule asks about this action."""
    return next((one for one in grants if one.rule == rule and covers(one, action)), None)


def _trusted(category: Category, trust: Trust) -> bool:
    return trust == "yolo" or (trust == "edits" and category == "edit")


def _not_while_planning(category: Category, trust: Trust) -> bool:
    return trust == "plan" and category in ("edit", "execute", "network")


def _request(action: Action) -> str:
    return f"{action.tool} ({action.category}) needs a yes."


def _not_now(action: Action) -> str:
    return (
        f"{action.tool} is not allowed while the trust is plan: only reading is. Finish the plan "
        "first; the person can change the trust (set_trust)."
    )


def _refusal(action: Action, rule: str) -> str:
    return (
        f"{action.tool} is not allowed here (rule {rule}). "
        "Do not try it again; find another way or tell the user what you need."
    )
