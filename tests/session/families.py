"""Harnesses whose agents delegate, in a few words."""

from collections.abc import Callable, Sequence
from typing import Any

from longrein.capabilities.base import Capability
from longrein.capabilities.subagents.capability import Subagents
from longrein.capabilities.subagents.spec import Subagent
from longrein.core import events as e
from longrein.core.messages import ToolResult
from longrein.harness import Harness
from longrein.loop.agent import Agent
from longrein.models.base import Request
from longrein.session.session import Session
from longrein.storage.memory import MemoryStore
from longrein.testing import Reply, Script, ScriptedModel, call
from longrein.testing.scripted import When
from longrein.tools.define import Function, Tool, tool

GENERAL = "general-purpose"


@tool(category="edit")
def write(text: str) -> str:
    """Write something."""
    return f"wrote {text}"


@tool(category="read")
def look(at: str) -> str:
    """Look at something."""
    return f"saw {at}"


def family(
    script: Sequence[When] | Callable[[Request], Reply] | ScriptedModel,
    *agents: Subagent,
    tools: Sequence[Tool | Function] = (write, look),
    capabilities: Sequence[Capability] = (),
    depth: int = 2,
    store: Any = None,
    **more: Any,
) -> Harness:
    """A harness whose agent, and each of its children, says what these rules tell it to."""
    model = script
    if not isinstance(model, ScriptedModel):
        model = ScriptedModel(model if callable(model) else Script(rules=model))
    agent = Agent(
        "root",
        instructions="Delegate.",
        model=model,
        tools=tools,
        capabilities=[Subagents(agents, depth=depth), *capabilities],
    )
    return Harness(agent, store=MemoryStore() if store is None else store, environ={}, **more)


def task(text: str, agent: str = GENERAL, *, background: bool = False) -> Reply:
    """The model delegates."""
    return call("task", agent=agent, description="some task", prompt=text, background=background)


def results(session: Session) -> list[str]:
    """What the tools of a thread returned, in order."""
    return [one.text for one in session.folded.messages if isinstance(one, ToolResult)]


async def child_of(session: Session, number: int = 0) -> Session:
    """The session of a child."""
    kin = await session.child(session.folded.children[number].thread)
    assert isinstance(kin, Session)
    return kin


def ends(events: Sequence[e.Event]) -> list[str]:
    """How children ended, in order."""
    return [one.status for one in events if isinstance(one, e.ChildEnded)]
