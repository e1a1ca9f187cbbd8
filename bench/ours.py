"""Longrein's side of every ratio: CPU from the first send to the last event."""

import argparse
import asyncio
import gc

from bench.cpu import cpu_seconds
from bench.subject import directory, harness, load_late, watch
from bench.workload import PROMPT
from longrein.core.outcomes import Finished
from longrein.harness import Harness
from longrein.session.session import Session


async def converse(session: Session) -> None:
    """One conversation, watched to its end."""
    watching = asyncio.create_task(watch(session))
    run = await session.send(PROMPT)
    await watching
    outcome = await run
    if not isinstance(outcome, Finished):
        raise RuntimeError(f"the run did not finish: {outcome}")


async def _one_of_many(host: Harness, number: int) -> None:
    await converse(await host.session(f"user-{number}"))


async def measure(url: str, sessions: int) -> float:
    """CPU seconds of so many conversations at once; of many, their opening is part of it."""
    load_late()
    with directory() as path:
        async with harness(url, f"{path}/bench.db") as host:
            first = await host.session("user-0")
            gc.collect()
            before = cpu_seconds()
            others = (_one_of_many(host, n) for n in range(1, sessions))
            await asyncio.gather(converse(first), *others)
            return cpu_seconds() - before


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--url", required=True)
    parser.add_argument("--sessions", type=int, required=True)
    given = parser.parse_args()
    print(asyncio.run(measure(given.url, given.sessions)))


if __name__ == "__main__":
    main()
