"""How a yes can be remembered, in words for the person who says it."""

from collections.abc import Mapping

from longrein.client.words import brief
from longrein.core.policy import Scope
from longrein.core.records import Approval
from longrein.core.text import printable
from longrein.permissions.remember import Remember, any_tool, describe, is_short, is_wider

SCOPES: Mapping[str, Scope] = {
    "this run": "run",
    "this thread": "thread",
    "this project": "resource",
}

DEFAULT = "default:"
"""How the names of rules begin that ask where no other rule is about a call."""

LONGEST_NAME = 32


def is_asked_each_time(approval: Approval) -> bool:
    """Whether a rule that always asks is among those that do: no yes to it can be remembered."""
    judged = any(rule.always for rule in approval.touches.judged)
    unproposed = approval.proposal is None and is_short(approval.touches, approval.arguments)
    return judged or unproposed


def ways_to_remember(approval: Approval) -> dict[str, Remember]:
    """How a yes to this can be remembered, from the narrowest on, in words for the person."""
    ways: dict[str, Remember] = {"exactly this call": "call"}
    proposal = approval.proposal
    if proposal is not None and is_wider(proposal):
        ways[describe(proposal)] = "rule"
    where = where_asked(*(approval.rules or (approval.rule,)))
    ways[f"any call of {approval.tool}, {where}"] = "tool"
    ways[f"{any_tool(approval.category)}, {where}"] = "category"
    return ways


def where_asked(*rules: str) -> str:
    """Where a yes holds: it answers the rules that asked, and no other.

    >>> where_asked("default:execute"), where_asked("deploys")
    ('where no rule asks', 'where the rule deploys asks')
    >>> where_asked("deploys", "late at night")
    'where the rules deploys, late at night ask'
    """
    others = [rule for rule in rules if not rule.startswith(DEFAULT)]
    named = printable(brief(", ".join(others), LONGEST_NAME))
    match len(others):
        case 0:
            return "where no rule asks"
        case 1:
            return f"where the rule {named} asks"
        case _:
            return f"where the rules {named} ask"
