"""System calls that commands do not get, each called inside."""

import errno
import platform
import re
from pathlib import Path

import pytest

from longrein.workspace.sandbox.bubblewrap import Bubblewrap
from longrein.workspace.sandbox.landlock import Landlock
from longrein.workspace.sandbox.seccomp import MACHINES, program
from tests.workspace.sandbox.support import said

HERE = MACHINES.get(platform.machine())

pytestmark = pytest.mark.skipif(HERE is None, reason="no filter is known for this machine")

CALL = """
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
for number, *arguments in {calls}:
    ctypes.set_errno(0)
    result = libc.syscall(number, *map(ctypes.c_long, arguments))
    print(number, ctypes.get_errno() if result < 0 else 0, flush=True)
"""
BY_ARGUMENTS = {"ioctl", "socket", "clone", "clone3", "personality"}


def errors(
    root: Path, kind: type[Bubblewrap] | type[Landlock], *calls: tuple[int, ...]
) -> list[int]:
    """The errors of system calls made inside, 0 for those that went well."""
    (root / "call.py").write_text(CALL.format(calls=list(calls)))
    (output,) = said(lambda: kind(root), root, "python3 call.py 2>&1")
    return [int(line.split()[1]) for line in output.splitlines()]


@pytest.mark.parametrize("kind", [Bubblewrap, Landlock])
def test_forbidden_calls_are_refused(
    kind: type[Bubblewrap] | type[Landlock], tmp_path: Path
) -> None:
    assert HERE is not None
    forbidden = {name: number for name, number in HERE.calls.items() if name not in BY_ARGUMENTS}
    found = errors(tmp_path, kind, *((number, 0, 0, 0, 0, 0) for number in forbidden.values()))
    assert dict(zip(forbidden, found, strict=True)) == dict.fromkeys(forbidden, errno.EPERM)


def test_calls_with_forbidden_arguments_are_refused(tmp_path: Path) -> None:
    assert HERE is not None
    call = HERE.calls
    namespaces = [
        (call["clone"], flag | 17, 0, 0, 0, 0) for flag in (0x10000000, 0x20000, 0x40000000)
    ]
    found = errors(
        tmp_path,
        Bubblewrap,
        *namespaces,
        (call["clone3"], 0, 0),
        (call["ioctl"], 0, 0x5412, 0),
        (call["ioctl"], 0, 0x541C, 0),
        (call["personality"], 0x0400000),
        (call["socket"], 17, 3, 0),
        (call["socket"], 40, 1, 0),
        (call["socket"], 38, 5, 0),
        (call["socket"], 16, 3, 2),
        (call["socket"], 16, 3, 10),
    )
    assert (
        found == [errno.EPERM] * 3 + [errno.ENOSYS] + [errno.EPERM] * 3 + [errno.EAFNOSUPPORT] * 5
    )


def test_what_programs_need_is_left(tmp_path: Path) -> None:
    assert HERE is not None
    call = HERE.calls
    found = errors(
        tmp_path,
        Bubblewrap,
        (call["personality"], 0xFFFFFFFF),
        *((call["socket"], family, 1, 0) for family in (1, 2, 10)),
        (call["socket"], 16, 3, 0),
    )
    assert found == [0] * 5


def test_landlock_alone_leaves_unix_sockets_only(tmp_path: Path) -> None:
    assert HERE is not None
    families = [
        (HERE.calls["socket"], family, kind, 0) for family in (1, 2, 10, 16) for kind in (1, 2)
    ]
    assert errors(tmp_path, Landlock, *families) == [0] * 2 + [errno.EAFNOSUPPORT] * 6


HEADERS = {
    "x86_64": Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
    "aarch64": Path("/usr/include/asm-generic/unistd.h"),
}


@pytest.mark.parametrize("machine", MACHINES)
def test_numbers_are_those_of_the_kernel(machine: str) -> None:
    if not HEADERS[machine].exists():
        pytest.skip("the kernel's headers are not installed")
    text = HEADERS[machine].read_text()
    there = {name: int(n) for name, n in re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)", text)}
    ours = MACHINES[machine].calls
    assert {name: there.get(name, number) for name, number in ours.items()} == ours


def test_a_machine_that_is_not_known_has_no_filter() -> None:
    assert program("riscv64") == b""
