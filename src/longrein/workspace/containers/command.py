"""A command in a container: when it began and ended, its output, and the end of all of it.

`exec` of an engine neither returns when a command has ended whose output others still hold, nor
ends what it started. So a small script around the command says when it began and ended, and all of
its processes carry a mark in their environment, by which another script finds and ends them.
"""

import asyncio
import re
import secrets
from asyncio.subprocess import Process
from collections import deque
from collections.abc import AsyncGenerator
from contextlib import suppress

from longrein.workspace.containers.box import STARTS_WITHIN, Box, launch, tail
from longrein.workspace.problems import shown
from longrein.workspace.sandbox.base import Command, Exit, SandboxProblem

_CHUNK = 64 * 1024
_MOST_CHUNKS = 4
_KILL = 9
_LAST_WORDS = 1.0
_LONGEST_LINE = 128 * 1024 - 1  # what the kernel takes as one word
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

_RUN = r"""
mark=$1
cd -- "$2" 2>/dev/null || { printf '\000%s folder\n' "$mark"; exit 1; }
if [ -n "$3" ]; then ulimit -v "$3" || exit 1; fi
if [ -n "$4" ]; then ulimit -f "$4" || exit 1; fi
printf '\000%s began\n' "$mark"
{ (LONGREIN_COMMAND=$mark exec sh -c "$5" 2>&1); } 2>/dev/null
printf '\000%s ended %d\n' "$mark" "$?"
"""

# Children inherit the mark, and who throws it away is still found below those who did not. Who
# forks and ends all the time may be missed, so it is over when nobody was found while nobody came
# or went, or nobody was found many times.
_KILL_ALL = r"""
mark=$1 calm=0
while [ "$calm" -lt 20 ]; do
    set -- /proc/[0-9]*
    before=$*
    found=" "
    for path in $(grep -lF "LONGREIN_COMMAND=$mark" /proc/[0-9]*/environ 2>/dev/null); do
        path=${path#/proc/}
        found="$found${path%/environ} "
    done
    if [ "$found" = " " ]; then
        set -- /proc/[0-9]*
        [ "$before" = "$*" ] && exit 0
        calm=$((calm + 1))
        continue
    fi
    calm=0
    more=yes
    while [ -n "$more" ]; do
        more=
        for folder in /proc/[0-9]*; do
            pid=${folder#/proc/} parent=
            while read -r key value _; do
                if [ "$key" = PPid: ]; then parent=$value; break; fi
            done 2>/dev/null <"$folder/status"
            case $found in *" $pid "*) continue ;; esac
            case $found in *" $parent "*) found="$found$pid " more=yes ;; esac
        done
    done
    kill -STOP $found 2>/dev/null  # so that nobody notices, and nobody is added
    kill -KILL $found 2>/dev/null
done
"""


class NotStarted(SandboxProblem):
    """The engine did not start a command."""


class Running:
    """A command in a container."""

    def __init__(self, box: Box, command: Command, mark: str, program: Process) -> None:
        self._box, self._mark, self._program = box, mark, program
        self._loop = asyncio.get_running_loop()
        self._exit: asyncio.Future[Exit] = self._loop.create_future()
        self._heard: asyncio.Future[int] = self._loop.create_future()
        self._heard.add_done_callback(self._ended)
        self._chunks: deque[bytes] = deque()
        self._news, self._room = asyncio.Event(), asyncio.Event()
        self._killing: asyncio.Task[None] | None = None
        self._timed_out = False
        self._reading = asyncio.gather(self._read(), self._watch())
        seconds = command.bounds.seconds
        self._timer = None if seconds is None else self._loop.call_later(seconds, self._expire)

    @classmethod
    async def begin(cls, box: Box, command: Command) -> "Running":
        """Start a command. Raises `SandboxProblem` where it cannot be."""
        _check(command)
        mark, bounds = secrets.token_hex(16), command.bounds
        given = [
            word for name, value in command.environ.items() for word in ("--env", f"{name}={value}")
        ]
        memory = "" if bounds.memory is None else str(bounds.memory // 1024)
        blocks = "" if bounds.file_size is None else str(max(bounds.file_size // 512, 1))
        script = ["/bin/sh", "-c", _RUN, "sh", mark, command.folder, memory, blocks, command.line]
        words = ["exec", "--interactive", *given, box.id, *script]
        program = await launch(box.program, *words, errors=box.folder)
        try:
            assert program.stdout is not None
            async with asyncio.timeout(STARTS_WITHIN):
                said = await program.stdout.readline()
        except BaseException:
            program.kill()
            await program.communicate()
            raise
        if said == f"\0{mark} began\n".encode():
            return cls(box, command, mark, program)
        await program.communicate()
        if said:
            raise SandboxProblem(
                f"Commands cannot run in {shown(command.folder)}. Choose a folder inside the "
                "workspace."
            )
        raise NotStarted(f"The command could not be started. {tail(box.folder)}".strip())

    @property
    def is_over(self) -> bool:
        """Whether the command itself has ended; what it left behind may go on."""
        return self._exit.done()

    @property
    def is_gone(self) -> bool:
        """Whether nothing of it is left, here or there."""
        return self._reading.done() and (self._killing is None or self._killing.done())

    async def output(self) -> AsyncGenerator[bytes, None]:
        """`Process.output`."""
        while self._chunks or not self.is_over:
            if self._chunks:
                chunk = self._chunks.popleft()
                self._room.set()
                yield chunk
            else:
                self._news.clear()
                await self._news.wait()

    async def write(self, data: bytes) -> None:
        """`Process.write`."""
        stdin = self._program.stdin
        if stdin is None or stdin.is_closing() or self.is_over:
            raise BrokenPipeError("The command reads no more input.")
        try:
            stdin.write(data)
            await stdin.drain()
        except ConnectionError:
            raise BrokenPipeError("The command reads no more input.") from None

    async def close_input(self) -> None:
        """`Process.close_input`."""
        if self._program.stdin is not None:
            self._program.stdin.close()

    async def wait(self) -> Exit:
        """`Process.wait`."""
        return await asyncio.shield(self._exit)

    async def kill(self) -> None:
        """`Process.kill`."""
        await asyncio.shield(self._end())

    def abandon(self) -> None:
        """The container is about to be removed, and the command with it."""
        self._finish(128 + _KILL)

    async def killed(self) -> None:
        """Return when it is not being killed any more."""
        if self._killing is not None:
            await asyncio.wait([self._killing])

    async def close(self) -> None:
        """Let go of the program on this side."""
        with suppress(ProcessLookupError):
            self._program.kill()
        if self._program.stdin is not None:
            self._program.stdin.close()
        # Whoever left the command without a trace may still hold its output.
        done, _ = await asyncio.wait([self._reading], timeout=_LAST_WORDS)
        if done:
            await self._program.wait()

    async def _read(self) -> None:
        """Take in what is put out up to the end of the command; the rest is for nobody."""
        end = f"\0{self._mark} ended ".encode()
        rest = b""
        assert self._program.stdout is not None
        while data := await self._program.stdout.read(_CHUNK):
            if self.is_over or self._heard.done():
                continue
            rest += data
            text, found, after = rest.partition(end)
            # What the command left behind may write on right after the line that it ended.
            code, whole, _ = after.partition(b"\n")
            if not found:
                kept = _begun(rest, end)
                await self._put(rest[: len(rest) - kept])
                rest = rest[len(rest) - kept :]
            elif whole:
                await self._put(text)
                self._heard.set_result(int(code) if code.isdigit() else 1)

    async def _watch(self) -> None:
        """See to a command that ends without a word: its container is gone, or the script is."""
        while self._program.returncode is None and not self.is_over:
            # Not `wait`: that waits for the output, too, which others may hold.
            await asyncio.wait([self._exit], timeout=_LAST_WORDS / 4)
        while not self.is_over and self._killing is None:
            gone = await self._box.ends()
            waits_for_reader = len(self._chunks) >= _MOST_CHUNKS
            if self.is_over or waits_for_reader:
                await asyncio.wait([self._exit], timeout=_LAST_WORDS)
            elif gone:
                self._lose()
            else:
                self._end()

    def _lose(self) -> None:
        self._exit.set_exception(SandboxProblem("The container ended, and all commands in it."))
        self._exit.exception()  # whoever only reads the output has no need to hear of it
        self._settle()

    async def _put(self, chunk: bytes) -> None:
        if chunk:
            self._chunks.append(chunk)
            self._news.set()
        while len(self._chunks) >= _MOST_CHUNKS and not self.is_over:
            self._room.clear()
            await self._room.wait()

    def _ended(self, heard: asyncio.Future[int]) -> None:
        """The command itself has ended. One that is being killed is over when all of it is gone."""
        if self._killing is None:
            self._finish(heard.result())

    def _finish(self, code: int) -> None:
        signal = code - 128 if 128 < code <= 192 else 0
        if not self.is_over:
            self._exit.set_result(Exit(code, signal, timed_out=self._timed_out))
        self._settle()

    def _settle(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._news.set()
        self._room.set()

    def _expire(self) -> None:
        self._timed_out = True
        self._end()

    def _end(self) -> asyncio.Task[None]:
        if self._killing is None:
            self._killing = asyncio.create_task(self._kill_all())
        return self._killing

    async def _kill_all(self) -> None:
        kill = ("exec", self._box.id, "/bin/sh", "-c", _KILL_ALL, "sh", self._mark)
        if not self._box.is_gone and not await self._box.run(*kill):
            await self._box.run("rm", "--force", self._box.id)  # sooner all than not all of it
        await asyncio.wait([self._heard], timeout=_LAST_WORDS)
        self._finish(128 + _KILL)
        await self.close()


def _check(command: Command) -> None:
    if any("\0" in one for one in (command.line, command.folder, *command.environ.values())):
        raise SandboxProblem("A command cannot have NUL in it. Write it to a file and run that.")
    if len(command.line.encode("utf-8", "surrogateescape")) > _LONGEST_LINE:
        raise SandboxProblem("The line is too long. Write a script to a file and run that.")
    if bad := [name for name in command.environ if not _VARIABLE.fullmatch(name)]:
        raise SandboxProblem(f"{bad[0]!r} is no name of a variable.")


def _begun(data: bytes, end: bytes) -> int:
    """How many bytes at the end of some data may be the begin of `end`."""
    at = data.rfind(end[:1], max(0, len(data) - len(end)))
    return len(data) - at if at >= 0 and end.startswith(data[at:]) else 0
