"""The jobs of a thread, as its log tells of them."""

from collections.abc import Mapping
from typing import TypeAlias, assert_never

from msgspec import Struct
from msgspec.structs import replace

from longrein.core.events import Event, Forked, Recorded, Rewound
from longrein.core.slices import Slice, read_fact
from longrein.core.state import Kept

KIND = "jobs"
MOST_ENDED = 20
"""Ended jobs that are remembered."""

MOST_LETTERS = 500
"""Characters of a command that are written down."""


class JobStarted(Struct, frozen=True, tag="started"):
    """A command runs in the background. `at` is UTC in microseconds."""

    id: int
    command: str
    folder: str
    at: int


class JobEnded(Struct, frozen=True, tag="ended"):
    """A job is over. `exit` is None where nobody saw it end: it ended with its session."""

    id: int
    at: int
    exit: int | None = None


class JobRecord(Struct, frozen=True):
    """A job as a user interface shows it; it runs while `ended` is None.

    `exit` is None also of one that was taken back with the conversation that began it, and, in a
    fork, of one that goes on elsewhere. `seq` is the event that told of it.
    """

    id: int
    command: str
    folder: str
    started: int
    ended: int | None = None
    exit: int | None = None
    seq: int = 0


JobList: TypeAlias = tuple[JobRecord, ...]
Fact: TypeAlias = JobStarted | JobEnded


def fold(jobs: JobList, event: Event) -> JobList:
    """The jobs after an event. A fact that cannot be read changes nothing."""
    match event:
        case Recorded():
            return _told(jobs, event)
        case Rewound(conversation=True):
            return _settled(jobs, event.before, event.time)
        case Forked():
            return _settled(jobs, 0, event.time)
        case _:
            return jobs


def _settled(jobs: JobList, since: int, at: int) -> JobList:
    """The jobs when those begun since an event are none of this thread any more."""
    over = {job.id for job in jobs if job.ended is None and job.seq >= since}
    if not over:
        return jobs
    return _bounded(tuple(replace(job, ended=at) if job.id in over else job for job in jobs))


def _told(jobs: JobList, event: Recorded) -> JobList:
    fact: Fact | None = read_fact(event, KIND, Fact)
    match fact:
        case None:
            return jobs
        case JobStarted(id=id):
            begun = JobRecord(id, fact.command, fact.folder, fact.at, seq=event.seq)
            return _bounded((*(job for job in jobs if job.id != id), begun))
        case JobEnded(id=id):
            return _bounded(tuple(_ended(job, fact) if job.id == id else job for job in jobs))
        case _:
            assert_never(fact)


def _ended(job: JobRecord, fact: JobEnded) -> JobRecord:
    return job if job.ended is not None else replace(job, ended=fact.at, exit=fact.exit)


def _bounded(jobs: JobList) -> JobList:
    ended = [job.id for job in jobs if job.ended is not None]
    forgotten = set(ended[:-MOST_ENDED])
    return tuple(job for job in jobs if job.id not in forgotten)


JOBS: Slice[JobList] = Slice("jobs", JobList, (), fold, version=2)
"""The jobs of a thread: `session.read(JOBS)`, or `ctx.read(JOBS)` in a tool or a hook."""


def has_open_jobs(slices: Mapping[str, Kept]) -> bool:
    """Whether there is a job of which nobody has said that it ended."""
    jobs: tuple[JobRecord, ...] = slices[JOBS.name].value if JOBS.name in slices else ()
    return any(job.ended is None for job in jobs)
