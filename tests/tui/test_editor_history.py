"""What was said before: walked through with arrows, and searched."""

from pathlib import Path

from tests.support import run
from tests.tui.screens import lines
from tests.tui.typing_app import typing

PAST = ("second\nof two lines", "first")


def test_up_goes_back_and_down_returns_to_the_draft(tmp_path: Path) -> None:
    async def do() -> None:
        async with typing(tmp_path, past=PAST) as (app, person):
            await person.types("draft")
            await person.presses("up")
            assert app.text == PAST[0]
            await person.presses("up", "up")
            assert app.text == "first"
            await person.presses("up")
            assert app.text == "first"
            await person.presses("down", "down")
            assert app.text == "draft"

    run(do())


def test_up_from_an_empty_editor_goes_back_where_nothing_waits(tmp_path: Path) -> None:
    async def do() -> None:
        async with typing(tmp_path, past=["first"]) as (app, person):
            await person.presses("up")
            await person.settles()
            assert app.text == "first"
            await person.presses("down")
            assert app.text == ""

    run(do())


def test_keys_that_come_with_up_act_on_what_it_brought(tmp_path: Path) -> None:
    async def do() -> None:
        async with typing(tmp_path, past=["first"]) as (app, person):
            await person.types("\x1b[A\x7f\r")
            assert app.told == [("send", "firs")]

    run(do())


def test_arrows_move_inside_of_a_text_before_they_leave_it(tmp_path: Path) -> None:
    async def do() -> None:
        async with typing(tmp_path, past=["first"]) as (app, person):
            await person.types("a\nb")
            await person.presses("up", "x")
            assert app.text == "ax\nb"
            await person.presses("up")
            assert app.text == "first"

    run(do())


def test_what_was_changed_on_the_way_is_a_draft_of_its_own(tmp_path: Path) -> None:
    async def do() -> None:
        async with typing(tmp_path, past=["newer", "older"]) as (app, person):
            await person.types("draft")
            await person.presses("up", "!", "up")
            assert app.text == "newer"
            await person.presses("down")
            assert app.text == "newer!"

    run(do())


def test_commands_and_shell_lines_are_remembered_too(tmp_path: Path) -> None:
    async def do() -> None:
        async with typing(tmp_path, past=["said"]) as (app, person):
            for line in ("/help", "!ls", "/help"):
                await person.types(line)
                await person.presses("enter")
            await person.presses("ctrl+p")
            assert app.text == "/help"
            await person.presses("ctrl+p", "ctrl+p")
            assert app.text == "said"

    run(do())


def test_searching_finds_by_words_and_enter_takes_what_is_chosen(tmp_path: Path) -> None:
    async def do() -> None:
        past = ["fix the docs", "write tests", "fix the tests"]
        async with typing(tmp_path, past=past) as (app, person):
            await person.types("draft")
            await person.presses("ctrl+r")
            await person.types("TESTS fix")
            await person.settles()
            assert [line for line in lines(app) if "tests" in line] == ["› fix the tests"]
            await person.presses("enter")
            await person.settles()
            assert app.text == "fix the tests"
            assert app.told == []

    run(do())


def test_searching_says_where_nothing_fits(tmp_path: Path) -> None:
    async def do() -> None:
        async with typing(tmp_path, past=["one", "two"]) as (app, person):
            await person.presses("ctrl+r")
            await person.settles()
            assert not any("nothing that was said before fits" in line for line in lines(app))
            await person.types("three")
            await person.sees("nothing that was said before fits")
            await person.presses("enter")
            await person.settles()
            assert app.text == ""

    run(do())


def test_searching_steps_with_ctrl_r_and_esc_leaves_the_draft_alone(tmp_path: Path) -> None:
    async def do() -> None:
        async with typing(tmp_path, past=["one", "two"]) as (app, person):
            await person.types("draft")
            await person.presses("ctrl+r", "ctrl+r")
            await person.settles()
            assert "› two" in lines(app)
            await person.presses("escape")
            await person.settles()
            assert app.text == "draft"
            assert "› two" not in lines(app)
            await person.presses("ctrl+r", "ctrl+r", "enter")
            await person.settles()
            assert app.text == "two"

    run(do())
