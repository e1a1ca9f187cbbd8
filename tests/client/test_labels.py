"""Titles and tags of threads that are not open: written, and nothing goes on for that."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from longrein.client.local import LocalClient
from longrein.core import events as e
from longrein.core.codec import decode_event
from longrein.core.commands import Approve
from longrein.models.base import Request
from longrein.storage.sqlite import SqliteStore
from longrein.testing import Reply, call, pause, say
from longrein.tools.define import tool
from tests.support import run
from tests.tui.kit import client
from tests.tui.working import settled, talked

Label = Callable[[LocalClient, str], Awaitable[None]]

LABELS: list[tuple[Label, type[e.Event]]] = [
    (lambda made, thread: made.rename(thread, "Another"), e.ThreadRenamed),
    (lambda made, thread: made.tag(thread, ["one"]), e.ThreadTagged),
]


@pytest.mark.parametrize(("label", "kind"), LABELS)
def test_a_call_that_a_grant_covers_by_now_stays_where_it_is(
    label: Label, kind: type[e.Event], tmp_path: Path
) -> None:
    ran: list[str] = []

    @tool(category="execute")
    def deploy(target: str) -> str:
        """Deploy."""
        ran.append(target)
        return "done"

    async def test() -> None:
        store = SqliteStore(str(tmp_path / "store.db"))
        async with client([call("deploy", target="A")], tmp_path, store=store, tools=[deploy]) as a:
            left = await a.open(new=True)
            await left.say("send", "go")
            await settled(left, lambda shown: shown.approvals)
        before = await kinds(store, left.thread)
        says = [call("deploy", target="B"), say("done")]
        async with client(says, tmp_path, store=store, tools=[deploy]) as b:
            other = await b.open(new=True)
            await other.say("send", "go")
            (approval,) = (await settled(other, lambda shown: shown.approvals)).approvals
            await other.submit(Approve(approval.id, remember="tool", scope="resource"))
            await settled(other)
            await label(b, left.thread)
            assert (await kinds(store, left.thread))[len(before) :] == [e.Opened, kind]
            assert await b.owner(left.thread) == "nobody"
            assert (await b.open(left.thread)).display.approvals
        assert ran == ["B"]
        await store.close()

    run(test())


@pytest.mark.parametrize(("label", "kind"), LABELS)
def test_a_run_that_was_left_in_the_middle_stays_where_it_is(
    label: Label, kind: type[e.Event], tmp_path: Path
) -> None:
    asked: list[Request] = []

    def answer(request: Request) -> Reply:
        asked.append(request)
        return say("done")

    async def test() -> None:
        store = SqliteStore(str(tmp_path / "store.db"))
        async with client([pause(60)], tmp_path, store=store) as a:
            left = await a.open(new=True)
            await left.say("send", "go")
        before = await kinds(store, left.thread)
        async with client(answer, tmp_path, store=store) as b:
            await label(b, left.thread)
            assert (await kinds(store, left.thread))[len(before) :] == [e.Opened, kind]
            assert not asked
            again = await b.open(left.thread)
            await again.resume()
            assert (await settled(again)).messages[-1].text == "done"
        await store.close()

    run(test())


def test_another_process_that_has_the_thread_writes_its_title(tmp_path: Path) -> None:
    async def test() -> None:
        name = f"sqlite:{tmp_path}/store.db"
        async with (
            client([say("Hello.")], tmp_path, store=name) as owner,
            client([], tmp_path, store=name) as made,
        ):
            thread = await owner.open(new=True)
            await thread.say("send", "Hi")
            await settled(thread)
            await made.rename(thread.thread, "Another")
            assert thread.display.title == "Another"
            assert await owner.owner(thread.thread) == "here"

    run(test())


def test_a_thread_that_is_open_stays_so(tmp_path: Path) -> None:
    async def test() -> None:
        async with client([say("Hello."), say("Again.")], tmp_path) as made:
            thread = await made.open(new=True)
            await thread.say("send", "Hi")
            await settled(thread)
            await asyncio.gather(made.rename(thread.thread, "One"), made.tag(thread.thread, ["a"]))
            assert (thread.display.title, thread.display.tags) == ("One", ("a",))
            await thread.say("send", "More")
            assert (await settled(thread)).messages[-1].text == "Again."

    run(test())


async def kinds(store: SqliteStore, thread: str) -> list[type[e.Event]]:
    """What the log of a thread is made of."""
    return [type(decode_event(stored.data)) for stored in await store.read(thread, 0, 1000)]


@pytest.mark.parametrize(("label", "kind"), LABELS)
@pytest.mark.parametrize("shown", [True, False])
def test_a_label_does_not_make_a_thread_the_last_used(
    label: Label, kind: type[e.Event], shown: bool, tmp_path: Path
) -> None:
    async def test() -> None:
        store = SqliteStore(str(tmp_path / "store.db"))
        async with client([say("ok")], tmp_path, store=store) as made:
            old = await talked(made, "old")
        async with client([say("ok")], tmp_path, store=store) as made:
            new = await talked(made, "new")
            if shown:
                await made.open(old.thread)
            before = await made.threads()
            await label(made, old.thread)
            after = await made.threads()
            assert [row.id for row in after] == [new.thread, old.thread]
            assert [row.updated for row in after] == [row.updated for row in before]
            assert (after[1].title, after[1].tags) != (before[1].title, before[1].tags)
        await store.close()

    run(test())


def test_after_a_rewind_the_list_has_the_new_first_words(tmp_path: Path) -> None:
    async def test() -> None:
        async with client([say("ok")] * 2, tmp_path) as made:
            thread = await talked(made, "the first words")
            (point,) = await thread.points()
            await thread.rewind(point.input, files=False, conversation=True)
            await thread.say("send", "others")
            await settled(thread)
            assert [row.title for row in await made.threads()] == ["others"]

    run(test())
