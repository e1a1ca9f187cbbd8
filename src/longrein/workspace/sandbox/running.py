"""A command that runs, as seen from outside: its output, its input and its end.

Output stays in the pipe until it is read, so nothing piles up here: the command waits.
"""

import asyncio
import errno
import fcntl
import os
import socket
import sys
import termios
from collections.abc import AsyncGenerator, Callable

from longrein.workspace.descriptors import Descriptor
from longrein.workspace.problems import shown
from longrein.workspace.sandbox.base import Command, Exit, SandboxProblem

CHUNK = 1 << 16
_PIPE, _KILL = 1 << 18, 9


class Ends:
    """The ends of a command's pipes and of its link: three for us, four to hand over."""

    def __init__(self) -> None:
        stdin, self.input = _pipe()
        self.output, stdout = _pipe()
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.link, self._link = Descriptor(ours.detach()), Descriptor(theirs.detach())
        for end in (self.input, self.output, self.link):
            os.set_blocking(end.number, False)
        if sys.platform == "linux":
            try:
                fcntl.fcntl(stdout.number, fcntl.F_SETPIPE_SZ, _PIPE)
            except OSError:  # the user has as many large pipes as are allowed
                pass
        self._stdin, self._stdout = stdin, stdout

    @property
    def others(self) -> list[int]:
        """What the other side gets: input, output, output to throw away at the end, link."""
        return [one.number for one in (self._stdin, self._stdout, self.output, self._link)]


class Running:
    """A command with a supervisor. Made by `Resident`, which `kill` asks to end it."""

    def __init__(
        self, command: Command, ends: Ends, kill: Callable[[], asyncio.Future[None]]
    ) -> None:
        self.command = command
        self._loop = asyncio.get_running_loop()
        self._output = ends.output
        self._input: Descriptor | None = ends.input
        self._link: Descriptor | None = ends.link
        self._kill = kill
        self._killed: asyncio.Future[None] | None = None
        self._exit: asyncio.Future[Exit] = self._loop.create_future()
        self._started: asyncio.Future[None] = self._loop.create_future()
        self._waiting: set[asyncio.Future[None]] = set()
        self._timer: asyncio.TimerHandle | None = None
        self._timed_out = False
        self._left: int | None = None
        self._loop.add_reader(ends.link.number, self._hear, ends.link)

    def when_over(self, tell: Callable[[], object]) -> None:
        """Have somebody told when the command itself has ended."""
        self._exit.add_done_callback(lambda _: tell())

    @property
    def is_over(self) -> bool:
        """Whether the command itself has ended; what it left behind may go on."""
        return self._exit.done()

    async def begin(self) -> None:
        """Return when the command runs. Raises `SandboxProblem` where it cannot."""
        if self.command.bounds.seconds is not None:
            self._timer = self._loop.call_later(self.command.bounds.seconds, self._expire)
        await self._started

    async def output(self) -> AsyncGenerator[bytes, None]:
        """`Process.output`."""
        try:
            while self._left != 0:
                if self._left is None and self.is_over:
                    # What others still write after this is not the command's.
                    self._left = _waits(self._output)
                    continue
                try:
                    data = os.read(self._output.number, min(CHUNK, self._left or CHUNK))
                except BlockingIOError:
                    await self._ready(self._loop.add_reader, self._loop.remove_reader, self._output)
                    continue
                if not data:  # it closed its output, and may go on without
                    await asyncio.wait([self._exit])
                    return
                if self._left is not None:
                    self._left -= len(data)
                yield data
        finally:
            if self.is_over:
                self._let_go()

    async def write(self, data: bytes) -> None:
        """`Process.write`."""
        rest = memoryview(data)
        while rest:
            if self._input is None or self.is_over:
                raise BrokenPipeError("The command reads no more input.")
            try:
                rest = rest[os.write(self._input.number, rest) :]
            except BlockingIOError:
                await self._ready(self._loop.add_writer, self._loop.remove_writer, self._input)

    async def close_input(self) -> None:
        """`Process.close_input`."""
        self._input = None

    async def wait(self) -> Exit:
        """`Process.wait`."""
        return await asyncio.shield(self._exit)

    async def kill(self) -> None:
        """`Process.kill`."""
        await asyncio.shield(self._end())

    def lose(self, problem: SandboxProblem) -> None:
        """The sandbox broke."""
        if not self._started.done():
            self._started.set_exception(problem)
        if not self._exit.done():
            self._exit.set_exception(problem)
            self._exit.exception()  # whoever only reads the output has no need to hear of it
        self._settle()
        self._let_go()

    def finish(self) -> None:
        """All that it had started was ended."""
        if not self._started.done():
            self._started.set_result(None)
        if not self._exit.done():
            self._exit.set_result(Exit(128 + _KILL, _KILL, timed_out=self._timed_out))
        self._settle()
        self._let_go()

    def _end(self) -> asyncio.Future[None]:
        if self._killed is None:
            self._killed = self._kill()
        return self._killed

    def _expire(self) -> None:
        self._timed_out = True
        self._end()

    def _hear(self, link: Descriptor) -> None:
        """The link says how far the command is. Nobody here relies on what it says."""
        try:
            said = os.read(link.number, 64).split()
        except BlockingIOError:
            return
        except OSError:
            said = []
        match said:
            case [b"started"]:
                if not self._started.done():
                    self._started.set_result(None)
                return
            case [b"ended", status] if status.isdigit() and not self.is_over:
                self._exit.set_result(_exit_of(int(status)))
                self._settle()
            case [b"failed", what, number] if number.isdigit() and not self._started.done():
                self._started.set_exception(_cannot_start(self.command, what, int(number)))
                self._exit.cancel()
                self._settle()
            case _:  # the supervisor is gone: make sure of all the others
                self._end()
        self._loop.remove_reader(link.number)

    def _settle(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        for waiter in self._waiting:
            _wake(waiter)

    def _let_go(self) -> None:
        """From here on the supervisor throws away what is still written."""
        if self._link is not None:
            self._loop.remove_reader(self._link.number)
            self._link = None

    async def _ready(
        self, add: Callable[..., None], remove: Callable[[int], bool], descriptor: Descriptor
    ) -> None:
        """Until something can be read or written, or the command ended."""
        waiter: asyncio.Future[None] = self._loop.create_future()
        self._waiting.add(waiter)
        add(descriptor.number, _wake, waiter)
        try:
            await waiter
        finally:
            remove(descriptor.number)
            self._waiting.discard(waiter)


def _wake(waiter: asyncio.Future[None]) -> None:
    if not waiter.done():
        waiter.set_result(None)


def _waits(output: Descriptor) -> int:
    """Bytes that are in a pipe."""
    return int.from_bytes(fcntl.ioctl(output.number, termios.FIONREAD, bytes(4)), sys.byteorder)


def _exit_of(status: int) -> Exit:
    signal = status & 0x7F
    return Exit(128 + signal, signal) if signal else Exit(status >> 8 & 0xFF)


def _cannot_start(command: Command, what: bytes, number: int) -> SandboxProblem:
    if what == b"folder":
        return SandboxProblem(
            f"Commands cannot run in {shown(command.folder)}: {os.strerror(number)}. Choose a "
            "folder inside the workspace."
        )
    if number == errno.E2BIG:
        return SandboxProblem("The line is too long. Write a script to a file and run that.")
    return SandboxProblem(
        f"The shell could not be started: {os.strerror(number)}. Stop what still runs, or allow "
        "more memory and processes."
    )


def _pipe() -> tuple[Descriptor, Descriptor]:
    read, write = os.pipe()
    return Descriptor(read), Descriptor(write)
