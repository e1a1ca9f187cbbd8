"""`written_per_step`: whether a step costs more bytes on disk late in a thread than early.

The kernel counts what a process passes to write (`wchar` in /proc/self/io), and in the measured
process nobody but the store writes: sockets are sent to, not written, and nothing is printed
before the end. So the count holds the database, its WAL, checkpoints, snapshots and blobs, and
nothing else.
"""

import argparse
import asyncio

from bench.cpu import written_bytes
from bench.processes import provider, run
from bench.subject import directory, harness
from bench.workload import PROMPT
from longrein.core.events import RunEnded, StepStarted
from longrein.session.session import Session


def written(steps: int) -> dict[str, float]:
    """Bytes per step over the second half of so many steps, against those of an early stretch.

    For 800 steps these are the steps 401 to 800 and 51 to 100.
    """
    early, late = (steps // 16, steps // 8), (steps // 2, steps)
    with provider(steps=steps, chunks=4) as server:
        marks: list[int] = run("written", "--url", server.url)
    first = (marks[early[1]] - marks[early[0]]) / (early[1] - early[0])
    last = (marks[late[1]] - marks[late[0]]) / (late[1] - late[0])
    return {
        "written_per_step": last / first,
        "written_per_step_early_bytes": first,
        "written_per_step_late_bytes": last,
    }


async def _marks(session: Session) -> list[int]:
    """The bytes written when each step began, and at the end."""
    marks: list[int] = []
    async for event in session.events():
        if isinstance(event, StepStarted):
            marks.append(written_bytes())
        elif isinstance(event, RunEnded):
            break
    return marks


async def _measure(url: str) -> list[int]:
    with directory() as path:
        async with harness(url, f"{path}/bench.db") as host:
            session = await host.session("user")
            watching = asyncio.create_task(_marks(session))
            await session.send(PROMPT)
            return await watching


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--url", required=True)
    print(asyncio.run(_measure(parser.parse_args().url)))


if __name__ == "__main__":
    main()
