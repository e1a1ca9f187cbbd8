"""A session whose model has a small window, and whose tool fills it."""

from collections.abc import Callable
from typing import Any

from longrein.capabilities.base import Capability
from longrein.capabilities.opening import Opening, Places
from longrein.context.summary import Compaction
from longrein.core.messages import Note
from longrein.core.offload import HISTORY, OFFLOAD
from longrein.core.usage import Limits
from longrein.harness import Harness
from longrein.models.base import Request
from longrein.models.price import Price
from longrein.testing import Reply, call, reply, say
from longrein.tools.define import Tool, tool
from longrein.workspace.memory import MemoryFiles
from tests.loop.always import well_formed
from tests.session.kit import harness

WINDOW = 8_000
TEXT = "The quick brown fox jumps over the lazy dog and looks at 12 files. " * 30
SUMMARY = "## Goal\nLook at files.\n## State\nSome were looked at.\n## Next\nThe others."

Writer = Callable[[Request], Reply]


@tool(category="read")
async def look(path: str) -> str:
    """Look at a file."""
    return f"{path}: {TEXT}"


class Shelf(Capability):
    """What makes an agent able to read what was left out, in few words."""

    def places(self, opening: Opening) -> Places:
        return Places({OFFLOAD: MemoryFiles(), HISTORY: MemoryFiles()})

    def tools(self) -> list[Tool]:
        @tool(category="read")
        async def read_file(path: str) -> str:
            """Read a file."""
            return path

        return [read_file]


def brief(request: Request) -> Reply:
    """A summary as it should be."""
    return reply(say(SUMMARY), usage=None)


class Looker:
    """A model that looks at so many files after each input, and writes summaries by `writer`.

    `requests` are those of steps, `summaries` those for summaries; each has to be well formed.
    """

    def __init__(self, steps: int, writer: Writer = brief) -> None:
        self.requests: list[Request] = []
        self.summaries: list[Request] = []
        self._writer = writer
        self._steps = steps
        self._done = 0

    def __call__(self, request: Request) -> Reply:
        well_formed(request.messages)
        if asks_for_summary(request):
            self.summaries.append(request)
            return self._writer(request)
        self.requests.append(request)
        self._done += 1
        if self._done % (self._steps + 1) == 0:
            return reply(say("All is looked at."), usage=None)
        return reply(call("look", path=f"/{self._done}"), usage=None)


def asks_for_summary(request: Request) -> bool:
    """Whether a model is asked for a summary, in one way or the other."""
    last = request.messages[-1]
    return "summarise conversations" in request.system or (
        isinstance(last, Note) and last.source == "compaction" and "## Goal" in last.text
    )


def crowded(model: Callable[[Request], Reply], window: int | None = WINDOW, **more: Any) -> Harness:
    """A harness with a model of this window, by default for an agent that can read no files."""
    prices = {"custom:ScriptedModel": Price("1", "2", window=window)}
    more.setdefault("compaction", Compaction(timeout=20))
    return harness(model, look, limits=Limits(steps=None), prices=prices, **more)
