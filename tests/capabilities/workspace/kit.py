"""Sessions with a workspace, driven to their end."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from longrein import Agent, Harness, Rule, Session, ToolResult, Waiting, Workspace
from longrein.testing import Reply, Script, ScriptedModel, say


@asynccontextmanager
async def working(
    workspace: Workspace, *replies: Reply, store: str = "memory", rules: list[Rule] | None = None
) -> AsyncGenerator[tuple[Harness, Session[Any]]]:
    """A session in a workspace whose model makes these calls."""
    model = ScriptedModel(Script([*replies, say("done")]))
    agent = Agent("worker", model=model, capabilities=[workspace])
    async with Harness(agent, store=store, rules=rules or []) as harness:
        yield harness, await harness.session()


async def finish(session: Session[Any], text: str = "go") -> list[str]:
    """Send, say yes to everything, and give what the tools returned in this run."""
    before = len(session.display.messages)
    run = await session.send(text)
    while isinstance(await run, Waiting):
        for approval in session.display.approvals:
            await session.approve(approval)
    messages = session.display.messages[before:]
    return [one.text for one in messages if isinstance(one, ToolResult)]
