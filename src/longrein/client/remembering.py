"""How a yes can be remembered, in words for the person who says it."""

from collections.abc import Mapping

from longrein.core.policy import Scope
from longrein.core.records import Approval
from longrein.permissions.remember import Remember, any_tool, describe, is_short, is_wider

SCOPES: Mapping[str, Scope] = {
    "this run": "run",
    "this thread": "thread",
    "this project": "resource",
}


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
    ways[f"any call of {approval.tool}"] = "tool"
    ways[any_tool(approval.category)] = "category"
    return ways
