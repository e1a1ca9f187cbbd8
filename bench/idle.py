"""`idle_session_kb`: what an open session that nobody talks to costs in memory."""

import argparse
import asyncio
import gc

from bench.cpu import resident_bytes
from bench.processes import provider, run
from bench.subject import directory, harness
from longrein.harness import Harness
from longrein.session.session import Session


def idle(sessions: int) -> dict[str, float]:
    """Kilobytes of resident memory per open session of two short messages."""
    with provider(steps=0, chunks=1) as server:
        one, all = run("idle", "--url", server.url, "--sessions", str(sessions))
    per_session = (all - one) / (sessions - 1) / 1024
    return {
        "idle_session_kb": per_session,
        "idle_session_kb_one_bytes": one,
        "idle_session_kb_all_bytes": all,
    }


async def _talk(host: Harness, number: int) -> Session:
    session = await host.session(f"user-{number}")
    await (await session.send("Hello"))
    return session


async def _measure(url: str, sessions: int) -> tuple[int, int]:
    with directory() as path:
        async with harness(url, f"{path}/bench.db") as host:
            kept = [await _talk(host, 0)]
            gc.collect()
            one = resident_bytes()
            kept += [await _talk(host, number) for number in range(1, sessions)]
            gc.collect()
            return one, resident_bytes()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--url", required=True)
    parser.add_argument("--sessions", type=int, required=True)
    given = parser.parse_args()
    print(list(asyncio.run(_measure(given.url, given.sessions))))


if __name__ == "__main__":
    main()
