"""Longrein as it is measured: the harness, the tool, and a user interface that follows along."""

import importlib
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager

from bench.workload import MODEL, SYSTEM, found
from longrein import Limits, tool
from longrein.core.events import Durable, RunEnded
from longrein.harness import Harness
from longrein.loop.agent import Agent
from longrein.models.catalog import ProviderSettings
from longrein.session.session import Session

FRAME = 0.016
"""How often, in seconds, a user interface draws what is being written."""

_KEYS = {"ANTHROPIC_API_KEY": "sk-ant-0123456789abcdef", "OPENAI_API_KEY": "sk-0123456789abcdef"}
"""Two keys, as people have them: whatever is written is searched for them."""


@tool
async def look(path: str, line: int) -> str:
    """Look at a file."""
    return found(path, line)


def load_late() -> None:
    """Import what Longrein loads when it is first needed."""
    for name in ("models.openai_chat", "models.prices", "storage.sqlite"):
        importlib.import_module(f"longrein.{name}")
    from longrein.core.usage import Usage
    from longrein.models.prices import cost

    cost("bench:none", Usage(1, 1))


@contextmanager
def directory() -> Generator[str]:
    """A directory for a database, removed in the end."""
    with tempfile.TemporaryDirectory(prefix="longrein-bench-") as path:
        yield path


def harness(url: str, path: str) -> Harness:
    """A harness on a SQLite file (synchronous=FULL) whose model is behind `url`."""
    agent = Agent("assistant", instructions=SYSTEM, model=f"bench:{MODEL}", tools=[look])
    return Harness(
        agent,
        store=f"sqlite:{path}",
        limits=Limits(steps=None),
        providers={"bench": ProviderSettings(base_url=url)},
        environ=_KEYS,
    )


async def watch(session: Session) -> int:
    """Follow a session as a user interface does, to the end of a run; how often it drew.

    It draws at once for every durable event, and at most once a frame for fragments.
    """
    drawn, last = 0, 0.0
    async for event in session.events():
        now = time.monotonic()
        if isinstance(event, Durable) or now - last >= FRAME:
            drawn += session.display.seq > 0
            last = now
        if isinstance(event, RunEnded):
            break
    return drawn
