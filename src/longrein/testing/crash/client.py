"""The client of a session in a process that may die: it acts, answers, and tells what it was told.

It keeps nothing between two processes. Like any client that is not sure, it says everything again
under the same ids.
"""

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable
from zlib import crc32

import msgspec
from msgspec import Struct

from longrein.core.codec import encode_event, encode_state
from longrein.core.commands import Answer
from longrein.core.events import Durable
from longrein.core.records import Approval, Question
from longrein.harness import Harness
from longrein.loop.agent import Agent
from longrein.session.handle import Run
from longrein.session.session import Session
from longrein.storage.base import Store
from longrein.storage.sqlite import SqliteStore
from longrein.testing.crash.effects import Effects, tools
from longrein.testing.crash.points import Stand
from longrein.testing.crash.process import Say
from longrein.testing.crash.scenarios import Act, Scenario
from longrein.testing.crash.wire import Began, Done, Saw, Told
from longrein.testing.scripted import ScriptedModel

SILENCE = 0.5
"""Seconds without an event after which a client that is not the owner asks for going on."""


class Job(Struct, frozen=True):
    """What a process of a case has to do.

    `hosts`: it does only the first act and leaves the rest to a client in another process.
    """

    scenario: Scenario
    database: str
    effects: str
    lease_seconds: float
    resume: bool = False
    hosts: bool = False


async def work(job: Job, say: Say, stand: Stand) -> None:
    """Bring the session of a job to its end, from wherever the database stands."""
    model = ScriptedModel(job.scenario.script)
    agent = Agent("rig", model=model, tools=tools(Effects(job.effects)))
    # A store by name would be imported here, in each of a thousand processes.
    store = SqliteStore(job.database)
    async with Harness(agent, store=store, lease_seconds=job.lease_seconds) as harness:
        session = await harness.session("rig")
        say(Began([crc32(data) for data in await _log(store, session)]))
        began = time.monotonic()
        await Client(job, session, say).drive()
        log = await _log(store, session)
        # Where another process owns the thread, this one may be behind.
        state = crc32(encode_state(session.state)) if session.state.seq == len(log) else 0
        texts = [data.decode() for data in log]
        say(Done(texts, state, dict(stand.counts), time.monotonic() - began))
    await store.close()


async def _log(store: Store, session: Session) -> list[bytes]:
    return [stored.data for stored in await store.read(session.thread, 0, 1_000_000)]


class Client:
    """One client of one session."""

    def __init__(self, job: Job, session: Session, say: Say) -> None:
        self._job = job
        self._session = session
        self._say = say
        self._news = asyncio.Event()
        self._answered: set[str] = set()
        self._runs: list[Run] = []

    async def drive(self) -> None:
        """Do everything that the scenario says and wait until nothing is left to do."""
        listening = asyncio.create_task(self._listen())
        try:
            if self._job.resume and self._session.state.seq:
                await self._session.resume()
            acts = self._job.scenario.acts
            for act in acts[:1] if self._job.hosts else acts:
                await self._until(lambda act=act: self._ready(act))
                await self._do(act)
            await self._until(self._over, self._nothing if self._job.hosts else self._answer)
            for run in self._runs:
                await run
        finally:
            listening.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await listening

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
        state = self._session.state
        if act.id in state.commands or act.when == "now":
            return True
        if act.when == "asked":
            return bool(state.approvals or state.questions)
        writing = self._session.display.writing
        speaks = writing is not None and len(writing.text) > 20
        works = act.when == "working" and bool(self._session.display.calls)
        return speaks or works or (state.run is None and state.seq > 0)

    def _over(self) -> bool:
        state = self._session.state
        acts = self._job.scenario.acts
        done = all(act.id in state.commands for act in acts if not act.may_be_late)
        return done and state.run is None and not state.queue

    async def _do(self, act: Act) -> None:
        match act.do:
            case "send" | "queue" | "steer":
                await self._speak(act)
            case "edit":
                await self._tell(act, self._session.edit(act.inputs[0], act.text, command=act.id))
            case "withdraw":
                await self._tell(act, self._session.withdraw(act.inputs[0], command=act.id))
            case "reorder":
                await self._tell(act, self._session.reorder(act.inputs, command=act.id))
            case "interrupt":
                await self._tell(act, self._session.interrupt(act.text, command=act.id))

    async def _speak(self, act: Act) -> None:
        session = self._session
        verbs = {"send": session.send, "queue": session.queue, "steer": session.steer}
        self._runs.append(await verbs[act.do](act.text, command=act.id))
        self._say(Told(act.id, "admitted"))

    async def _tell(self, act: Act, answer: Awaitable[Answer]) -> None:
        self._say(Told(act.id, (await answer).status))

    async def _nothing(self) -> None:
        """Whoever only hosts answers nothing."""

    async def _answer(self) -> None:
        state = self._session.state
        for asked in (*state.approvals, *state.questions):
            if asked.id not in self._answered:
                self._answered.add(asked.id)
                id = f"{asked.id}/answer"
                self._say(Told(id, (await self._decide(asked, id)).status))

    async def _decide(self, asked: Approval | Question, id: str) -> Answer:
        session = self._session
        if isinstance(asked, Question):
            return await session.answer(asked.id, "yes", command=id)
        match msgspec.json.decode(asked.arguments)["key"]:
            case "no":
                return await session.decline(asked.id, "not today", command=id)
            case "edit":
                return await session.approve(asked.id, arguments={"key": "edited"}, command=id)
            case "replace":
                return await session.replace(asked.id, "somebody did it by hand", command=id)
            case _:
                return await session.approve(asked.id, command=id)
