"""A thousand live sessions in one process: each is alone with its thread."""

import asyncio
import gc
import os
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import msgspec

from longrein.core.codec import decode_event
from longrein.core.events import Durable, Event
from longrein.core.live import TextFragment
from longrein.core.messages import Text, User
from longrein.core.outcomes import Finished
from longrein.core.policy import Rule
from longrein.harness import Harness
from longrein.loop.agent import Agent, Mode
from longrein.models.base import Request
from longrein.models.catalog import ProviderSettings
from longrein.session.bus import Anything
from longrein.session.session import Session
from longrein.storage.sqlite import SqliteStore
from longrein.testing import Reply, ScriptedServer, say
from tests.session.tools import deploy, read
from tests.support import run

SESSIONS = 1000
AT_ONCE = 50
MODES = ("ask", "plan", "build")
MODELS = ("small", "large")
MOST_KB = 60
"""Of memory per session, with all that this test keeps of it; the benchmark measures it alone."""


class Settings(msgspec.Struct):
    """The application's state of each thread."""

    owner: int = -1
    visits: int = 0


class Guest:
    """Somebody with a session: all that they chose, and everything that they heard."""

    def __init__(self, number: int, session: Session[Settings]) -> None:
        self.number = number
        self.session = session
        self.mode = MODES[number % len(MODES)]
        self.model = f"echo:{MODELS[number % len(MODELS)]}"
        self.heard: list[Event] = []
        self.spoken = ""
        session.subscribe(self._hear)

    def _hear(self, event: Anything) -> None:
        if isinstance(event, TextFragment):
            self.spoken += event.text
        else:
            assert isinstance(event, Durable)
            self.heard.append(event)

    async def settle_in(self) -> None:
        """Choose a mode, a model, a rule and a state of one's own."""
        await self.session.switch_mode(self.mode)
        await self.session.switch_model(self.model)
        await self.session.add_rule(Rule("ask", tool="read", id=f"rule-{self.number}"))
        await self.session.update({"owner": self.number})

    async def visit(self) -> None:
        """Say something that nobody else says, and hear just that."""
        await self.session.update(_visited)
        visits = self.session.state.visits
        words = f"guest {self.number} visit {visits}"
        outcome = await (await self.session.send(words))
        assert outcome == Finished(f"{words} {self.model}")
        assert self.session.state == Settings(self.number, visits)

    def has_only_its_own(self) -> None:
        """Nobody else's choices are here."""
        state = self.session.folded
        assert (state.thread, state.resource) == (self.session.thread, f"guest-{self.number}")
        assert (state.mode, self.session.display.model) == (self.mode, self.model)
        assert [rule.id for rule in state.rules] == [f"rule-{self.number}"]

    async def heard_only_its_own(self, store: SqliteStore) -> None:
        """The subscriber heard the log of the thread, all of it, and nothing else."""
        stored = await store.read(self.session.thread, 0, 1000)
        assert self.heard == [decode_event(one.data) for one in stored]
        replies = [f"guest {self.number} visit {n} {self.model}" for n in (1, 2)]
        assert self.spoken == "".join(replies)


def _visited(old: Settings) -> None:
    old.visits += 1


def echo(request: Request) -> Reply:
    """What the user said last, and the model that was asked."""
    last = [message for message in request.messages if isinstance(message, User)][-1]
    text = next(part.text for part in last.parts if isinstance(part, Text) if "guest" in part.text)
    return say(f"{text.splitlines()[0]} echo:{request.model}", size=8)


def hosting(url: str, store: SqliteStore) -> Harness[Settings]:
    return Harness[Settings](
        Agent("tester", instructions="Be brief.", model="echo:none", tools=[read, deploy]),
        modes=[Mode(mode, instructions=f"The mode is {mode}.") for mode in ("start", *MODES)],
        providers={"echo": ProviderSettings(base_url=f"{url}/v1", key="none")},
        store=store,
        state=Settings,
        environ={},
    )


async def arrived(host: Harness[Settings], numbers: range) -> list[Guest]:
    """New guests with their sessions."""
    guests = [Guest(number, await host.session(f"guest-{number}")) for number in numbers]
    await at_once([guest.settle_in for guest in guests])
    return guests


async def visited(guests: Sequence[Guest]) -> None:
    """Everybody said something."""
    await at_once([guest.visit for guest in guests])


async def at_once(jobs: Sequence[Callable[[], Awaitable[None]]]) -> None:
    """Do all of it, so much at a time."""
    room = asyncio.Semaphore(AT_ONCE)

    async def do(job: Callable[[], Awaitable[None]]) -> None:
        async with room:
            await job()

    await asyncio.gather(*map(do, jobs))


def test_a_thousand_sessions_live_beside_each_other(tmp_path: Path) -> None:
    async def body() -> None:
        store = SqliteStore(tmp_path / "a.db")
        async with ScriptedServer(echo, wires=("chat",)) as server:
            files = open_files()
            async with hosting(server.url, store) as host:
                guests = await arrived(host, range(AT_ONCE))
                await visited(guests)
                gc.collect()
                memory = resident_kb()
                guests += await arrived(host, range(AT_ONCE, SESSIONS))
                await visited(guests[AT_ONCE:])
                await visited(guests[::-1])
                assert len(host.sessions) == SESSIONS
                assert host.runs() == []
                assert open_files() - files < 2 * AT_ONCE + 20
                gc.collect()
                assert (resident_kb() - memory) / (SESSIONS - AT_ONCE) < MOST_KB
                for guest in guests:
                    guest.has_only_its_own()
            assert all(guest.session.closed for guest in guests)
            assert list(server.refused) == []
        for guest in guests:
            await guest.heard_only_its_own(store)
            assert await store.owner(guest.session.thread) is None
        await store.close()
        assert asyncio.all_tasks() == {asyncio.current_task()}

    run(body(), seconds=150)


def open_files() -> int:
    return len(os.listdir("/proc/self/fd"))


def resident_kb() -> int:
    with open("/proc/self/statm", "rb") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") // 1024
