"""What the tools do with jobs: begin one, hear it, write to it, list them."""

import asyncio

from longrein.capabilities.shell_tools.jobs import Job
from longrein.capabilities.shell_tools.news import news
from longrein.capabilities.shell_tools.records import (
    JOBS,
    KIND,
    MOST_LETTERS,
    JobEnded,
    JobStarted,
)
from longrein.capabilities.shell_tools.shell import Shell
from longrein.capabilities.shell_tools.telling import brief, changed, joined
from longrein.core.errors import ToolError
from longrein.tools.context import Context
from longrein.workspace.sandbox.base import Command

MOST_RUNNING = 16
PATIENCE = 10.0
"""Seconds that a job has to take its input."""


async def begin(shell: Shell, ctx: Context, command: Command) -> str:
    """Start a job, and hear what it says at once."""
    if len(shell.jobs.running) >= MOST_RUNNING:
        raise ToolError(f"Nothing was run: {MOST_RUNNING} jobs run already. Stop one of them.")
    known = [record.id for record in ctx.read(JOBS)]
    id = max([*known, *(job.id for job in shell.jobs.all)], default=0) + 1
    process = await shell.start(ctx, command)
    job = Job(id, ctx.seq, command, process, shell.outputs.log(), shell.clock)
    shell.jobs.add(job, shell.most_output)
    try:
        await job.spoken(shell.moment, shell.silence)
        heard, over = await hear(shell, job)
        changes = await changed(shell, ctx)
    except BaseException:  # also cancelling: the log will know nothing of this job
        await shell.jobs.stop(job)
        shell.jobs.forget(job)
        shell.outputs.release(job.log)
        raise
    ctx.record(KIND, JobStarted(id, command.line[:MOST_LETTERS], command.folder, job.started))
    if over and job.ending is not None:
        ctx.record(KIND, JobEnded(id, job.ended, job.ending.code))
    else:
        shell.watch(job)
    return joined(heard, *changes, *news(shell, ctx))


async def hear(shell: Shell, job: Job) -> tuple[str, bool]:
    """What the model has not heard of a job yet and where the job stands; whether it is over."""
    ending = job.ending
    end = job.log.size if ending is not None else job.log.readable_size(job.heard)
    output = await shell.outputs.shown(job.log, job.heard, end)
    job.heard = end
    state = f"ended: {ending}" if ending is not None else "runs"
    return joined(output, f"[job {job.id} {state}]"), ending is not None


async def write(job: Job, input: str) -> None:
    """Give a job more input, in whole lines; the empty text is the end of its input."""
    if job.ending is not None:
        return
    try:
        async with asyncio.timeout(PATIENCE):
            if input:
                line = input if input.endswith("\n") else f"{input}\n"
                await job.process.write(line.encode("utf-8", "replace"))
            else:
                await job.process.close_input()
    except BrokenPipeError:
        raise ToolError(f"Job {job.id} does not read any input any more.") from None
    except TimeoutError:
        raise ToolError(f"Job {job.id} does not read its input: not all of it was taken.") from None


def find(shell: Shell, ctx: Context, id: int) -> Job:
    """A job of this session. Raises `ToolError`, saying what became of it."""
    job = shell.jobs.get(id)
    if job is not None:
        return job
    for record in ctx.read(JOBS):
        if record.id == id:
            how = "with its session" if record.exit is None else f"with exit code {record.exit}"
            raise ToolError(f"Job {id} ended {how}; there is nothing new to read.")
    raise ToolError(f"There is no job {id}. {listed(shell)}")


def listed(shell: Shell) -> str:
    """The jobs that run, or have something to read."""
    lines = [
        f"{job.id}: `{brief(job.command.line)}`, {job.ending or 'runs'}, "
        f"{job.log.size - job.heard:,} bytes to read"
        for job in shell.jobs.all
    ]
    return "\n".join(["Jobs:", *lines]) if lines else "There are no jobs."
