"""One session and everybody who talks to it at once: commands race, then all must come to rest.

The model and the tools wait at gates that the race opens and closes. What they see and do is
written down here, so that it can be held against the log afterwards.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from typing import Any, TypeAlias

from msgspec import Struct

from longrein.core.commands import Answer
from longrein.core.errors import UsageError
from longrein.core.messages import Assistant, Text, User
from longrein.core.outcomes import Outcome, Waiting
from longrein.core.policy import Rule, Scope
from longrein.harness import Harness
from longrein.loop.agent import Agent, Mode
from longrein.models.base import Delta, Model, Request
from longrein.session.handle import Run
from longrein.session.session import Session
from longrein.storage.base import Append, Store
from longrein.storage.memory import MemoryStore
from longrein.testing import Reply, call, reply, say
from longrein.testing.replies import PausePiece, deltas
from longrein.testing.server.strict import check as check_request
from longrein.testing.server.wires import Refused
from longrein.tools.context import Context
from longrein.tools.define import Tool, tool

SECONDS = 40.0
FIVE = {"applied", "already", "stale", "missing", "accepted"}
DENY = Rule("deny", tool="deploy", id="no-deploy")


class Move(Struct, frozen=True):
    """What somebody does: when (after so many turns of the event loop), and `n` picks details."""

    kind: str
    after: int = 0
    n: int = 0


class Gate:
    """Whoever comes waits while it is closed; `inside` counts those who do."""

    def __init__(self) -> None:
        self.inside = 0
        self._open = asyncio.Event()
        self._open.set()

    def open(self) -> None:
        self._open.set()

    def close(self) -> None:
        self._open.clear()

    async def enter(self) -> None:
        self.inside += 1
        try:
            await self._open.wait()
        finally:
            self.inside -= 1


class Race:
    """A session, and what came of everything that was said to it.

    `answers` are those of the commands, `handles` the runs that were promised, `ran` counts how
    often the body of a tool ran by its call, `switched` are the modes in the order in which the
    switches were answered, `counted` is how many updates of the state came through.
    """

    def __init__(self, session: Session[dict[str, Any]]) -> None:
        self.session = session
        self.model, self.tool = Gate(), Gate()
        self.answers: list[Answer | UsageError] = []
        self.handles: list[Run] = []
        self.ran: Counter[str] = Counter()
        self.switched: list[str] = []
        self.counted = 0
        self.refused: list[str] = []
        self.asked_of: dict[str, str] = {}
        """The mode whose model got the requests for a name of a model."""

    async def fire(self, *moves: Move) -> None:
        """Make moves at the same time; come back when all are answered."""
        async with asyncio.timeout(SECONDS):
            await asyncio.gather(*map(self._make, moves))

    async def _make(self, move: Move) -> None:
        for _ in range(move.after):
            await asyncio.sleep(0)
        try:
            came = await MOVES[move.kind](self, move.n)
        except UsageError as error:
            self.answers.append(error)
            return
        if isinstance(came, Run):
            self.handles.append(came)
        elif came is not None:
            assert came.status in FIVE
            self.answers.append(came)

    async def settle(self) -> list[Outcome]:
        """Open the gates, answer everything, let the queue go; how all promised runs ended."""
        self.model.open()
        self.tool.open()
        async with asyncio.timeout(SECONDS):
            await self.session.release()
            while (run := self.session.folded.run) is not None:
                if isinstance(await self.session.run(run.id), Waiting):
                    await self._answer_all()
            return [await handle for handle in self.handles]

    async def _answer_all(self) -> None:
        state = self.session.folded
        for approval in state.approvals:
            await self.session.approve(approval.id)
        for question in state.questions:
            await self.session.answer(question.id, "yes")

    async def say_more(self) -> Outcome:
        """How a run ends that begins when all is over."""
        async with asyncio.timeout(SECONDS):
            return await (await self.session.send("And now?"))

    async def switch(self, mode: str, *, abort: bool = False) -> Answer:
        answer = await self.session.switch_mode(mode, abort=abort)
        self.switched.append(mode)
        return answer

    async def count(self) -> Answer:
        answer = await self.session.update(lambda old: {**old, "count": old["count"] + 1})
        self.counted += 1
        return answer

    @property
    def approval(self) -> str:
        """What waits for a yes, or an approval that there is not."""
        return next((a.id for a in self.session.folded.approvals), "apr_none")

    @property
    def target(self) -> str:
        """What waits for a person, the newest first."""
        state = self.session.folded
        pending = [*(a.id for a in state.approvals), *(q.id for q in state.questions)]
        return pending[-1] if pending else "qst_none"

    @property
    def grant(self) -> str:
        return next((g.id for g in self.session.grants()), "grant_none")


Came: TypeAlias = Answer | Run | None
SCOPES: tuple[Scope, ...] = ("run", "thread", "resource")


def _gate(move: Callable[[Race], None]) -> Callable[[Race, int], Awaitable[None]]:
    async def at_once(race: Race, n: int) -> None:
        move(race)

    return at_once


MOVES: dict[str, Callable[[Race, int], Awaitable[Came]]] = {
    "plan": lambda race, n: race.switch("plan"),
    "build": lambda race, n: race.switch("build"),
    "abort": lambda race, n: race.switch("plan" if n % 2 else "build", abort=True),
    "send": lambda race, n: race.session.send("deploy" if n % 3 else "confirm"),
    "talk": lambda race, n: race.session.send("hello"),
    "steer": lambda race, n: race.session.steer("deploy" if n % 2 else "hello"),
    "queue": lambda race, n: race.session.queue("deploy" if n % 2 else "hello"),
    "interrupt": lambda race, n: race.session.interrupt(),
    "release": lambda race, n: race.session.release(),
    "approve": lambda race, n: race.session.approve(race.approval),
    "remember": lambda race, n: race.session.approve(
        race.approval, remember="tool", scope=SCOPES[n % 3]
    ),
    "decline": lambda race, n: race.session.decline(race.target, "no"),
    "stop": lambda race, n: race.session.decline(race.target, "no", stop=True),
    "answer": lambda race, n: race.session.answer(race.target, "yes"),
    "deny": lambda race, n: race.session.add_rule(DENY),
    "undeny": lambda race, n: race.session.remove_rule("no-deploy"),
    "revoke": lambda race, n: race.session.revoke(race.grant),
    "update": lambda race, n: race.count(),
    "open model": _gate(lambda race: race.model.open()),
    "close model": _gate(lambda race: race.model.close()),
    "open tool": _gate(lambda race: race.tool.open()),
    "close tool": _gate(lambda race: race.tool.close()),
}


class Track:
    """Where races are run: a harness whose model and tools belong to the race of the moment."""

    def __init__(self, store: str | Store) -> None:
        self._race: Race | None = None
        self._count = 0
        deploy, work, confirm = self._tools()
        self.harness = Harness[dict[str, Any]](
            Agent("tester", instructions="Be brief.", tools=[deploy, work, confirm]),
            modes=[
                Mode("start", model=Runner(self, "start")),
                Mode("build", model=Runner(self, "build")),
                Mode("plan", model=Runner(self, "plan"), tools=[work, confirm]),
            ],
            store=store,
            state={"count": 0},
            environ={},
        )

    @property
    def race(self) -> Race:
        assert self._race is not None
        return self._race

    async def begin(self) -> Race:
        """A race in a thread of its own, for a resource of its own."""
        self._count += 1
        self._race = Race(await self.harness.session(f"racer-{self._count}"))
        return self._race

    def _tools(self) -> tuple[Tool, Tool, Tool]:
        @tool(category="execute")
        async def deploy(ctx: Context) -> str:
            """Deploy, which is asked about."""
            self.race.ran[ctx.call] += 1
            await self.race.tool.enter()
            return "deployed"

        @tool(category="read")
        async def work(ctx: Context) -> str:
            """Work, which is not."""
            self.race.ran[ctx.call] += 1
            await self.race.tool.enter()
            return "worked"

        @tool(asks=True)
        async def confirm(ctx: Context) -> str:
            """Ask a person, then act."""
            answer = await ctx.ask("Really?")
            self.race.ran[ctx.call] += 1
            return answer

        return deploy, work, confirm


class Runner:
    """The model of a mode: asks for tools when told to, stops at the gate in mid-sentence."""

    def __init__(self, track: Track, mode: str) -> None:
        self._track = track
        self._mode = mode

    @property
    def wire(self) -> str:
        return "scripted"

    async def stream(self, request: Request) -> AsyncGenerator[Delta, None]:
        race = self._track.race
        race.asked_of[request.model] = self._mode
        try:
            check_request(request, streamed=True)
        except Refused as error:
            race.refused.append(str(error))
        for place, delta in enumerate(deltas(_reply(request), len(request.messages))):
            assert not isinstance(delta, PausePiece)
            yield delta
            if place == 0:
                await race.model.enter()

    async def close(self) -> None:
        """Nothing is held."""


def _reply(request: Request) -> Reply:
    """What a model says to the newest words of the user: calls at first, then that it is done."""
    since: Sequence[object] = ()
    asked = ""
    for place, message in enumerate(request.messages):
        if isinstance(message, User):
            since = request.messages[place:]
            asked = "".join(part.text for part in message.parts if isinstance(part, Text))
    if any(isinstance(message, Assistant) for message in since):
        return say("Done.")
    if asked == "deploy":
        return reply(say("Well."), call("deploy"), call("work"))
    return reply(say("Well."), call("confirm")) if asked == "confirm" else say("Done. Really.")


class Slow(MemoryStore):
    """A store that takes a while to append, so that what comes meanwhile is written together."""

    def __init__(self, turns: int) -> None:
        super().__init__()
        self.turns = turns

    async def append(self, write: Append) -> int:
        for _ in range(self.turns):
            await asyncio.sleep(0)
        return await super().append(write)


_FITS: type[Model] = Runner
