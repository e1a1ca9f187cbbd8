"""`/jobs`: the commands in the background, to look at and to stop."""

import asyncio
import time
from collections.abc import Callable, Sequence
from typing import ClassVar

from textual.binding import BindingType

from longrein.client.port import ThreadClient
from longrein.tui.around import app_of
from longrein.tui.attempt import attempt, tell
from longrein.tui.pages.picker import Picker, action_keys
from longrein.tui.pages.whole import WholePage
from longrein.tui.view.entries import OutputBody
from longrein.tui.view.jobs import job_rows
from longrein.tui.view.rows import Row
from longrein.tui.view.whole import Section

EVERY = 1.0
"""Seconds after which it is looked again how they stand."""

REST = 9
"""How much longer than a look at all that a job put out the pause behind it is, at least."""

NOTHING = "It has put out nothing yet."


class JobsPage(Picker[None]):
    """The jobs of a thread, the newest first."""

    BINDINGS: ClassVar[list[BindingType]] = action_keys({"x": "stop"})

    def __init__(self, thread: ThreadClient, clock: Callable[[], int]) -> None:
        super().__init__(
            "Jobs",
            "Enter read what it put out · Ctrl+X stop it",
            empty="Nothing runs in the background. The agent begins jobs with `execute`.",
        )
        self._client = thread
        self._clock = clock

    def on_mount(self) -> None:
        self.set_interval(EVERY, self.reload)

    async def load(self) -> Sequence[Row]:
        return job_rows(await self._client.jobs(), self._clock())

    def choose(self, row: Row) -> None:
        app_of(self).push_screen(JobPage(self._client, int(row.key), row.title))

    def action_stop(self) -> None:
        if row := self.listed.row:
            attempt(self, self._stop(row))

    async def _stop(self, row: Row) -> None:
        stopped = await self._client.stop_job(int(row.key))
        tell(self, f"{row.title} {'was stopped' if stopped else 'has ended already'}.")
        self.reload(row.key)


class JobPage(WholePage):
    """What a job has put out, its end first, and what it adds to that while it runs."""

    def __init__(self, thread: ThreadClient, job: int, command: str) -> None:
        super().__init__(command)
        self._thread = thread
        self._job = job
        self._runs = True

    async def load(self) -> tuple[Sequence[Section], str]:
        # Before it is read: what a job puts out just before it ends belongs to it.
        job = next((one for one in await self._thread.jobs() if one.id == self._job), None)
        self._runs = job is not None and not job.ended
        text = await self._thread.job_output(self._job)
        state = "running" if self._runs else job.ending if job else ""
        return (("", OutputBody(text or NOTHING)),), state

    async def fill(self, *, follow: bool = True) -> None:
        while self._runs and self.is_attached:
            begun = time.monotonic()
            await super().fill(follow=follow)
            # Much is long at being read: most of the time is for something else.
            await asyncio.sleep(max(EVERY, REST * (time.monotonic() - begun)))
