"""A process whose observer hangs in the middle of a run: `python -m ... DATABASE`."""

import asyncio
import sys

from longrein.capabilities.observing.memory import ObservationalMemory
from longrein.harness import Harness
from longrein.models.base import Request
from longrein.testing import Reply, pause, reply, say
from tests.capabilities.observing.kit import NOTES, Baker, hosting
from tests.session.kit import until


class Stuck(Baker):
    """A model that hangs at its seventh step, and whenever it is to observe."""

    def __init__(self) -> None:
        super().__init__(8, notes=lambda: reply(pause(), say(NOTES)))

    def reply(self, request: Request) -> Reply:
        answer = super().reply(request)
        return reply(pause(), answer) if len(self.asked["agent"]) == 7 else answer


def harness(baker: Baker, store: str) -> Harness:
    return hosting(baker, ObservationalMemory(observe_at=500), store=store, lease_seconds=0.5)


async def main(store: str) -> None:
    stuck = Stuck()
    async with harness(stuck, store) as host:
        session = await host.session("ada")
        await session.send("Bake.")
        await until(lambda: stuck.model.open == 2)
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
