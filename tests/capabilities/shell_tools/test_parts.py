"""The parts that the shell tools are made of."""

import asyncio

import pytest

from longrein.capabilities.shell_tools.live import MOST_AT_ONCE, Live
from longrein.capabilities.shell_tools.readable import Reader, readable
from longrein.capabilities.shell_tools.records import KIND, MOST_ENDED, JobList, fold
from longrein.core.events import Recorded
from tests.support import run

SAID = (
    "\x1b[1;31mrote\x1b[0m Übung\r\n10%\r20%\x1b[2K\n\x1b]8;;http://x\x07 \u202e €".encode()
    + b"\xff"
)


def started(id: int) -> Recorded:
    return Recorded(KIND, {"type": "started", "id": id, "command": "x", "folder": "/", "at": id})


def ended(id: int) -> Recorded:
    return Recorded(KIND, {"type": "ended", "id": id, "at": id, "exit": 0})


@pytest.mark.parametrize("size", [1, 2, 3, 7])
def test_output_reads_the_same_however_it_is_cut(size: int) -> None:
    reader = Reader()
    pieces = [reader.read(SAID[at : at + size]) for at in range(0, len(SAID), size)]
    assert "".join([*pieces, reader.end()]) == readable(SAID)


def test_nothing_that_steers_a_terminal_is_left() -> None:
    text = readable(bytes(range(256)) + SAID)
    assert all(letter.isprintable() or letter in "\n\t" for letter in text)


def test_of_what_comes_too_fast_only_the_newest_is_shown() -> None:
    async def body() -> list[str]:
        shown: list[str] = []
        live = Live(shown.append)
        for _ in range(10):
            live.add(b"x" * MOST_AT_ONCE)
        live.add(b"end")
        await asyncio.sleep(0)
        live.end()
        return shown

    (text,) = run(body())
    assert text.startswith(f"\n[... {9 * MOST_AT_ONCE + 3:,} bytes not shown here ...]\nxxx")
    assert text.endswith("xend")


def test_running_jobs_are_remembered_and_of_ended_ones_the_last() -> None:
    jobs: JobList = fold((), started(1))
    for id in range(2, MOST_ENDED + 5):
        jobs = fold(fold(jobs, started(id)), ended(id))
    assert [job.id for job in jobs] == [1, *range(5, MOST_ENDED + 5)]


def test_the_end_of_a_job_counts_once() -> None:
    jobs = fold(fold((), started(1)), ended(1))
    again = Recorded(KIND, {"type": "ended", "id": 1, "at": 99})
    assert fold(jobs, again) == jobs


def test_a_fact_that_cannot_be_read_changes_nothing() -> None:
    jobs = fold((), started(1))
    assert fold(jobs, Recorded(KIND, {"type": "exploded"})) is jobs
