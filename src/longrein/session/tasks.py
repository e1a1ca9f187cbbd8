"""What is in flight in a session: one task per model call or tool call, by the id of its event."""

import asyncio
from collections.abc import Coroutine


class Tasks:
    """The tasks that a session owns. Each writes its own end; whoever cancels one says why."""

    __slots__ = ("_running", "_why")

    def __init__(self) -> None:
        self._running: dict[str, asyncio.Task[None]] = {}
        self._why: dict[str, str] = {}

    def start(self, id: str, work: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(work)
        self._running[id] = task
        task.add_done_callback(lambda _: self._forget(id, task))

    def cancel(self, id: str, why: str) -> None:
        """Stop a task, once: a second time would disturb it while it writes its end."""
        if id in self._running and id not in self._why:
            self._why[id] = why
            # Not at once: a task that has not begun would never get to write its end.
            asyncio.get_running_loop().call_soon(self._running[id].cancel)

    def why(self, id: str) -> str:
        """Why a task was cancelled; empty if it was not."""
        return self._why.get(id, "")

    async def end(self, why: str) -> None:
        """Cancel everything and wait until it is over."""
        running = list(self._running.values())
        for id in list(self._running):
            self.cancel(id, why)
        if running:
            await asyncio.wait(running)

    def _forget(self, id: str, task: asyncio.Task[None]) -> None:
        if self._running.get(id) is task:
            del self._running[id]
            self._why.pop(id, None)
