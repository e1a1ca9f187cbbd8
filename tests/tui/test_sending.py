"""What is sent from the editor: in the order of Enter, with the pictures that belong to it."""

import asyncio
import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from longrein.capabilities.base import Capability
from longrein.capabilities.contexts import CommandContext, SlashCommand
from longrein.client.files import LARGEST
from longrein.core.messages import File, User
from longrein.testing import pause, say
from longrein.tui.widgets.offer import Offer
from longrein.tui.widgets.unsent import Unsent
from longrein.tui.writing.draft import Draft
from tests.support import run
from tests.tui.apps import User as Person
from tests.tui.apps import using
from tests.tui.host import Host, before
from tests.tui.kit import client
from tests.tui.working import drafts

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 100
LARGE = PNG + b"\0" * 8_000_000


@asynccontextmanager
async def writing(folder: Path) -> AsyncGenerator[Person, None]:
    """Somebody before the app in a folder with pictures; the first answer takes for ever."""
    (folder / "cat.png").write_bytes(PNG)
    (folder / "large.png").write_bytes(LARGE)
    async with client([pause(60), say("Yes.")], folder) as made, using(made) as user:
        yield user


class Slow(Capability):
    """Brings `/slow`, which ends when somebody lets it."""

    def __init__(self) -> None:
        self.end = asyncio.Event()

    @property
    def name(self) -> str:
        return "slow"

    def commands(self) -> tuple[SlashCommand, ...]:
        async def slow(ctx: CommandContext, arguments: str) -> str:
            await self.end.wait()
            return ""

        return (SlashCommand("slow", "Takes its time.", slow),)


def said(user: Person) -> list[str]:
    """All that was said, the oldest first, whether it is before the model or waits."""
    shown = user.app.stage.desk.thread.display
    before = [one.text for one in shown.messages if isinstance(one, User)]
    return [*before, *(one.text for one in shown.queue)]


def queued_files(user: Person) -> list[str]:
    (waiting,) = user.app.stage.desk.thread.display.queue
    return [part.name for part in waiting.parts if isinstance(part, File)]


def queued_blobs(user: Person) -> list[str]:
    (waiting,) = user.app.stage.desk.thread.display.queue
    return [part.blob for part in waiting.parts if isinstance(part, File)]


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


def test_deleting_the_mark_of_a_picture_in_a_queued_message_removes_the_picture(
    tmp_path: Path,
) -> None:
    async def body() -> None:
        async with writing(tmp_path) as user:
            await edits_queued(user, "see @cat.png ", "see [image: cat.png]")
            await user.presses("backspace", "backspace")
            await user.types("nothing\r")
            await user.until(lambda: said(user)[-1] == "see nothing", "the change")
            assert queued_files(user) == []

    run(body())


def test_of_two_pictures_with_one_name_the_one_whose_mark_is_deleted_goes(tmp_path: Path) -> None:
    async def body() -> None:
        (tmp_path / "other").mkdir()
        (tmp_path / "other" / "cat.png").write_bytes(LARGE)
        async with writing(tmp_path) as user:
            await edits_queued(user, "@cat.png @other/cat.png ", "[image: cat.png] [image: cat.png")
            (first, second) = queued_blobs(user)
            await user.presses("home", "delete", "enter")
            await user.until(lambda: queued_blobs(user) == [second], "the change")
            await user.presses("up", "enter", "backspace", "backspace")
            await user.types("none\r")
            await user.until(lambda: said(user)[-1].strip() == "none", "the change")
            assert queued_blobs(user) == []
            assert first != second

    run(body())


def test_a_message_that_went_on_while_it_was_edited_is_sent_anew_with_its_picture(
    tmp_path: Path,
) -> None:
    async def body() -> None:
        async with writing(tmp_path) as user:
            await edits_queued(user, "see @cat.png ", "see [image: cat.png]")
            desk = user.app.stage.desk
            (waiting,) = desk.thread.display.queue
            await desk.remove_queued(waiting.id)
            await user.until(lambda: not user.app.main.editor.revising, "that it is gone")
            await user.types("again", "alt+enter")
            await user.until(lambda: said(user)[-1] == "see [image: cat.png] again", "it anew")
            assert queued_files(user) == ["cat.png"]

    run(body())


def test_a_message_behind_a_slow_command_is_seen_at_once_and_sent_when_that_ends(
    tmp_path: Path,
) -> None:
    async def body() -> None:
        slow = Slow()
        made = client([say("Yes."), say("No.")], tmp_path, capabilities=(slow,))
        async with made as local, using(local) as user:
            await user.types("/slow\r")
            await user.types("hello there\rand you\r")
            await user.sees("│ and you  waits to be sent")
            assert "│ hello there  waits to be sent" in user.screen
            assert said(user) == []
            slow.end.set()
            await user.until(lambda: said(user) == ["hello there", "and you"], "both")
            await user.misses("waits to be sent")

    run(body())


def test_what_waits_to_be_sent_is_on_disk(tmp_path: Path) -> None:
    async def body() -> None:
        slow, store = Slow(), f"sqlite:{tmp_path / 'longrein.db'}"
        made = client([say("Yes.")], tmp_path, capabilities=(slow,), store=store)
        async with made as local, using(local) as user:
            await user.types("/slow\r")
            await user.types("hello there\r")
            await user.until(lambda: b"hello there" in drafts(tmp_path), "a file")
            slow.end.set()
            await user.sees("Yes.")

    run(body())


def test_what_is_sent_at_once_is_not_shown_as_waiting_first() -> None:
    async def body() -> None:
        unsent = Unsent()
        async with before(Host(unsent)) as person:
            unsent.show((Draft("hello"),))
            assert not unsent.display
            unsent.show(())
            unsent.show([Draft(f"number {n}") for n in range(5)])
            await person.sees("│ … 2 more")
            assert "│ number 2  waits to be sent" in person.screen
            unsent.show(())
            assert not unsent.display

    run(body())


def test_a_message_is_sent_before_a_click_that_came_after_it_leads_elsewhere(
    tmp_path: Path,
) -> None:
    async def body() -> None:
        slow = Slow()
        async with client([say("Yes.")], tmp_path, capabilities=[slow]) as made:
            async with using(made) as user:
                first = user.app.stage.desk.thread
                await user.types("/slow \rmeant for here\r")
                await user.sees("waits to be sent")
                user.app.main.offer.post_message(Offer.Taken("new"))
                await user.settles()
                assert user.app.stage.desk.thread is first
                slow.end.set()
                await user.until(lambda: user.app.stage.desk.thread is not first, "a new thread")
                assert said(user) == []
            there = (await made.open(first.thread)).display
            assert [one.text for one in there.messages if isinstance(one, User)] == [
                "meant for here"
            ]

    run(body())


def test_a_message_after_a_command_is_for_the_thread_that_it_leads_to(tmp_path: Path) -> None:
    async def body() -> None:
        async with client([say("Yes.")], tmp_path) as made, using(made) as user:
            first = user.app.stage.desk.thread
            await user.types("/new \rmeant for there\r")
            await user.sees("Yes.")
            assert user.app.stage.desk.thread is not first
            assert said(user) == ["meant for there"]

    run(body())


def test_a_message_lands_in_no_other_thread_than_it_was_written_in(tmp_path: Path) -> None:
    async def body() -> None:
        async with client([say("Yes.")], tmp_path) as made, using(made) as user:
            gate = asyncio.Event()

            async def busy() -> None:
                await gate.wait()

            user.app.main._in_turn(busy())  # pyright: ignore[reportPrivateUsage]
            await user.types("meant for here\r")
            await user.sees("waits to be sent")
            await user.app.stage.enter(await made.open(new=True))
            gate.set()
            await user.misses("waits to be sent")
            assert said(user) == []

    run(body())
