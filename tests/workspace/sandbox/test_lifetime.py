"""Nothing outlives what it was started for, whoever dies."""

import asyncio
import gc
import os
import resource
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from longrein.testing.sandbox_cases.ending import DAEMON
from longrein.testing.sandbox_cases.setting import QUICK, SURELY, all_of, ran, ticks
from longrein.workspace.sandbox.base import Bounds, Command, SandboxProblem
from longrein.workspace.sandbox.bubblewrap import Bubblewrap
from longrein.workspace.sandbox.host import HostShell
from tests.support import children, run

PROGRAM = """
import asyncio, sys
from longrein.workspace.sandbox.base import Command
from longrein.workspace.sandbox.bubblewrap import Bubblewrap
from longrein.workspace.sandbox.host import HostShell
from longrein.workspace.sandbox.landlock import Landlock

async def main(kind, folder, line):
    sandbox = HostShell() if kind == "HostShell" else globals()[kind](folder)
    await sandbox.start(Command(line + "; sleep 60", folder))
    print("up", flush=True)
    await asyncio.sleep(60)

asyncio.run(main(*sys.argv[1:]))
"""


@pytest.mark.parametrize("kind", ["Bubblewrap", "Landlock", "HostShell"])
def test_killing_our_process_ends_everything(kind: str, tmp_path: Path) -> None:
    words = [sys.executable, "-c", PROGRAM, kind, str(tmp_path), DAEMON]
    with subprocess.Popen(words, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"up\n"
        assert run(ticks(str(tmp_path), SURELY))
        process.send_signal(signal.SIGKILL)
    assert run(_stops(tmp_path))


async def _stops(folder: Path) -> bool:
    late = time.monotonic() + 20
    while time.monotonic() < late:
        if not await ticks(str(folder)):
            return True
    return False


def test_when_the_sandbox_breaks_commands_say_so_and_the_next_has_a_new_one(tmp_path: Path) -> None:
    async def go() -> None:
        before, sandbox = children(), Bubblewrap(tmp_path)
        process = await sandbox.start(Command(f"{DAEMON}; sleep 60", str(tmp_path), QUICK))
        for child in children() - before:
            os.kill(child, signal.SIGKILL)
        with pytest.raises(SandboxProblem, match="sandbox ended"):
            await process.wait()
        assert await all_of(process) == b""
        await process.kill()
        assert await _stops(tmp_path)
        assert (await ran(sandbox, str(tmp_path), "echo on"))[0] == b"on\n"
        await sandbox.close()

    run(go())


def test_a_start_that_is_cancelled_leaves_nothing(tmp_path: Path) -> None:
    async def go() -> None:
        sandbox = HostShell()
        await ran(sandbox, str(tmp_path), "true")
        start = asyncio.create_task(
            sandbox.start(Command(f"{DAEMON}; sleep 9", str(tmp_path), QUICK))
        )
        await asyncio.sleep(0)
        start.cancel()
        await asyncio.wait([start])
        assert await _stops(tmp_path)
        await sandbox.close()

    run(go())


def test_a_sandbox_that_does_not_end_by_itself_is_killed(tmp_path: Path) -> None:
    async def go() -> None:
        before, sandbox = children(), HostShell()
        await ran(sandbox, str(tmp_path), "true")
        for child in children() - before:
            os.kill(child, signal.SIGSTOP)
        await sandbox.close()
        assert children() <= before

    run(go())


def test_commands_leave_no_descriptor_thread_or_process_here(tmp_path: Path) -> None:
    async def go() -> None:
        sandbox = Bubblewrap(tmp_path)
        await ran(sandbox, str(tmp_path), "true")
        before = len(os.listdir("/proc/self/fd"))
        for _ in range(10):
            await ran(sandbox, str(tmp_path), "sleep 30 & echo x")
            killed = await sandbox.start(Command("yes", str(tmp_path), QUICK))
            await killed.kill()
            await killed.wait()
            del killed
        gc.collect()
        assert len(os.listdir("/proc/self/fd")) <= before
        await sandbox.close()

    threads, processes = set(threading.enumerate()), children()
    run(go())
    assert set(threading.enumerate()) <= threads
    assert children() <= processes


def test_a_flood_of_output_costs_no_memory(tmp_path: Path) -> None:
    async def go() -> int:
        sandbox = Bubblewrap(tmp_path)
        process = await sandbox.start(Command("head -c 600M /dev/zero", str(tmp_path), QUICK))
        size = 0
        async for data in process.output():
            size += len(data)
        await sandbox.close()
        return size

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert run(go()) == 600 * 1024**2
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 16 * 1024


def test_a_fork_bomb_is_stopped_and_the_sandbox_goes_on(tmp_path: Path) -> None:
    async def go() -> None:
        sandbox = Bubblewrap(tmp_path)
        bounds = Bounds(seconds=120, processes=60)
        # A thousand at most, should it not be stopped in time: the machine has to go on, too.
        bomb = "bomb() { [ $1 = 9 ] || { bomb $(($1 + 1)) | bomb $(($1 + 1)) & }; sleep 120; }"
        await ran(sandbox, str(tmp_path), f"{bomb}; bomb 0", bounds=bounds)
        output, _ = await ran(sandbox, str(tmp_path), "sleep 0.3; ls /proc | grep -c '^[0-9]'")
        assert int(output) < 100
        await sandbox.close()

    run(go())


def test_what_one_command_left_another_can_find_and_end(tmp_path: Path) -> None:
    async def go() -> None:
        sandbox = Bubblewrap(tmp_path)
        output, _ = await ran(sandbox, str(tmp_path), "sleep 60 & echo $!")
        line = f"kill {int(output)}; while kill -0 {int(output)} 2>/dev/null; do :; done; echo gone"
        assert (await ran(sandbox, str(tmp_path), line))[0] == b"gone\n"
        await sandbox.close()

    run(go())
