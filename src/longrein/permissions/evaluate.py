"""`evaluate`: whether an action may happen, with the rule that decided.

Deny always wins, whoever says it. Otherwise the most specific rule decides: one that goes by
arguments or by what is touched, then by tool, then by category, then for everything, then the
defaults below; at one level the strictest. A grant turns the asks of the rule that it names into
allow; where several rules ask at the deciding level, each needs a grant of its own. A mode of trust
turns asks into allow, or, when planning, allow into ask and deny.

Several allows permit together what each names in part: every path, command and host needs one of
them. Together they weigh as much as the lightest that is needed. Grants do the same, also with
allows that are more specific than the rule that asks.

    category    default    trust=edits    trust=plan    trust=yolo
    read        allow      allow          allow         allow
    edit        ask        allow          deny          allow
    execute     ask        ask            deny          allow
    network     ask        ask            deny          allow
    delegate    allow      allow          allow         allow
    other       allow      allow          ask           allow
"""

import json
from collections.abc import Collection, Hashable, Iterable, Sequence
from typing import NamedTuple, TypeAlias, TypeVar

from msgspec import Struct

from longrein.core.policy import Category, Grant, Rule, Trust
from longrein.permissions.matching import Action as Action
from longrein.permissions.matching import Thing, covers, is_about, is_specific, permitted, things


class Allow(Struct, frozen=True):
    """It may happen. `by` is what answered where `rule` would ask: grants, or the trust."""

    rule: str
    by: str = ""


class Ask(Struct, frozen=True):
    """A person decides. `reason` is for that person.

    `rules` are all that ask and have no answer yet, `rule` the first of them: one yes is a yes to
    all of them. `always`: one of them always asks, so that no yes can be remembered.
    """

    rule: str
    reason: str
    rules: tuple[str, ...] = ()
    always: bool = False


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


class Evaluation(Struct, frozen=True):
    """A verdict and how it came about.

    `matching` are all rules about the action, the weightiest first, the default last; allows that
    permit it only together are among them where that counted. `decided`: those of them that the
    verdict is from; none where the mode of trust decided by itself. `grants` and `trusted`: what
    answered the asks among them.
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
) -> Evaluation:
    """The decision about an action, from rules with their sources."""
    given = _weighed(action, rules)
    together = _together(action, given)
    matching = _by_weight(action, given, together)
    first = matching[0]
    name = rule_name(first.rule)
    if first.rule.effect == "deny":
        return Evaluation(Deny(name, _refusal(action, name)), matching, (first,))
    if _not_while_planning(action.category, trust):
        return Evaluation(Deny(PLANNING, _not_now(action)), matching)
    asking = tuple(one for one in matching if one.level == first.level and one.rule.effect == "ask")
    itself = together if first in together else (first,)
    if not asking and trust != "plan":
        return Evaluation(Allow(name), matching, itself)
    trusted = _trusted(action.category, trust)
    left = [one for one in asking if rule_name(one.rule) not in answered]
    left = [one for one in left if one.rule.always or not trusted]
    names = [rule_name(one.rule) for one in left]
    if trust == "plan" and action.category == "other" and PLANNING not in answered:
        names.append(PLANNING)
    always = {rule_name(one.rule) for one in left if one.rule.always}
    # None that weighs as much as what asks: the ask may be about the very thing that it allows.
    beside = [one for one in given if one.rule.effect == "allow" and one.level > first.level]
    grants = tuple(grants)
    found = {
        asked: _granted(action, asked, grants, () if asked == PLANNING else beside)
        for asked in names
        if asked not in always
    }
    unanswered = tuple(asked for asked in names if not found.get(asked))
    if unanswered:
        decided = tuple(one for one in asking if rule_name(one.rule) == unanswered[0])
        verdict = Ask(unanswered[0], _request(action), unanswered, bool(always))
        return Evaluation(verdict, matching, decided)
    used = dict.fromkeys(one for some in found.values() for one in some)
    helping = tuple(one for one in used if isinstance(one, Matching))
    granted = tuple(one for one in used if isinstance(one, Grant))
    believed = trusted and bool(asking)
    by = ", ".join(one.id for one in granted) or (f"trust:{trust}" if believed else "")
    return Evaluation(
        Allow(name, by),
        tuple(sorted((*matching, *helping), key=_weight, reverse=True)),
        (*asking, *helping) or itself,
        granted,
        believed,
    )


_T = TypeVar("_T", bound=Hashable)
_DEFAULT: dict[str, Rule] = {rule.category: rule for rule in DEFAULTS}
_STRICT = {"allow": 0, "ask": 1, "deny": 2}
_compact = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode


def _weighed(action: Action, rules: Iterable[tuple[Rule, str]]) -> list[Matching]:
    """All rules with what they weigh, also those that are not about the action."""
    given = [Matching(rule, source, _level(rule)) for rule, source in rules]
    return given + [Matching(rule, JUDGED, _judged_level(rule)) for rule in action.touches.judged]


def _by_weight(
    action: Action, given: Iterable[Matching], together: tuple[Matching, ...]
) -> tuple[Matching, ...]:
    found = [one for one in given if _is_about(one, action)]
    alone = max((one.level for one in found if one.rule.effect == "allow"), default=0)
    found += [one for one in together if one.level > alone]
    found.sort(key=_weight, reverse=True)
    return (*found, Matching(_DEFAULT[action.category], "default", 0))


def _is_about(one: Matching, action: Action) -> bool:
    # What a tool asks about or denies, it has applied to the call already.
    restricts = one.source == JUDGED and one.rule.effect != "allow"
    return restricts or is_about(one.rule, action)


def _together(action: Action, given: Iterable[Matching]) -> tuple[Matching, ...]:
    """The allows that permit the action together, each with what they weigh; none if they do not.

    The line is as well known as the least known of its commands.
    """
    if not things(action.touches):
        return ()
    allows = sorted((one for one in given if one.rule.effect == "allow"), key=_weight, reverse=True)
    chosen = _permitting(action, [(one, permitted(one.rule, action)) for one in allows])
    level = min((one.level for one in chosen), default=0)
    return tuple(one._replace(level=level) for one in chosen)


def _granted(
    action: Action, asked: str, grants: Iterable[Grant], beside: Iterable[Matching]
) -> tuple[Grant | Matching, ...]:
    """The grants that say yes to what a rule asks about the action, and the allows beside them."""
    own = [one for one in grants if one.rule == asked]
    if alone := next((one for one in own if covers(one, action)), None):
        return (alone,)
    parts: list[tuple[Grant | Matching, frozenset[Thing]]] = []
    parts += [(one, permitted(one, action)) for one in own]
    parts += [(one, permitted(one.rule, action)) for one in beside] if parts else []
    return _permitting(action, parts)


def _permitting(action: Action, parts: Sequence[tuple[_T, frozenset[Thing]]]) -> tuple[_T, ...]:
    """Of each thing that is touched the first who permits it; none where some thing has none."""
    found = [
        next((one for one, some in parts if thing in some), None)
        for thing in things(action.touches)
    ]
    chosen = dict.fromkeys(one for one in found if one is not None)
    return () if None in found else tuple(chosen)


def _judged_level(rule: Rule) -> int:
    """How much a tool's own word weighs.

    No rule of a person's yields to what a tool finds harmless by itself: a call or a command. An
    allow of a path or a host is a person's that the tool found to fit, or goes with a command.
    """
    own = rule.effect == "allow" and (rule.command or not is_specific(rule))
    return 1 if own else 4


def _level(rule: Rule) -> int:
    return 4 if is_specific(rule) else 3 if rule.tool else 2 if rule.category else 1


def _weight(one: Matching) -> tuple[bool, int, int, bool]:
    rule = one.rule
    return rule.effect == "deny", one.level, _STRICT[rule.effect], rule.always


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
