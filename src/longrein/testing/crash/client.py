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
from longrein.core.errors import UsageError
from longrein.core.events import Durable
from longrein.core.records import Approval, Question
from longrein.harness import Harness
from longrein.loop.agent import Agent
from longrein.session.handle import Run
from longrein.session.session import Session
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
    agent = Agent(
        "rig", model=ScriptedModel(job.scenario.script), tools=tools(Effects(job.effects))
    )
    store = f"sqlite:{job.database}"
    async with Harness(agent, store=store, lease_seconds=job.lease_seconds) as harness:
        session = await harness.session("rig")
        say(Began([crc32(data) for data in await _log(harness, session)]))
        began = time.monotonic()
        await Client(job, session, say).drive()
        # The listener of a thread that another process owns may be behind what was answered here.
        log = await _log(harness, session)
        state = crc32(encode_state(session.state)) if session.state.seq == len(log) else 0
        texts = [data.decode() for data in log]
        say(Done(texts, state, dict(stand.counts), time.monotonic() - began))


async def _log(harness: Harness, session: Session) -> list[bytes]:
    return [stored.data for stored in await harness.store.read(session.thread, 0, 1_000_000)]


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
        said_it_all = state.run is None and state.seq > 0
        return said_it_all or (writing is not None and len(writing.text) > 20)

    def _over(self) -> bool:
        state = self._session.state
        done = all(act.id in state.commands for act in self._job.scenario.acts)
        return done and state.run is None and not state.queue

    async def _do(self, act: Act) -> None:
        session, id = self._session, act.id
        match act.do:
            case "send":
                run = await session.send(act.text, id=id)
            case "queue":
                run = await session.queue(act.text, id=id)
            case "steer":
                run = await session.steer(act.text, id=id)
            case "edit":
                return self._told(id, await session.edit(act.inputs[0], act.text, id=id))
            case "withdraw":
                return self._told(id, await session.withdraw(act.inputs[0], id=id))
            case "reorder":
                return self._told(id, await session.reorder(act.inputs, id=id))
        self._runs.append(run)
        self._say(Told(id, "applied"))

    async def _nothing(self) -> None:
        """Whoever only hosts answers nothing."""

    async def _answer(self) -> None:
        state = self._session.state
        for asked in (*state.approvals, *state.questions):
            if asked.id not in self._answered:
                self._answered.add(asked.id)
                id = f"{asked.id}/answer"
                try:
                    self._told(id, await self._decide(asked, id))
                except UsageError as error:
                    self._say(Told(id, f"refused: {error}"))

    async def _decide(self, asked: Approval | Question, id: str) -> Answer:
        session = self._session
        if isinstance(asked, Question):
            return await session.answer(asked.id, "yes", id=id)
        match msgspec.json.decode(asked.arguments)["key"]:
            case "no":
                return await session.decline(asked.id, "not today", id=id)
            case "edit":
                return await session.approve(asked.id, arguments={"key": "edited"}, id=id)
            case "replace":
                return await session.replace(asked.id, "somebody did it by hand", id=id)
            case _:
                return await session.approve(asked.id, id=id)

    def _told(self, command: str, answer: Answer) -> None:
        self._say(Told(command, answer.status))
