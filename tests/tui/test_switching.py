"""From one thread to another in the whole app: what is left, what is gone, what would end."""

import asyncio
from pathlib import Path

from longrein.client.local import SCOPE
from longrein.storage.memory import MemoryStore
from longrein.testing import say
from longrein.tui.pages.threads import ThreadsPage
from tests.support import run
from tests.tui.apps import User, using
from tests.tui.kit import RESOURCE, client
from tests.tui.working import talked

ANSWERS = [say(f"answer {n}") for n in range(9)]


async def list_threads(person: User) -> ThreadsPage:
    await person.types("/threads", "enter")
    await person.until(lambda: isinstance(person.app.screen, ThreadsPage), "the threads")
    page = person.app.screen
    assert isinstance(page, ThreadsPage)
    await person.until(lambda: page.listed.row, "a row")
    return page


def test_a_thread_that_is_deleted_under_the_app_is_told_and_a_new_one_offered(
    tmp_path: Path,
) -> None:
    async def test() -> None:
        async with client(ANSWERS, tmp_path) as made, using(made) as person:
            await person.types("hello", "enter")
            await person.sees("answer 0")
            gone = person.app.stage.desk.thread
            await made.delete(gone.thread)
            await person.sees("This thread was deleted elsewhere · Enter begins a new one")
            await person.types("more", "enter")
            await person.until(lambda: person.notes, "a word")
            assert person.notes[0].startswith("This thread was deleted elsewhere")
            assert person.app.main.editor.draft.text == "more"
            await person.presses("ctrl+u", "enter")
            await person.misses("Enter begins a new one")
            assert person.app.stage.desk.thread.thread != gone.thread
            await person.types("again", "enter")
            await person.sees("answer 0")

    run(test())


def test_a_thread_that_was_left_is_let_go_of(tmp_path: Path) -> None:
    async def test() -> None:
        store = MemoryStore()
        async with client(ANSWERS, tmp_path, store=store) as made:
            old = await talked(made, "old")
            async with using(made, thread=old.thread) as person:
                await person.types("/new", "enter")
                await person.misses("answer 0")
                async for _ in old.displays():
                    pass  # until there are no more
                owner = await store.owner(old.thread)
                while owner is not None:
                    await asyncio.sleep(0.01)
                    owner = await store.owner(old.thread)

    run(test())


def test_renaming_and_leaving_a_new_thread_without_a_word_leaves_the_last_one_used(
    tmp_path: Path,
) -> None:
    async def test() -> None:
        store = MemoryStore()
        async with client(ANSWERS, tmp_path, store=store) as made:
            await talked(made, "thread A")
            last = await talked(made, "thread B")
            async with using(made, thread=last.thread) as person:
                page = await list_threads(person)
                await person.presses("down", "ctrl+r")
                await person.until(lambda: person.app.screen is not page, "a question")
                await person.types(" renamed", "enter")
                await person.sees("thread A renamed")
                assert await store.current(RESOURCE, SCOPE) == last.thread
                await person.presses("ctrl+n")
                await person.until(lambda: person.app.stage.desk.thread.thread != last.thread)
        assert await store.current(RESOURCE, SCOPE) == last.thread

    run(test())


def test_leaving_asks_first_while_a_command_of_ones_own_runs(tmp_path: Path) -> None:
    async def test() -> None:
        async with client(ANSWERS, tmp_path) as made, using(made) as person:
            await person.types("!echo begun; sleep 60", "enter")
            await person.until(lambda: made.busy, "the command")
            await person.presses("ctrl+q")
            await person.sees("Leave?")
            await person.presses("n")
            await person.misses("Leave?")
            assert made.busy
            await person.presses("escape")
            await person.until(lambda: not made.busy, "its end")

    run(test())
