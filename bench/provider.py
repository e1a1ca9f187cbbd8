"""The provider as a process of its own: a scripted server in its fast mode that can be asked.

Prints its port. Each line on stdin is answered with one line: what came in since the last one.
"""

import argparse
import asyncio
import hashlib
import re
import sys

import msgspec

from bench.workload import THOUGHT
from longrein.testing import Reply, Script, ScriptedServer, reply, say
from longrein.testing.replies import CallPiece

_CALL_ID = re.compile(rb"call_[0-9a-f]{32}")
_TOKEN = 4
"""Characters in a chunk: providers send about a token at a time."""


def script(steps: int, chunks: int) -> Script:
    """So many replies that call the tool, then one of so many chunks."""
    asks = [reply(say(THOUGHT, size=_TOKEN), _look(n)) for n in range(steps)]
    return Script([*asks, say("word" * chunks, size=_TOKEN)])


def _look(number: int) -> Reply:
    arguments = {"path": f"/srv/data/file-{number:04}.txt", "line": number}
    return Reply((CallPiece("look", arguments, size=_TOKEN),))


def digest(bodies: list[bytes]) -> str:
    """One hash of all bodies, whatever their order, with the random ids of calls left out."""
    hashes = sorted(hashlib.sha256(_CALL_ID.sub(b"call_", body)).digest() for body in bodies)
    return hashlib.sha256(b"".join(hashes)).hexdigest()


async def serve(server: ScriptedServer) -> None:
    """Answer until stdin ends."""
    requests = received = 0
    async with server:
        print(server.port, flush=True)
        while await asyncio.to_thread(sys.stdin.readline):
            told = {
                "requests": server.count - requests,
                "bytes": server.received - received,
                "digest": digest([posted.body for posted in server.requests]),
            }
            requests, received = server.count, server.received
            server.requests.clear()
            print(msgspec.json.encode(told).decode(), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, required=True)
    parser.add_argument("--chunks", type=int, required=True)
    parser.add_argument("--bodies", action="store_true")
    given = parser.parse_args()
    server = ScriptedServer(
        script(given.steps, given.chunks),
        fast=True,
        bodies=given.bodies,
        keep=10_000 if given.bodies else 1,
        wires=("chat",),
    )
    asyncio.run(serve(server))


if __name__ == "__main__":
    main()
