"""What is written and not sent is there again when the thread is."""

import os
import signal
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from longrein.client.port import Attachment
from longrein.testing import Reply, pause, reply, say
from longrein.tui.writing.begun import Begun
from longrein.tui.writing.draft import Draft
from longrein.tui.writing.keeping import LARGEST, Keeper, decoded, encoded
from tests.cli.world import World, provider
from tests.support import run
from tests.tui.apps import User, using
from tests.tui.kit import client
from tests.tui.tmux import needs_tmux, terminal
from tests.tui.typing_app import typing
from tests.tui.working import drafts, talked

LONG = "".join(f"line {number}\n" for number in range(30))


def store(folder: Path) -> str:
    return f"sqlite:{folder / 'longrein.db'}"


def kept(folder: Path) -> list[Path]:
    """The files of drafts, without those that are being written."""
    return sorted((folder / "longrein.db-drafts").glob("[!.]*"))


@asynccontextmanager
async def writing(folder: Path) -> AsyncGenerator[User, None]:
    """Somebody before a new thread."""
    made = client([say("Yes.")], folder, store=store(folder))
    async with made as local, using(local) as user:
        yield user


def said(user: User) -> str:
    return user.app.main.editor.draft.said


def test_what_is_written_is_there_when_the_thread_is_opened_again(tmp_path: Path) -> None:
    async def body() -> None:
        async with client([say("Yes.")], tmp_path, store=store(tmp_path)) as made:
            thread = (await talked(made, "Hello")).thread
            async with using(made, thread=thread) as user:
                await user.types("Look: ")
                await user.pastes(LONG)
            async with using(made, thread=thread) as user:
                await user.until(lambda: said(user) == f"Look: {LONG}", "the draft")
                assert "Look: [pasted #1, 30 lines]" in user.screen

    run(body())


def test_it_is_written_behind_the_typing_for_its_owner_only_and_gone_once_sent(
    tmp_path: Path,
) -> None:
    async def body() -> None:
        async with client([say("Yes."), say("No.")], tmp_path, store=store(tmp_path)) as made:
            thread = (await talked(made, "Hello")).thread
            async with using(made, thread=thread) as user:
                await user.types("secret")
                await user.until(lambda: kept(tmp_path), "a file")
                (file,) = kept(tmp_path)
                assert file.stat().st_mode & 0o777 == 0o600
                assert file.parent.stat().st_mode & 0o777 == 0o700
                await user.presses("enter")
                await user.until(lambda: not kept(tmp_path), "no file")

    run(body())


def test_what_was_written_where_nothing_was_said_is_for_the_next_new_thread(
    tmp_path: Path,
) -> None:
    async def body() -> None:
        async with writing(tmp_path) as user:
            await user.types("Begin")
        async with writing(tmp_path) as user:
            await user.until(lambda: said(user) == "Begin", "the draft")
            await user.types(" again")
        async with writing(tmp_path) as user:
            await user.until(lambda: said(user) == "Begin again", "the draft")
            await user.presses("enter")
            await user.sees("Yes.")
            await user.until(lambda: not kept(tmp_path), "no file")

    run(body())


def test_a_thread_opens_with_what_was_left_in_it_and_with_what_is_typed_ahead(
    tmp_path: Path,
) -> None:
    async def body() -> None:
        async with client([say("One."), say("Two.")], tmp_path, store=store(tmp_path)) as made:
            one, other = await talked(made, "First"), await talked(made, "Second")
            await other.keep_draft(encoded(Draft("about the second")))
            async with using(made, thread=one.thread) as user:
                await user.app.stage.enter(other)
                await user.until(lambda: said(user) == "about the second", "the draft")
                await user.presses("ctrl+c")
                await user.types("/new", "enter", *"ahead")
                await user.until(lambda: user.app.stage.desk.thread not in (one, other), "a new")
                await user.until(lambda: said(user) == "ahead", "what was typed ahead")
            assert decoded(await other.draft()).text == ""

    run(body())


def test_the_draft_of_a_thread_goes_with_it(tmp_path: Path) -> None:
    async def body() -> None:
        async with client([say("Yes.")], tmp_path, store=store(tmp_path)) as made:
            thread = await talked(made, "Hello")
            await thread.keep_draft(b"something")
            assert kept(tmp_path)
            await made.delete(thread.thread)
            assert not kept(tmp_path)

    run(body())


def test_a_draft_that_cannot_be_kept_is_told_once_and_typing_goes_on(tmp_path: Path) -> None:
    (tmp_path / "longrein.db-drafts").write_text("in the way")

    async def body() -> None:
        async with writing(tmp_path) as user:
            await user.types("Hello")
            await user.until(lambda: user.notes, "a note")
            await user.types(" there", "enter")
            await user.sees("Yes.")
            assert not user.notes  # sending cleared it, and it is not told again

    run(body())


def test_where_a_draft_cannot_be_read_what_is_typed_is_not_kept_for_the_thread_before(
    tmp_path: Path,
) -> None:
    async def body() -> None:
        async with client([say("One."), say("Two.")], tmp_path, store=store(tmp_path)) as made:
            one, other = await talked(made, "First"), await talked(made, "Second")
            await other.keep_draft(b"in the way")
            (file,) = kept(tmp_path)
            file.unlink()
            file.mkdir()
            async with using(made, thread=one.thread) as user:
                await user.app.stage.enter(other)
                await user.until(lambda: user.notes, "a note")
                await user.types("about the second")
                file.rmdir()
                await user.until(lambda: file.is_file(), "a file")
            assert await one.draft() == b""
            assert decoded(await other.draft()).text == "about the second"

    run(body())


def test_what_is_only_suggested_or_looked_back_at_is_no_draft(tmp_path: Path) -> None:
    async def body() -> None:
        async with typing(tmp_path, past=["said before"]) as (app, person):
            app.editor.suggest("Try this")
            await person.presses("tab")
            assert app.text == "Try this"
            assert app.editor.unsent == Draft()
            await person.types("!")
            assert app.editor.unsent.text == "Try this!"
            await person.presses("ctrl+p")
            assert app.text == "said before"
            assert app.editor.unsent.text == "Try this!"

    run(body())


def test_what_is_on_its_way_is_kept_until_it_is_there(tmp_path: Path) -> None:
    async def body() -> None:
        made = client([say("Yes.")], tmp_path, store=store(tmp_path))
        async with made as local, typing(tmp_path) as (app, person):
            thread = await talked(local, "Hello")
            keeper, sent = Keeper(app, app.editor, Begun()), Draft("on its way")
            keeper.go_to(thread)
            await person.types("more")
            keeper.sends(sent)
            await person.until(lambda: kept(tmp_path), "a file")
            assert decoded(await thread.draft()).text == "on its way\nmore"
            keeper.sent(sent)
            await keeper.keep()
            assert decoded(await thread.draft()).text == "more"

    run(body())


def test_only_so_much_is_kept() -> None:
    draft, mark = Draft("See ").with_file(Attachment("cat.png", b"x" * (LARGEST + 1)))
    small, same = Draft("See ").with_file(Attachment("cat.png", b"x"))
    assert decoded(encoded(Draft(mark, attached=draft.attached))).text == '@"cat.png"'
    assert decoded(encoded(Draft(same, attached=small.attached))).files == (small.attached[0].file,)
    assert decoded(b"what is this") == Draft()


def test_words_are_kept_where_the_largest_of_what_was_pasted_is_not() -> None:
    draft, small = Draft().with_paste(LONG)
    draft, large = draft.with_paste("x" * LARGEST)
    found = decoded(encoded(Draft(f"an hour of typing {small} {large}", draft.pasted)))
    assert found.said == f"an hour of typing {LONG} {large[:-1]}, not kept]"
    assert decoded(encoded(Draft("x" * LARGEST * 2))).text == "x" * LARGEST * 2


@needs_tmux
@pytest.mark.timeout(120)
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGHUP])
def test_killed_while_somebody_writes_it_has_what_was_written(
    tmp_path: Path, how: signal.Signals
) -> None:
    world = World(tmp_path)
    says: list[Reply] = [reply(say("So far"), pause(30))]
    home = tmp_path / "data" / "longrein"
    with (
        provider(world, says),
        terminal(world.command(), world.project, world.environ) as shown,
    ):
        shown.wait("asks first")
        shown.type("Hello")
        shown.keys("Enter")
        shown.wait("So far")
        shown.type("and then this")
        shown.until(lambda _: b"then this" in drafts(home), "a draft on disk")
        os.kill(shown.pid, how)
        shown.until(lambda _: shown.ended, "its death")
        shown.again(world.command("--continue"))
        shown.wait("› and then this")
