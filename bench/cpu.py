"""CPU time of this process, and its memory."""

import os
import resource


def cpu_seconds() -> float:
    """User and system time of this process with all its threads."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def cpu_seconds_of_all() -> float:
    """The same with all programs that it started, those that have ended and were waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return cpu_seconds() + used.ru_utime + used.ru_stime


def resident_bytes() -> int:
    """The memory of this process that is in use now."""
    with open("/proc/self/statm", "rb") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def written_bytes() -> int:
    """Bytes that this process passed to write; what is sent over sockets is not among them."""
    with open("/proc/self/io", "rb") as file:
        fields = dict(line.split(b": ") for line in file.read().splitlines())
    return int(fields[b"wchar"])
