"""Leases of the living and the dead."""

import os
import subprocess
import sys

from longrein.core.ids import SystemClock
from longrein.session.alive import process_tag, surely_dead
from longrein.session.host import Host
from longrein.storage.base import ThreadRow
from longrein.storage.memory import MemoryStore
from tests.support import run

PRINT_TAG = "from longrein.session.alive import process_tag; print(process_tag(), flush=True)"


def tag_of_another(then: str) -> tuple[str, "subprocess.Popen[str]"]:
    """The tag of a process that goes on with `then`."""
    process = subprocess.Popen(
        [sys.executable, "-c", f"{PRINT_TAG}\n{then}"],
        stdout=subprocess.PIPE,
        stdin=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    return process.stdout.readline().strip(), process


def test_a_process_that_lives_is_not_dead() -> None:
    tag, process = tag_of_another("input()")
    try:
        assert not surely_dead(tag)
        assert not surely_dead(process_tag())
    finally:
        process.communicate("\n")
    assert surely_dead(tag)


def test_a_zombie_is_dead() -> None:
    tag, process = tag_of_another("input()")
    process.kill()
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    assert surely_dead(tag)
    process.communicate()


def test_a_process_elsewhere_cannot_be_told_to_be_dead() -> None:
    assert not surely_dead("")
    assert not surely_dead("other-boot/pid:[1]/1/1")
    boot, space, pid, _ = process_tag().split("/")
    assert surely_dead(f"{boot}/{space}/{pid}/1")


def test_the_lease_of_a_killed_process_is_taken_at_once() -> None:
    tag, process = tag_of_another("input()")
    store, clock = MemoryStore(), SystemClock()

    async def body() -> None:
        await store.create(ThreadRow("thr_1", "ada"))
        owner = f"ses_other@{tag}"
        await store.beat(owner, 60)
        assert await store.take("thr_1", owner)
        host = Host(store, "ses_mine", clock)
        assert await host.take("thr_1") is None
        process.kill()
        process.wait()
        lease = await host.take("thr_1")
        assert lease is not None
        assert lease.epoch == 2
        await host.close()

    try:
        run(body())
    finally:
        process.communicate()
