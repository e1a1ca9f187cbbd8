"""What a front end gets of a local harness, through the port alone."""

from collections.abc import Callable, Coroutine, Sequence
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest

from longrein.capabilities.subagents.capability import Subagents
from longrein.capabilities.workspace.workspace import Workspace
from longrein.client.local import LocalClient
from longrein.client.port import About, Client, Restored, ThreadClient
from longrein.core import commands as c
from longrein.core.display import Display
from longrein.core.errors import NotFound, UsageError
from longrein.core.ids import SystemClock
from longrein.core.messages import File, Note, Text, User
from longrein.harness import Harness
from longrein.loop.agent import Agent
from longrein.storage.memory import MemoryStore
from longrein.testing import Reply, call, pause, reply, say, when
from longrein.testing.scripted import Script, ScriptedModel
from longrein.tui.view.rewinding import rewound_words
from longrein.workspace.rules import FileRule
from tests.support import run
from tests.tui.kit import client

PICTURE = b"\x89PNG\r\n\x1a\n" + bytes(16)


def work(
    says: Sequence[Reply] | ScriptedModel,
    folder: Path,
    body: Callable[[LocalClient], Coroutine[Any, Any, None]],
    **more: Any,
) -> None:
    async def test() -> None:
        async with client(says, folder, **more) as made:
            await body(made)

    run(test())


async def until(thread: ThreadClient, holds: Callable[[Display], bool]) -> Display:
    """The first display of which this holds."""
    async with aclosing(thread.displays()) as displays:
        async for shown in displays:
            if holds(shown):
                return shown
    raise AssertionError("the displays ended")


def rests(shown: Display) -> bool:
    return shown.activity != "running" and bool(shown.messages)


def test_what_is_said_is_answered_on_the_display(tmp_path: Path) -> None:
    async def body(made: LocalClient) -> None:
        thread = await made.open(new=True)
        await thread.say("send", "Hi")
        shown = await until(thread, lambda shown: rests(shown) and shown.activity == "idle")
        assert shown.messages[-1].text == "Hello!"

    work([say("Hello!")], tmp_path, body)


def test_an_attachment_arrives_with_its_name_and_kind(tmp_path: Path) -> None:
    (tmp_path / "cat.png").write_bytes(PICTURE)

    async def body(made: LocalClient) -> None:
        thread = await made.open(new=True)
        await thread.say("send", "Look", [await made.attachment("cat.png")])
        shown = await until(thread, lambda shown: rests(shown) and shown.activity == "idle")
        said = next(m for m in shown.messages if isinstance(m, User))
        file = next(part for part in said.parts if isinstance(part, File))
        assert (file.name, file.media_type) == ("cat.png", "image/png")

    work([say("A cat.")], tmp_path, body)


def test_new_threads_are_apart_and_listed_once_something_was_said(tmp_path: Path) -> None:
    async def body(made: LocalClient) -> None:
        first, second = await made.open(new=True), await made.open(new=True)
        assert first.thread != second.thread
        assert await made.threads() == []
        await second.say("send", "Hi")
        assert [row.id for row in await made.threads()] == [second.thread]
        assert (await made.open()).thread == second.thread

    work([say("Hello!")], tmp_path, body)


def test_a_thread_that_nothing_was_said_in_leaves_no_trace(tmp_path: Path) -> None:
    async def test() -> None:
        store = MemoryStore()
        async with client([say("Hello!")], tmp_path, store=store) as made:
            thread = (await made.open(new=True)).thread
            assert await store.thread(thread) is not None
        assert await store.thread(thread) is None

    run(test())


def test_what_runs_in_a_thread_that_was_left_keeps_the_client_busy(tmp_path: Path) -> None:
    async def body(made: LocalClient) -> None:
        thread = await made.open(new=True)
        assert not made.busy
        await thread.say("send", "Hi")
        await made.open(new=True)
        assert made.busy
        await thread.submit(c.Interrupt(""))
        await until(thread, lambda shown: shown.activity == "idle")
        assert not made.busy

    work([reply(pause(20), say("never"))], tmp_path, body)


def test_an_approval_is_given_by_its_id(tmp_path: Path) -> None:
    async def body(made: LocalClient) -> None:
        thread = await made.open(new=True)
        await thread.say("send", "Write it")
        shown = await until(thread, lambda shown: bool(shown.approvals))
        answer = await thread.submit(c.Approve(shown.approvals[0].id))
        assert answer.status == "applied"
        await until(thread, lambda shown: shown.activity == "idle")
        assert (tmp_path / "a.txt").read_text() == "one\n"

    work([call("write_file", path="a.txt", content="one\n"), say("Done.")], tmp_path, body)


def test_a_rewind_says_what_became_of_files_and_can_be_undone(tmp_path: Path) -> None:
    async def body(made: LocalClient) -> None:
        thread = await made.open(new=True)
        await thread.submit(c.SetTrust("edits"))
        await thread.say("send", "Write it")
        await until(thread, lambda shown: rests(shown) and shown.activity == "idle")
        (point,) = await thread.points()
        preview = await thread.preview(point.input)
        assert preview.messages == 4
        rewound = await thread.rewind(point.input, files=True, conversation=True)
        assert rewound == Restored("1 removed")
        assert not (tmp_path / "a.txt").exists()
        assert await thread.undo() == Restored("1 file put back")
        assert (tmp_path / "a.txt").read_text() == "one\n"
        with pytest.raises(NotFound):
            await thread.preview("cmd_none")

    work([call("write_file", path="a.txt", content="one\n"), say("Done.")], tmp_path, body)


def test_a_persons_own_command_is_told_to_the_agent_when_it_next_runs(tmp_path: Path) -> None:
    async def body(made: LocalClient) -> None:
        thread = await made.open(new=True)
        heard: list[str] = []
        assert await thread.shell("echo one; exit 3", heard.append) == 3
        assert "".join(heard) == "one\n"
        assert thread.display.activity == "idle"
        await thread.say("send", "Hi")
        shown = await until(thread, lambda shown: rests(shown) and shown.activity == "idle")
        told = next(m for m in shown.messages if isinstance(m, Note) and m.source == "shell")
        assert "$ echo one; exit 3\none\n[exit code 3]" in told.text

    work([say("I saw it.")], tmp_path, body)


def test_a_child_is_looked_at_like_any_thread(tmp_path: Path) -> None:
    script = Script(
        [call("task", agent="general-purpose", description="Look", prompt="Look around")],
        rules=[when("Look around", say("All is well."))],
        otherwise=say("Done."),
    )

    async def body(made: LocalClient) -> None:
        thread = await made.open(new=True)
        await thread.submit(c.SetTrust("yolo"))
        await thread.say("send", "Delegate")
        shown = await until(thread, lambda shown: rests(shown) and shown.activity == "idle")
        (child,) = shown.children
        inside = await thread.child(child.thread)
        assert inside.display.messages[-1].text == "All is well."
        assert not await thread.stop_child(child.thread)
        with pytest.raises(NotFound):
            await thread.child("thr_none")

    work(ScriptedModel(script), tmp_path, body, capabilities=[Subagents()])


def test_threads_are_listed_found_forked_exported_and_deleted(tmp_path: Path) -> None:
    async def body(made: LocalClient) -> None:
        thread = await made.open(new=True)
        await thread.say("send", "About zebras")
        await until(thread, lambda shown: rests(shown) and shown.activity == "idle")
        assert [row.id for row in await made.threads()] == [thread.thread]
        assert [hit.row.id for hit in await made.search("zebras")] == [thread.thread]
        forked = await made.fork(thread.thread)
        assert forked.display.messages[0] == thread.display.messages[0]
        assert b"About zebras" in await made.export(thread.thread, "markdown")
        await made.delete(forked.thread)
        assert [row.id for row in await made.threads()] == [thread.thread]

    work([say("Striped.")], tmp_path, body)


def test_what_waits_is_edited_reordered_and_taken_back(tmp_path: Path) -> None:
    async def body(made: LocalClient) -> None:
        thread = await made.open(new=True)
        await thread.say("send", "Write it")
        await until(thread, lambda shown: bool(shown.approvals))
        await thread.say("queue", "second")
        await thread.say("queue", "third")
        first, last = (one.id for one in thread.display.queue)
        await thread.submit(c.ReorderQueue((last, first)))
        await thread.submit(c.EditInput(first, (Text("second, better"),)))
        assert [one.text for one in thread.display.queue] == ["third", "second, better"]
        await thread.submit(c.WithdrawInput(last))
        assert [one.id for one in thread.display.queue] == [first]

    work([call("write_file", path="a.txt", content="one\n"), say("Done.")], tmp_path, body)


def test_what_cannot_be_is_refused_in_words(tmp_path: Path) -> None:
    async def body(made: LocalClient) -> None:
        thread = await made.open(new=True)
        with pytest.raises(UsageError, match="no command"):
            await thread.invoke("nothing")
        with pytest.raises(NotFound):
            await made.attachment("missing.png")
        with pytest.raises(NotFound):
            await made.open("thr_none")

    work([say("Hello!")], tmp_path, body)


def test_nobody_owns_a_thread_that_was_only_opened(tmp_path: Path) -> None:
    async def body(made: LocalClient) -> None:
        thread = await made.open(new=True)
        assert await thread.owner() == "nobody"
        await thread.say("send", "Hi")
        assert await thread.owner() == "here"

    work([say("Hello!")], tmp_path, body)


def test_the_local_client_is_a_client(tmp_path: Path) -> None:
    def takes(one: Client) -> Client:
        return one

    async def body(made: LocalClient) -> None:
        assert takes(made).about.place == str(tmp_path)

    work([], tmp_path, body)


class Hasty(SystemClock):
    """A clock by which nobody waits long."""

    def monotonic(self) -> float:
        return super().monotonic() * 50


def test_a_rewind_that_another_process_has_to_do_is_not_said_to_be_done(tmp_path: Path) -> None:
    path = f"sqlite:{tmp_path / 'threads.db'}"
    agent = Agent("assistant", model=ScriptedModel(Script([say("Hello!")])))

    async def left() -> str:
        async with Harness(agent, store=path, environ={}) as harness:
            thread = await LocalClient(harness, "tester", About("", ())).open(new=True)
            await thread.say("send", "Hi")
            await until(thread, lambda shown: rests(shown) and shown.activity == "idle")
            return thread.thread

    async def main() -> None:
        id = await left()
        async with Harness(agent, store=path, environ={}, clock=Hasty()) as harness:
            await harness.store.beat("other@", 60)
            assert await harness.store.take(id, "other@")
            thread = await LocalClient(harness, "tester", About("", ())).open(id)
            (point,) = await thread.points()
            asked = await thread.rewind(point.input, files=False, conversation=True)
            assert asked == Restored(done=False)
            words = rewound_words("conversation", asked)
            assert words.startswith("Asked for the rewind.")
            assert "/undo" not in words

    run(main())


def test_files_that_the_agent_may_not_read_are_told_apart(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("KEY=1")
    (tmp_path / "link").symlink_to(".env")
    rules = [FileRule("deny", ("**/.env",)), FileRule("ask", ("**/*.key",), ("read",))]

    async def body(made: LocalClient) -> None:
        thread = await made.open(new=True)
        found = await thread.unreadable([".env", "link", "a.py", "my.key", f"{tmp_path}/.env"])
        assert found == {
            ".env": "deny",
            "link": "deny",
            "my.key": "ask",
            f"{tmp_path}/.env": "deny",
        }

    workspace = Workspace(tmp_path, shell=None, rules=rules)
    work([], tmp_path, body, workspace=workspace)


def test_file_rules_say_where_they_are_from(tmp_path: Path) -> None:
    own = FileRule("deny", ("**/.env",), source="settings.toml")

    async def body(made: LocalClient) -> None:
        rules = await (await made.open(new=True)).file_rules()
        assert [one.source for one in rules if one.paths == ("**/.env",)] == ["settings.toml"]
        assert [one.source for one in rules if ".git" in str(one.paths)] == ["protected places"]

    work([], tmp_path, body, workspace=Workspace(tmp_path, shell=None, rules=[own]))


def test_an_agent_without_a_workspace_has_no_file_rules(tmp_path: Path) -> None:
    async def test() -> None:
        agent = Agent("assistant", model=ScriptedModel(Script([])))
        async with Harness(agent, store=MemoryStore()) as harness:
            thread = await LocalClient(harness, "me", About(str(tmp_path), ())).open(new=True)
            assert await thread.file_rules() == ()
            assert await thread.unreadable(["a.py"]) == {}

    run(test())
