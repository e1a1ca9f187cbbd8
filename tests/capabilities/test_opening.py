"""A capability that is made anew for each session."""

from pathlib import Path

from longrein import Agent, Capability, Context, Harness, Tool, events, tool
from longrein.capabilities.contexts import CommandContext
from longrein.capabilities.opening import Opening
from longrein.core.messages import ToolResult
from longrein.storage.base import Store
from longrein.testing import Script, ScriptedModel, call, say
from tests.support import run


class Notebook(Capability):
    """Has a page for each session."""

    def __init__(self, log: list[str], page: str = "") -> None:
        self.log = log
        self.page = page

    async def open(self, opening: Opening) -> "Notebook":
        self.log.append(f"open {opening.resource}")
        return Notebook(self.log, f"page of {opening.resource}")

    async def close(self) -> None:
        self.log.append(f"close {self.page}")

    async def forget(self, store: Store, thread: str) -> None:
        self.log.append("forget")

    def tools(self) -> list[Tool]:
        @tool
        async def read_page(ctx: Context) -> str:
            """Read the page."""
            return self.page

        return [read_page]


def _harness(log: list[str], store: str = "memory") -> Harness:
    model = ScriptedModel(Script([call("read_page"), say("done"), call("read_page"), say("done")]))
    return Harness(Agent("tester", model=model, capabilities=[Notebook(log)]), store=store)


def test_each_session_has_its_own_and_closes_it() -> None:
    async def body() -> None:
        log: list[str] = []
        async with _harness(log) as harness:
            one, two = await harness.session("ann"), await harness.session("ben")
            for session in (one, two):
                await (await session.send("go"))
            said = [session.display.messages[2] for session in (one, two)]
            texts = [one.text for one in said if isinstance(one, ToolResult)]
            assert texts == ["page of ann", "page of ben"]
            await one.close()
            assert log == ["open ann", "open ben", "close page of ann"]
        assert log[3:] == ["close page of ben"]

    run(body())


def test_what_is_kept_beside_a_thread_goes_with_it(tmp_path: Path) -> None:
    async def body() -> None:
        log: list[str] = []
        async with _harness(log, f"sqlite:{tmp_path}/a.db") as harness:
            session = await harness.session()
            await (await session.send("go"))
            await harness.delete("default", session.thread)
            assert log == ["open default", "close page of default", "forget"]

    run(body())


def test_an_application_can_act_in_a_thread_as_a_command_does() -> None:
    async def body() -> None:
        async with _harness([]) as harness:
            session = await harness.session()

            async def act(ctx: CommandContext) -> int:
                ctx.record("counted", 1)
                return 7

            assert await session.perform(act) == 7
            async for event in session.events(only=events.Recorded):
                assert isinstance(event, events.Recorded)
                assert event.kind == "counted"
                break

    run(body())
