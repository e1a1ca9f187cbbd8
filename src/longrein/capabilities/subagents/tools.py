"""The tools for delegating: `task`, and `tasks` for those that run in the background."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal, TypeAlias, assert_never

from longrein.capabilities.subagents.prompts import task_description
from longrein.capabilities.subagents.spec import Subagent
from longrein.capabilities.subagents.telling import brief, listed, result
from longrein.core.errors import NotFound, ToolError, UsageError
from longrein.tools.children import ChildEnd, Order
from longrein.tools.context import Context
from longrein.tools.define import Tool, tool
from longrein.tools.within import Within

Action: TypeAlias = Literal["list", "steer", "stop"]

LOOKS_EVERY = 1.0
"""Seconds between two looks at what a child says."""
MOST_SHOWN = 200
"""Lines of its progress that are shown of one child."""


def delegating_tools(agents: tuple[Subagent, ...]) -> tuple[Tool, ...]:
    """`task`, which knows these subagents, and `tasks`."""

    # Run again after a crash: the port then finds the child that the call already has.
    @tool(category="delegate", idempotent=True, timeout=None, description=task_description(agents))
    async def task(
        ctx: Context, agent: str, description: str, prompt: str, background: bool = False
    ) -> str:
        """Delegate a task.

        Args:
            agent: Name of a subagent.
            description: The task in three to five words.
            background: Go on meanwhile; the result comes to you by itself, so do not wait for it.
        """
        if not prompt.strip():
            raise ToolError("The prompt is empty: say what the subagent is to do.")
        order = Order(agent, prompt, " ".join(description.split()), background)
        try:
            if background:
                return _begun(await ctx.children.start(order))
            end = await _followed(ctx, order)
        except UsageError as error:
            raise ToolError(str(error)) from None
        if end.status != "finished":
            raise ToolError(result(end))
        return result(end)

    known = replace(task, arguments=task.arguments.mending(_mend))
    return (known, tasks)


@tool(category="delegate")
async def tasks(ctx: Context, action: Action = "list", id: str = "", message: str = "") -> str:
    """List delegated tasks; steer or stop one that runs in the background.

    Args:
        id: Of the task, to steer or stop.
        message: What to tell the subagent, to steer.
    """
    if action == "list":
        return listed(ctx.children.children())
    if action == "steer" and not message.strip():
        raise ToolError("There is no message: say what the subagent is to know.")
    try:
        return await change(ctx, action, id, message)
    except (NotFound, UsageError) as error:
        raise ToolError(f"{error}\n{listed(ctx.children.children())}") from None


async def change(ctx: Within, action: Literal["steer", "stop"], id: str, message: str) -> str:
    """Steer or stop a child, and say so. Raises `NotFound` where there is none with this id."""
    match action:
        case "steer":
            heard, done = await ctx.children.steer(id, message), "was told"
        case "stop":
            heard, done = await ctx.children.stop(id), "is stopped"
        case _:
            assert_never(action)
    return f"Task {id} {done}." if heard else f"Task {id} has ended already."


def _mend(given: Mapping[str, Any]) -> dict[str, Any]:
    """Other names that models know for the same, and the whole task as its description."""
    mended = dict(given)
    for other, name in (("subagent_type", "agent"), ("run_in_background", "background")):
        if other in mended and name not in mended:
            mended[name] = mended.pop(other)
    if "prompt" not in mended and "description" in mended:
        mended["prompt"] = mended["description"]
    return mended


def _begun(child: str) -> str:
    return (
        f"Task {child} has begun in the background. Its result comes to you by itself: go on with "
        "other work, or end your answer. Do not wait for it and do not do its work yourself."
    )


async def _followed(ctx: Context, order: Order) -> ChildEnd:
    """The end of a child, with what it says on the way shown as it comes."""
    looking = asyncio.create_task(_show(ctx))
    try:
        return await ctx.children.run(order)
    finally:
        looking.cancel()
        await asyncio.wait((looking,))


async def _show(ctx: Context) -> None:
    shown, left = "", MOST_SHOWN
    while left:
        await asyncio.sleep(LOOKS_EVERY)
        if (said := _said(ctx)) not in ("", shown):
            ctx.output(f"{said}\n")
            shown, left = said, left - 1


def _said(ctx: Context) -> str:
    child = next((one for one in ctx.children.children() if one.call == ctx.call), None)
    return brief(child.text) if child and child.text.strip() else ""
