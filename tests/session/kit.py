"""A harness on a scripted model, in a few words."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, TypeAlias, TypeVar, cast

from longrein.capabilities.base import Capability
from longrein.core.events import Durable, Event
from longrein.core.messages import Message
from longrein.core.outcomes import Outcome, Waiting
from longrein.core.policy import Rule
from longrein.core.usage import Limits
from longrein.harness import Harness
from longrein.loop.agent import Agent, Mode
from longrein.models.base import Model, Request
from longrein.session.handle import Run
from longrein.session.session import Session
from longrein.storage.base import Lease, Store
from longrein.storage.memory import MemoryStore
from longrein.testing import Reply, Script, ScriptedModel
from longrein.tools.define import Function, Tool
from tests.support import run

E = TypeVar("E", bound=Durable)


Speaker: TypeAlias = Model | Sequence[Model | Reply] | Callable[[Request], Reply]


def harness(
    model: Speaker,
    *tools: Tool | Function,
    store: str | Store = "memory",
    modes: Sequence[Mode] = (),
    rules: Sequence[Rule] = (),
    limits: Limits | None = None,
    capabilities: Sequence[Capability] = (),
    **more: Any,
) -> Harness:
    """A harness whose agent has these tools and says what the script tells it to."""
    agent = Agent(
        "tester",
        instructions="Be brief.",
        model=_models(model),
        tools=tools,
        capabilities=capabilities,
    )
    return Harness(
        agent,
        store=store,
        modes=modes or None,
        rules=rules,
        limits=limits or Limits(),
        environ={},
        **more,
    )


def _models(given: Speaker) -> list[Model]:
    """A model for a script or a function; models as they are."""
    if isinstance(given, Sequence):
        several = cast("Sequence[Model | Reply]", given)
        replies = [one for one in several if isinstance(one, Reply)]
        models = [one for one in several if not isinstance(one, Reply)]
        return models or [ScriptedModel(Script(replies))]
    return [ScriptedModel(given)] if callable(given) else [given]


def with_session(made: Harness, body: Callable[[Session], Coroutine[Any, Any, None]]) -> None:
    """Run a test on the session of a new thread."""

    async def test() -> None:
        async with made as host:
            await body(await host.session("tester"))

    run(test())


async def log(session: Session) -> list[Event]:
    """Every durable event of the thread."""
    seen: list[Event] = []
    if session.folded.seq == 0:
        return seen
    async for event in session.events():
        if isinstance(event, Durable):
            seen.append(event)
            if event.seq == session.folded.seq:
                break
    return seen


async def of(session: Session, kind: type[E]) -> list[E]:
    """The durable events of one kind."""
    return [event for event in await log(session) if isinstance(event, kind)]


async def until(condition: Callable[[], bool]) -> None:
    """Come back when something holds."""
    async with asyncio.timeout(20):
        while not condition():  # noqa: ASYNC110
            await asyncio.sleep(0.001)


async def waiting(handle: Run) -> Waiting:
    """What a run waits for, which it must."""
    outcome: Outcome = await handle
    assert isinstance(outcome, Waiting), outcome
    return outcome


def said(session: Session) -> list[Message]:
    """What was said in the thread."""
    return list(session.folded.messages)


class Held(MemoryStore):
    """A store that lets whoever takes a lease next wait, if it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.next: asyncio.Event | None = None

    async def take(self, thread: str, owner: str) -> Lease | None:
        if (held := self.next) is not None:
            self.next = None
            await held.wait()
        return await super().take(thread, owner)
