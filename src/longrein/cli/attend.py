"""Somebody who answers approvals and questions while a run goes on."""

import asyncio
from typing import Protocol

from longrein.cli.telling import asked_by
from longrein.cli.terminal import DIM, Screen
from longrein.cli.watch import Watcher
from longrein.core.commands import Decision
from longrein.core.errors import UsageError
from longrein.core.ids import SystemClock, TimeOrderedIds
from longrein.core.records import Approval, Question
from longrein.session.session import Session

_ids = TimeOrderedIds(SystemClock())


def command_id() -> str:
    """A fresh id for a command."""
    return _ids.new("cmd")


class Asker(Protocol):
    """Gets a decision from somewhere; None leaves it open."""

    async def approval(self, approval: Approval) -> Decision | None: ...
    async def question(self, question: Question) -> Decision | None: ...


async def attend(session: Session, watcher: Watcher, asker: Asker, screen: Screen) -> None:
    """Answer whatever waits, as soon as it does; returns when it is to be left open."""
    while True:
        shown = session.display
        waiting = next(iter(shown.asked), None)
        if waiting is None:
            await watcher.moved()
            continue
        await watcher.caught_up()
        if by := asked_by(shown, waiting):
            screen.say(by, DIM)
        decision = await _unless_settled(session, watcher, asker, waiting, screen)
        if decision is None:
            if asked_under(session, waiting.id):
                return
            continue
        try:
            await session.submit(decision)
        except UsageError as error:
            screen.say(str(error))


async def _unless_settled(
    session: Session, watcher: Watcher, asker: Asker, waiting: Approval | Question, screen: Screen
) -> Decision | None:
    """What the asker says, or None once somebody else has answered."""
    ask = asker.approval(waiting) if isinstance(waiting, Approval) else asker.question(waiting)
    asking = asyncio.ensure_future(ask)
    try:
        while not asking.done():
            moving = asyncio.ensure_future(watcher.moved())
            try:
                await asyncio.wait({asking, moving}, return_when=asyncio.FIRST_COMPLETED)
            finally:
                moving.cancel()
            if not asking.done() and not asked_under(session, waiting.id):
                screen.say("(settled meanwhile)", DIM)
                return None
        return asking.result()
    finally:
        asking.cancel()


def asked_under(session: Session, id: str) -> Approval | Question | None:
    """What waits under an id, in the thread or in a child of it."""
    return next((one for one in session.display.asked if one.id == id), None)
