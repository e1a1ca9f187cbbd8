"""What a process started is found when that process is gone."""

import subprocess
import sys

PROGRAM = """
import subprocess
from longrein.testing.crash.process import inherit, outlived, start

inherit()
started = "sleep", "{seconds}"
start(lambda say: subprocess.Popen(started) and None).end()
print(outlived({patience}))
"""


def outlived(seconds: float, patience: float) -> str:
    """What is said of a command that its process left running for so long."""
    program = PROGRAM.format(seconds=seconds, patience=patience)
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def test_a_command_that_outlives_its_process_is_told_and_killed() -> None:
    assert outlived(1000, patience=0.2) == "['sleep 1000']"


def test_a_command_that_soon_ends_is_nothing_to_tell() -> None:
    assert outlived(0.01, patience=30) == "[]"
