"""Plans: the model submits one, a person approves, edits or rejects it, the thread keeps it."""

from collections.abc import Mapping, Sequence

from longrein.capabilities.base import Capability
from longrein.capabilities.opening import Opening
from longrein.core.errors import ToolError
from longrein.core.events import Event
from longrein.core.planning import Plan, decision_words
from longrein.core.slices import Slice, read_fact
from longrein.core.state import Kept
from longrein.tools.context import Context, Declined
from longrein.tools.define import Tool, tool

KIND = "plan"
APPROVE = "approve"

GUIDE = (
    "When you are to plan first, find out what you need without changing anything, then submit the "
    "plan with submit_plan and wait for the answer. Carry out only a plan that was approved."
)


def fold(plan: Plan | None, event: Event) -> Plan | None:
    """The plan that was decided on last. A fact that cannot be read changes nothing."""
    return read_fact(event, KIND, Plan) or plan


PLAN: Slice[Plan | None] = Slice("plan", Plan | None, None, fold, rewinds="conversation")
"""The plan of a thread that was decided on last: `ctx.read(PLAN)` in a tool or a hook."""


# To read, for the rules: it changes nothing but the thread, and is what planning is for.
@tool(category="read", idempotent=True, asks=True)
async def submit_plan(ctx: Context, title: str, plan: str) -> str:
    """Submit a plan to the person you work for and wait until it is approved or rejected.

    Args:
        title: What the plan is for, in a few words.
        plan: The whole plan in Markdown: what you will do, in which order, and how you will check
            it.
    """
    title = " ".join(title.split())
    if not title or not plan.strip():
        raise ToolError("The plan was not submitted: it needs a title and a text. Give both.")
    try:
        answer = await ctx.ask(plan, (APPROVE,), other=True, kind="plan", title=title)
    except Declined as declined:
        return _decided(ctx, Plan(title, plan, "rejected", feedback=declined.reason))
    edited = answer.strip().lower() != APPROVE and answer.strip() != plan.strip()
    told = _decided(ctx, Plan(title, answer if edited else plan, "approved", edited))
    if ctx.mode.transitions_to:
        ctx.switch_mode(ctx.mode.transitions_to)
    return told


def _decided(ctx: Context, plan: Plan) -> str:
    ctx.record(KIND, plan)
    return decision_words(plan)


class Plans(Capability):
    """A tool with which the model submits a plan, and the plan that was decided on last.

    The question has the kind `plan`: say yes with `session.approve_plan(id)`, or with the plan as
    it should be as a second argument; say no with `session.reject_plan(id, feedback)`. An approved
    plan leads to the mode that the mode in use `transitions_to`.

    >>> from longrein import Plans
    >>> [tool.name for tool in Plans().tools()]
    ['submit_plan']
    """

    slice = PLAN

    def tools(self) -> Sequence[Tool]:
        return (submit_plan,)

    def context(self, opening: Opening) -> str:
        return GUIDE

    def keeps(self, slices: Mapping[str, Kept]) -> str:
        kept = slices.get(PLAN.name)
        plan: Plan | None = kept.value if kept else None
        if plan is None:
            return ""
        return f"The plan that was {plan.status} last ({plan.title}):\n\n{plan.text}"
