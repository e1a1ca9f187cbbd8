"""Small pages that ask one thing."""

from collections.abc import Callable

import pytest
from textual.app import App
from textual.screen import ModalScreen

from longrein.core.errors import UsageError
from longrein.tui.grace import SECONDS, WRITING, Grace
from longrein.tui.opening import Choice
from longrein.tui.outside import EditOutside, edit_outside
from longrein.tui.pages.dialog import Dialog, LineDialog
from longrein.tui.widgets.menu import Menu
from tests.support import run
from tests.tui.host import shown

CHOICES = (Choice("trust", "Trust it", "t"), Choice("look", "Look first"), Choice("no", "Leave it"))


class Clock:
    """Seconds that go by when the test says so."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def answer(
    make: Callable[[], ModalScreen[str]], *keys: str, size: tuple[int, int] = (80, 24)
) -> tuple[str, list[str | None]]:
    """What a page shows, and what comes of pressing keys on it."""

    async def body() -> tuple[str, list[str | None]]:
        async with shown(make(), size) as (app, person):
            seen = person.screen
            await person.presses(*keys)
            return seen, app.result

    return run(body())


def dialog(text: str = "This folder has settings of its own.", default: str = "") -> Dialog:
    return Dialog("Trust this folder?", text, CHOICES, default)


@pytest.mark.parametrize(
    ("keys", "result"),
    [
        (["enter"], "trust"),
        (["down", "enter"], "look"),
        (["3"], "no"),
        (["t"], "trust"),
        (["escape"], None),
    ],
)
def test_a_dialog_is_answered_by_arrows_numbers_and_letters(
    keys: list[str], result: str | None
) -> None:
    seen, results = answer(dialog, *keys)
    assert "Trust this folder?" in seen
    assert "1 Trust it (t)" in seen
    assert results == [result]


def test_a_dialog_begins_at_its_default() -> None:
    _, results = answer(lambda: dialog(default="look"), "enter")
    assert results == ["look"]


def test_a_dialog_says_hostile_words_harmlessly_and_fits_a_small_screen() -> None:
    text = "\x1b]52;c;x\x07 \u202e\n" + "many words " * 200
    seen, results = answer(lambda: dialog(text), "2", size=(40, 10))
    assert "\\x1b]52;c;x\\x07 \\u202e" in seen
    assert "Look first" in seen
    assert results == ["look"]


def uncalled(clock: Clock) -> Dialog:
    return Dialog("Trust this folder?", "", CHOICES, grace=Grace(clock, hold=0))


def test_what_is_typed_as_a_question_comes_up_does_not_answer_it() -> None:
    async def body() -> None:
        clock = Clock()
        async with shown(uncalled(clock)) as (app, person):
            for key in ("t", "enter", "2", "t"):
                clock.now += SECONDS - 0.1
                await person.presses(key)
            assert not app.result
            clock.now += SECONDS + 0.1
            await person.presses("t")
            assert app.result == ["trust"]

    run(body())


def test_whoever_goes_on_writing_does_not_answer() -> None:
    async def body() -> None:
        clock = Clock()
        async with shown(uncalled(clock)) as (app, person):
            for letter in "fix 3 tests":
                clock.now += WRITING - 0.1
                await person.types(letter)
            await person.presses("enter")
            assert not app.result

    run(body())


def test_a_click_as_a_question_comes_up_does_not_answer_it() -> None:
    async def body() -> None:
        clock = Clock()
        async with shown(uncalled(clock)) as (app, person):
            await person.pilot.click(Menu)
            assert not app.result
            clock.now += SECONDS + 0.1
            await person.pilot.click(Menu)
            assert app.result == ["trust"]

    run(body())


def test_a_long_text_scrolls_by_keys_and_says_how_much_is_left() -> None:
    async def body() -> None:
        lines = "\n".join(["the first", *("and more" for _ in range(58)), "the last"])
        page = Dialog("Trust?", "What could go wrong.", CHOICES, shown=lines)
        async with shown(page) as (_, person):
            seen = await person.sees("54 more lines, PageDown")
            assert seen.index("What could go wrong.") < seen.index("the first")
            await person.presses("end")
            seen = await person.sees("the last")
            assert "all seen" in seen
            assert "Leave it" in seen
            await person.presses("home")
            await person.sees("the first")
            await person.presses("pagedown")
            await person.sees("47 more lines")

    run(body())


def test_an_entry_gives_what_was_written() -> None:
    _, results = answer(lambda: LineDialog("Name", "Whatever you like."), *"Ada", "enter")
    assert results == ["Ada"]


def test_a_secret_is_not_shown() -> None:
    async def body() -> None:
        async with shown(LineDialog("Key", "Paste it here.", secret=True)) as (app, person):
            await person.types("hunter2")
            assert "hunter2" not in person.screen
            await person.presses("enter")
            assert app.result == ["hunter2"]

    run(body())


def test_without_an_editor_the_person_is_told_how_to_choose_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.delenv("EDITOR", raising=False)
    with pytest.raises(UsageError, match=r"longrein config app\.editor"):
        run(edit_outside(App[None](), EditOutside("x", "a.txt", lambda text: None)))
