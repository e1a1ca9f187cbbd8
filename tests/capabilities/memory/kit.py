"""A project with instructions, and an agent that works in it."""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from longrein import Agent, Harness, Note, Rule, Session, Waiting, Workspace
from longrein.capabilities.memory.memory import Memory
from longrein.models.base import Request
from longrein.storage.base import Store
from longrein.testing import Reply, Script, ScriptedModel, say


def put(path: Path, text: str) -> Path:
    """A file with its folders."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


@dataclass(frozen=True)
class Work:
    """A session of an agent with a memory, and the requests that its model was sent."""

    harness: Harness
    session: Session[Any]
    model: ScriptedModel

    async def do(self, text: str = "go") -> list[Request]:
        """Say something, say yes to everything, and give the requests of this run."""
        before = len(self.model.requests)
        handle = await self.session.send(text)
        while isinstance(await handle, Waiting):
            for approval in self.session.display.approvals:
                await self.session.approve(approval)
        return list(self.model.requests)[before:]


@asynccontextmanager
async def at_work(
    memory: Memory,
    folder: Path | None,
    replies: list[Reply] | Callable[[Request], Reply],
    *,
    store: str | Store = "memory",
    rules: tuple[Rule, ...] = (),
    thread: str = "",
) -> AsyncGenerator[Work]:
    """A session of an agent that remembers; without a folder it has no files."""
    script = replies if callable(replies) else Script(replies, otherwise=say("done"))
    model = ScriptedModel(script)
    files = [] if folder is None else [Workspace(folder, shell=None)]
    agent = Agent("worker", model=model, capabilities=[*files, memory])
    async with Harness(agent, store=store, rules=rules) as harness:
        yield Work(harness, await harness.session("tester", thread=thread), model)


def notes(request: Request) -> list[str]:
    """What the model was told that no person said."""
    return [one.text for one in request.messages if isinstance(one, Note)]
