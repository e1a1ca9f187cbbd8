"""One command of a hook, run: what it is told, what it says, and that it ends."""

import asyncio
import os
import signal
import tempfile
import time
from collections.abc import Coroutine, Mapping
from contextlib import ExitStack, suppress
from typing import Any

import msgspec
from msgspec import Struct

from longrein.workspace.sandbox.system import shell

MOST_BYTES = 65_536
"""What is kept of each output; the rest is read and dropped."""

GRACE = 0.3
"""Seconds for output that is still in the pipe when the command has ended: what it left running may
hold the pipe open for ever."""

_CANNOT = (126, 127)
"""Codes with which a shell says that it cannot start a command."""


class Ran(Struct, frozen=True):
    """How a command ended. `failure`: it did not come to an exit code of its own, and why. `cut`:
    it wrote more than `out` has."""

    code: int = 0
    out: str = ""
    err: str = ""
    failure: str = ""
    milliseconds: int = 0
    cut: bool = False


async def run_command(
    command: str,
    told: Mapping[str, Any],
    *,
    folder: str,
    environ: Mapping[str, str],
    timeout: float,
) -> Ran:
    """What became of a command that gets `told` as JSON on its input.

    It has a process group of its own, which is killed when it takes too long, or when whoever waits
    for it is cancelled.
    """
    began = time.monotonic()
    ran = await _run(command, msgspec.json.encode(told), folder, environ, timeout)
    return msgspec.structs.replace(ran, milliseconds=round((time.monotonic() - began) * 1000))


async def _run(
    command: str, told: bytes, folder: str, environ: Mapping[str, str], timeout: float
) -> Ran:
    with ExitStack() as stack:
        given = stack.enter_context(tempfile.TemporaryFile())
        given.write(told)
        given.seek(0)
        out, err = stack.enter_context(_Output()), stack.enter_context(_Output())
        try:
            process = await _started(
                asyncio.create_subprocess_exec(
                    shell(),
                    "-c",
                    command,
                    stdin=given,
                    stdout=out.theirs,
                    stderr=err.theirs,
                    cwd=folder,
                    env=dict(environ),
                    start_new_session=True,
                )
            )
        except OSError as error:
            return Ran(failure=f"it cannot be started: {error.strerror or error}")
        out.begin()
        err.begin()
        try:
            async with asyncio.timeout(timeout):
                code = await process.wait()
        except TimeoutError:
            return Ran(failure=f"it took longer than {timeout:g} s", err=err.text)
        finally:
            await _ended(process)
        await asyncio.wait([out.over, err.over], timeout=GRACE)
        return Ran(code, out.text, err.text, _failure(code, err.text), cut=out.cut)


async def _started(
    start: Coroutine[Any, Any, asyncio.subprocess.Process],
) -> asyncio.subprocess.Process:
    """The process; where whoever waits is cancelled before it is known, it is ended once it is."""
    starting = asyncio.ensure_future(start)
    try:
        return await asyncio.shield(starting)
    except asyncio.CancelledError:
        with suppress(OSError):
            await _ended(await starting)
        raise


def _failure(code: int, err: str) -> str:
    if code in _CANNOT:
        return f"it cannot be started: {err.strip() or f'code {code}'}"
    # A shell says with codes above 128 that what it ran last was killed.
    ended_by = -code if code < 0 else code - 128
    return f"it was ended by signal {ended_by}" if 0 < ended_by < signal.NSIG else ""


async def _ended(process: asyncio.subprocess.Process) -> None:
    if process.returncode is None:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        await process.wait()


class _Output:
    """A pipe of which the beginning is kept. Not one of asyncio's, which are waited for until the
    last process that has them is gone."""

    def __init__(self) -> None:
        ours, theirs = os.pipe()
        self._ours, self._theirs = os.fdopen(ours, "rb", 0), os.fdopen(theirs, "wb", 0)
        self._loop = asyncio.get_running_loop()
        self._kept = bytearray()
        self.cut = False
        self.over: asyncio.Future[None] = self._loop.create_future()

    def __enter__(self) -> "_Output":
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.remove_reader(self._ours)
        self._ours.close()
        self._theirs.close()

    @property
    def theirs(self) -> int:
        return self._theirs.fileno()

    @property
    def text(self) -> str:
        return self._kept.decode(errors="replace")

    def begin(self) -> None:
        """The command has its end: read ours."""
        self._theirs.close()
        os.set_blocking(self._ours.fileno(), False)
        self._loop.add_reader(self._ours, self._read)

    def _read(self) -> None:
        data = self._ours.read(MOST_BYTES)
        if data is None:  # nothing is there after all
            return
        room = MOST_BYTES - len(self._kept)
        self._kept += data[:room]
        self.cut |= len(data) > room
        if not data:
            self._loop.remove_reader(self._ours)
            if not self.over.done():
                self.over.set_result(None)
