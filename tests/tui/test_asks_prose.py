"""What is written while a card has the focus is no answer, however quickly it is typed."""

from pathlib import Path

import pytest

from longrein.testing import Reply, call, say
from longrein.tui.grace import HOLD
from tests.support import run
from tests.tui.asking import asking

WRITE = call("write_file", path="a.txt", content="hello")
PLAN = call("submit_plan", title="Do it", plan="1. Do it")
CHOICE = call("ask_user", question="Which?", choices=["one", "two"])
OPEN = call("ask_user", question="Why?")


@pytest.mark.parametrize("asked", [WRITE, PLAN], ids=["approval", "plan"])
@pytest.mark.parametrize(
    "words", ["you must not", "any", "rather not", "no", "stop it", "what now"]
)
def test_words_in_one_burst_go_to_the_editor(tmp_path: Path, asked: Reply, words: str) -> None:
    async def body() -> None:
        async with asking([asked, say("Done.")], tmp_path, hold=HOLD) as d:
            await d.until(lambda: d.app.asks.has_focus_within, "the card")
            await d.press(*["space" if letter == " " else letter for letter in words])
            await d.until(lambda: d.written == words, "the words in the editor")
            assert d.writes
            assert d.display.approvals or d.display.questions
            assert not (tmp_path / "a.txt").exists()

    run(body())


def test_a_letter_alone_is_an_answer(tmp_path: Path) -> None:
    async def body() -> None:
        async with asking([WRITE, say("Done.")], tmp_path, hold=HOLD) as d:
            await d.until(lambda: d.app.asks.has_focus_within, "the card")
            await d.press("y")
            await d.idle()
            assert (tmp_path / "a.txt").read_text() == "hello"

    run(body())


def test_a_letter_that_enter_follows_is_one_answer(tmp_path: Path) -> None:
    async def body() -> None:
        async with asking([WRITE, say("Done.")], tmp_path, hold=HOLD) as d:
            await d.until(lambda: d.app.asks.has_focus_within, "the card")
            await d.press("s", "enter")
            await d.idle()
            assert not (tmp_path / "a.txt").exists()

    run(body())


def test_letters_that_choose_nothing_in_a_list_are_for_the_editor(tmp_path: Path) -> None:
    async def body() -> None:
        async with asking([WRITE, say("Done.")], tmp_path) as d:
            await d.until(lambda: d.app.asks.has_focus_within, "the card")
            await d.press("a")
            await d.press("w", "h", "y")
            await d.until(lambda: d.written == "why", "the words in the editor")
            assert d.display.approvals

    run(body())


def test_an_answer_in_ones_own_words_is_whole_though_typed_in_one_burst(tmp_path: Path) -> None:
    async def body() -> None:
        async with asking([OPEN, say("Done.")], tmp_path, hold=HOLD) as d:
            await d.until(lambda: d.app.asks.has_focus_within, "the card")
            await d.press(*"myanswer", "enter")
            await d.idle()
            assert "myanswer" in d.results()[0]

    run(body())


def test_words_on_a_question_with_choices_never_choose_one(tmp_path: Path) -> None:
    async def body() -> None:
        async with asking([CHOICE, say("Done.")], tmp_path, hold=HOLD) as d:
            await d.until(lambda: d.app.asks.has_focus_within, "the card")
            await d.press(*"2please")
            await d.settles()
            assert d.display.questions or "2please" in d.results()[0]

    run(body())
