"""What is in flight in a session: one task per model call or tool call, by the id of its event."""

import asyncio
from collections.abc import Callable, Coroutine

from longrein.session.spawning import spawn

GRACE = 5.0
"""Seconds that a task has to end once it is cancelled; then it is left to itself."""


class Tasks:
    """The tasks that a session owns. Each writes its own end; whoever cancels one says why.

    `abandoned` is called with the id of a task that should end and cannot: it does not listen to
    being cancelled, or it is gone without having written its end.
    """

    __slots__ = ("_abandoned", "_ending", "_running", "_why")

    def __init__(self, abandoned: Callable[[str], None]) -> None:
        self._abandoned = abandoned
        self._running: dict[str, asyncio.Task[None]] = {}
        self._why: dict[str, str] = {}
        self._ending: set[str] = set()

    def start(self, id: str, work: Coroutine[None, None, None]) -> None:
        task = spawn(work)
        self._running[id] = task
        # A call may be started again under its id while the task before still unwinds.
        self._why.pop(id, None)
        self._ending.discard(id)
        task.add_done_callback(lambda done: self._over(id, done))

    def ending(self, id: str) -> bool:
        """Whether the current task may write the end of `id`; from then on nothing disturbs it.

        It may not where it was given up, or where the call was started again since.
        """
        if self._running.get(id) is not asyncio.current_task():
            return False
        self._ending.add(id)
        return True

    def cancel(self, id: str, why: str) -> None:
        """Stop a task, once: a second time would disturb it while it writes its end."""
        if id not in self._running:
            self._abandoned(id)
        elif id not in self._why:
            self._why[id] = why
            loop = asyncio.get_running_loop()
            # Not at once: a task that has not begun would never get to write its end.
            loop.call_soon(self._cancel, id)
            loop.call_later(GRACE, self._give_up, id, self._running[id])

    def drop(self, prefix: str, why: str) -> None:
        """Stop every task whose id begins so and that is not writing its end already."""
        for id in [id for id in self._running if id.startswith(prefix)]:
            if id not in self._ending:
                self.cancel(id, why)

    def why(self, id: str) -> str:
        """Why a task was cancelled; empty if it was not."""
        return self._why.get(id, "")

    async def end(self, why: str) -> None:
        """Cancel everything and wait until it is over, or left to itself."""
        running = list(self._running.values())
        for id in list(self._running):
            self.cancel(id, why)
        if running:
            await asyncio.wait(running, timeout=GRACE + 1)

    def _cancel(self, id: str) -> None:
        if id in self._running and id not in self._ending:
            self._running[id].cancel()

    def _give_up(self, id: str, task: asyncio.Task[None]) -> None:
        if self._running.get(id) is task and id not in self._ending:
            self._forget(id)
            self._abandoned(id)

    def _over(self, id: str, task: asyncio.Task[None]) -> None:
        if self._running.get(id) is not task:
            return
        self._forget(id)
        if task.cancelled() or task.exception() is not None:
            self._abandoned(id)

    def _forget(self, id: str) -> None:
        del self._running[id]
        self._why.pop(id, None)
        self._ending.discard(id)


def being_cancelled(error: BaseException) -> bool:
    """Whether an error has to be passed on: the task was cancelled, or the process is to end."""
    if not isinstance(error, asyncio.CancelledError):
        return True
    task = asyncio.current_task()
    return task is None or task.cancelling() > 0
