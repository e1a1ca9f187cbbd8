"""Starting, stopping and hearing another process, and doing things as the second one."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from threading import Thread

import msgspec

from longrein.core.state import State
from longrein.session.session import Session
from longrein.testing.crash.effects import Effects
from longrein.testing.crash.equip import Kept
from tests.processes.owner import Line, OwnerSettings, harness

REPOSITORY = Path(__file__).parents[2]
PATIENCE = 20.0


class Owner:
    """The other process, and what it printed."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self.process = process
        self.lines: list[Line] = []
        Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append(msgspec.json.decode(line, type=Line))

    @property
    def kinds(self) -> list[str]:
        return [line.kind for line in self.lines]

    @property
    def seqs(self) -> list[int]:
        return [line.seq for line in self.lines if line.seq]

    def until(self, reached: Callable[["Owner"], bool]) -> None:
        """Wait until it printed enough."""
        give_up = time.monotonic() + PATIENCE
        while not reached(self):
            assert self.process.poll() is None, "the owner ended by itself"
            assert time.monotonic() < give_up, self.lines[-5:]
            time.sleep(0.01)

    def stop(self) -> None:
        self.process.send_signal(signal.SIGSTOP)

    def until_stopped(self) -> None:
        """Wait until it stopped itself."""
        os.waitid(os.P_PID, self.process.pid, os.WSTOPPED | os.WNOWAIT)

    def go_on(self) -> None:
        self.process.send_signal(signal.SIGCONT)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


@contextmanager
def owner(
    folder: Path, text: str, *, lease: float = 15.0, stop_at: str = "", stop_nth: int = 0
) -> Generator[Owner, None, None]:
    """A process that owns the user's thread and has said `text` in it."""
    settings = OwnerSettings(str(folder), text, lease, stop_at, stop_nth)
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.processes.owner", msgspec.json.encode(settings).decode()],
        cwd=REPOSITORY,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY / "src")},
        stdout=subprocess.PIPE,
    )
    started = Owner(process)
    try:
        if not stop_at:
            started.until(lambda it: "RunStarted" in it.kinds)
        yield started
    finally:
        started.kill()
        assert process.stdout is not None
        process.stdout.close()


@asynccontextmanager
async def other(folder: Path, *, lease: float = 15.0) -> AsyncGenerator[Session[Kept], None]:
    """The session of the same thread in this process."""
    async with harness(str(folder), lease) as host:
        yield await host.session("user")


async def until(session: Session, reached: Callable[[State], bool]) -> State:
    """Follow the thread until its state is as wanted."""
    async with asyncio.timeout(PATIENCE):
        events = session.events()
        try:
            async for _ in events:
                if reached(session.folded):
                    break
        finally:
            await events.aclose()  # type: ignore[attr-defined]
    return session.folded


def effects(folder: Path) -> list[str]:
    """The keys of the effects that happened so far."""
    return [effect.key for effect in Effects(str(folder / "effects")).read()]
