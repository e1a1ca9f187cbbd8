"""`start_cpu_ms` and `import_cpu_ms`: what a fresh process pays before it can do anything."""

import os
import subprocess
import sys
from statistics import median

from bench.processes import environment
from bench.subject import directory

_EMPTY = "pass"
_IMPORT = "import longrein"
_START = """
from longrein import Agent, Harness
Harness(Agent("assistant", model="anthropic:NAME"), store="sqlite:PATH")
"""


def start(times: int) -> dict[str, float]:
    """CPU milliseconds of importing and constructing, each over an empty interpreter."""
    with directory() as path:
        programs = (_EMPTY, _IMPORT, _START.replace("PATH", f"{path}/bench.db"))
        for program in programs:
            spent(program)  # The bytecode is compiled now.
        rounds = [[spent(program) for program in programs] for _ in range(times)]
    empty = median(one[0] for one in rounds)
    return {
        "start_cpu_ms": (median(one[2] for one in rounds) - empty) * 1000,
        "import_cpu_ms": (median(one[1] for one in rounds) - empty) * 1000,
        "empty_cpu_ms": empty * 1000,
    }


def spent(program: str) -> float:
    process = subprocess.Popen([sys.executable, "-c", program], env=environment())
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"this program failed: {program}")
    return used.ru_utime + used.ru_stime
