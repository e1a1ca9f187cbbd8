"""Ending a command, and all that it started."""

import asyncio

from longrein.testing.sandbox_cases.setting import (
    QUICK,
    SURELY,
    TICKING,
    all_of,
    ran,
    refused,
    ticks,
    until,
)
from longrein.workspace.sandbox.base import Bounds, Command, Sandbox

DAEMON = f"(setsid sh -c '({TICKING}) </dev/null >/dev/null 2>&1 &' &)"
"""A line that leaves behind what has no parent, no terminal and no group in common with it."""


async def it_is_ended_when_it_takes_too_long(sandbox: Sandbox, folder: str) -> None:
    line = f"echo before; {TICKING}; echo after"
    output = b""
    for seconds in (0.2, 2, 15):  # a busy machine may not even come to the first word so soon
        if output:
            break
        output, how = await ran(sandbox, folder, line, bounds=Bounds(seconds=seconds))
        assert how.timed_out
        assert how.code == 128 + 9
        assert not await ticks(folder)
    assert output == b"before\n"


async def kill_ends_daemons_too(sandbox: Sandbox, folder: str) -> None:
    process = await sandbox.start(Command(f"{DAEMON}; echo up; sleep 60", folder, QUICK))
    await until(process, b"up")
    assert await ticks(folder, SURELY)
    await process.kill()
    assert not await ticks(folder)
    assert (await process.wait()).signal == 9


async def kill_ends_what_ignores_signals_and_keeps_forking(sandbox: Sandbox, folder: str) -> None:
    stubborn = "trap '' TERM INT HUP; f() { echo >> ticks; sleep 0.005; f & }; f; wait"
    process = await sandbox.start(Command(f"echo up; {stubborn}", folder, QUICK))
    await until(process, b"up")
    await process.kill()
    assert not await ticks(folder)


async def kill_ends_what_an_ended_command_left(sandbox: Sandbox, folder: str) -> None:
    process = await sandbox.start(Command(f"{DAEMON}; echo up", folder, QUICK))
    assert await all_of(process) == b"up\n"
    assert (await process.wait()).code == 0
    assert await ticks(folder, SURELY)
    await process.kill()
    assert not await ticks(folder)
    assert (await process.wait()).code == 0


async def kill_leaves_other_commands_alone(sandbox: Sandbox, folder: str) -> None:
    other = await sandbox.start(Command(f"{DAEMON}; read -r l; echo got $l", folder, QUICK))
    process = await sandbox.start(Command("echo up; sleep 60", folder, QUICK))
    await until(process, b"up")
    await process.kill()
    assert await ticks(folder, SURELY)
    await other.write(b"it\n")
    assert await all_of(other) == b"got it\n"
    await other.kill()


async def kill_can_be_repeated_and_keeps_the_output(sandbox: Sandbox, folder: str) -> None:
    process = await sandbox.start(Command(f"echo before; {TICKING}", folder, QUICK))
    assert await ticks(folder, SURELY)
    await asyncio.gather(process.kill(), process.kill())
    await process.kill()
    assert await all_of(process) == b"before\n"
    assert await process.wait() == await process.wait()


async def a_command_that_kills_its_parents_ends_itself(sandbox: Sandbox, folder: str) -> None:
    line = f"{DAEMON}; kill -9 $PPID; sleep 60"
    process = await sandbox.start(Command(line, folder, QUICK))
    await asyncio.wait_for(process.wait(), 10)
    await process.kill()
    assert not await ticks(folder)
    assert (await ran(sandbox, folder, "echo next"))[0] == b"next\n"


async def cancelling_who_waits_leaves_it_running(sandbox: Sandbox, folder: str) -> None:
    process = await sandbox.start(Command("read -r l; echo $l", folder, QUICK))
    waiting = asyncio.create_task(process.wait())
    await asyncio.sleep(0.05)
    waiting.cancel()
    await asyncio.wait([waiting])
    await process.write(b"on\n")
    assert await all_of(process) == b"on\n"


async def close_ends_everything(sandbox: Sandbox, folder: str) -> None:
    await ran(sandbox, folder, f"{DAEMON}; echo up")
    process = await sandbox.start(Command("sleep 60", folder, QUICK))
    assert await ticks(folder, SURELY)
    await sandbox.close()
    assert not await ticks(folder)
    assert (await process.wait()).signal == 9
    await process.kill()
    await sandbox.close()


async def a_closed_sandbox_starts_nothing(sandbox: Sandbox, folder: str) -> None:
    await sandbox.close()
    assert "closed" in await refused(sandbox, Command("true", folder, QUICK))
