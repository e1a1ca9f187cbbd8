"""A project with instructions, and an agent that works in it."""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from longrein import Agent, Harness, Rule, Workspace
from longrein.capabilities.memory.memory import Memory
from longrein.models.base import Request
from longrein.storage.base import Store
from longrein.testing import Reply, Script, ScriptedModel, say
from tests.capabilities.work import Work as Work
from tests.capabilities.work import notes as notes


def put(path: Path, text: str) -> Path:
    """A file with its folders."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


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
