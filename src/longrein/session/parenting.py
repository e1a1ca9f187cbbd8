"""The tree of a session: its children, and what they ask of people."""

import contextlib
from typing import Any

from msgspec.structs import replace

from longrein.core import commands as c
from longrein.core.children import Child, ChildView
from longrein.core.commands import Answer
from longrein.core.errors import LongreinError, NotFound
from longrein.core.policy import Grant
from longrein.core.records import Approval, Question
from longrein.loop.tree import Ledger
from longrein.session.answering import SETTLED
from longrein.session.children.driving import Driving
from longrein.session.children.kin import Kin
from longrein.session.children.nursery import Nursery
from longrein.session.children.seen import asked, settled, views
from longrein.session.services import Services
from longrein.session.voice import Voice
from longrein.storage.base import ThreadRow
from longrein.tools.shapes import Shape

MOST_LOOKED_AT = 20
"""Children that are asked whether they know a command."""


class Parenting(Voice):
    """The part of a session that has children, or is one."""

    def __init__(self, services: Services, row: ThreadRow) -> None:
        super().__init__(services, row)
        self.held = False
        """Whether an application has opened it by itself."""

    @property
    def services(self) -> Services:
        return self._services

    @property
    def nursery(self) -> Nursery:
        return self.conductor.nursery

    @property
    def driving(self) -> Driving:
        return self.conductor.driving

    @property
    def ledger(self) -> Ledger:
        return self._services.loop.setup.ledger

    @property
    def followed(self) -> bool:
        return self.conductor.followed

    @property
    def pulse(self) -> tuple[object, ...]:
        return (*self.conductor.streams.mark, *self.nursery.pulse)

    @property
    def saying(self) -> str:
        """What the model is writing right now."""
        writing = self.conductor.streams.writing
        return writing.text if writing else ""

    async def moved(self) -> None:
        """Come back after the next event. Raises `SessionClosed` where there will be none."""
        await self.conductor.moved()

    async def attend(self) -> None:
        """Carry out what other processes posted, to this thread and to those below it."""
        await self.inbox.attend()
        for _, kin in list(self.nursery.kin):
            await kin.attend()

    def expect(self, run: str, output: Shape[Any]) -> None:
        """The answer of a run has to fit this type."""
        if run not in self.folded.outcomes:
            self.conductor.outputs[run] = output

    def children(self) -> list[ChildView]:
        """Every child of the thread, each followed by those below it."""
        return list(views(self.nursery))

    async def stop_child(self, thread: str, reason: str = "") -> bool:
        """Stop a child with all below it; what it had is its result. False: it had ended.

        Raises `NotFound`.
        """
        driving, child = self._child(thread)
        if not child.open:
            return False
        await self.attend()
        await driving.stop(child, reason or "a person stopped it")
        return True

    async def _looked_in(self, thread: str) -> Kin:
        driving, child = self._child(thread)
        kin = await driving.nursery.open(child)
        kin.held = True
        return kin

    def _child(self, thread: str) -> tuple[Driving, Child]:
        found = self.driving.find(thread)
        if found is None:
            raise NotFound(f"The thread {self.thread} has no child {thread!r}.")
        return found

    async def submit(self, command: c.Command) -> Answer:
        """Carry out a command, here or by the process that owns the thread; answers to what a child
        asked are handed down."""
        match command:
            case c.Approve(approval=id) | c.Replace(approval=id) | c.Decline(target=id):
                below = await self._below(command, id)
            case c.AnswerQuestion(question=id):
                below = await self._below(command, id)
            case _:
                below = None
        answer = await super().submit(command) if below is None else below
        await self._rouse()
        return answer

    async def _rouse(self) -> None:
        """Let those above go on that nobody writes: what is done here may be all that they wait
        for."""
        above = self._services.parent
        if above is not None and not above.nursery.owns():
            # The command is carried out, whatever becomes of this.
            with contextlib.suppress(LongreinError):
                await above.attend()
                if above.nursery.owns():
                    id = self._services.ids.new("cmd")
                    await above.submit(c.Resume(id=id, chosen=False))

    async def _below(self, command: c.Command, id: str) -> Answer | None:
        """What became of an answer to what was asked below; None: it was not asked there."""
        state = self.folded
        here = any(one.id == id for one in (*state.approvals, *state.questions))
        if here or id in state.settled or command.id in state.commands or not state.children:
            return None
        for one, kin in asked(self.nursery):
            if one.id == id:
                return await self._answer(one, kin, self._numbered(command))
        known = await self._heard_below(command.id) if command.id else None
        if known is not None:
            await self._note(command, known)
        elif settled(self.nursery, id):
            return Answer("stale", message=SETTLED)
        return known

    def settled(self, id: str) -> bool:
        """Whether an approval or a question, asked here or below, was answered or is not asked any
        more."""
        return settled(self.nursery, id)

    async def _note(self, command: c.Command, answer: Answer) -> None:
        """Know what became of a command below. What an earlier process left open goes on with it,
        as with any first command."""
        final = answer.status != "accepted"
        await super().submit(c.Resume(answer, id=command.id, chosen=command.chosen and final))

    async def _heard_below(self, command: str) -> Answer | None:
        """The answer to a command that a child has carried out, and that was not noted here."""
        for child in self.folded.children[-MOST_LOOKED_AT:]:
            with contextlib.suppress(LongreinError):
                kin = await self.nursery.open(child)
                answer = kin.folded.commands.get(command)
                await self.driving.let_go(child)
                if answer is not None:
                    return answer
        return None

    async def granting(self, command: c.Approve) -> tuple[Grant, ...]:
        """What a yes would remember. Raises `UsageError` where it cannot be."""
        return await self.inbox.granting(command)

    async def _answer(self, asked: Approval | Question, asking: Kin, command: c.Command) -> Answer:
        """Hand an answer down; what is to be remembered is remembered here, for all below.

        What is for the run is remembered where it was asked, once the run here is over.
        """
        if isinstance(command, c.Approve) and command.remember and command.scope != "resource":
            (_, child), run = self._child(asked.path[0]), self.folded.run
            for_run = command.scope == "run"
            if not for_run or (run is not None and run.id == child.run):
                id = child.run if for_run else ""
                grants = tuple(replace(one, run=id) for one in await asking.granting(command))
                await super().submit(c.Remember(grants, id=f"{command.id}/grants"))
                command = replace(command, remember="")
        answer = await asking.submit(command)
        await self._note(command, answer)
        return answer
