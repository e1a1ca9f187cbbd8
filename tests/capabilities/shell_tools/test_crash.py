"""Jobs and the end of a process: they end with it, and the next one settles them, once."""

import os
import subprocess
import sys
from pathlib import Path

from longrein.capabilities.shell_tools.records import JOBS
from tests.capabilities.kit import results, words
from tests.capabilities.shell_tools.crashing import harness
from tests.capabilities.shell_tools.kit import gone, mark, runs, trusting
from tests.session.kit import said
from tests.support import run

REPOSITORY = Path(__file__).parents[3]


def killed_with_a_job(folder: Path, line: str, seconds: str) -> None:
    """Let another process begin a job, and kill that process."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.capabilities.shell_tools.crashing", str(folder), line],
        cwd=REPOSITORY,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY / "src")},
        stdout=subprocess.PIPE,
    )
    assert process.stdout is not None
    with process.stdout as said:
        assert said.readline() == b"ready\n"
        assert runs(seconds, process.pid)
        process.kill()
        process.wait()


def test_a_job_of_a_killed_process_is_gone_and_the_model_is_told_once(tmp_path: Path) -> None:
    seconds = mark()
    line = f"setsid sleep {seconds} & wait"
    killed_with_a_job(tmp_path, line, seconds)
    assert gone(seconds)

    async def body() -> None:
        async with trusting(harness(tmp_path, line)) as session:
            assert [one.ended for one in session.read(JOBS)] == [None]
            for _ in range(2):
                await (await session.send("again"))
            notes = [text for text in words(said(session)) if text.startswith("shell: ")]
            assert notes == [f"shell: Job 1 (`{line}`) is gone: it ended with its session."]
            (record,) = session.read(JOBS)
            assert (record.exit, record.ended is not None) == (None, True)
            assert results(session)[1:] == [
                "error: Job 1 ended with its session; there is nothing new to read."
            ]

    run(body())
