"""Jobs as rows: their command, how they stand, and what they said last."""

from collections.abc import Sequence

from longrein.client.figures import lasted
from longrein.client.port import JobInfo
from longrein.client.words import brief
from longrein.tui.view.rows import Row


def job_rows(jobs: Sequence[JobInfo], now: int) -> list[Row]:
    """Every job."""
    return [_row(job, now) for job in jobs]


def _row(job: JobInfo, now: int) -> Row:
    runs = not job.ended
    took = (now if runs else job.ended) - job.started
    return Row(
        str(job.id),
        brief(job.command),
        job.last,
        ("running" if runs else job.ending, lasted(took) if took else ""),
        tone="accent" if runs else "",
    )
