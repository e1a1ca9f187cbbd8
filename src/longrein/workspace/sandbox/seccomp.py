"""System calls that commands do not get, as a program for the kernel's filter. Pure.

What no build, test or script needs, and what ways out of sandboxes were made of: mounts, new
namespaces, other processes' memory, keys, modules, and the youngest and least tried parts of the
kernel. All of it is refused with an error that programs know how to take; nothing is killed.
"""

import errno
import struct
from collections.abc import Mapping

from msgspec import Struct


class Machine(Struct, frozen=True):
    """What a kind of processor calls things."""

    audit: int
    calls: Mapping[str, int]


_SAME = {  # the same number everywhere
    "pidfd_getfd": 438,
    "io_uring_setup": 425,
    "io_uring_enter": 426,
    "io_uring_register": 427,
    "open_tree": 428,
    "move_mount": 429,
    "fsopen": 430,
    "fsconfig": 431,
    "fsmount": 432,
    "fspick": 433,
    "clone3": 435,
    "mount_setattr": 442,
    "quotactl_fd": 443,
    "open_tree_attr": 467,
}

MACHINES: dict[str, Machine] = {
    "x86_64": Machine(
        0xC000003E,
        {
            **_SAME,
            "ioctl": 16, "socket": 41, "clone": 56, "ptrace": 101, "syslog": 103, "uselib": 134,
            "personality": 135, "modify_ldt": 154, "pivot_root": 155, "chroot": 161, "acct": 163,
            "settimeofday": 164, "mount": 165, "umount2": 166, "swapon": 167, "swapoff": 168,
            "reboot": 169, "iopl": 172, "ioperm": 173, "init_module": 175, "delete_module": 176,
            "quotactl": 179, "lookup_dcookie": 212, "clock_settime": 227, "kexec_load": 246,
            "add_key": 248, "request_key": 249, "keyctl": 250, "unshare": 272,
            "perf_event_open": 298, "fanotify_init": 300, "open_by_handle_at": 304,
            "clock_adjtime": 305, "setns": 308, "process_vm_readv": 310, "process_vm_writev": 311,
            "kcmp": 312, "finit_module": 313, "kexec_file_load": 320, "bpf": 321,
            "userfaultfd": 323,
        },
    ),
    "aarch64": Machine(
        0xC00000B7,
        {
            **_SAME,
            "lookup_dcookie": 18, "ioctl": 29, "umount2": 39, "mount": 40, "pivot_root": 41,
            "chroot": 51, "quotactl": 60, "acct": 89, "personality": 92, "unshare": 97,
            "kexec_load": 104, "init_module": 105, "delete_module": 106, "clock_settime": 112,
            "syslog": 116, "ptrace": 117, "reboot": 142, "settimeofday": 170, "socket": 198,
            "add_key": 217, "request_key": 218, "keyctl": 219, "clone": 220, "swapon": 224,
            "swapoff": 225, "perf_event_open": 241, "fanotify_init": 262, "open_by_handle_at": 265,
            "clock_adjtime": 266, "setns": 268, "process_vm_readv": 270, "process_vm_writev": 271,
            "kcmp": 272, "finit_module": 273, "bpf": 280, "userfaultfd": 282,
            "kexec_file_load": 294,
        },
    ),
}  # fmt: skip
"""What `platform.machine()` says, and what is known of it."""

_BY_ARGUMENTS = ("ioctl", "socket", "clone", "clone3", "personality")

NEW_NAMESPACES = 0x7E020080
"""The flags of `clone` that make one: mount, cgroup, uts, ipc, user, pid, network, time."""

TERMINAL_INPUT = (0x5412, 0x541C)
"""`ioctl`: TIOCSTI types into a terminal, TIOCLINUX pastes into a console."""

FAMILIES = (1, 2, 10)
"""Sockets: unix, IPv4, IPv6; netlink (16) only to ask for routes and addresses."""

PERSONALITIES = (0, 0xFFFFFFFF, 0x0040000)
"""As it is, asking, and addresses that are not random (debuggers)."""

_LOAD, _EQUAL, _ANY_BIT, _AT_LEAST, _RETURN = 0x20, 0x15, 0x45, 0x35, 0x06
_NUMBER, _ARCHITECTURE, _FIRST, _SECOND, _THIRD = 0, 4, 16, 24, 32
_ALLOW, _ERROR = 0x7FFF0000, 0x00050000
_X32 = 0x40000000


def program(machine: str, *, network: bool = True) -> bytes:
    """The filter for a machine; b"" where none is known.

    `network=False` leaves unix sockets only, for where there is no network namespace.

    >>> len(program("x86_64")) % 8, program("s390x")
    (0, b'')
    """
    known = MACHINES.get(machine)
    if known is None:
        return b""
    number = known.calls
    lines = [
        _step(_LOAD, _ARCHITECTURE),
        # Programs for another processor would have other numbers for everything.
        _step(_EQUAL, known.audit, 1, 0),
        _fail(errno.ENOSYS),
        _step(_LOAD, _NUMBER),
        _step(_AT_LEAST, _X32, 0, 1),
        _fail(errno.ENOSYS),
    ]
    for name, one in number.items():
        if name not in _BY_ARGUMENTS:
            lines += [_step(_EQUAL, one, 0, 1), _fail(errno.EPERM)]
    # Its flags cannot be seen from here; libraries go back to the old one.
    lines += [_step(_EQUAL, number["clone3"], 0, 1), _fail(errno.ENOSYS)]
    lines += _when(number["clone"], [_step(_LOAD, _FIRST), *_if_bits(NEW_NAMESPACES)])
    lines += _when(number["ioctl"], _one_of(_SECOND, TERMINAL_INPUT, refused=errno.EPERM))
    lines += _when(number["personality"], _other_than(_FIRST, PERSONALITIES, errno.EPERM))
    lines += _when(number["socket"], _sockets() if network else _only_unix())
    lines.append(_step(_RETURN, _ALLOW))
    return b"".join(lines)


def _step(code: int, value: int, then: int = 0, otherwise: int = 0) -> bytes:
    return struct.pack("=HBBI", code, then, otherwise, value)


def _fail(number: int) -> bytes:
    return _step(_RETURN, _ERROR | number)


def _when(number: int, checks: list[bytes]) -> list[bytes]:
    """Checks of the arguments of one call, which end in a verdict."""
    checks = [*checks, _step(_RETURN, _ALLOW)]
    return [_step(_EQUAL, number, 0, len(checks)), *checks]


def _if_bits(bits: int) -> list[bytes]:
    return [_step(_ANY_BIT, bits, 0, 1), _fail(errno.EPERM)]


def _one_of(argument: int, values: tuple[int, ...], *, refused: int) -> list[bytes]:
    tests = [part for value in values for part in (_step(_EQUAL, value, 0, 1), _fail(refused))]
    return [_step(_LOAD, argument), *tests]


def _other_than(argument: int, values: tuple[int, ...], refused: int) -> list[bytes]:
    allowed = _step(_RETURN, _ALLOW)
    tests = [part for value in values for part in (_step(_EQUAL, value, 0, 1), allowed)]
    return [_step(_LOAD, argument), *tests, _fail(refused)]


def _sockets() -> list[bytes]:
    routes = [
        _step(_EQUAL, 16, 0, 4),
        _step(_LOAD, _THIRD),
        _step(_EQUAL, 0, 0, 1),
        _step(_RETURN, _ALLOW),
        _fail(errno.EAFNOSUPPORT),
    ]
    first, *families = _other_than(_FIRST, FAMILIES, errno.EAFNOSUPPORT)
    return [first, *routes, *families]


def _only_unix() -> list[bytes]:
    return _other_than(_FIRST, (1,), errno.EAFNOSUPPORT)
