"""Conversations to observe, and models that observe them."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from longrein.capabilities.observing.memory import ObservationalMemory
from longrein.capabilities.observing.notes import (
    FAILED,
    NAME,
    OBSERVATIONS,
    Noted,
    Observation,
    Observations,
    Span,
)
from longrein.capabilities.observing.writing import OBSERVER, REFLECTOR
from longrein.core import events as e
from longrein.core.messages import Assistant, Message, Text, ToolCall, ToolResult, User
from longrein.harness import Harness
from longrein.loop.agent import Agent
from longrein.models.base import Request
from longrein.session.session import Session
from longrein.testing import Reply, ScriptedModel, call, say
from longrein.testing.scripted import spoken
from longrein.tools.define import tool
from tests.session.kit import of, until

WORDS = "lorem ipsum dolor sit amet " * 20
"""About 170 tokens."""

NOTES = """\
## 2026-11-16
- [high] 14:05 The user asked for bread.
- [low] 14:06 The oven is warm.
STATE: The dough rests.
NEXT: Bake it.
"""


@tool(category="read", idempotent=True)
async def look(at: str) -> str:
    """Look at something."""
    return f"{at}: {WORDS}"


def observed(
    id: str, start: int, end: int, seen: int, *, tokens: int = 10, of: tuple[Span, ...] = ()
) -> Observation:
    """An observation as a fact holds it."""
    notes = (Noted("high", "2026-11-16", "14:05", f"It is {id}."),)
    return Observation(id, start, end, seen, notes, tokens=tokens, of=of)


def talk(steps: int) -> list[Message]:
    """A question, and steps with one call each."""
    said: list[Message] = [User((Text("Bake bread."),))]
    for n in range(steps):
        said.append(Assistant((Text(f"Step {n}"), ToolCall(f"call_{n}", "look", '{"at": "it"}'))))
        said.append(ToolResult(f"call_{n}", "look", (Text(f"Result {n}: {WORDS}"),)))
    return said


class Baker:
    """A model that looks at things for some steps and then answers; beside that it observes.

    `asked` are the requests by who was meant, `notes` what the observer says, `condensed` what the
    reflector says.
    """

    def __init__(
        self,
        steps: int = 6,
        notes: Callable[[], Reply] = lambda: say(NOTES),
        condensed: Callable[[], Reply] = lambda: say(NOTES),
    ) -> None:
        self.asked: dict[str, list[Request]] = {"agent": [], "observer": [], "reflector": []}
        self.steps = steps
        self.notes = notes
        self.condensed = condensed
        self.model = ScriptedModel(self.reply)

    def reply(self, request: Request) -> Reply:
        if request.system == OBSERVER:
            self.asked["observer"].append(request)
            return self.notes()
        if request.system == REFLECTOR:
            self.asked["reflector"].append(request)
            return self.condensed()
        self.asked["agent"].append(request)
        n = spoken(request.messages) % (self.steps + 1)
        return call("look", at=f"loaf {n}") if n < self.steps else say("done")


def hosting(baker: Baker, memory: ObservationalMemory, **more: Any) -> Harness:
    """A harness whose agent is observed."""
    agent = Agent("baker", model=baker.model, tools=[look], capabilities=[memory])
    return Harness(agent, environ={}, **more)


async def facts(session: Session) -> list[str]:
    """The kinds of the facts of this capability, in order."""
    recorded = [one.kind for one in await of(session, e.Recorded)]
    return [kind.removeprefix(f"{NAME}.") for kind in recorded if kind.startswith(NAME)]


async def reasons(session: Session) -> list[str]:
    """Why nothing came of it, each time."""
    return [one.data["why"] for one in await of(session, e.Recorded) if one.kind == FAILED]


async def settled(session: Session) -> Observations:
    """What is known once no model is being asked any more."""
    await asyncio.sleep(0)
    await until(lambda: not beside(session))
    return session.read(OBSERVATIONS)


def beside(session: Session) -> Sequence[asyncio.Task[None]]:
    """What goes on beside the runs of a session."""
    return list(session.conductor._asides)  # pyright: ignore[reportPrivateUsage]
