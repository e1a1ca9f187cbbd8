"""Commands that a person runs from a front end: on the machine itself, as that person."""

import asyncio
import codecs
import os
from collections.abc import Awaitable, Callable

from longrein.client.own_words import OwnCommand, told
from longrein.workspace.sandbox.base import Bounds, Command
from longrein.workspace.sandbox.host import HostShell

MOST_TOLD = 16_000
"""Characters of output that the agent is told; of longer ones it gets the beginning and the end."""

STOPPED = 130
"""The code of a command that the person ended, as shells have it."""

UNBOUND = Bounds(seconds=None, memory=None, processes=None)


class OwnShell:
    """Runs the commands of the person who sits before the front end."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._host = HostShell()
        self._running = 0

    @property
    def runs(self) -> bool:
        """Whether a command of the person's runs."""
        return self._running > 0

    async def run(
        self,
        line: str,
        hear: Callable[[str], object],
        tell: Callable[[str], Awaitable[object]],
    ) -> int:
        """Run a line to its end, or until this is cancelled, which ends it with everything that it
        started; the exit code. `tell` gets what the agent is told of it, in either case."""
        command = Command(line, self._folder, UNBOUND, dict(os.environ))
        process = await self._host.start(command)
        self._running += 1
        decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        kept, code = _Bounded(), STOPPED
        try:
            await process.close_input()  # the keyboard is the front end's: a reader gets an end
            async for piece in process.output():
                text = decoder.decode(piece)
                kept.add(text)
                hear(text)
                # Output that is always ready would keep everybody else from their turn.
                await asyncio.sleep(0)
            if rest := decoder.decode(b"", final=True):
                kept.add(rest)
                hear(rest)
            code = (await process.wait()).code
        except BaseException:
            await process.kill()
            raise
        finally:
            try:
                # It may have done something, however it ended.
                await asyncio.shield(tell(told(OwnCommand(line, kept.text, code))))
            finally:
                self._running -= 1
        return code

    async def close(self) -> None:
        await self._host.close()


class _Bounded:
    """The beginning and the end of a text that may be very long."""

    def __init__(self) -> None:
        self._head = ""
        self._tail = ""
        self._left_out = 0

    def add(self, text: str) -> None:
        room = MOST_TOLD // 2 - len(self._head)
        self._head += text[:room] if room > 0 else ""
        tail = self._tail + (text[room:] if room > 0 else text)
        self._left_out += max(len(tail) - MOST_TOLD // 2, 0)
        self._tail = tail[-MOST_TOLD // 2 :]

    @property
    def text(self) -> str:
        between = f"\n[{self._left_out:,} characters left out]\n" if self._left_out else ""
        return f"{self._head}{between}{self._tail}"
