"""Commands that run in the background of one session."""

import asyncio

from longrein.capabilities.shell_tools.following import Ending, follow
from longrein.capabilities.shell_tools.log import Log
from longrein.core.ids import Clock
from longrein.workspace.sandbox.base import Command, Process


class Job:
    """One command in the background. `after` is the event that it was begun after, `heard` how much
    of its output the model has been given, `stopped` that it did not end by itself."""

    def __init__(
        self, id: int, after: int, command: Command, process: Process, log: Log, clock: Clock
    ) -> None:
        self.id = id
        self.after = after
        self.command = command
        self.process = process
        self.log = log
        self.heard = 0
        self.started = clock.now()
        self.ended = 0
        self.ending: Ending | None = None
        self.stopped = False
        self._clock = clock
        self._news = asyncio.Event()

    async def follow(self, most: int) -> None:
        """Keep its output until it ends."""
        try:
            self._end(await follow(self.command, self.process, self.log, most, self._hear))
        except Exception as error:  # protects the session from the sandbox
            self._end(Ending(-1, f"lost ({type(error).__name__}: {error})"))
            await self.process.kill()

    async def spoken(self, most: float, silence: float) -> None:
        """Come back when it has ended, has said something and fallen silent, or it gets late."""
        late = asyncio.get_running_loop().time() + most
        while self.ending is None:
            left = late - asyncio.get_running_loop().time()
            speaking = self.log.size > self.heard
            if not await self._more(min(left, silence) if speaking else left):
                return

    async def over(self, most: float) -> None:
        """Come back when it has ended, or it gets late."""
        late = asyncio.get_running_loop().time() + most
        while self.ending is None:
            if not await self._more(late - asyncio.get_running_loop().time()):
                return

    def _hear(self, data: bytes) -> None:
        self._news.set()

    def _end(self, ending: Ending) -> None:
        self.ended = self._clock.now()
        self.ending = ending
        self._news.set()

    async def _more(self, seconds: float) -> bool:
        """Whether it says more, or ends, within this time."""
        self._news.clear()
        try:
            async with asyncio.timeout(max(seconds, 0)):
                return await self._news.wait()
        except TimeoutError:
            return False


class Jobs:
    """The jobs of one session; they end with it at the latest."""

    def __init__(self) -> None:
        self._jobs: dict[int, Job] = {}
        self._tasks: dict[int, asyncio.Task[None]] = {}

    def get(self, id: int) -> Job | None:
        return self._jobs.get(id)

    @property
    def all(self) -> list[Job]:
        return list(self._jobs.values())

    @property
    def running(self) -> list[Job]:
        return [job for job in self._jobs.values() if job.ending is None]

    def add(self, job: Job, most: int) -> None:
        """Follow a job from now on; it is ended when it has put out more than `most` bytes."""
        self._jobs[job.id] = job
        self._tasks[job.id] = asyncio.create_task(job.follow(most))

    async def stop_since(self, event: int) -> None:
        """End the jobs that were begun at or after an event."""
        await asyncio.gather(*(self.stop(job) for job in self.running if job.after >= event))

    async def stop(self, job: Job) -> None:
        """End a job, with all that it started."""
        job.stopped = job.ending is None
        await job.process.kill()
        await self._tasks[job.id]

    def forget(self, job: Job) -> None:
        """A job that has ended is of no interest any more."""
        del self._jobs[job.id], self._tasks[job.id]

    async def close(self) -> None:
        """End all of them."""
        await asyncio.gather(*(self.stop(job) for job in self.all))
