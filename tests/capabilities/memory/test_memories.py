"""`/memories`: files that all threads of a resource share, and nobody else sees."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from longrein import Agent, Harness, InThread, Session, ToolResult, Waiting, Workspace
from longrein.capabilities.memory.memory import Memory
from longrein.capabilities.memory.telling import news
from longrein.storage.memory import MemoryStore
from longrein.testing import Reply, ScriptedModel, call, say
from tests.support import run


@asynccontextmanager
async def remembering(*capabilities: Any) -> AsyncGenerator[tuple[Harness, ScriptedModel]]:
    """A harness whose model calls the tool that its user names: `write NAME TEXT`, `read NAME`."""

    def obey(request: Any) -> Reply:
        last = request.messages[-1]
        if isinstance(last, ToolResult):
            return say(last.text)
        verb, _, rest = last.text.partition(" ")
        path, _, text = rest.partition(" ")
        match verb:
            case "write":
                return call("write_file", path=path, content=text)
            case "read":
                return call("read_file", path=path)
            case _:
                return say("hello")

    model = ScriptedModel(obey)
    agent = Agent("worker", model=model, capabilities=[*capabilities, Memory()])
    async with Harness(agent, store=MemoryStore()) as harness:
        yield harness, model


async def told(session: Session[Any], text: str) -> str:
    """What came of a command; everything is approved."""
    handle = await session.send(text)
    while isinstance(await handle, Waiting):
        for approval in session.display.approvals:
            await session.approve(approval)
    last = session.display.messages[-1]
    return last.text


def test_two_threads_of_a_resource_share_it_and_another_resource_sees_nothing() -> None:
    async def body() -> None:
        async with remembering(Workspace(InThread())) as (harness, _):
            first = await harness.session("anna")
            second = await harness.session("anna", scope="other")
            stranger = await harness.session("bert")
            await told(first, "write /memories/tea.md green")
            await told(first, "write /notes.md mine")
            assert "green" in await told(second, "read /memories/tea.md")
            assert "no such file" in await told(stranger, "read /memories/tea.md")
            assert "no such file" in await told(second, "read /notes.md")

    run(body())


def test_the_names_of_its_files_are_in_the_system_text_of_a_new_thread() -> None:
    async def body() -> None:
        async with remembering(Workspace(InThread())) as (harness, model):
            first = await harness.session("anna")
            await told(first, "hi")
            assert "There are none yet." in model.requests[-1].system
            await told(first, "write /memories/tea.md green")
            await told(await harness.session("anna", scope="other"), "hi")
            assert "\n/memories/tea.md" in model.requests[-1].system
            await told(await harness.session("bert"), "hi")
            assert "tea.md" not in model.requests[-1].system

    run(body())


def test_many_files_are_not_all_named() -> None:
    async def body() -> None:
        async with remembering(Workspace(InThread())) as (harness, model):
            first = await harness.session("anna")
            for n in range(60):
                await told(first, f"write /memories/{n:02}.md x")
            await told(await harness.session("anna", scope="other"), "hi")
            system = model.requests[-1].system
            assert "/memories/49.md" in system
            assert "/memories/50.md" not in system
            assert "and more: ls /memories" in system

    run(body())


def test_two_sessions_that_write_one_new_file_do_not_overwrite_each_other() -> None:
    async def body() -> None:
        async with remembering(Workspace(InThread())) as (harness, _):
            sessions = [await harness.session("anna", scope=str(n)) for n in range(4)]
            said = await asyncio.gather(
                *(told(one, f"write /memories/a.md {n}") for n, one in enumerate(sessions))
            )
            kept = await told(await harness.session("anna", scope="last"), "read /memories/a.md")
            (winner,) = [n for n, text in enumerate(said) if "already" not in text]
            assert f"1\t{winner}" in kept

    run(body())


def test_a_new_name_in_the_list_is_no_news() -> None:
    before = "Files in /memories ... There are none yet."
    assert news(before, before.replace("none yet.", ":\n/memories/tea.md")) == ""


def test_without_a_workspace_nothing_is_said_of_it() -> None:
    async def body() -> None:
        async with remembering() as (harness, model):
            await told(await harness.session("anna"), "hi")
            assert model.requests[-1].system == ""

    run(body())
