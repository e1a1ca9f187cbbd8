"""Fresh processes: run one and read what it prints, or talk to the provider."""

import os
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

ROOT = Path(__file__).resolve().parent.parent


def environment() -> dict[str, str]:
    """The environment of every process here: with the benchmarks importable.

    Bytecode is kept, whatever the shell says: a start would otherwise be measured with compiling.
    """
    paths = [str(ROOT), os.environ.get("PYTHONPATH", "")]
    ours = {"PYTHONPATH": os.pathsep.join(path for path in paths if path)}
    return {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"} | ours


def run(module: str, *arguments: str) -> Any:
    """What a fresh process of `bench.<module>` prints, as JSON."""
    done = subprocess.run(
        [sys.executable, "-m", f"bench.{module}", *arguments],
        env=environment(),
        stdout=subprocess.PIPE,
        check=True,
    )
    return msgspec.json.decode(done.stdout)


class Received(msgspec.Struct, frozen=True):
    """What the provider got since it was last asked; `digest` is of the bodies, if it kept them."""

    requests: int
    bytes: int
    digest: str


class Provider:
    """A provider that runs."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._in, self._out = process.stdin, process.stdout
        self.url = f"http://127.0.0.1:{int(self._out.readline())}/v1"

    def received(self) -> Received:
        self._in.write(b"\n")
        self._in.flush()
        return msgspec.json.decode(self._out.readline(), type=Received)


@contextmanager
def provider(steps: int, chunks: int, *, bodies: bool = False) -> Generator[Provider]:
    """A provider with a script of so many tool steps and a last reply of so many chunks."""
    arguments = ["--steps", str(steps), "--chunks", str(chunks), *(["--bodies"] if bodies else [])]
    process = subprocess.Popen(
        [sys.executable, "-m", "bench.provider", *arguments],
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    try:
        yield Provider(process)
    finally:
        process.communicate()
