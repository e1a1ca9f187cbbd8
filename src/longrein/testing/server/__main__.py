"""The scripted server as a program: prints its port, serves until SIGTERM or the end of stdin."""

import argparse
import asyncio
import os
import signal
import stat
import sys
from pathlib import Path

from longrein.testing.scripted import Script
from longrein.testing.server.http import ScriptedServer


def main() -> None:
    """Read the arguments and serve."""
    parser = argparse.ArgumentParser(prog="python -m longrein.testing.server", description=__doc__)
    parser.add_argument("--script", required=True, type=Path, help="a script as JSON")
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    parser.add_argument("--wire", default="all", choices=["all", "chat", "responses", "messages"])
    parser.add_argument("--fast", action="store_true", help="choose replies without decoding")
    parser.add_argument("--lenient", action="store_true", help="refuse nothing")
    parser.add_argument("--delay", type=float, help="seconds before each event")
    given = parser.parse_args()
    every = ("chat", "responses", "messages")
    server = ScriptedServer(
        Script.from_json(given.script.read_bytes()),
        strict=not given.lenient,
        fast=given.fast,
        delay=given.delay,
        port=given.port,
        wires=every if given.wire == "all" else (given.wire,),
    )
    asyncio.run(_serve(server))


async def _serve(server: ScriptedServer) -> None:
    loop = asyncio.get_running_loop()
    over = asyncio.Event()
    loop.add_signal_handler(signal.SIGTERM, over.set)
    loop.add_signal_handler(signal.SIGINT, over.set)
    async with server:
        print(server.port, flush=True)
        watch = loop.create_task(_until_closed(over))
        await over.wait()
        watch.cancel()


async def _until_closed(over: asyncio.Event) -> None:
    """Set `over` when whoever started this process is gone, and the pipe to it with them."""
    kind = os.fstat(sys.stdin.fileno()).st_mode
    if not (stat.S_ISFIFO(kind) or stat.S_ISSOCK(kind)):
        return
    reader = asyncio.StreamReader()
    protocol = asyncio.StreamReaderProtocol(reader)
    await asyncio.get_running_loop().connect_read_pipe(lambda: protocol, sys.stdin)
    while await reader.read(4096):
        pass
    over.set()


if __name__ == "__main__":
    main()
