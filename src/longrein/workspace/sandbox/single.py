"""One command in a sandbox that is started for it and ends with it.

No process outlives the command in there, so no interpreter is started: the cheapest way to run one
command, and the dearest for many.
"""

import asyncio
import os
import subprocess
from collections.abc import Mapping, Sequence

from longrein.workspace.descriptors import Descriptor
from longrein.workspace.sandbox.base import Bounds, Command, SandboxProblem
from longrein.workspace.sandbox.running import Ends, Running


class Single:
    """Starts a command through bubblewrap, and knows when all of it is gone."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._gone: asyncio.Future[None] = self._loop.create_future()
        self._process: subprocess.Popen[bytes] | None = None
        self._running: Running | None = None
        # Held open by the sandbox: the one by its first process, the other to say how it ended.
        self._lifeline, self._alive = map(Descriptor, os.pipe())
        self._told, self._tell = map(Descriptor, os.pipe())

    def start(
        self,
        wrapper: Sequence[str],
        command: Command,
        *,
        shell: str,
        descriptors: Sequence[int],
        environ: Mapping[str, str],
    ) -> Running:
        """Start it. `wrapper` is the start of a command line of bubblewrap."""
        ends = Ends()
        alive, tell = self._alive.number, self._tell.number
        own = ["--chdir", command.folder, "--sync-fd", f"{alive}", "--json-status-fd", f"{tell}"]
        # Not as the environment of bubblewrap itself, which is not isolated yet.
        for name, value in {**environ, **command.environ}.items():
            own += ["--setenv", name, value]
        script = f'{_limits(command.bounds)} exec "$0" -c "$1"'
        stdin, stdout, _, link = ends.others
        try:
            # From the thread of the event loop: it is killed when that thread ends.
            self._process = subprocess.Popen(
                [*wrapper, *own, "--", shell, "-c", script, shell, command.line],
                pass_fds=(alive, tell, *descriptors),
                stdin=stdin,
                stdout=stdout,
                stderr=stdout,
                env={},
                cwd="/",
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            raise SandboxProblem(f"The command cannot be started: {error}.") from None
        del self._alive, self._tell
        self._link = Descriptor(os.dup(link))
        os.write(self._link.number, b"started")
        self._running = Running(command, ends, self._kill)
        self._loop.add_reader(self._lifeline.number, self._all_ended)
        del ends
        return self._running

    async def close(self) -> None:
        """End it, and return when all is gone. Safe to call again."""
        if self._process is not None:
            await asyncio.shield(self._kill())

    def _kill(self) -> asyncio.Future[None]:
        if self._process is not None:
            self._process.kill()  # with which the kernel ends all that are in the sandbox
        return self._gone

    def _all_ended(self) -> None:
        """The lifeline broke: nothing of the sandbox is left."""
        assert self._process is not None
        assert self._running is not None
        self._loop.remove_reader(self._lifeline.number)
        code = self._process.wait()
        if self._process.returncode < 0:
            self._running.finish()
        elif b"exit-code" in os.read(self._told.number, 4_096):
            os.write(self._link.number, b"ended %d" % (code << 8))
        else:
            self._running.lose(
                SandboxProblem("The sandbox could not be set up; the output says why.")
            )
        self._gone.set_result(None)


def _limits(bounds: Bounds) -> str:
    """What a shell says to bound itself and all that it starts."""
    kilobytes = {"d": bounds.memory, "f": bounds.file_size}
    limits = [f"ulimit -{name} {-(-most // 1024)};" for name, most in kilobytes.items() if most]
    if bounds.processes:
        limits.append(f"ulimit -u {bounds.processes} 2>/dev/null;")
    return " ".join(["ulimit -c 0;", *limits])
