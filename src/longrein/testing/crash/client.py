"""The client of a session in a process that may die: it acts, answers, and tells what it was told.

It keeps nothing between two processes. Like any client that is not sure, it says everything again
under the same ids.
"""

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable, Sequence
from zlib import crc32

import msgspec
from msgspec import Struct

from longrein.core.codec import encode_event
from longrein.core.commands import Answer
from longrein.core.events import Durable
from longrein.core.outcomes import Finished
from longrein.core.records import Approval, Question
from longrein.harness import Harness
from longrein.session.handle import Run
from longrein.session.session import Session
from longrein.storage.base import Store
from longrein.storage.sqlite import SqliteStore
from longrein.testing.crash.acts import Act, Scenario, Verdict
from longrein.testing.crash.effects import Effects
from longrein.testing.crash.equip import RESOURCE, Kept, harness
from longrein.testing.crash.folders import found
from longrein.testing.crash.points import Stand
from longrein.testing.crash.process import Say
from longrein.testing.crash.view import BESIDE, checksum, look, name
from longrein.testing.crash.wire import Began, Done, Folder, Got, Saw, Told

SILENCE = 0.5
"""Seconds without an event after which a client that is not the owner asks for going on."""


class Orders(Struct, frozen=True):
    """What a process of a case has to do.

    `folder` is what a workspace works in; "" if there is none. `hosts`: it does only the first act
    and leaves the rest to a client in another process.
    """

    scenario: Scenario
    database: str
    effects: str
    asked: str
    folder: str
    lease_seconds: float
    resume: bool = False
    hosts: bool = False


async def work(orders: Orders, say: Say, stand: Stand) -> None:
    """Bring a session to its end as ordered, from wherever the database stands."""
    # A store by name would be imported here, in each of a thousand processes.
    store = SqliteStore(orders.database)
    effects, asked = Effects(orders.effects), Effects(orders.asked)
    made = harness(orders.scenario, store, effects, asked, orders.folder, orders.lease_seconds)
    async with made as host:
        session = await host.session(RESOURCE)
        view = await look(host, session)
        log = await _log(store, session.thread)
        say(Began([crc32(data) for data in log], _state(session, log), view))
        began = time.monotonic()
        await Client(orders, host, session, say, stand).drive()
        view = await look(host, session)
        log = await _log(store, session.thread)
        other = await store.current(RESOURCE, BESIDE)
        say(
            Done(
                [data.decode() for data in log],
                [data.decode() for data in await _log(store, other)] if other else [],
                _state(session, log),
                view,
                dict(stand.counts),
                time.monotonic() - began,
                [
                    [data.decode() for data in await _log(store, row.id)]
                    for row in await store.threads(RESOURCE, under=None)
                    if row.under
                ],
            )
        )
    await store.close()


async def _log(store: Store, thread: str) -> list[bytes]:
    return [stored.data for stored in await store.read(thread, 0, 1_000_000)]


def _state(session: Session[Kept], log: Sequence[bytes]) -> int:
    # Where another process owns the thread, this one may be behind.
    return checksum(session.folded) if session.folded.seq == len(log) else 0


class Client:
    """One client of one session."""

    def __init__(
        self, orders: Orders, host: Harness[Kept], session: Session[Kept], say: Say, stand: Stand
    ) -> None:
        self._orders = orders
        self._host = host
        self._session = session
        self._say = say
        self._stand = stand
        self._news = asyncio.Event()
        self._answered: set[str] = set()
        self._runs: list[tuple[Act, Run]] = []

    async def drive(self) -> None:
        """Do everything that the scenario says and wait until nothing is left to do."""
        listening = asyncio.create_task(self._listen())
        self._look("")
        try:
            if self._orders.resume and self._session.folded.seq:
                await self._session.resume()
            acts = self._orders.scenario.acts
            for act in acts[:1] if self._orders.hosts else acts:
                self._stand.begin(act.id)
                await self._until(lambda act=act: self._ready(act))
                self._say(Told(act.id, await self._do(act)))
                self._look(act.id)
            await self._until(self._over, self._nothing if self._orders.hosts else self._answer)
            for act, run in self._runs:
                await run
                if act.output:
                    self._say(Got(act.id, await self._output(run.id)))
        finally:
            listening.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await listening

    def _look(self, after: str) -> None:
        if self._orders.folder:
            self._say(Folder(after, found(self._orders.folder)))

    async def _listen(self) -> None:
        async for event in self._session.events():
            if isinstance(event, Durable):
                self._say(Saw(event.seq, crc32(encode_event(event))))
            self._news.set()

    async def _until(
        self, reached: Callable[[], bool], step: Callable[[], Awaitable[None]] | None = None
    ) -> None:
        while not reached():
            self._news.clear()
            if step is not None:
                await step()
            try:
                async with asyncio.timeout(SILENCE):
                    await self._news.wait()
            except TimeoutError:
                # The owner may have died; whoever speaks to the thread then becomes its owner.
                if not self._session.conductor.owns:
                    await self._session.resume()

    def _ready(self, act: Act) -> bool:
        state = self._session.folded
        if act.id in state.commands or (act.waits and self._is_past(act)):
            return True
        # An answer to a child is in the child's log first: killed before the root has noted it, the
        # next process goes on, and what was asked is never asked again.
        over = state.run is None and bool(state.children)
        if act.do in ("approve", "decline", "approve_plan"):
            return over or self._asked(act) is not None
        match act.when:
            case "now":
                return True
            case "asked":
                return over or bool(self._pending)
            case "idle":
                return state.run is None and not state.queue
            case "alone":
                works = any(child.open for child in state.children)
                return state.run is None and not state.queue and not works
            case "writing" | "working":
                writing = self._session.display.writing
                speaks = writing is not None and len(writing.text) > 20
                works = act.when == "working" and bool(self._session.display.calls)
                return speaks or works or (state.run is None and state.seq > 0)

    def _is_past(self, act: Act) -> bool:
        """Whether something was done already that comes after an act."""
        acts, known = self._orders.scenario.acts, self._session.folded.commands
        return any(later.id in known for later in acts[acts.index(act) :])

    @property
    def _pending(self) -> tuple[Approval | Question, ...]:
        """What people are asked, by children as well."""
        shown = self._session.display
        return (*shown.approvals, *shown.questions)

    def _asked(self, act: Act) -> Approval | Question | None:
        return next((one for one in self._pending if name(one) == act.about), None)

    def _over(self) -> bool:
        state = self._session.folded
        commands = [act for act in self._orders.scenario.acts if not (act.waits or act.may_be_late)]
        done = all(act.id in state.commands for act in commands)
        return done and state.run is None and not state.queue

    async def _do(self, act: Act) -> str:
        """Do it; returns what it was answered."""
        match act.do:
            case "send" | "queue" | "steer":
                return await self._speak(act)
            case "see":
                return "seen"
            case "beside":
                return await self._beside(act)
            case "approve" | "decline" | "approve_plan":
                return (await self._settle(act)).status
            case "revoke":
                grants = await self._host.grants(RESOURCE)
                grant = next((one.id for one in grants if one.tool == act.about), "")
                return (await self._session.revoke(grant, command=act.id)).status
            case _:
                return (await carry_out(self._session, act)).status

    async def _speak(self, act: Act) -> str:
        session = self._session
        verbs = {"send": session.send, "queue": session.queue, "steer": session.steer}
        output = Verdict if act.output else None
        run = await verbs[act.do](act.text, output=output, command=act.id)
        self._runs.append((act, run))
        return "admitted"

    async def _beside(self, act: Act) -> str:
        """A run in another thread of the resource, in which nobody can be asked."""
        other = await self._host.session(RESOURCE, BESIDE)
        outcome = await (await other.send(act.text, command=act.id))
        return "seen" if isinstance(outcome, Finished) else repr(outcome)

    async def _settle(self, act: Act) -> Answer:
        asked = self._asked(act)
        # What was settled is not pending any more; the command is known by its own id.
        id = asked.id if asked else "settled"
        session = self._session
        if act.do == "decline":
            return await session.decline(id, "not today", command=act.id)
        if act.do == "approve_plan":
            return await session.approve_plan(id, act.text, command=act.id)
        remember, scope = act.value or (None, "thread")
        return await session.approve(id, remember=remember, scope=scope, command=act.id)

    async def _output(self, run: str) -> object:
        """What a run gave, as whoever knows only its id finds it after a restart."""
        outcome = await self._session.run(run, output=Verdict)
        return msgspec.to_builtins(outcome.value) if isinstance(outcome, Finished) else None

    async def _nothing(self) -> None:
        """Whoever only hosts answers nothing."""

    async def _answer(self) -> None:
        for asked in self._pending:
            if asked.id not in self._answered:
                self._answered.add(asked.id)
                id = f"{asked.id}/answer"
                self._say(Told(id, (await self._decide(asked, id)).status))

    async def _decide(self, asked: Approval | Question, id: str) -> Answer:
        session = self._session
        if isinstance(asked, Question):
            return await session.answer(asked.id, "yes", command=id)
        match name(asked):
            case "no":
                return await session.decline(asked.id, "not today", command=id)
            case "edit":
                return await session.approve(asked.id, arguments={"key": "edited"}, command=id)
            case "replace":
                return await session.replace(asked.id, "somebody did it by hand", command=id)
            case _:
                return await session.approve(asked.id, command=id)


async def carry_out(session: Session[Kept], act: Act) -> Answer:
    """Give a command that is about nothing that has to be found first."""
    text, value, id = act.text, act.value, act.id
    match act.do:
        case "interrupt":
            return await session.interrupt(text, command=id)
        case "edit":
            return await session.edit(act.inputs[0], text, command=id)
        case "withdraw":
            return await session.withdraw(act.inputs[0], command=id)
        case "reorder":
            return await session.reorder(act.inputs, command=id)
        case "mode":
            return await session.switch_mode(text, command=id)
        case "model":
            return await session.switch_model(text, effort="low", command=id)
        case "trust":
            return await session.set_trust(value, command=id)
        case "add_rule":
            return await session.add_rule(value, command=id)
        case "update":
            return await session.update(value, command=id)
        case "count_up":
            return await session.update(_count_up, command=id)
        case "rename":
            return await session.rename(text, command=id)
        case "tag":
            return await session.tag(value, command=id)
        case "configure":
            return await session.configure(value, command=id)
        case "rewind":
            left = await _left(session, act) if value == "overwrite" else []
            return await session.rewind(act.inputs[0], overwrite=left, command=id)
        case "undo":
            return await session.undo(command=id)
        case _:
            raise ValueError(f"{act.do} is not such a command")


async def _left(session: Session[Kept], act: Act) -> list[str]:
    """The paths of what a rewind would keep because it may be somebody else's."""
    if act.id in session.folded.commands:
        return []
    files = (await session.preview_rewind(act.inputs[0])).files
    return [one.path for one in files.foreign] if files else []


def _count_up(kept: Kept) -> None:
    kept.count += 1
