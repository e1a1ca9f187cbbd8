"""What is pasted or typed while something else has the focus is written, and answers nothing."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from longrein.core.messages import ToolResult
from longrein.testing import Reply, call, pause, say
from longrein.testing.clock import ManualClock
from longrein.tui.app import LongreinApp
from longrein.tui.commanding import perform
from longrein.tui.opening import Choice, Dialogs
from tests.support import run
from tests.tui.apps import User, using
from tests.tui.host import before
from tests.tui.kit import client
from tests.tui.screens import lines

WRITE = call("write_file", path="notes.txt", content="one")
YES = (Choice("no", "No", "n"), Choice("yes", "Yes", "y"))


@asynccontextmanager
async def asked(reply: Reply, folder: Path) -> AsyncGenerator[User, None]:
    """Somebody who is asked something."""
    async with client([reply, say("Done.")], folder) as made, using(made) as user:
        await user.types("Go", "enter")
        await user.until(lambda: user.app.main.asks.has_focus_within, "a card")
        yield user


def results(user: User) -> list[str]:
    """What the model heard of its calls."""
    messages = user.app.stage.desk.thread.display.messages
    return [one.text for one in messages if isinstance(one, ToolResult)]


def test_a_paste_over_a_card_is_written_and_so_is_what_follows(tmp_path: Path) -> None:
    async def body() -> None:
        async with asked(WRITE, tmp_path) as user:
            await user.pastes("y\n" * 20)
            await user.types("y")
            assert user.app.main.editor.draft.said == "y\n" * 20 + "y"
            assert "[pasted #1, 20 lines]y" in user.screen
            assert "Tab answers" in user.screen
            assert results(user) == []

    run(body())


def test_a_paste_into_the_reason_is_one_line_and_no_answer(tmp_path: Path) -> None:
    async def body() -> None:
        async with asked(WRITE, tmp_path) as user:
            await user.presses("n")
            await user.pastes("not here\r\nbut there\n")
            assert "│ not here but there" in lines(user.app)
            assert results(user) == []
            await user.presses("enter")
            await user.until(lambda: results(user), "an answer")
            assert "not here but there" in results(user)[0]

    run(body())


def test_a_paste_over_a_question_begins_its_answer(tmp_path: Path) -> None:
    async def body() -> None:
        async with asked(call("ask_user", question="Which name?"), tmp_path) as user:
            await user.pastes("an old\nname\n")
            assert "│ an old name" in lines(user.app)
            assert results(user) == []
            await user.types(" indeed", "enter")
            await user.until(lambda: results(user), "an answer")
            assert "an old name indeed" in results(user)[0]

    run(body())


def test_a_paste_over_the_queue_is_written(tmp_path: Path) -> None:
    async def body() -> None:
        async with client([pause(30)], tmp_path) as made, using(made) as user:
            await user.types("Go", "enter")
            await user.types("later", "alt+enter")
            await user.sees("1 later")
            await user.presses("up")
            await user.pastes("ddd")
            await user.types("d")
            assert user.app.main.editor.draft.text == "dddd"
            assert "1 later" in user.screen

    run(body())


def test_letters_in_the_first_moment_of_a_question_are_written() -> None:
    chosen: list[str] = []
    clock = ManualClock()

    async def opener(dialogs: Dialogs) -> None:
        chosen.append(await dialogs.choose("Trust it?", "It brings hooks.", YES))

    async def body() -> None:
        async with before(LongreinApp(opener, perform, clock=clock)) as user:
            await user.sees("Trust it?")
            await user.types("yes, ")
            await user.pastes("really")
            await user.presses("enter")
            assert user.app.main.editor.draft.text == "yes, really"
            assert chosen == []
            clock.advance(1)
            await user.types("why 2")
            assert user.app.main.editor.draft.text == "yes, reallywhy 2"
            clock.advance(5)
            await user.presses("y")
            await user.until(lambda: chosen, "an answer")
            assert chosen == ["yes"]

    run(body())
