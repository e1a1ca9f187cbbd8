"""The editor: what is written, sent, kept and found again."""

from pathlib import Path

import pytest

from longrein.tui.widgets.area import Area
from longrein.tui.writing.draft import Draft
from tests.support import run
from tests.tui.screens import lines
from tests.tui.typing_app import typing


def test_enter_sends_and_empties_the_editor(tmp_path: Path) -> None:
    async def do() -> None:
        async with typing(tmp_path) as (app, person):
            await person.types("hello there")
            await person.presses("enter")
            assert app.told == [("send", "hello there")]
            assert app.text == ""

    run(do())


@pytest.mark.parametrize("keys", ["\x1b\r", "\x1b[13;3u", "\x1b[27;3;13~"])
def test_alt_enter_queues_in_every_way_that_terminals_send_it(tmp_path: Path, keys: str) -> None:
    async def do() -> None:
        async with typing(tmp_path) as (app, person):
            await person.types(f"later{keys}")
            assert app.told == [("queue", "later")]

    run(do())


@pytest.mark.parametrize("keys", ["\x1b[13;2u", "\x1b[27;2;13~", "\n", "\\\r"])
def test_a_new_line_is_made_by_each_of_its_keys(tmp_path: Path, keys: str) -> None:
    async def do() -> None:
        async with typing(tmp_path) as (app, person):
            await person.types(f"a{keys}b\r")
            assert app.told == [("send", "a\nb")]

    run(do())


def test_keys_that_arrive_together_act_in_their_order(tmp_path: Path) -> None:
    async def do() -> None:
        async with typing(tmp_path) as (app, person):
            await person.types("ab\x7fc\x1b[Dx\x01y")
            assert app.text == "yaxc"

    run(do())


def test_nothing_is_sent_where_nothing_is_written(tmp_path: Path) -> None:
    async def do() -> None:
        async with typing(tmp_path) as (app, person):
            await person.presses("enter", "space", "enter", "alt+enter")
            assert app.told == []

    run(do())


def test_what_is_behind_a_mark_of_exclamation_is_for_the_shell(tmp_path: Path) -> None:
    async def do() -> None:
        async with typing(tmp_path) as (app, person):
            await person.types("!")
            await person.presses("enter")
            assert app.text == "!"
            await person.types("ls -la")
            await person.settles()
            assert "your own command" in "\n".join(lines(app))
            await person.presses("enter")
            assert app.told == [("shell", "ls -la")]
            await person.settles()
            assert "your own command" not in "\n".join(lines(app))

    run(do())


def test_a_command_goes_with_its_arguments_and_a_path_is_a_message(tmp_path: Path) -> None:
    async def do() -> None:
        async with typing(tmp_path) as (app, person):
            await person.types("/compact the tests\nabove all")
            await person.presses("enter")
            await person.types("/usr/bin is full")
            await person.presses("enter")
            assert app.told == [
                ("command", "compact", "the tests\nabove all"),
                ("send", "/usr/bin is full"),
            ]

    run(do())


def test_esc_is_told_when_nothing_is_open_and_keeps_what_is_written(tmp_path: Path) -> None:
    async def do() -> None:
        async with typing(tmp_path) as (app, person):
            await person.types("half")
            await person.presses("escape")
            assert app.told == [("escaped",)]
            assert app.text == "half"

    run(do())


def test_it_grows_with_its_text_up_to_two_fifths_of_the_screen(tmp_path: Path) -> None:
    async def do() -> None:
        async with typing(tmp_path, size=(80, 24)) as (app, person):
            area = app.query_one(Area)
            assert area.size.height == 1
            await person.types("a\nb\nc")
            await person.settles()
            assert area.size.height == 3
            app.editor.load("\n".join("x" for _ in range(40)))
            await person.settles()
            assert area.size.height == 9
            assert app.editor.region.bottom == 24

    run(do())


def test_long_lines_are_wrapped(tmp_path: Path) -> None:
    async def do() -> None:
        async with typing(tmp_path, size=(40, 10)) as (app, person):
            await person.types("word " * 10)
            await person.settles()
            assert app.query_one(Area).size.height == 2
            assert all(len(line) <= 40 for line in lines(app))

    run(do())


def test_what_could_not_be_sent_is_put_back_above_what_was_written_since(tmp_path: Path) -> None:
    async def do() -> None:
        async with typing(tmp_path) as (app, person):
            await person.types("new")
            app.editor.restore(Draft("old"))
            assert app.text == "old\nnew"
            app.editor.load("")
            app.editor.restore(Draft("old"))
            assert app.text == "old"

    run(do())


def test_clearing_can_be_undone(tmp_path: Path) -> None:
    async def do() -> None:
        async with typing(tmp_path) as (app, person):
            await person.types("precious")
            assert app.editor.clear()
            assert app.text == ""
            await person.presses("ctrl+underscore")
            assert app.text == "precious"
            app.editor.load("")
            assert not app.editor.clear()

    run(do())


def test_what_was_sent_does_not_come_back_by_undoing(tmp_path: Path) -> None:
    async def do() -> None:
        async with typing(tmp_path) as (app, person):
            await person.types("slow", "enter")
            await person.presses("ctrl+underscore", "ctrl+z")
            await person.types("next", "enter")
            assert app.told == [("send", "slow"), ("send", "next")]

    run(do())


def test_clearing_copies_what_is_selected_first(tmp_path: Path) -> None:
    async def do() -> None:
        async with typing(tmp_path) as (app, person):
            await person.types("some text")
            await person.presses("ctrl+shift+left")
            assert app.editor.clear()
            assert app.clipboard == "text"
            assert app.text == "some text"
            await person.presses("right", "ctrl+v")
            assert app.text == "some texttext"

    run(do())


def test_keys_of_a_shell_delete_and_move(tmp_path: Path) -> None:
    async def do() -> None:
        async with typing(tmp_path) as (app, person):
            await person.types("one two three")
            await person.presses("ctrl+w")
            assert app.text == "one two "
            await person.presses("ctrl+a", "alt+f", "ctrl+k")
            assert app.text == "one"
            await person.presses("ctrl+e", "x", "ctrl+u")
            assert app.text == ""
            await person.presses("ctrl+underscore")
            assert app.text == "onex"

    run(do())


def test_tab_takes_the_suggestion_only_where_nothing_is_written(tmp_path: Path) -> None:
    async def do() -> None:
        async with typing(tmp_path) as (app, person):
            app.editor.suggest("[b]Fix[/b] the tests")
            await person.settles()
            assert "[b]Fix[/b] the tests" in "\n".join(lines(app))
            await person.presses("tab")
            assert app.text == "[b]Fix[/b] the tests"
            await person.presses("tab")
            assert app.text == "[b]Fix[/b] the tests"

    run(do())


def test_another_editor_gets_the_draft_and_gives_it_back(tmp_path: Path) -> None:
    async def do() -> None:
        async with typing(tmp_path) as (app, person):
            await person.types("short")
            await person.presses("ctrl+g")
            [asked] = app.outside
            assert asked.text == "short"
            asked.done("longer")
            assert app.text == "longer"

    run(do())


def test_a_small_screen_has_no_lines_around_the_editor(tmp_path: Path) -> None:
    async def do() -> None:
        async with typing(tmp_path, size=(40, 10)) as (app, person):
            await person.settles()
            assert lines(app)[-1] == "›"

    run(do())
