"""How commands reach the writer of a thread, in this process or in another."""

import asyncio
import contextlib

from msgspec.structs import replace

from longrein.core.commands import Answer, Command, Say, decode_answer, decode_command, encode
from longrein.core.errors import LeaseLost, StoreError
from longrein.core.messages import ToolCall
from longrein.core.points import reached
from longrein.core.records import CallFacts
from longrein.core.state import State
from longrein.session.apply import apply
from longrein.session.conductor import Conductor
from longrein.session.desk import Desk
from longrein.session.examine import examine
from longrein.session.journal import Draft
from longrein.session.services import Services
from longrein.storage.base import Posted

PATIENCE = 5.0
LOOK_EVERY = 0.05
TAKE_EVERY = 1.0


class Inbox:
    """The one way in: applied here if this process is or can be the writer, else posted to it."""

    def __init__(self, services: Services, conductor: Conductor) -> None:
        self._services = services
        self._conductor = conductor
        self._desk = Desk(
            services.loop.setup, services.ids, self._examine, services.kept, services.resources
        )
        self._draining = asyncio.Lock()

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
        def build(state: State) -> Draft[Answer]:
            applied = apply(state, command, self._desk)
            answered = (command.id, encode(applied.answer)) if posted else None
            return Draft(applied.events, applied.answer, answered, applied.pairs)

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

    async def _post(self, command: Command) -> Answer:
        """Leave the command to the process that owns the thread; wait a while for its answer."""
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
                self._conductor.aside(self._see_through(command.id))
                return Answer("accepted")
            if now - tried > TAKE_EVERY:
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

    def _examine(self, state: State, call: ToolCall) -> CallFacts:
        return examine(self._services, state, call)
