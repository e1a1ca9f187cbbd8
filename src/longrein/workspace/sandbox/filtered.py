"""The program that takes rights away from itself, then becomes another program.

Capabilities go, and the system calls that a filter refuses. Run by itself, with nothing of the
package imported: the descriptor of the filter, then the command line to become.
"""

import ctypes
import os
import sys

_BOUND_CAPABILITIES, _NO_NEW_PRIVILEGES, _SECCOMP, _FILTER = 24, 38, 22, 2
_CAPABILITIES_V3, _ALL_CAPABILITIES = 0x20080522, 64


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_char_p))


def main(descriptor: int, words: list[str]) -> None:
    """Never returns."""
    data = os.read(descriptor, 1 << 16)
    os.close(descriptor)
    libc = ctypes.CDLL(None)
    for capability in range(_ALL_CAPABILITIES):
        libc.prctl(_BOUND_CAPABILITIES, capability, 0, 0, 0)
    if libc.capset((ctypes.c_uint32 * 2)(_CAPABILITIES_V3, 0), (ctypes.c_uint32 * 6)()):
        sys.exit("Capabilities could not be given up.")
    libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    program = _Program(len(data) // 8, data)
    if data and libc.prctl(_SECCOMP, _FILTER, ctypes.byref(program), 0, 0):
        sys.exit("The kernel takes no filter for system calls.")
    os.execv(words[0], words)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
