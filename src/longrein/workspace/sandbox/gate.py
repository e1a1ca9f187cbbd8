"""Where bubblewrap waits when it has made all mounts, before anything runs in them.

It is told to copy a file out of a pipe that is full. When there is room in the pipe again it has
come there, and it goes on when the pipe is closed.
"""

import asyncio
import fcntl
import os
import re
import signal

from longrein.workspace.descriptors import Descriptor

_COPY = "/run/longrein/gate"
_CHILD = re.compile(rb'"child-pid": (\d+)')


class Gate:
    """Holds one sandbox until it is opened. Whoever lets go of it without that must `refuse`."""

    def __init__(self) -> None:
        self._told, self._tell = map(Descriptor, os.pipe())
        self._held, self._hold = map(Descriptor, os.pipe())
        size = fcntl.fcntl(self._hold.number, fcntl.F_SETPIPE_SZ, 1)  # which is at least a page
        os.write(self._hold.number, bytes(size))
        self._child = -1

    @property
    def words(self) -> list[str]:
        """For bubblewrap, after all mounts that matter."""
        return ["--info-fd", f"{self._tell.number}", "--file", f"{self._held.number}", _COPY]

    @property
    def descriptors(self) -> list[int]:
        """What the words refer to."""
        # The end to read from as well: bubblewrap would die of a pipe that nobody reads, and leave
        # its child waiting for ever.
        return [self._tell.number, self._told.number, self._held.number]

    def handed_over(self) -> None:
        """Bubblewrap has its ends, and must be the only one to have them."""
        del self._tell, self._held

    async def reached(self) -> int:
        """The process that waits, when it does; 0 if there is none, because it failed before."""
        loop, number = asyncio.get_running_loop(), self._hold.number
        come = loop.create_future()
        loop.add_writer(number, lambda: come.done() or come.set_result(None))
        try:
            await come
        finally:
            loop.remove_writer(number)
        try:
            os.write(number, b"\0")
        except BrokenPipeError:
            return 0
        return self._pid()

    def open(self) -> None:
        """Let it go on."""
        del self._hold

    def refuse(self) -> None:
        """End it where it waits, or would: not even its parent's end would do that."""
        if pid := self._pid():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass

    def _pid(self) -> int:
        """Told at the very start, so this waits for moments at most."""
        if self._child < 0:
            found = _CHILD.search(os.read(self._told.number, 4_096))
            self._child = int(found[1]) if found else 0
        return self._child
