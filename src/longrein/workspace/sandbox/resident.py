"""The process that starts commands, as seen from outside: it is started once and then asked.

What runs in it is `inside`. All that it says may be a lie, if a command broke in there: it is read
within bounds, and never decides anything but what becomes of its own commands.
"""

import asyncio
import marshal
import os
import socket
import subprocess
import sys
from array import array
from collections import deque
from collections.abc import Mapping, Sequence
from importlib.abc import InspectLoader
from types import ModuleType
from typing import BinaryIO

from msgspec import Struct

from longrein.workspace.descriptors import Descriptor
from longrein.workspace.sandbox.base import Command, SandboxProblem
from longrein.workspace.sandbox.inside import keeper, kernel, supervisor
from longrein.workspace.sandbox.running import Ends, Running

LONGEST_LINE = 128_000
"""Bytes of a line: what the kernel takes as one argument."""

LONGEST_REQUEST = 160_000
"""Bytes of a line with its environment: what one message holds."""

_STUB = """
import marshal, sys, _socket
control = _socket.socket(fileno={})
for name, code in marshal.loads(control.recv(1 << 20)):
    module = sys.modules[name] = type(sys)(name)
    exec(code, module.__dict__)
module.main(control)
"""
_PATIENCE = 5.0


class Landlocked(Struct, frozen=True):
    """What Landlock shall allow: rights that it decides on, and the paths where which are given."""

    files: int
    network: int
    scoped: int
    rules: tuple[tuple[str, int], ...]


class Setting(Struct, frozen=True):
    """How the process inside works.

    `forward` is a port and the program that passes on what connects to it; the program gets the
    descriptor that listens as its last argument. `watch`: processes are counted, because no limit
    of the kernel binds them.
    """

    shell: str
    landlock: Landlocked | None = None
    forward: tuple[int, tuple[str, ...]] | None = None
    watch: bool = False


class Resident:
    """Starts commands through a process that was started in the sandbox. One event loop uses it."""

    def __init__(
        self,
        wrapper: Sequence[str],
        setting: Setting,
        *,
        descriptors: Sequence[int] = (),
        environ: Mapping[str, str],
    ) -> None:
        """`wrapper` is the start of a command line that isolates what follows."""
        self._loop = asyncio.get_running_loop()
        self._environ = environ
        self._running: dict[int, Running] = {}
        self._kills: dict[int, asyncio.Future[None]] = {}
        self._count = 0
        self._outgoing: deque[tuple[bytes, Ends | None]] = deque()
        self._said = Descriptor(os.memfd_create("said"))
        self.problem: SandboxProblem | None = None
        """Why no command can be started any more."""
        self.worked = False
        """Whether a command was started."""
        self._control, control = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._control.setblocking(False)
        with control:
            self._process = self._spawn(wrapper, control.fileno(), descriptors)
        self._loop.add_reader(self._control, self._hear)
        self._post(_code())
        self._post(_settings(setting))

    @property
    def commands(self) -> list[Command]:
        """What has not ended yet."""
        return [running.command for running in self._running.values()]

    async def run(self, command: Command) -> Running:
        """Start a command. Raises `SandboxProblem`."""
        if self.problem is not None:
            raise self.problem
        self._count += 1
        number, ends = self._count, Ends()
        request = _request(number, command, self._environ)
        running = Running(command, ends, lambda: self._kill(number))
        self._running[number] = running
        running.when_over(lambda: self._running.pop(number, None))
        self._post(request, ends)
        del ends  # the other side has its ends now, and must be the only one to have them
        try:
            await running.begin()
        except asyncio.CancelledError:
            self._kill(number)
            raise
        self.worked = True
        return running

    async def close(self) -> None:
        """End everything, and return when all is gone. Safe to call again."""
        self._shut(SandboxProblem("The sandbox was closed."))
        await self._gone()
        for running in list(self._running.values()):
            running.finish()
        self._answer_kills()

    def _spawn(
        self, wrapper: Sequence[str], control: int, descriptors: Sequence[int]
    ) -> subprocess.Popen[bytes]:
        arguments = [*wrapper, python(), "-I", "-S", "-c", _STUB.format(control)]
        try:
            # From the thread of the event loop: it is killed when that thread ends.
            return subprocess.Popen(
                arguments,
                pass_fds=(control, *descriptors),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=self._said.number,
                env={},
                cwd="/",
                start_new_session=True,
            )
        except OSError as error:
            self._control.close()
            raise SandboxProblem(f"{arguments[0]} cannot be started: {error.strerror}.") from None

    def _kill(self, number: int) -> asyncio.Future[None]:
        """Done when nothing of a command is left."""
        killed = self._kills.get(number)
        if killed is None:
            killed = self._kills[number] = self._loop.create_future()
            self._post(marshal.dumps(number))
            if self.problem is not None:
                self._answer_kills()
        return killed

    def _post(self, data: bytes, ends: Ends | None = None) -> None:
        self._outgoing.append((data, ends))
        self._flush()

    def _flush(self) -> None:
        """Send what can be sent now, and the rest when there is room."""
        while self._outgoing and self.problem is None:
            data, ends = self._outgoing[0]
            numbers = array("i", ends.others) if ends else array("i")
            extra = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, numbers)] if numbers else []
            try:
                self._control.sendmsg([data], extra)
            except BlockingIOError:
                self._loop.add_writer(self._control, self._flush)
                return
            except OSError:
                self._break()
                return
            self._outgoing.popleft()
        if self.problem is None:
            self._loop.remove_writer(self._control)

    def _hear(self) -> None:
        try:
            said = self._control.recv(64).split()
        except BlockingIOError:
            return
        except OSError:
            said = []
        match said:
            case [b"gone", number] if number.isdigit():
                self._is_gone(int(number))
            case _:
                self._break()

    def _is_gone(self, number: int) -> None:
        if running := self._running.get(number):
            running.finish()
        if killed := self._kills.pop(number, None):
            killed.set_result(None)

    def _break(self) -> None:
        """The other side is gone, though nobody closed it."""
        os.lseek(self._said.number, 0, os.SEEK_SET)
        said = os.read(self._said.number, 2_000).decode("utf-8", "replace").strip()
        why = f" It said: {said}" if said else ""
        problem = SandboxProblem(f"The sandbox ended, and all commands in it.{why}")
        self._shut(problem)
        for running in list(self._running.values()):
            running.lose(problem)
        self._answer_kills()

    def _shut(self, problem: SandboxProblem) -> None:
        if self.problem is None:
            self.problem = problem
            self._loop.remove_reader(self._control)
            self._loop.remove_writer(self._control)
            self._control.close()
            self._outgoing.clear()

    def _answer_kills(self) -> None:
        for number in list(self._kills):
            self._is_gone(number)

    async def _gone(self) -> None:
        """Until the process, and with it the sandbox, has ended."""
        if self._process.returncode is not None:
            return
        ended = self._loop.create_future()
        pidfd = Descriptor(os.pidfd_open(self._process.pid))
        self._loop.add_reader(pidfd.number, lambda: ended.done() or ended.set_result(None))
        try:
            await asyncio.wait([ended], timeout=_PATIENCE)
            if not ended.done():
                self._process.kill()
                await ended
        finally:
            self._loop.remove_reader(pidfd.number)
        self._process.wait()


def python() -> str:
    """The interpreter where it is installed, not that of an environment, which may be anywhere."""
    return os.path.realpath(getattr(sys, "_base_executable", "") or sys.executable)


def in_memory(data: bytes) -> BinaryIO:
    """Bytes for another process to read."""
    file = os.fdopen(os.memfd_create("longrein"), "w+b")
    file.write(data)
    file.seek(0)
    return file


def source(program: ModuleType) -> str:
    """The text of a program that runs by itself."""
    return _loader(program).get_source(program.__name__) or ""


def _code() -> bytes:
    """What runs inside, compiled."""
    modules = (kernel, supervisor, keeper)
    return marshal.dumps([(one.__name__, _loader(one).get_code(one.__name__)) for one in modules])


def _loader(program: ModuleType) -> InspectLoader:
    loader = program.__spec__.loader if program.__spec__ else None
    assert isinstance(loader, InspectLoader)
    return loader


def _settings(setting: Setting) -> bytes:
    """What `inside.main` reads first."""
    landlock = setting.landlock and (
        setting.landlock.files,
        setting.landlock.network,
        setting.landlock.scoped,
        [(os.fsencode(path), access) for path, access in setting.landlock.rules],
    )
    forward = setting.forward and (setting.forward[0], list(map(os.fsencode, setting.forward[1])))
    return marshal.dumps((landlock, forward, os.fsencode(setting.shell), setting.watch))


def _request(number: int, command: Command, environ: Mapping[str, str]) -> bytes:
    bounds = {
        "memory": command.bounds.memory or 0,
        "processes": command.bounds.processes or 0,
        "file_size": command.bounds.file_size or 0,
    }
    line, folder = os.fsencode(command.line), os.fsencode(command.folder)
    passed = _encoded({**environ, **command.environ})
    texts = [line, folder, *passed, *passed.values()]
    if any(b"\0" in text for text in texts):
        raise SandboxProblem("A command cannot have a NUL character in it. Leave it out.")
    if sum(map(len, texts)) > LONGEST_REQUEST or len(line) > LONGEST_LINE:
        raise SandboxProblem(
            f"Lines have at most {LONGEST_LINE:,} bytes. Write a script to a file and run that."
        )
    return marshal.dumps((number, line, folder, passed, bounds))


def _encoded(environ: Mapping[str, str]) -> dict[bytes, bytes]:
    return {os.fsencode(name): os.fsencode(value) for name, value in environ.items()}
