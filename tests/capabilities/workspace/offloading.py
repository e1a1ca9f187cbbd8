"""Sessions whose tools return, and whose users say, more than a model is shown."""

import re
from collections.abc import Callable
from typing import Any, TypeAlias

from longrein import Agent, Harness, Session, ToolResult, User, Workspace, tool
from longrein.models.base import Request
from longrein.testing import Reply, ScriptedModel, call

LINES = 40_000
LONG = "".join(
    f"{n:06} {'needle' if n == 23_456 else 'straw'} in the stack\n" for n in range(LINES)
)


@tool(category="read")
def fetch() -> str:
    """A megabyte of text."""
    return LONG


Turn: TypeAlias = Reply | Callable[[Request], Reply]


def scripted(*turns: Turn) -> ScriptedModel:
    """A model that takes these turns; some depend on what it is shown."""
    left = iter(turns)

    def reply(request: Request) -> Reply:
        turn = next(left)
        return turn(request) if callable(turn) else turn

    return ScriptedModel(reply)


def harness(*turns: Turn, workspace: Workspace | None, store: str = "memory") -> Harness:
    model = scripted(*turns)
    capabilities = [workspace] if workspace else []
    return Harness(
        Agent("reader", model=model, tools=[fetch], capabilities=capabilities), store=store
    )


def results(session: Session[Any]) -> list[ToolResult]:
    return [one for one in session.display.messages if isinstance(one, ToolResult)]


def path_in(text: str) -> str:
    found = re.search(r"All of it is in (\S+);", text)
    assert found
    return found[1]


def last(request: Request) -> User | ToolResult:
    message = request.messages[-1]
    assert isinstance(message, User | ToolResult)
    return message


def reading(tool_name: str, **more: Any) -> Callable[[Request], Reply]:
    """A call about the path that the last message names."""
    return lambda request: call(tool_name, path=path_in(last(request).text), **more)


async def say_all(session: Session[Any], text: str = "go") -> None:
    await (await session.send(text))
