"""Processes that are forked, heard, killed and waited for."""

import contextlib
import ctypes
import gc
import os
import select
import signal
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path

from longrein.testing.crash.wire import Broke, Message, decode, encode

_SUBREAPER = 36

Say = Callable[[Message], None]

_ours: set[int] = set()
"""The pipe ends that this process holds; a child closes them, or their end would not be seen."""


class Process:
    """One forked process. `kill_at` is when to kill it, by the monotonic clock."""

    def __init__(self, pid: int, pipe: int) -> None:
        self.kill_at: float | None = None
        self.killed: int | None = None
        self._pid = pid
        self._pipe = pipe
        self._rest = b""

    @property
    def pipe(self) -> int:
        return self._pipe

    def hear(self) -> list[Message] | None:
        """What it said since; None once it has ended."""
        data = os.read(self._pipe, 1 << 20)
        if not data:
            return None
        *lines, self._rest = (self._rest + data).split(b"\n")
        return [decode(line) for line in lines]

    def kill(self) -> None:
        os.kill(self._pid, signal.SIGKILL)

    def end(self) -> bool:
        """Wait for its end; whether it was killed, and in `killed` when, in microseconds."""
        close(self._pipe)
        _, status = os.waitpid(self._pid, 0)
        died = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
        self.killed = time.time_ns() // 1000 if died else None
        return died


def start(work: Callable[[Say], None]) -> Process:
    """Fork a process that does `work` and ends. There must be no other thread here."""
    listen, speak = os.pipe()
    pid = os.fork()
    if pid:
        os.close(speak)
        _ours.add(listen)
        return Process(pid, listen)
    status = 1
    try:
        os.close(listen)
        for pipe in _ours:
            os.close(pipe)
        _ours.clear()
        _work(work, speak)
        status = 0
    finally:
        # Whatever the parent was in the middle of is not ours to go on with.
        os._exit(status)


def _work(work: Callable[[Say], None], speak: int) -> None:
    def say(message: Message) -> None:
        line = memoryview(encode(message))
        while line:
            line = line[os.write(speak, line) :]

    try:
        work(say)
    except BaseException:
        say(Broke(traceback.format_exc()))


def hear(running: list[Process], until: float) -> Iterator[tuple[Process, Message | None]]:
    """What processes say, as it comes; None when one has ended, which leaves the list then.

    The caller may add to the list. Kills those whose time has come. Ends when all have ended, or
    at `until`, by the monotonic clock; whoever still runs then is left running.
    """
    while running and (now := time.monotonic()) < until:
        for process in running:
            if process.kill_at is not None and process.kill_at <= now:
                process.kill_at = None
                process.kill()
        times = [process.kill_at for process in running if process.kill_at is not None]
        pause = min(max(min([until, *times]) - now, 0), 60)
        heard, _, _ = select.select([process.pipe for process in running], [], [], pause)
        for process in [process for process in running if process.pipe in heard]:
            messages = process.hear()
            if messages is None:
                running.remove(process)
                yield process, None
            for message in messages or ():
                yield process, message


def outlived(seconds: float) -> list[str]:
    """The commands that processes which are gone had started, and that did not end so soon.

    They are killed then. There must be no other child here.
    """
    until = time.monotonic() + seconds
    found: dict[int, str] = {}
    with contextlib.suppress(ChildProcessError):
        while True:
            ended, _ = os.waitpid(-1, os.WNOHANG)
            if ended:
                continue
            if time.monotonic() > until:
                for child in _children():
                    found.setdefault(child, _command(child))
                    os.kill(child, signal.SIGKILL)
            time.sleep(0.001)
    return list(found.values())


def _children() -> list[int]:
    pid = os.getpid()
    return [int(one) for one in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def _command(pid: int) -> str:
    words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    return b" ".join(words).decode(errors="replace").strip()[:200]


def hold(pipe: int) -> int:
    """Remember a pipe end as this process's own."""
    _ours.add(pipe)
    return pipe


def close(pipe: int) -> None:
    """Close a pipe end of this process."""
    _ours.discard(pipe)
    os.close(pipe)


def inherit() -> None:
    """Have what processes started become children of this one when those are gone, on Linux."""
    libc = ctypes.CDLL(None)
    if hasattr(libc, "prctl"):
        libc.prctl(_SUBREAPER, 1, 0, 0, 0)


def ready_to_fork() -> None:
    """Make forking cheap: what is imported by now stays shared between the processes."""
    gc.collect()
    gc.freeze()
