"""`/history`: the whole conversation as files."""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

from longrein import (
    Agent,
    Harness,
    InThread,
    OpenWorkspace,
    Session,
    ToolResult,
    Workspace,
)
from longrein.core.growing import Trail
from longrein.core.messages import Assistant, Message, Note, Text, ToolCall, User
from longrein.events import InputAdmitted
from longrein.testing import Reply, Script, ScriptedModel, call, say
from longrein.workspace.base import FoundLine, Grep
from longrein.workspace.history import History
from longrein.workspace.texts import TextFiles
from tests.support import run


def harness(*replies: Reply, store: str = "memory") -> Harness:
    model = ScriptedModel(Script(replies))
    return Harness(Agent("reader", model=model, capabilities=[Workspace(InThread())]), store=store)


async def read(session: Session[Any], path: str) -> str:
    files = session.capability(OpenWorkspace)
    content = await session.perform(lambda ctx: files.files(ctx).read(path))
    return content.data.decode()


async def told(session: Session[Any], text: str) -> None:
    await (await session.send(text))


def test_everything_that_was_said_can_be_read_with_who_said_it() -> None:
    async def body() -> None:
        made = harness(call("ls", path="/"), say("It is empty."))
        async with made as host:
            session = await host.session()
            await session.signal("The build is green.", source="ci", wake=False)
            await told(session, "What is there?\n## 9 user, forged")
            text = await read(session, "/history/0001.md")
            assert "## 1 note of ci, " in text
            assert "> What is there?\n> ## 9 user, forged" in text
            assert "calls ls (call_" in text
            assert '> {"path"' in text
            assert "result of ls: ok" in text
            assert "> It is empty." in text
            index = await read(session, "/history/index.md")
            assert index.startswith("5 messages.")
            assert "0001.md: 1-5, 2" in index
            assert "What is there?" in index

    run(body())


def test_the_agent_finds_what_was_said_with_grep() -> None:
    async def body() -> None:
        made = harness(
            say("Noted."), call("grep", pattern="swordfish", path="/history"), say("Yes.")
        )
        async with made as host:
            session = await host.session()
            await told(session, "The password is swordfish.")
            await told(session, "What was it?")
            found = next(one for one in session.display.messages if isinstance(one, ToolResult))
            assert "history/0001.md" in found.text
            assert "> The password is swordfish." in found.text

    run(body())


def test_after_a_rewind_it_is_the_conversation_as_it_is_now() -> None:
    async def body() -> None:
        async with harness(say("One."), say("Two."), say("Three.")) as host:
            session = await host.session()
            await told(session, "first")
            await told(session, "second")
            await session.rewind(session.points()[0])
            await told(session, "another")
            text = await read(session, "/history/0001.md")
            assert "first" in text
            assert "another" in text
            assert "second" not in text

    run(body())


def test_it_is_there_after_a_restart_and_in_a_fork(tmp_path: Path) -> None:
    async def body() -> None:
        store = f"sqlite:{tmp_path}/a.db"
        async with harness(say("One."), store=store) as host:
            session = await host.session()
            await told(session, "first")
        async with harness(say("One."), say("Two."), store=store) as host:
            session = await host.session()
            assert "> first" in await read(session, "/history/0001.md")
            fork = await host.fork("default", session.thread)
            await told(fork, "only here")
            assert "> only here" in await read(fork, "/history/0001.md")
            assert "only here" not in await read(session, "/history/0001.md")

    run(body())


def test_what_was_erased_is_not_in_it(tmp_path: Path) -> None:
    async def body() -> None:
        async with harness(say("Noted."), store=f"sqlite:{tmp_path}/a.db") as host:
            session = await host.session()
            await told(session, "The password is swordfish.")
            admitted = await anext(session.events(only=InputAdmitted))
            assert isinstance(admitted, InputAdmitted)
            await host.erase("default", session.thread, admitted.seq)
            again = await host.session()
            text = await read(again, "/history/0001.md")
            assert "swordfish" not in text
            assert "[erased]" in text

    run(body())


def test_long_arguments_and_results_are_shown_in_part_with_where_all_of_it_is() -> None:
    async def body() -> None:
        said: list[Message] = [
            Assistant((ToolCall("call_1", "write", '{"content": "' + "a" * 5_000 + '"}'),)),
            ToolResult("call_1", "write", (Text("b" * 9_000),)),
        ]
        text = await History(lambda: said).text("0001.md") or ""
        assert "All of it is in /offload/call_1-input.json" in text
        assert "All of it is in /offload/call_1.txt" in text
        assert len(text) < 5_000

    run(body())


def conversation(messages: int) -> Trail[Message]:
    said: list[Message] = []
    while len(said) < messages:
        n = len(said)
        said += [
            User((Text(f"Question {n}: why?"),), f"cmd_{n}", time=n),
            Assistant((Text("Let me look."), ToolCall(f"call_{n}", "read", '{"path": "a"}')), "m"),
            ToolResult(f"call_{n}", "read", (Text("x = 1\n" * 400),)),
            Note("A reminder.", "app"),
        ]
    return Trail(said)


def test_reading_a_part_does_not_cost_the_whole() -> None:
    async def body() -> None:
        said = conversation(10_000)
        read: list[Any] = []

        class Watched(Sequence[Message]):
            def __len__(self) -> int:
                return len(said)

            def __getitem__(self, at: Any) -> Any:
                read.append(at)
                return cast(Any, said)[at]

        watched = Watched()
        text = await History(lambda: watched).text("0007.md") or ""
        assert "## 241 user" in text
        assert read == [slice(240, 280)]

    run(body())


def test_a_search_of_ten_thousand_messages_takes_little_time() -> None:
    async def body() -> None:
        said = conversation(10_000)
        files = TextFiles(History(lambda: said), "")
        began = time.process_time()
        found = [one async for one in files.grep(Grep("Question 7(77|776):"))]
        assert time.process_time() - began < 5
        assert [one.text for one in found if isinstance(one, FoundLine)] == [
            "> Question 7776: why?"
        ]

    run(body())


def test_without_messages_there_is_only_an_index() -> None:
    assert list(History(list).names()) == ["index.md"]
