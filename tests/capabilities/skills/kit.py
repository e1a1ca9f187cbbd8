"""Skills on a real disk, and a session of an agent that has them."""

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeAlias

from longrein import (
    Agent,
    AskUser,
    Capability,
    Harness,
    Rule,
    Skills,
    Todos,
)
from longrein.core.messages import Text, ToolResult
from longrein.models.base import Request
from longrein.storage.base import Store
from longrein.testing import Reply, Script, ScriptedModel, say
from longrein.tools.define import Function, Tool
from tests.capabilities.work import Work
from tests.capabilities.work import notes as notes

Replies: TypeAlias = Sequence[Reply] | Callable[[Request], Reply]


def put(
    folder: Path,
    name: str,
    body: str = "Do it well.",
    *,
    about: str = "Does it. Use for it.",
    more: str = "",
) -> Path:
    """A skill in a folder of skills."""
    skill = folder / name
    skill.mkdir(parents=True, exist_ok=True)
    head = f"---\nname: {name}\ndescription: {about}\n{more}---\n"
    (skill / "SKILL.md").write_text(f"{head}{body}\n")
    return skill


class Learning(Work):
    """A session of an agent with skills."""

    async def hear(self, text: str = "go") -> list[str]:
        """Say something; what the model heard of the calls of this run."""
        return heard((await self.do(text))[-1])


@asynccontextmanager
async def at_work(
    skills: Skills,
    replies: Replies,
    *others: Capability,
    tools: Sequence[Tool | Function] = (),
    rules: tuple[Rule, ...] = (),
    store: str | Store = "memory",
    thread: str = "",
) -> AsyncGenerator[Learning]:
    """A session of an agent that has skills and some tools."""
    script = replies if callable(replies) else Script(replies, otherwise=say("done"))
    model = ScriptedModel(script)
    own = [*others, skills, Todos(), AskUser()]
    agent = Agent("worker", model=model, tools=tools, capabilities=own)
    async with Harness(agent, store=store, rules=rules) as harness:
        yield Learning(harness, await harness.session("tester", thread=thread), model)


def heard(request: Request) -> list[str]:
    """The results of tools in a request, with how they ended."""
    found = [one for one in request.messages if isinstance(one, ToolResult)]
    return [f"{one.status}: {_text(one)}" for one in found]


def _text(result: ToolResult) -> str:
    return "".join(part.text for part in result.parts if isinstance(part, Text))
