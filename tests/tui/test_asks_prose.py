"""What is written while a card has the focus is no answer, however quickly it is typed."""

import asyncio
from pathlib import Path

import pytest
from textual.events import Key

from longrein.testing import Reply, call, calls, say
from longrein.tui.grace import HOLD
from longrein.tui.widgets.asks import Asks
from tests.support import run
from tests.tui.asking import asking

WRITE = call("write_file", path="a.txt", content="hello")
PLAN = call("submit_plan", title="Do it", plan="1. Do it")
CHOICE = call("ask_user", question="Which?", choices=["one", "two"])
OPEN = call("ask_user", question="Why?")

LONG = 60.0
"""Seconds that a letter is held: longer than any machine stops in the middle of a word."""


@pytest.mark.parametrize("asked", [WRITE, PLAN], ids=["approval", "plan"])
@pytest.mark.parametrize("words", ["you must not", "any", "rather not", "stop it", "what now"])
def test_words_in_one_burst_go_to_the_editor(tmp_path: Path, asked: Reply, words: str) -> None:
    async def body() -> None:
        async with asking([asked, say("Done.")], tmp_path, hold=LONG) as d:
            await d.until(lambda: d.app.asks.has_focus_within, "the card")
            await d.press(*["space" if letter == " " else letter for letter in words])
            await d.until(lambda: d.written == words, "the words in the editor")
            assert d.writes
            assert d.display.approvals or d.display.questions
            assert not (tmp_path / "a.txt").exists()

    run(body())


@pytest.mark.parametrize("asked", [WRITE, PLAN], ids=["approval", "plan"])
@pytest.mark.parametrize("words", ["any", "yes", "looks good", "dont\r", "wait\r", "rather\r"])
def test_words_that_come_in_one_read_answer_nothing(
    tmp_path: Path, asked: Reply, words: str
) -> None:
    async def body() -> None:
        async with asking([asked, say("Done.")], tmp_path, hold=LONG) as d:
            await d.until(lambda: d.app.asks.has_focus_within, "the card")
            await d.reads()
            card = d.app.focused
            assert card is not None
            for letter in words:
                card.post_message(Key("enter" if letter == "\r" else letter, letter))
            await d.until(lambda: d.written == words.strip(), "the words in the editor")
            assert not d.told(Asks.Decided)

    run(body())


def test_what_follows_a_no_at_once_is_its_reason(tmp_path: Path) -> None:
    async def body() -> None:
        async with asking([WRITE, say("Done.")], tmp_path, hold=LONG) as d:
            await d.until(lambda: d.app.asks.has_focus_within, "the card")
            await d.press(*"nwrong", "enter")
            await d.idle()
            assert "wrong" in d.results()[0]
            assert not (tmp_path / "a.txt").exists()

    run(body())


@pytest.mark.parametrize("key", ["backspace", "tab", "left"])
def test_another_key_takes_a_letter_back(tmp_path: Path, key: str) -> None:
    async def body() -> None:
        async with asking([WRITE, say("Done.")], tmp_path, hold=LONG) as d:
            await d.until(lambda: d.app.asks.has_focus_within, "the card")
            await d.press("y", key)
            await d.press("w")
            await d.until(lambda: d.written == "w", "a word that begins behind it")
            assert not d.told(Asks.Decided)

    run(body())


def test_numbers_mark_several_however_quickly_they_come(tmp_path: Path) -> None:
    async def body() -> None:
        several = call("ask_user", question="Which?", choices=["a", "b", "c"], several=True)
        async with asking([several, say("Done.")], tmp_path, hold=LONG) as d:
            await d.until(lambda: d.app.asks.has_focus_within, "the card")
            await d.press("1", "3", "enter")
            await d.idle()
            assert d.results() == ['["a","c"]']

    run(body())


def test_a_word_on_the_page_of_a_plan_decides_nothing(tmp_path: Path) -> None:
    async def body() -> None:
        async with asking([PLAN, say("Done.")], tmp_path, hold=HOLD) as d:
            await d.until(lambda: d.app.asks.has_focus_within, "the card")
            await d.press("o")
            await d.sees("as it was written")
            await d.reads()
            for letter in "wait":
                d.app.screen.post_message(Key(letter, letter))
            await d.settles()
            await asyncio.sleep(2 * HOLD)
            assert d.display.questions

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
        async with asking([WRITE, say("Done.")], tmp_path, hold=LONG) as d:
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
        async with asking([OPEN, say("Done.")], tmp_path, hold=LONG) as d:
            await d.until(lambda: d.app.asks.has_focus_within, "the card")
            await d.press(*"myanswer", "enter")
            await d.idle()
            assert "myanswer" in d.results()[0]

    run(body())


def test_words_on_a_question_with_choices_never_choose_one(tmp_path: Path) -> None:
    async def body() -> None:
        async with asking([CHOICE, say("Done.")], tmp_path, hold=LONG) as d:
            await d.until(lambda: d.app.asks.has_focus_within, "the card")
            await d.press(*"2please")
            await d.settles()
            assert d.display.questions or "2please" in d.results()[0]

    run(body())


def test_a_number_among_the_ways_to_remember_only_points(tmp_path: Path) -> None:
    async def body() -> None:
        async with asking([WRITE, say("Done.")], tmp_path) as d:
            await d.until(lambda: d.app.asks.has_focus_within, "the card")
            await d.press("a")
            await d.press("2")
            await d.settles()
            assert d.display.approvals
            await d.press("enter")
            await d.idle()
            assert (tmp_path / "a.txt").exists()

    run(body())


def test_words_that_go_on_under_the_next_card_are_not_lost(tmp_path: Path) -> None:
    async def body() -> None:
        second = call("write_file", path="b.txt", content="hello")
        async with asking([calls(WRITE, second), say("Done.")], tmp_path) as d:
            await d.sees("1/2")
            await d.press("y")
            await d.until(lambda: len(d.display.approvals) == 1, "the other")
            await d.presses("o", "u")
            await d.until(lambda: d.written == "ou", "the rest of the word")
            assert d.display.approvals

    run(body())


def test_a_page_of_a_plan_is_not_decided_by_the_key_that_opened_it(tmp_path: Path) -> None:
    async def body() -> None:
        async with asking([PLAN, say("Done.")], tmp_path) as d:
            await d.until(lambda: d.app.asks.has_focus_within, "the card")
            await d.press("enter")
            await d.sees("as it was written")
            await d.presses("enter")
            await d.settles()
            assert d.display.questions

    run(body())
