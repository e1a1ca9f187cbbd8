"""A sandbox that isolates nothing, as small as it can be; it may say that it does."""

import asyncio
import os
import signal
import subprocess
from collections.abc import AsyncIterator, Sequence

from longrein.workspace.sandbox.base import Command, Exit, Isolation

PASSED_ON = ("PATH", "HOME", "LANG")


class PlainProcess:
    def __init__(self, command: Command) -> None:
        environ = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
        reading, writing = os.pipe()
        os.set_blocking(reading, False)
        self._reading = reading
        self._seconds = command.bounds.seconds
        self._timed_out = False
        self._process = subprocess.Popen(
            ["bash", "-c", command.line],
            cwd=command.folder,
            env={**environ, **command.environ},
            stdin=subprocess.PIPE,
            stdout=writing,
            stderr=writing,
            start_new_session=True,
        )
        os.close(writing)
        self._ended = asyncio.create_task(self._watch())

    async def output(self) -> AsyncIterator[bytes]:
        loop, more = asyncio.get_running_loop(), asyncio.Event()
        loop.add_reader(self._reading, more.set)
        self._ended.add_done_callback(lambda _: more.set())
        try:
            while True:
                ended = self._ended.done()
                more.clear()
                try:
                    data = os.read(self._reading, 65_536)
                except BlockingIOError:
                    if ended:
                        return
                    await more.wait()
                    continue
                if not data:
                    loop.remove_reader(self._reading)
                    await asyncio.wait([self._ended])
                    return
                yield data
                await asyncio.sleep(0)
        finally:
            loop.remove_reader(self._reading)
            os.close(self._reading)

    async def write(self, data: bytes) -> None:
        assert self._process.stdin is not None
        if self._process.stdin.closed:
            raise BrokenPipeError
        self._process.stdin.write(data)
        self._process.stdin.flush()

    async def close_input(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()

    async def wait(self) -> Exit:
        code = await asyncio.shield(self._ended)
        if code < 0:
            return Exit(128 - code, -code, self._timed_out)
        return Exit(code, timed_out=self._timed_out)

    async def kill(self) -> None:
        self._signal()
        await asyncio.wait([self._ended])

    async def _watch(self) -> int:
        waiting = asyncio.create_task(asyncio.to_thread(self._process.wait))
        done, _ = await asyncio.wait([waiting], timeout=self._seconds)
        if not done:
            self._timed_out = True
            self._signal()
        code = await waiting
        await self.close_input()
        return code

    def _signal(self) -> None:
        try:
            os.killpg(self._process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


class PlainSandbox:
    def __init__(self, promises: Sequence[str] = ()) -> None:
        self.isolation = Isolation("plain", tuple(promises))
        self.started: list[PlainProcess] = []
        self.closed = False

    async def start(self, command: Command) -> PlainProcess:
        process = PlainProcess(command)
        self.started.append(process)
        return process

    async def close(self) -> None:
        self.closed = True
        for process in self.started:
            await process.kill()
