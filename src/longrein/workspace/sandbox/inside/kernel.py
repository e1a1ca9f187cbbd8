"""What is asked of the kernel that Python has no cheap word for."""

import _ctypes
import posix
import sys
from _socket import SCM_RIGHTS, SOL_SOCKET, socket

KILL, CHILD_ENDED, CONTINUE, STOP = 9, 17, 18, 19
DEFAULT, IGNORE = 0, 1
DIE_WITH_PARENT, DUMPABLE, SUBREAPER, NO_NEW_PRIVILEGES = 1, 4, 36, 38
LARGEST = 1 << 20
"""Bytes of a message."""

Bounds = dict[str, int]
"""`memory`, `processes` and `file_size`; 0 is no bound."""

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446  # Landlock, the same everywhere
_OPENAT2, _NO_SYMLINKS = 437, 0x04
_RLIMITS, _CORE = {"file_size": 1, "memory": 2, "processes": 6}, 4
_CLOSE_ON_EXEC = 0x40000000
_LIBC = _ctypes.dlopen(None, 2)  # pyright: ignore[reportArgumentType]


def call(name: str, *arguments: int | bytes) -> int:
    """A function of the C library."""
    return _ctypes.call_function(_ctypes.dlsym(_LIBC, name), arguments)


def restrict(files: int, network: int, scoped: int, rules: list[tuple[bytes, int]]) -> None:
    """Landlock for this process and all that it will start, or nothing is started."""
    whole = b"".join(part.to_bytes(8, sys.byteorder) for part in (files, network, scoped))
    ruleset = call("syscall", _CREATE_RULESET, whole, len(whole), 0)
    how = (posix.O_PATH | posix.O_CLOEXEC, 0, _NO_SYMLINKS)
    opening = b"".join(part.to_bytes(8, sys.byteorder) for part in how)
    for path, access in rules:
        folder = call("syscall", _OPENAT2, -100, path, opening, len(opening))
        if folder < 0:
            sys.exit(f"{path!r} was moved, or replaced by a link, while the sandbox was made.")
        rule = access.to_bytes(8, sys.byteorder) + folder.to_bytes(4, sys.byteorder)
        if call("syscall", _ADD_RULE, ruleset, 1, rule, 0):
            sys.exit(f"Landlock does not take the rule for {path!r}.")
        posix.close(folder)
    call("prctl", NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    if ruleset < 0 or call("syscall", _RESTRICT_SELF, ruleset, 0):
        sys.exit("Landlock could not be switched on.")
    posix.close(ruleset)


def limit(bounds: Bounds) -> None:
    """What each process of a command may use. 0: no bound."""
    for name, number in _RLIMITS.items():
        if most := bounds[name]:
            call("setrlimit", number, most.to_bytes(8, sys.byteorder) * 2)
    call("setrlimit", _CORE, bytes(16))


def tell_all(signal: int) -> None:
    """A signal for everybody else in this process's namespace, if it is its own."""
    if posix.getpid() == 1:
        try:
            posix.kill(-1, signal)
        except ProcessLookupError:  # there is nobody
            pass


def children_by_parent() -> dict[int, list[int]]:
    """All processes that can be seen."""
    children: dict[int, list[int]] = {}
    for name in posix.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", "rb") as file:
                    parent = int(file.read().rpartition(b")")[2].split()[1])
            except (OSError, IndexError):  # it ended just now
                continue
            children.setdefault(parent, []).append(int(name))
    return children


def receive(source: socket) -> tuple[bytes, list[int]]:
    """A message and the descriptors that came with it."""
    data, extra, _, _ = source.recvmsg(LARGEST, 64, _CLOSE_ON_EXEC)
    return data, [
        int.from_bytes(numbers[at : at + 4], sys.byteorder)
        for level, kind, numbers in extra
        if (level, kind) == (SOL_SOCKET, SCM_RIGHTS)
        for at in range(0, len(numbers), 4)
    ]
