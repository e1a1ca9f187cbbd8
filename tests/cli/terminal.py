"""A person at a real terminal: types, and reads what is on the screen."""

import os
import pty
import select
import subprocess
import sys
import termios
import time
from types import TracebackType

from tests.cli.world import SECONDS, World

# Takes the terminal on its standard input as its own, so that Ctrl-C reaches it.
_LAUNCH = (
    "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0);"
    "os.execv(sys.argv[1], sys.argv[1:])"
)


class Terminal:
    """A command on a pseudo-terminal, ended with the test if it has not ended by itself.

    `size` is in columns and rows; without it the terminal has none.
    """

    def __init__(
        self, world: World, *arguments: str, size: tuple[int, int] | None = None, **environ: str
    ) -> None:
        self._master, slave = pty.openpty()
        if size is not None:
            columns, rows = size
            termios.tcsetwinsize(slave, (rows, columns))
        self._process = subprocess.Popen(
            [sys.executable, "-c", _LAUNCH, *world.command(*arguments)],
            cwd=world.project,
            env={**world.environ, **environ},
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
        )
        os.close(slave)
        self.pid = self._process.pid
        self.screen = ""
        self._looked = 0

    def __enter__(self) -> "Terminal":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.kill()
        os.close(self._master)

    def kill(self) -> None:
        """SIGKILL, and wait until it is gone."""
        self._process.kill()
        self._process.wait(SECONDS)

    def sees(self, text: str) -> None:
        """Come back when the text appears behind what was seen before."""
        ends = time.monotonic() + SECONDS
        while text not in self.screen[self._looked :]:
            left = ends - time.monotonic()
            assert self._read(max(left, 0)), f"{text!r} is not in {self.screen!r}"
        self._looked = self.screen.index(text, self._looked) + len(text)

    def shows(self, text: str, seconds: float) -> bool:
        """Whether the text appears in time behind what was seen before."""
        ends = time.monotonic() + seconds
        while text not in self.screen[self._looked :] and time.monotonic() < ends:
            self._read(max(ends - time.monotonic(), 0))
        return text in self.screen[self._looked :]

    def types(self, text: str) -> None:
        os.write(self._master, text.encode())

    def ends(self) -> int:
        """The exit code, once everything is on the screen."""
        while self._read(SECONDS):
            pass
        return self._process.wait(SECONDS)

    def _read(self, seconds: float) -> bool:
        ready, _, _ = select.select([self._master], [], [], seconds)
        if not ready:
            return False
        try:
            data = os.read(self._master, 65536)
        except OSError:  # the other side is closed
            return False
        self.screen += data.decode(errors="replace")
        return bool(data)
