"""What a person does in a thread, as commands: nothing of it knows how it is drawn."""

from collections.abc import Sequence
from typing import get_args

from longrein.client.port import Client, ThreadClient
from longrein.core import commands as c
from longrein.core.policy import Trust

CYCLE: tuple[Trust, ...] = ("ask", "edits", "plan")
"""What the key for trust goes through. `yolo` is never reached by pressing a key once too often."""

TRUSTS: tuple[Trust, ...] = get_args(Trust)


class Desk:
    """A thread that somebody works on."""

    def __init__(self, client: Client, thread: ThreadClient) -> None:
        self.client = client
        self.thread = thread

    async def interrupt(self) -> None:
        """Stop what is under way; the queue is kept and held."""
        await self.thread.submit(c.Interrupt("interrupted at the terminal"))

    async def release(self) -> None:
        """Let the queue that an interrupt held go on."""
        await self.thread.submit(c.Release())

    async def next_mode(self) -> None:
        """Go to the mode that follows."""
        ids = [mode.id for mode in self.client.about.modes]
        now = self.thread.display.mode
        after = ids[(ids.index(now) + 1) % len(ids)] if now in ids else ids[0]
        if after != now:
            await self.thread.submit(c.SwitchMode(after))

    async def next_trust(self) -> None:
        """Go to the trust that follows."""
        now = self.thread.display.trust
        after = CYCLE[(CYCLE.index(now) + 1) % len(CYCLE)] if now in CYCLE else CYCLE[0]
        await self.thread.submit(c.SetTrust(after))

    async def remove_queued(self, input: str) -> bool:
        """Whether it was still there to be removed."""
        return (await self.thread.submit(c.WithdrawInput(input))).status not in ("stale", "missing")

    async def reorder_queue(self, inputs: Sequence[str]) -> None:
        await self.thread.submit(c.ReorderQueue(tuple(inputs)))
