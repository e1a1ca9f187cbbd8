"""`long_step_ratio`, `long_rss_mb`: whether a step costs more late in a very long thread.

The model is a script in the same process, with a window of 64k tokens, so the thread is compacted
again and again. What it says it has counted is a quarter of the characters that it was sent.
"""

import argparse
import asyncio
import gc

from bench.cpu import cpu_seconds, resident_bytes
from bench.processes import run
from bench.subject import directory
from longrein import Agent, Finished, Harness, Limits, Note, Price, Usage, tool
from longrein.core.events import Compacted, RunEnded
from longrein.models.base import Request
from longrein.session.session import Session
from longrein.testing import Reply, ScriptedModel, call, reply, say

WINDOW = 64_000
RESULT = ("It holds a list of names, one on each line, in the order of their age. " * 30)[:2048]
EARLY, LATE = (101, 300), (0.9, 1.0)


def long(steps: int) -> dict[str, float]:
    """CPU per step over the last tenth of so many steps against that over the steps 101 to 300, and
    by how many megabytes the process grew since step 100."""
    ratio, grown, compactions = run("long", "--steps", str(steps))
    return {"long_step_ratio": ratio, "long_rss_mb": grown, "long_compactions": compactions}


@tool(category="read")
async def look(path: str) -> str:
    """Look at a file."""
    return RESULT


class Long:
    """A model that looks at so many files, one after the other."""

    def __init__(self, steps: int) -> None:
        self.cpu: list[float] = []
        self.resident = 0
        self._steps = steps

    def __call__(self, request: Request) -> Reply:
        last = request.messages[-1]
        used = Usage(sum(len(message.text) for message in request.messages) // 4 + 300, 30)
        if isinstance(last, Note) and last.source == "compaction" and "## Goal" in last.text:
            return reply(say("## Goal\nLook at all files.\n## Next\nThe next one."), usage=used)
        self.cpu.append(cpu_seconds())
        if len(self.cpu) == EARLY[0] - 1:
            gc.collect()
            self.resident = resident_bytes()
        done = len(self.cpu) > self._steps
        return reply(say("Done.") if done else call("look", path=f"/{len(self.cpu)}"), usage=used)

    def per_step(self, first: int, last: int) -> float:
        return (self.cpu[last] - self.cpu[first - 1]) / (last - first + 1)


async def _measure(steps: int) -> tuple[float, float, int]:
    model = Long(steps)
    agent = Agent("bench", model=ScriptedModel(model, keep=1), tools=[look])
    prices = {"custom:ScriptedModel": Price("1", "2", window=WINDOW)}
    with directory() as path:
        store = f"sqlite:{path}/bench.db"
        async with Harness(
            agent, store=store, prices=prices, limits=Limits(steps=None), environ={}
        ) as host:
            session = await host.session("user")
            outcome = await (await session.send("Look at all the files."))
            if outcome != Finished("Done."):
                raise RuntimeError(f"the run did not finish: {outcome}")
            gc.collect()
            grown = (resident_bytes() - model.resident) / 2**20
            compactions = await _compactions(session)
    early = model.per_step(*EARLY)
    late = model.per_step(int(steps * LATE[0]) + 1, int(steps * LATE[1]))
    return late / early, grown, compactions


async def _compactions(session: Session) -> int:
    count = 0
    async for event in session.events():
        count += isinstance(event, Compacted)
        if isinstance(event, RunEnded):
            break
    return count


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, required=True)
    print(list(asyncio.run(_measure(parser.parse_args().steps))))


if __name__ == "__main__":
    main()
