"""A process that owns a thread: it says one thing, then prints what it hears until it is ended.

Run as `python -m tests.processes.owner`, with `OwnerSettings` as JSON in its only argument.
"""

import asyncio
import os
import signal
import sys

import msgspec
from msgspec import Struct

from longrein.core import points
from longrein.core.events import Durable
from longrein.core.live import Signalled
from longrein.harness import Harness
from longrein.loop.agent import Agent
from longrein.testing import Reply, Script, ScriptedModel, call, calls, reply, say, when
from longrein.testing.crash.effects import TOOLS, Effects
from longrein.testing.crash.equip import Kept


def script(halting: float) -> Script:
    """What the model says; `halting` are the seconds between pieces of what it says haltingly."""

    def slow(delay: float) -> Reply:
        return reply(say("Wait for it. " * 20, delay=delay), call("write", key="s1"))

    both = calls(call("write", key="w1"), call("deploy", key="d1"))
    return Script(
        rules=[
            when("deploy", both, say("Deployed.")),
            when("again", call("deploy", key="d2"), say("Deployed again.")),
            when("confirm", call("confirm", key="q1"), say("Confirmed.")),
            when("hang", call("hang", key="h1"), say("Came back.")),
            when("slowly", slow(0.02), say("There it is.")),
            when("haltingly", slow(halting), say("There it is.")),
        ],
        otherwise=say("Hello."),
    )


class OwnerSettings(Struct, frozen=True):
    """Where to work, what to say, and the point and which reach of it to stop (SIGSTOP) at."""

    folder: str
    text: str
    lease_seconds: float
    stop_at: str = ""
    stop_nth: int = 0


class Line(Struct, frozen=True):
    """One event as the process prints it: a durable one by its number, or a signal."""

    seq: int
    kind: str


def harness(folder: str, lease_seconds: float, halting: float = 0.02) -> Harness[Kept]:
    """The harness that every process of these tests has."""
    effects = Effects(os.path.join(folder, "effects"))
    agent = Agent("agent", model=ScriptedModel(script(halting)), tools=TOOLS)
    store = f"sqlite:{os.path.join(folder, 'threads.db')}"
    return Harness(
        agent,
        store=store,
        state=Kept,
        deps=lambda resource, scope, thread: effects,
        lease_seconds=lease_seconds,
    )


async def own(settings: OwnerSettings) -> None:
    # Whoever is to stop or end this process comes in time.
    async with harness(settings.folder, settings.lease_seconds, halting=0.5) as host:
        session = await host.session("user")
        await session.send(settings.text, command="first")
        async for event in session.events():
            if isinstance(event, Durable):
                _print(Line(event.seq, type(event).__name__))
            elif isinstance(event, Signalled):
                _print(Line(0, event.kind))


def _print(line: Line) -> None:
    sys.stdout.buffer.write(msgspec.json.encode(line) + b"\n")
    sys.stdout.buffer.flush()


def _stop_at(point: str, nth: int) -> None:
    reaches = 0

    def reached(name: str) -> None:
        nonlocal reaches
        reaches += name == point
        if name == point and reaches == nth:
            os.kill(os.getpid(), signal.SIGSTOP)

    points.on_reach = reached


if __name__ == "__main__":
    given = msgspec.json.decode(sys.argv[1], type=OwnerSettings)
    if given.stop_at:
        _stop_at(given.stop_at, given.stop_nth)
    asyncio.run(own(given))
