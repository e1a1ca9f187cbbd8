"""The page to go back with: points, what would happen, and doing it."""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import pytest

from longrein.client.local import LocalClient
from longrein.client.port import ThreadClient
from longrein.core.commands import SetTrust
from longrein.core.errors import StoreError
from longrein.core.messages import Note, ToolResult
from longrein.core.rewinds import RewindPreview
from longrein.models.base import Request
from longrein.testing import Reply, call, say
from longrein.tui.pages.rewind import RewindPage, Rewound
from tests.support import run
from tests.tui.apps import using
from tests.tui.host import Host, Person, shown
from tests.tui.kit import client
from tests.tui.screens import lines
from tests.tui.working import settled


def says(request: Request) -> Reply:
    """Write the file that the person names, then say so."""
    if isinstance(request.messages[-1], ToolResult):
        return say("Written.")
    name = request.messages[-1].text.split()[-1]
    return call("write_file", path=name, content=f"text of {name}\n")


def now() -> int:
    return time.time_ns() // 1_000


async def wrote(made: LocalClient, *names: str) -> ThreadClient:
    thread = await made.open(new=True)
    await thread.submit(SetTrust("edits"))
    for name in names:
        await thread.say("send", f"Write {name}")
        await settled(thread)
    return thread


def text(app: Host) -> str:
    return "\n".join(lines(app))


async def choose_newest(page: RewindPage, app: Host, person: Person[Host]) -> None:
    """Go to the ways of going back to before what was said last."""
    await person.until(lambda: page.listed.row)
    await person.presses("enter")
    await person.until(lambda: "Go back in both" in text(app))


@pytest.mark.parametrize("size", [(80, 24), (200, 60)])
def test_points_are_listed_with_what_going_back_would_do(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    async def main() -> None:
        async with client(says, tmp_path) as made:
            thread = await wrote(made, "a.txt", "b.txt")
            async with shown(RewindPage(thread, now, str(tmp_path)), size) as (app, person):
                await person.until(lambda: "4 messages would go" in text(app))
                assert "› Write b.txt" in text(app)
                assert "files changed" in text(app)
                assert "removed  b.txt" in text(app)
                await person.presses("down")
                await person.until(lambda: "8 messages would go" in text(app))

    run(main())


def test_both_go_back_and_what_was_said_is_given_back(tmp_path: Path) -> None:
    async def main() -> None:
        async with client(says, tmp_path) as made:
            thread = await wrote(made, "a.txt", "b.txt")
            page = RewindPage(thread, now, str(tmp_path))
            async with shown(page) as (app, person):
                await choose_newest(page, app, person)
                await person.presses("b")
                await person.until(lambda: app.result)
                words = "Rewound: 1 removed. /undo takes it back."
                assert app.result == [Rewound(words, "Write b.txt")]
                assert not (tmp_path / "b.txt").exists()
                assert len(thread.display.messages) == 4
                await thread.undo()
                assert (tmp_path / "b.txt").exists()

    run(main())


def test_only_the_conversation_goes_back(tmp_path: Path) -> None:
    async def main() -> None:
        async with client(says, tmp_path) as made:
            thread = await wrote(made, "a.txt")
            page = RewindPage(thread, now, str(tmp_path))
            async with shown(page) as (app, person):
                await choose_newest(page, app, person)
                await person.presses("down", "enter")
                await person.until(lambda: app.result)
                assert app.result[0].text == "Write a.txt"
                assert (tmp_path / "a.txt").exists()

    run(main())


def test_only_files_go_back_and_nothing_returns_to_the_editor(tmp_path: Path) -> None:
    async def main() -> None:
        async with client(says, tmp_path) as made:
            thread = await wrote(made, "a.txt")
            page = RewindPage(thread, now, str(tmp_path))
            async with shown(page) as (app, person):
                await choose_newest(page, app, person)
                await person.presses("f")
                await person.until(lambda: app.result)
                assert app.result[0].text == ""
                assert len(thread.display.messages) >= 4

    run(main())


@pytest.mark.parametrize("overwrite", [False, True])
def test_what_others_changed_is_kept_unless_it_is_chosen(tmp_path: Path, overwrite: bool) -> None:
    async def main() -> None:
        async with client(says, tmp_path) as made:
            thread = await wrote(made, "a.txt")
            (tmp_path / "a.txt").write_text("mine", encoding="utf-8")
            page = RewindPage(thread, now, str(tmp_path))
            async with shown(page) as (app, person):
                await person.until(lambda: page.listed.row)
                await person.presses("enter")
                await person.until(lambda: "Changed by others, and kept" in text(app))
                if overwrite:
                    await person.presses("tab", "space")
                    await person.until(lambda: "will be removed" in text(app))
                    assert "kept" not in text(app).partition("Changed by others")[0]
                await person.presses("b")
                await person.until(lambda: app.result)
                assert (tmp_path / "a.txt").exists() != overwrite

    run(main())


def test_esc_goes_back_to_the_points_and_changes_nothing(tmp_path: Path) -> None:
    async def main() -> None:
        async with client(says, tmp_path) as made:
            thread = await wrote(made, "a.txt")
            page = RewindPage(thread, now, str(tmp_path))
            async with shown(page, (40, 10)) as (app, person):
                await person.until(lambda: page.listed.row)
                await person.presses("enter")
                await person.until(lambda: app.screen is not page)
                await person.presses("escape")
                await person.until(lambda: app.screen is page)
                await person.presses("escape")
                await person.until(lambda: app.result)
                assert app.result == [None]
                assert len(thread.display.messages) == 4

    run(main())


def test_a_thread_in_which_nothing_was_said_says_so(tmp_path: Path) -> None:
    async def main() -> None:
        async with client(says, tmp_path) as made:
            thread = await made.open(new=True)
            async with shown(RewindPage(thread, now, str(tmp_path))) as (app, person):
                await person.until(lambda: "Nothing was said here yet" in text(app))

    run(main())


def test_another_way_is_gone_in_a_thread_of_its_own(tmp_path: Path) -> None:
    async def main() -> None:
        async with client(says, tmp_path) as made:
            thread = await wrote(made, "a.txt")
            before = [one.text for one in thread.display.messages]
            async with using(made, thread=thread.thread) as person:
                await person.types("/rewind ", "enter")
                await person.until(lambda: "Enter" in person.screen and "would go" in person.screen)
                await person.presses("enter")
                await person.until(lambda: "In a thread of its own" in person.screen)
                await person.presses("t")
                await person.until(lambda: "This is the fork" in person.screen)
                fork = person.app.stage.desk.thread
                assert fork.thread != thread.thread
                assert all(isinstance(one, Note) for one in fork.display.messages)
                assert person.app.main.editor.draft.text == "Write a.txt"
            assert [one.text for one in thread.display.messages] == before
            assert (tmp_path / "a.txt").exists()

    run(main())


class Lost:
    """A thread of which nobody can say what would become of files that are overwritten."""

    def __init__(self, thread: ThreadClient) -> None:
        self._thread = thread

    def __getattr__(self, name: str) -> Any:
        return getattr(self._thread, name)

    async def preview(self, point: str, overwrite: Sequence[str] = ()) -> RewindPreview:
        if overwrite:
            raise StoreError("It is gone.")
        return await self._thread.preview(point)


def test_what_is_not_to_be_kept_is_shown_so_whatever_becomes_of_the_preview(tmp_path: Path) -> None:
    async def main() -> None:
        async with client(says, tmp_path) as made:
            thread = await wrote(made, "a.txt")
            (tmp_path / "a.txt").write_text("mine", encoding="utf-8")
            page = RewindPage(cast("ThreadClient", Lost(thread)), now, str(tmp_path))
            async with shown(page) as (app, person):
                await choose_newest(page, app, person)
                await person.presses("tab", "space")
                await person.until(lambda: "● a.txt  will be overwritten" in text(app))
                assert "kept" not in text(app).partition("Changed by others")[0]

    run(main())
