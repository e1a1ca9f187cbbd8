"""The page of threads: finding, opening, renaming, forking, deleting."""

import time
from pathlib import Path

import pytest

from longrein.client.figures import SECOND
from longrein.core.commands import Tag
from longrein.models.base import Request
from longrein.storage.base import ThreadRow
from longrein.testing import Reply, say
from longrein.tui.pages.threads import ThreadsPage
from longrein.tui.view.threads import thread_row
from tests.support import run
from tests.tui.host import shown
from tests.tui.kit import client
from tests.tui.screens import lines
from tests.tui.working import talked


def says(request: Request) -> Reply:
    return say("The secret word is marmalade.")


def now() -> int:
    return time.time_ns() // 1_000


def text(app: object) -> str:
    return "\n".join(lines(app))  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    ("status", "owner", "words"),
    [
        ("idle", "nobody", ""),
        ("waiting", "nobody", "waits for you"),
        ("running", "here", "running"),
        ("running", "elsewhere", "running elsewhere"),
        ("running", "nobody", "stopped in the middle"),
    ],
)
def test_how_a_thread_stands_is_said_in_words(status: str, owner: str, words: str) -> None:
    row = ThreadRow("thr_1", "me", "Bread", status, updated=0)  # pyright: ignore[reportArgumentType]
    drawn = thread_row(row, owner, "", 7_200 * SECOND)  # pyright: ignore[reportArgumentType]
    assert drawn.cells[:2] == (words, "2 h ago")


def test_threads_are_listed_the_newest_first_and_enter_opens_one(tmp_path: Path) -> None:
    async def main() -> None:
        async with client(says, tmp_path) as made:
            old = await talked(made, "Why is the build slow?")
            new = await talked(made, "Fix the parser")
            await new.submit(Tag(("urgent",)))
            page = ThreadsPage(made, new.thread, now)
            async with shown(page) as (app, person):
                await person.until(lambda: "Fix the parser" in text(app))
                seen = text(app)
                assert seen.index("Fix the parser") < seen.index("Why is the build slow?")
                assert "✓ Fix the parser  #urgent" in seen
                assert "just now" in seen
                await person.presses("down", "enter")
                await person.until(lambda: app.result)
                assert app.result == [old.thread]

    run(main())


def test_words_that_were_said_in_a_thread_find_it(tmp_path: Path) -> None:
    async def main() -> None:
        async with client(says, tmp_path, store=f"sqlite:{tmp_path}/store.db") as made:
            thread = await talked(made, "Tell me a word")
            page = ThreadsPage(made, "", now)
            async with shown(page) as (app, person):
                await person.until(lambda: page.listed.row)
                await person.presses(*"marmalade")
                await person.until(lambda: "Said in" in text(app))
                await person.presses("enter")
                await person.until(lambda: app.result)
                assert app.result == [thread.thread]

    run(main())


def test_a_thread_is_renamed(tmp_path: Path) -> None:
    async def main() -> None:
        async with client(says, tmp_path) as made:
            thread = await talked(made, "Bread")
            page = ThreadsPage(made, "", now)
            async with shown(page) as (app, person):
                await person.until(lambda: page.listed.row)
                await person.presses("ctrl+r")
                await person.until(lambda: app.screen is not page)
                await person.presses(*" rolls", "enter")
                await person.until(lambda: "Bread rolls" in text(app) and app.screen is page)
                assert thread.display.title == "Bread rolls"

    run(main())


def test_a_thread_is_deleted_only_after_a_yes(tmp_path: Path) -> None:
    async def main() -> None:
        async with client(says, tmp_path) as made:
            await talked(made, "Bread")
            page = ThreadsPage(made, "", now)
            async with shown(page) as (app, person):
                await person.until(lambda: page.listed.row)
                await person.presses("ctrl+x")
                await person.until(lambda: "Delete this thread?" in text(app))
                await person.presses("escape")
                await person.until(lambda: app.screen is page)
                assert len(await made.threads()) == 1
                assert "Ctrl with N new" in text(app)
                await person.presses("tab")
                await person.until(lambda: "Enter open · N new, R rename" in text(app))
                await person.presses("x")
                await person.until(lambda: "Delete this thread?" in text(app))
                await person.presses("d")
                await person.until(lambda: "There are no threads here yet" in text(app))
                assert not await made.threads()

    run(main())


def test_the_open_thread_is_not_deleted(tmp_path: Path) -> None:
    async def main() -> None:
        async with client(says, tmp_path) as made:
            thread = await talked(made, "Bread")
            page = ThreadsPage(made, thread.thread, now)
            async with shown(page) as (_, person):
                await person.until(lambda: page.listed.row)
                await person.presses("ctrl+x")
                await person.until(lambda: person.notes)
                assert "Open another one first" in person.notes[0]

    run(main())


@pytest.mark.parametrize("key", ["ctrl+n", "ctrl+f"])
def test_a_new_thread_or_a_fork_is_opened(tmp_path: Path, key: str) -> None:
    async def main() -> None:
        async with client(says, tmp_path) as made:
            thread = await talked(made, "Bread")
            page = ThreadsPage(made, thread.thread, now)
            async with shown(page) as (app, person):
                await person.until(lambda: page.listed.row)
                await person.presses(key)
                await person.until(lambda: app.result)
                opened = await made.open(app.result[0])
                assert opened.thread != thread.thread
                assert bool(opened.display.messages) == (key == "ctrl+f")

    run(main())


@pytest.mark.parametrize("size", [(40, 10), (80, 24), (200, 60)])
def test_a_hostile_title_is_shown_as_what_it_is(tmp_path: Path, size: tuple[int, int]) -> None:
    async def main() -> None:
        async with client(says, tmp_path) as made:
            await talked(made, "\x1b]52;c;x\x07 \u202eevil")
            page = ThreadsPage(made, "", now)
            async with shown(page, size) as (app, person):
                await person.until(lambda: page.listed.row)
                await person.settles()
                seen = text(app)
                assert "\\x1b]52;c;x\\x07" in seen
                assert not any(sign in seen for sign in "\x1b\x07\u202e")

    run(main())


def test_tags_are_changed_and_found(tmp_path: Path) -> None:
    async def main() -> None:
        async with client(says, tmp_path) as made:
            old = await talked(made, "Why is the build slow?")
            await old.submit(Tag(("slow",)))
            new = await talked(made, "Fix the parser")
            page = ThreadsPage(made, new.thread, now)
            async with shown(page) as (app, person):
                await person.until(lambda: "#slow" in text(app))
                await person.presses(*"slow", "ctrl+t")
                await person.until(lambda: "with blanks between them" in text(app))
                await person.types(" #later slow", "enter")
                await person.until(lambda: "#slow #later" in text(app))
            rows = {row.id: row.tags for row in await made.threads()}
            assert rows == {old.thread: ("slow", "later"), new.thread: ()}

    run(main())
