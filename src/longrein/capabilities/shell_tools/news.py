"""What became of jobs: written down once, and told to the model."""

import asyncio

from longrein.capabilities.contexts import HookContext
from longrein.capabilities.shell_tools.jobs import Job
from longrein.capabilities.shell_tools.records import JOBS, KIND, JobEnded, JobRecord
from longrein.capabilities.shell_tools.shell import Shell
from longrein.capabilities.shell_tools.telling import brief, changed
from longrein.tools.within import Within

GRACE = 0.5
"""Seconds after its end in which somebody else may tell of a job."""
LONG = 3_600.0


async def settle(shell: Shell, ctx: HookContext) -> None:
    """Tell the model at the start of a run which jobs have ended since it last heard of them.

    Those that the log knows and this session does not ended with the session that had started
    them.
    """
    if lines := news(shell, ctx):
        ctx.note("\n".join([*lines, *await changed(shell, ctx)]))


async def announce(shell: Shell, job: Job, ctx: HookContext) -> None:
    """Wake the agent when a job has ended by itself, unless it hears of that anyway."""
    while job.ending is None:
        await job.over(LONG)
    # A call that waits for the job, or runs beside it, tells of it with its result.
    await asyncio.sleep(GRACE)
    record = next((one for one in ctx.read(JOBS) if one.id == job.id), None)
    if record is not None and record.ended is None and not job.stopped:
        ctx.wake(_ended(shell, ctx, record, job))


async def stop_for_person(shell: Shell, ctx: HookContext, id: int) -> bool:
    """End a job because a person wants that, and tell the model when it next runs; False where no
    such job runs here any more."""
    job = shell.jobs.get(id)
    if job is None or job.ending is not None:
        return False
    first = not job.stopped  # who was first tells of it
    await shell.jobs.stop(job)
    for record in ctx.read(JOBS) if first else ():
        if record.id == id and record.ended is None:
            ctx.note(f"The user stopped a job. {_ended(shell, ctx, record, job)}")
    return True


def news(shell: Shell, ctx: Within, *, besides: int = 0) -> list[str]:
    """Write down which jobs have ended, and say so, `besides` the one that is spoken of anyway."""
    told: list[str] = []
    for record in ctx.read(JOBS):
        job = shell.jobs.get(record.id)
        if record.ended is not None:
            _forget(shell, record, job)
        elif line := _ended(shell, ctx, record, job):
            told += [line] if record.id != besides else []
    return told


def _ended(shell: Shell, ctx: Within, record: JobRecord, job: Job | None) -> str:
    if job is None:
        ctx.record(KIND, JobEnded(record.id, shell.clock.now()))
        return f"Job {record.id} (`{brief(record.command)}`) is gone: it ended with its session."
    if job.ending is None:
        return ""
    ctx.record(KIND, JobEnded(job.id, job.ended, job.ending.code))
    unread = job.log.size - job.heard
    more = f"; {unread:,} bytes to read" if unread else ""
    return f"Job {job.id} (`{brief(record.command)}`) has ended: {job.ending}{more}."


def _forget(shell: Shell, record: JobRecord, job: Job | None) -> None:
    """Let go of a job when its end is in the log and the model has read all of it, or will not."""
    if job is None or job.ending is None:
        return
    # Of one that ended by itself here the exit is known: this one was taken back.
    if record.exit is None or job.heard >= job.log.size:
        shell.jobs.forget(job)
        shell.outputs.release(job.log)
