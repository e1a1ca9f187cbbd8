"""`resume_cpu_ms`: opening a long thread that another process wrote."""

import argparse
import asyncio
from statistics import median

from bench.cpu import cpu_seconds
from bench.ours import converse
from bench.processes import provider, run
from bench.subject import directory, harness

TIMES = 11


def resume(messages: int) -> dict[str, float]:
    """CPU milliseconds from `session()` to ready for input, of a thread with so many messages."""
    with directory() as path, provider(steps=messages // 2 - 1, chunks=4) as server:
        place = ("--url", server.url, "--path", f"{path}/bench.db")
        run("resume", *place, "--write")
        seconds: list[float] = run("resume", *place, "--messages", str(messages))
    return {
        "resume_cpu_ms": median(seconds) * 1000,
        "resume_cpu_ms_spread": (max(seconds) - min(seconds)) * 1000,
    }


async def _write(url: str, path: str) -> None:
    async with harness(url, path) as host:
        await converse(await host.session("user"))


async def _open(url: str, path: str, messages: int) -> float:
    async with harness(url, path) as host:
        before = cpu_seconds()
        session = await host.session("user")
        spent = cpu_seconds() - before
        if len(session.folded.messages) != messages:
            raise RuntimeError(f"{len(session.folded.messages)} messages, not {messages}")
        return spent


async def _measure(url: str, path: str, messages: int) -> list[float]:
    await _open(url, path, messages)
    return [await _open(url, path, messages) for _ in range(TIMES)]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--url", required=True)
    parser.add_argument("--path", required=True)
    parser.add_argument("--messages", type=int, default=0)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    if given.write:
        asyncio.run(_write(given.url, given.path))
        print("null")
    else:
        print(asyncio.run(_measure(given.url, given.path, given.messages)))


if __name__ == "__main__":
    main()
