"""Which thread is the last one used, which are listed, and which are let go of."""

import asyncio
import os
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any

from longrein.capabilities.custom_commands.capability import CustomCommands
from longrein.client.local import SCOPE, LocalClient
from longrein.client.port import About
from longrein.core.commands import Rename, SetTrust
from longrein.harness import Harness
from longrein.loop.agent import Agent
from longrein.storage.memory import MemoryStore
from longrein.testing import Reply, call, pause, reply, say
from longrein.testing.scripted import Script, ScriptedModel
from tests.support import run
from tests.tui.kit import RESOURCE, client
from tests.tui.working import settled, talked

ANSWERS = [say(f"answer {n}") for n in range(9)]


def work(
    folder: Path,
    body: Callable[[LocalClient, MemoryStore], Coroutine[Any, Any, None]],
    says: Sequence[Reply] | ScriptedModel = ANSWERS,
    **more: Any,
) -> None:
    async def test() -> None:
        store = MemoryStore()
        async with client(says, folder, store=store, **more) as made:
            await body(made, store)

    run(test())


async def live(store: MemoryStore, *threads: str) -> list[bool]:
    """Which of the threads somebody has."""
    return [await store.owner(thread) is not None for thread in threads]


def test_a_command_that_says_something_makes_a_new_thread_the_last_one_used(tmp_path: Path) -> None:
    (tmp_path / "commands").mkdir()
    (tmp_path / "commands" / "greet.md").write_text("Say hello\n")

    async def body(made: LocalClient, store: MemoryStore) -> None:
        await talked(made, "old")
        new = await made.open(new=True)
        await new.invoke("greet")
        assert await store.current(RESOURCE, SCOPE) == new.thread

    work(tmp_path, body, capabilities=[CustomCommands([tmp_path / "commands"])])


def test_a_command_that_only_shows_something_does_not(tmp_path: Path) -> None:
    async def body(made: LocalClient, store: MemoryStore) -> None:
        old = await talked(made, "old")
        new = await made.open(new=True)
        shows = next(one.name for one in await new.commands() if one.name == "changes")
        await new.invoke(shows)
        assert await store.current(RESOURCE, SCOPE) == old.thread

    work(tmp_path, body)


def test_going_on_in_a_thread_makes_it_the_last_one_used(tmp_path: Path) -> None:
    async def body(made: LocalClient, store: MemoryStore) -> None:
        old = await talked(made, "old")
        new = await talked(made, "new")
        assert await store.current(RESOURCE, SCOPE) == new.thread
        await old.proceed()
        assert await store.current(RESOURCE, SCOPE) == old.thread

    work(tmp_path, body)


def test_the_last_one_used_is_the_one_in_which_something_was_said_last(tmp_path: Path) -> None:
    async def body(made: LocalClient, store: MemoryStore) -> None:
        old = await talked(made, "old")
        new = await talked(made, "new")
        opened = await made.open(old.thread)
        await opened.submit(SetTrust("edits"))
        assert await store.current(RESOURCE, SCOPE) == new.thread
        await opened.say("send", "again")
        assert await store.current(RESOURCE, SCOPE) == old.thread

    work(tmp_path, body)


def test_a_new_thread_that_is_opened_and_left_changes_nothing(tmp_path: Path) -> None:
    async def test() -> None:
        store = MemoryStore()
        async with client(ANSWERS, tmp_path, store=store) as made:
            old = await talked(made, "old")
            await made.open((await made.open(new=True)).thread)
        assert await store.current(RESOURCE, SCOPE) == old.thread
        assert [row.id for row in await store.threads(RESOURCE)] == [old.thread]

    run(test())


def test_a_thread_is_renamed_without_being_opened(tmp_path: Path) -> None:
    prepared: list[str] = []

    async def prepare(session: Any) -> None:
        prepared.append(session.thread)

    async def test() -> None:
        store = MemoryStore()
        agent = Agent("assistant", model=ScriptedModel(Script(list(ANSWERS))))
        async with client(ANSWERS, tmp_path, store=store) as before:
            old = await talked(before, "old")
            new = await talked(before, "new")
            about = before.about
        async with Harness(agent, store=store) as harness:
            made = LocalClient(harness, RESOURCE, about, prepare=prepare)
            await made.rename(old.thread, "older")
            assert [row.title for row in await made.threads()] == ["older", "new"]
            assert await store.current(RESOURCE, SCOPE) == new.thread
            assert not prepared
            assert not harness.sessions

    run(test())


def test_the_thread_that_is_open_stays_open_when_it_is_renamed(tmp_path: Path) -> None:
    async def body(made: LocalClient, store: MemoryStore) -> None:
        thread = await talked(made, "old")
        await made.rename(thread.thread, "older")
        assert thread.display.title == "older"
        await thread.say("send", "again")

    work(tmp_path, body)


def test_threads_without_a_word_leave_no_gap_in_the_pages(tmp_path: Path) -> None:
    async def body(made: LocalClient, store: MemoryStore) -> None:
        for number in range(7):
            await (await made.open(new=True)).submit(Rename(f"thread {number}"))
            await made.open(new=True)
        first = await made.threads(limit=3)
        second = await made.threads(after=first[-1], limit=3)
        third = await made.threads(after=second[-1], limit=3)
        pages = [[row.title[-1] for row in page] for page in (first, second, third)]
        assert pages == [["6", "5", "4"], ["3", "2", "1"], ["0"]]

    work(tmp_path, body)


def test_a_command_of_the_persons_own_keeps_the_client_busy(tmp_path: Path) -> None:
    async def body(made: LocalClient, store: MemoryStore) -> None:
        thread = await made.open(new=True)
        begun = asyncio.Event()
        task = asyncio.create_task(
            thread.shell("echo begun; sleep 60", lambda text: begun.set() if text else None)
        )
        await begun.wait()
        assert made.busy
        task.cancel()
        await asyncio.wait([task])
        assert not made.busy

    work(tmp_path, body)


def test_threads_at_rest_are_let_go_of(tmp_path: Path) -> None:
    async def body(made: LocalClient, store: MemoryStore) -> None:
        old, new = await talked(made, "old"), await talked(made, "new")
        assert await live(store, old.thread, new.thread) == [True, True]
        await made.let_go(new.thread)
        assert await live(store, old.thread, new.thread) == [False, True]
        again = await made.open(old.thread)
        assert again.display.messages

    work(tmp_path, body)


def test_what_runs_behind_the_thread_that_is_shown_goes_on(tmp_path: Path) -> None:
    model = ScriptedModel(Script([reply(pause(), say("done"))]))

    async def body(made: LocalClient, store: MemoryStore) -> None:
        runs = await made.open(new=True)
        await runs.say("send", "go")
        new = await made.open(new=True)
        await made.let_go(new.thread)
        assert await live(store, runs.thread) == [True]
        model.release()
        assert (await settled(runs)).messages[-1].text == "done"
        await made.let_go(new.thread)
        assert await live(store, runs.thread) == [False]

    work(tmp_path, body, model)


def test_a_thread_with_a_command_in_the_background_is_kept(tmp_path: Path) -> None:
    async def body(made: LocalClient, store: MemoryStore) -> None:
        serves = await made.open(new=True)
        await serves.submit(SetTrust("yolo"))
        await serves.say("send", "serve")
        await settled(serves)
        await made.let_go((await made.open(new=True)).thread)
        assert await live(store, serves.thread) == [True]

    work(tmp_path, body, [call("execute", command="sleep 60", background=True), say("done")])


def test_a_thread_whose_title_is_being_made_is_kept_until_it_is(tmp_path: Path) -> None:
    async def test() -> None:
        agent = Agent("assistant", model=ScriptedModel(Script(ANSWERS)))
        titles = ScriptedModel(Script([], otherwise=reply(pause(), say("Greetings"))))
        store = MemoryStore()
        async with Harness(agent, store=store, environ={}, titles=titles) as harness:
            made = LocalClient(harness, RESOURCE, About(str(tmp_path), ()))
            old = await talked(made, "Hi")
            await settled(old, lambda _: titles.open)
            new = await made.open(new=True)
            await made.let_go(new.thread)
            titles.release()
            await settled(old, lambda shown: shown.title == "Greetings")
            while await live(store, old.thread) == [True]:
                await made.let_go(new.thread)
                await asyncio.sleep(0.01)
            await made.close()

    run(test())


def test_what_came_of_a_persons_command_is_told_where_it_was_given(tmp_path: Path) -> None:
    async def body(made: LocalClient, store: MemoryStore) -> None:
        thread = await talked(made, "old")
        begun = asyncio.Event()
        os.mkfifo(tmp_path / "go")
        task = asyncio.create_task(thread.shell("echo a; cat go", lambda _: begun.set()))
        await begun.wait()
        await made.let_go((await made.open(new=True)).thread)
        await asyncio.to_thread((tmp_path / "go").write_text, "")
        assert await task == 0
        assert "echo a" in thread.display.queue[0].text

    work(tmp_path, body)


def test_a_thread_that_another_process_deleted_comes_to_its_end(tmp_path: Path) -> None:
    store = f"sqlite:{tmp_path}/store.db"

    async def test() -> None:
        async with (
            client(ANSWERS, tmp_path, store=store) as made,
            client(ANSWERS, tmp_path, store=store) as other,
        ):
            thread = await talked(made, "old")
            displays = thread.displays()
            await anext(displays)
            await other.delete(thread.thread)
            await thread.owner()
            assert [shown async for shown in displays] == []

    run(test())
