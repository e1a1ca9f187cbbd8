"""How commands reach the writer of a thread, in this process or in another."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import TypeAlias

from msgspec.structs import replace

from longrein.core.commands import (
    Answer,
    Approve,
    Command,
    Rewind,
    Say,
    decode_answer,
    decode_command,
    encode,
)
from longrein.core.errors import LeaseLost, SessionClosed, StoreError, UsageError
from longrein.core.events import Rewound
from longrein.core.messages import ToolCall
from longrein.core.points import reached
from longrein.core.policy import Grant
from longrein.core.records import CallFacts
from longrein.core.state import State
from longrein.session.answering import grants_of
from longrein.session.apply import apply
from longrein.session.children.driving import REWOUND
from longrein.session.conductor import Conductor
from longrein.session.desk import Applied, Desk, Restored
from longrein.session.examine import examine
from longrein.session.journal import Draft
from longrein.session.rewound import ELSEWHERE
from longrein.session.services import Services
from longrein.session.spawning import spawn
from longrein.storage.base import Posted

Restore: TypeAlias = Callable[[], Awaitable[Restored | None]]
"""Puts files back, where there is anything to go back to."""

PATIENCE = 5.0
LOOK_EVERY = 0.05
TAKE_EVERY = 1.0
TAKEN = (
    "Another process took this thread over meanwhile: the thread was not rewound, but files may be "
    "back already. Rewind again."
)


class Inbox:
    """The one way in: applied here if this process is or can be the writer, else posted to it."""

    def __init__(self, services: Services, conductor: Conductor) -> None:
        self._services = services
        self._conductor = conductor
        self._desk = Desk(services.loop.setup, services.ids, services.kept, services.resources)
        self._draining = asyncio.Lock()
        self._rewinding: set[asyncio.Task[Answer]] = set()

    async def submit(self, command: Command) -> Answer:
        """The answer to a command. It is durable whatever the answer is, or this raises."""
        for _ in range(2):
            if not await self._own():
                break
            try:
                return await self._apply(command)
            except LeaseLost:
                continue
        return await self._post(command)

    async def submit_after(self, command: Rewind, restore: Restore) -> Answer:
        """The answer to a rewind of files, once they are put back, which only the writer can."""
        if not await self._own():
            raise UsageError(ELSEWHERE)
        try:
            return await self._rewind(command, restore)
        except LeaseLost:
            raise UsageError(TAKEN) from None

    async def submit_last(self, command: Command) -> Answer:
        """The answer to the last command before a close, after which nothing begins: what an
        earlier process left open stays as it is, and so does what others posted."""
        if not await self._conductor.own():
            return await self._post(command, takes=False)
        self._conductor.closed = True
        self._conductor.journal.stop()
        return (await self._write(command, self._desk)).answer

    async def granting(self, command: Approve) -> tuple[Grant, ...]:
        """What a yes would remember. Raises `UsageError` where it cannot be."""
        desk = replace(self._desk, edited=await self._edited(command))
        return grants_of(self._conductor.state, command, desk)

    async def attend(self) -> None:
        """Be the writer, and carry out what waits for it."""
        if await self._own():
            await self.drain()

    async def drain(self) -> None:
        """Carry out what other processes posted."""
        async with self._draining:
            for posted in await self._services.store.pending(self._conductor.row.id):
                if not self._conductor.owns:
                    return
                await self._take_up(posted)

    async def _own(self) -> bool:
        if self._conductor.owns:
            return True
        owned = await self._conductor.own()
        if owned:
            await self.drain()
        return owned

    async def _apply(self, command: Command, *, posted: bool = False) -> Answer:
        if isinstance(command, Rewind):
            return await self._rewind(command, _nothing, posted=posted)
        desk = replace(self._desk, edited=await self._edited(command))
        await self._conductor.may_begin()
        return (await self._write(command, desk, posted=posted)).answer

    async def _rewind(self, command: Rewind, restore: Restore, *, posted: bool = False) -> Answer:
        """Rewind, to the end: whoever stops waiting must not leave files half put back."""
        rewinding = spawn(self._rewound(command, restore, posted=posted))
        self._rewinding.add(rewinding)
        rewinding.add_done_callback(self._rewinding.discard)
        return await asyncio.shield(rewinding)

    async def _rewound(self, command: Rewind, restore: Restore, *, posted: bool) -> Answer:
        conductor = self._conductor
        async with conductor.still:
            await conductor.journal.settled()
            desk = replace(self._desk, restored=await restore())
            applied = await self._write(command, desk, posted=posted)
            for event in applied.events:
                if isinstance(event, Rewound):
                    # Those that a close leaves are dropped: whoever goes on here stops them.
                    with contextlib.suppress(SessionClosed):
                        await conductor.driving.stop_all(REWOUND, event.before)
                    await conductor.stop_since(event.before)
            return applied.answer

    async def _write(self, command: Command, desk: Desk, *, posted: bool = False) -> Applied:
        def build(state: State) -> Draft[Applied]:
            applied = apply(state, command, desk)
            answered = (command.id, encode(applied.answer)) if posted else None
            return Draft(applied.events, applied, answered, applied.pairs)

        return await self._conductor.journal.write(build, command.id)

    async def _take_up(self, posted: Posted) -> None:
        thread = self._conductor.row.id
        try:
            command = decode_command(posted.data)
            if isinstance(command, Say) and command.limits and command.limits.cost is not None:
                await self._services.load_prices()
            answer = await self._apply(command, posted=True)
        except StoreError:  # also a lost lease; it stays in the inbox for whoever can write
            return
        except Exception as error:  # a command that cannot be carried out must not block the others
            answer = Answer("refused", message=str(error))
        reached("inbox.applied")
        # Events carry their answer with them; where there were none it is given here.
        await self._services.store.answer(thread, posted.id, encode(answer))

    async def _post(self, command: Command, *, takes: bool = True) -> Answer:
        """Leave the command to the process that owns the thread; wait a while for its answer.

        `takes`: where that process dies meanwhile, this one takes the thread over.
        """
        store, clock = self._services.store, self._services.clock
        thread = self._conductor.row.id
        reached("inbox.post")
        data = self._services.redactor.data(encode(command))
        posted = await store.post(Posted(command.id, thread, data))
        reached("inbox.posted")
        before = posted.answer is not None
        began = tried = clock.monotonic()
        while posted.answer is None:
            now = clock.monotonic()
            if now - began > PATIENCE:
                if takes:
                    self._conductor.aside(self._see_through(command.id))
                return Answer("accepted")
            if takes and now - tried > TAKE_EVERY:
                tried = now
                await self._own()
            await asyncio.sleep(LOOK_EVERY)
            posted = await store.posted(thread, command.id) or posted
        await self._conductor.catch_up()
        answer = decode_answer(posted.answer)
        done = before and answer.status == "applied"
        return replace(answer, status="already") if done else answer

    async def answer(self, id: str) -> Answer:
        """The answer to a command that was accepted, when its owner or whoever follows gives it."""
        while not self._conductor.closed:
            posted = await self._services.store.posted(self._conductor.row.id, id)
            if posted is None or posted.answer is not None:
                await self._conductor.catch_up()
                return decode_answer(posted.answer) if posted and posted.answer else Answer("stale")
            await asyncio.sleep(LOOK_EVERY)
        return Answer("accepted")

    async def _see_through(self, id: str) -> None:
        """Take the thread over, should its owner die before it took a command up."""
        thread = self._conductor.row.id
        while not self._conductor.closed:
            # A store that cannot be reached now is asked again.
            with contextlib.suppress(StoreError):
                posted = await self._services.store.posted(thread, id)
                if posted is None or posted.answer is not None or await self._own():
                    break
            await asyncio.sleep(TAKE_EVERY)
        posted = await self._services.store.posted(thread, id)
        answer = decode_answer(posted.answer) if posted and posted.answer else None
        if answer is not None and answer.status == "refused":
            self._conductor.refuse(id, answer.message)

    async def _edited(self, command: Command) -> CallFacts | None:
        """What is found out about the call that a person approves with other arguments."""
        if not isinstance(command, Approve) or command.arguments is None:
            return None
        state = self._conductor.state
        approval = next((one for one in state.approvals if one.id == command.approval), None)
        if approval is None:
            return None
        call = ToolCall(approval.call, approval.tool, command.arguments)
        return await examine(self._services, state, call)


async def _nothing() -> Restored | None:
    """Nothing is put back where only the conversation goes back."""
    return None
