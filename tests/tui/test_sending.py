"""What is sent from the editor: in the order of Enter, with the pictures that belong to it."""

import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from longrein.client.files import LARGEST
from longrein.core.messages import File, User
from longrein.testing import pause, say
from tests.support import run
from tests.tui.apps import User as Person
from tests.tui.apps import using
from tests.tui.kit import client

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 100
LARGE = PNG + b"\0" * 8_000_000


@asynccontextmanager
async def writing(folder: Path) -> AsyncGenerator[Person, None]:
    """Somebody before the app in a folder with pictures; the first answer takes for ever."""
    (folder / "cat.png").write_bytes(PNG)
    (folder / "large.png").write_bytes(LARGE)
    async with client([pause(60), say("Yes.")], folder) as made, using(made) as user:
        yield user


def said(user: Person) -> list[str]:
    """All that was said, the oldest first, whether it is before the model or waits."""
    shown = user.app.stage.desk.thread.display
    before = [one.text for one in shown.messages if isinstance(one, User)]
    return [*before, *(one.text for one in shown.queue)]


def queued_files(user: Person) -> list[str]:
    (waiting,) = user.app.stage.desk.thread.display.queue
    return [part.name for part in waiting.parts if isinstance(part, File)]


async def edits_queued(user: Person, written: str, seen: str) -> None:
    """Queue something while the agent works, and begin to edit it."""
    await user.types("work\r")
    await user.types(written, "alt+enter")
    await user.sees(f"1 {seen}")
    await user.presses("up", "enter")


def test_messages_arrive_in_the_order_of_enter_whatever_pictures_take(tmp_path: Path) -> None:
    async def body() -> None:
        async with writing(tmp_path) as user:
            await user.types("see @large.png \rthen this\r/rename Cats\rat last\r")
            await user.until(lambda: len(said(user)) == 3, "three messages")
            assert said(user) == ["see [image: large.png] ", "then this", "at last"]

    run(body())


def test_a_pasted_picture_goes_along_however_soon_enter_follows(tmp_path: Path) -> None:
    async def body() -> None:
        async with writing(tmp_path) as user:
            await user.types(f"see \x1b[200~{tmp_path}/large.png\x1b[201~ now\rand this\r")
            await user.until(lambda: len(said(user)) == 2, "two messages")
            assert said(user) == ["see [image: large.png] now", "and this"]
            assert user.app.main.editor.draft.text == ""

    run(body())


def test_a_picture_that_is_too_large_is_told_and_nothing_is_lost(tmp_path: Path) -> None:
    async def body() -> None:
        async with writing(tmp_path) as user:
            os.truncate(tmp_path / "large.png", LARGEST + 1)
            await user.types("see @large.png ", "enter")
            await user.until(lambda: user.notes, "a note")
            assert "too large to send along" in user.notes[0]
            assert user.app.main.editor.draft.text == "see @large.png "
            assert said(user) == []

    run(body())


def test_a_queued_message_keeps_its_picture_and_gets_another(tmp_path: Path) -> None:
    async def body() -> None:
        async with writing(tmp_path) as user:
            await edits_queued(user, "see @cat.png ", "see [image: cat.png]")
            await user.types("and @large.png ")
            await user.pastes("line\n" * 30)
            await user.presses("enter")
            await user.until(lambda: len(queued_files(user)) == 2, "a second picture")
            assert queued_files(user) == ["cat.png", "large.png"]
            words = "see [image: cat.png] and [image: large.png] "
            assert said(user)[-1] == words + "line\n" * 30

    run(body())


def test_a_second_picture_of_the_same_name_has_a_mark_of_its_own(tmp_path: Path) -> None:
    async def body() -> None:
        async with writing(tmp_path) as user:
            await edits_queued(user, "see @cat.png ", "see [image: cat.png]")
            await user.pastes(f"{tmp_path}/cat.png")
            await user.sees("[image: cat.png 2]")
            await user.presses("backspace", "enter")
            await user.until(lambda: not user.app.main.editor.revising, "the end of it")
            assert queued_files(user) == ["cat.png"]

    run(body())


def test_an_edit_that_cannot_be_made_is_put_back(tmp_path: Path) -> None:
    async def body() -> None:
        async with writing(tmp_path) as user:
            await edits_queued(user, "later", "later")
            await user.types(" with @huge.png ")
            (tmp_path / "huge.png").touch()
            os.truncate(tmp_path / "huge.png", LARGEST + 1)
            await user.presses("enter")
            await user.until(lambda: user.notes, "a note")
            assert user.app.main.editor.draft.text == "later with @huge.png "
            assert said(user)[-1] == "later"

    run(body())
