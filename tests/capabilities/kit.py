"""Harnesses with capabilities, and what became of their hooks."""

import asyncio
from collections.abc import Iterable, Sequence
from typing import Any

from longrein.capabilities.base import Capability
from longrein.core import events as e
from longrein.core.messages import Message, Note, Text, ToolResult, User
from longrein.harness import Harness
from longrein.loop.agent import Agent
from longrein.session.session import Session
from longrein.testing import Reply, Script, ScriptedModel
from longrein.tools.define import Function, Tool
from tests.session.kit import log, of, said


def scripted(*replies: Reply) -> ScriptedModel:
    return ScriptedModel(Script(replies))


def hosting(
    model: ScriptedModel | Sequence[Reply],
    *capabilities: Capability,
    tools: Sequence[Tool | Function] = (),
    **more: Any,
) -> Harness:
    """A harness whose agent has these capabilities; `more` is for the harness."""
    given = model if isinstance(model, ScriptedModel) else scripted(*model)
    agent = Agent("tester", model=given, tools=tools, capabilities=capabilities)
    return Harness(agent, environ={}, **more)


class Latch:
    """Where a hook waits until it is let through; `asked` counts how many have come."""

    def __init__(self) -> None:
        self.asked = 0
        self._opened = asyncio.Event()

    async def wait(self) -> None:
        self.asked += 1
        await self._opened.wait()

    def open(self) -> None:
        self._opened.set()


def words(messages: Iterable[Message]) -> list[str]:
    """What was said, a line each: `who: text`."""
    return [f"{_who(message)}: {_text(message)}" for message in messages]


def _who(message: Message) -> str:
    match message:
        case User():
            return "user"
        case Note(source=source):
            return source.removeprefix("capability:")
        case ToolResult():
            return message.status
        case _:
            return "model"


def _text(message: Message) -> str:
    if isinstance(message, Note):
        return message.text
    return "".join(part.text for part in message.parts if isinstance(part, Text))


def results(session: Session) -> list[str]:
    """How calls ended and what the model heard of them."""
    return words(message for message in said(session) if isinstance(message, ToolResult))


async def failures(session: Session) -> list[tuple[str, str, str]]:
    """Every hook that failed: of whom, where, and why."""
    return [
        (one.capability, one.point, one.problem.message) for one in await of(session, e.HookFailed)
    ]


async def hook_log(session: Session) -> list[str]:
    """What hooks did, in order: `started before_run`, `passed before_run`, ..."""
    lines: list[str] = []
    for event in await log(session):
        if isinstance(event, e.HookStarted):
            lines.append(f"started {event.point}")
        elif isinstance(event, e.HookEnded):
            lines.append(f"{event.decision} {event.point}")
        elif isinstance(event, e.HookFailed):
            lines.append(f"failed {event.point}")
    return lines


async def following(session: Session, kind: type[e.Durable], count: int) -> list[str]:
    """The kinds of the events right after the first one of a kind."""
    events = await log(session)
    first = next(n for n, event in enumerate(events) if isinstance(event, kind))
    return [type(event).__name__ for event in events[first + 1 : first + 1 + count]]
