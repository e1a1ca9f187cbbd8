"""Commands in the background of a thread, for a person to look at and to stop."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress

from longrein.capabilities.shell_tools.jobs import Job
from longrein.capabilities.shell_tools.records import JOBS, JobRecord
from longrein.capabilities.workspace.opened import OpenWorkspace
from longrein.client.output import MOST, margin, shown
from longrein.client.port import JobInfo, Owner
from longrein.client.words import LONGEST, brief, last_line
from longrein.core.errors import UsageError
from longrein.core.offload import left_out
from longrein.core.results import exit_words
from longrein.session.session import Session

_END = 4_000
LONGEST_ENDING = 40
STOPPED = "stopped"
GONE = "ended with its session"
ELSEWHERE = "The process that runs it works elsewhere: only there can this be done."
NOT_KEPT = "What it put out is not kept here any more. The calls of the agent have what it read."


def jobs_here(session: Session) -> Sequence[Job]:
    """The jobs that this process runs, or still has something of."""
    with suppress(UsageError):  # it has no workspace
        return session.capability(OpenWorkspace).jobs
    return ()


def job_rows(session: Session, owner: Owner) -> list[JobInfo]:
    """Every job that the log knows, with what this process knows of it; the newest first."""
    here = {job.id: job for job in jobs_here(session)}
    records = reversed(session.read(JOBS)) if JOBS.name in session.folded.slices else ()
    return [_row(session, one, here.get(one.id), owner) for one in records]


def _row(session: Session, record: JobRecord, job: Job | None, owner: Owner) -> JobInfo:
    ended, ending, last = record.ended or 0, "", ""
    if job is not None:
        ended = ended or job.ended
        last = brief(last_line(_newest(session, job, _END)()), LONGEST)
        ending = STOPPED if job.stopped else brief(str(job.ending or ""), LONGEST_ENDING)
    elif record.ended is None and owner != "elsewhere":
        ended, ending = record.started, GONE
    elif record.ended is not None:
        ending = GONE if record.exit is None else exit_words(record.exit)
    return JobInfo(record.id, record.command, record.started, ended, ending, last)


async def output_of(session: Session, id: int) -> str:
    """What a job has put out so far, without secrets."""
    job = next((one for one in jobs_here(session) if one.id == id), None)
    if job is None:
        raise UsageError(NOT_KEPT)
    left = job.log.size - MOST
    # Of much this takes longer than a frame.
    text = await asyncio.to_thread(_newest(session, job, MOST))
    return f"{left_out(left, 'bytes')}\n{text}" if left > 0 else text


def _newest(session: Session, job: Job, most: int) -> Callable[[], str]:
    """What makes a text of the last bytes that a job put out, which are read at once."""
    redactor, growing = session.redactor, job.ending is None
    end = job.log.readable_size(0)
    start = max(end - most, 0)
    before = min(start, margin(redactor))
    data = job.log.read(start - before, end)
    return lambda: shown(data, redactor, before=before, growing=growing)


async def stop(session: Session, id: int, owner: Owner) -> bool:
    """End a job; False where it has ended already."""
    if owner == "elsewhere":
        raise UsageError(ELSEWHERE)
    if all(job.id != id for job in jobs_here(session)):
        return False
    workspace = session.capability(OpenWorkspace)
    return await session.perform(lambda ctx: workspace.stop_job(ctx, id))
