"""A run of 2,000 steps in a window of 64k tokens: it ends, and costs no more late than early."""

import gc
import os
import time

import pytest

from longrein.core import events as e
from longrein.core.messages import Note
from longrein.core.outcomes import Finished
from longrein.core.usage import Limits, Usage
from longrein.models.base import Request
from longrein.models.price import Price
from longrein.session.session import Session
from longrein.testing import Reply, ScriptedModel, call, reply, say
from longrein.tools.define import tool
from tests.loop.always import well_formed
from tests.session.crowded import Shelf
from tests.session.kit import harness, of
from tests.support import run

STEPS = 2_000
WINDOW = 64_000
RESULT = ("A list of names, one on each line, in the order in which they came. " * 40)[:2048]


@tool(category="read")
async def look(path: str) -> str:
    """Look at a file."""
    return RESULT


class Long:
    """A model that looks at 2,000 files and counts what it is sent."""

    def __init__(self) -> None:
        self.cpu: list[float] = []
        self.longest = 0
        self.early = 0

    def __call__(self, request: Request) -> Reply:
        well_formed(request.messages)
        tokens = sum(len(message.text) for message in request.messages) // 4 + 300
        self.longest = max(self.longest, tokens)
        last = request.messages[-1]
        if isinstance(last, Note) and last.source == "compaction" and "## Goal" in last.text:
            return reply(say("## Goal\nLook at all files."), usage=Usage(tokens, 20))
        self.cpu.append(time.process_time())
        if len(self.cpu) == 100:
            gc.collect()
            self.early = resident()
        done = len(self.cpu) > STEPS
        answer = say("Done.") if done else call("look", path=f"/{len(self.cpu)}")
        return reply(answer, usage=Usage(tokens, 20))

    def per_step(self, first: int, last: int) -> float:
        """The least that a step cost, in a hundred of them: what runs beside us costs, too."""
        starts = range(first, last, 100)
        return min(self.cpu[start + 99] - self.cpu[start - 1] for start in starts) / 100


def resident() -> int:
    with open("/proc/self/statm", "rb") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.timeout(330)
def test_two_thousand_steps_end_and_cost_no_more_late_than_early() -> None:
    model = Long()
    prices = {"custom:ScriptedModel": Price("1", "2", window=WINDOW)}

    async def body(session: Session) -> None:
        assert await (await session.send("Look at all of it.")) == Finished("Done.")
        gc.collect()
        assert resident() - model.early < 40 * 2**20
        assert model.per_step(1_601, 2_000) <= 1.5 * model.per_step(101, 500)
        assert model.longest < WINDOW
        assert len(await of(session, e.Compacted)) <= STEPS / 20
        assert not await of(session, e.CompactionFailed)
        assert len(session.folded.messages) == 2 + 2 * STEPS

    async def test() -> None:
        speaking = ScriptedModel(model, keep=1)
        limits, shelf = Limits(steps=None), [Shelf()]
        made = harness(speaking, look, limits=limits, prices=prices, capabilities=shelf)
        async with made as host:
            await body(await host.session("tester"))

    # Seconds of a machine that others use too; by itself it takes nine.
    run(test(), seconds=300)
